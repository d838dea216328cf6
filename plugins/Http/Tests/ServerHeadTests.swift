// SPDX-License-Identifier: MIT

import Foundation
import NBridgeSystem
import NBridgeTesting
import Testing

@testable import HttpPlugin

/// Heads of requests that others could read otherwise than libsoup does.
@Suite struct ServerHeadTests {
  /// What becomes of some bytes that come in pieces of so many.
  private static func marked(_ text: String, step: Int) -> String {
    var marks = HeadMarks()
    var bytes = Array(text.utf8)
    bytes.withUnsafeMutableBytes { room in
      for start in stride(from: 0, to: room.count, by: step) {
        marks.pass(UnsafeMutableRawBufferPointer(rebasing: room[start..<min(start + step, room.count)]))
      }
    }
    return String(decoding: bytes, as: UTF8.self).replacing("\u{1}", with: "#")
  }

  @Test(arguments: [1, 2, 7, 4096])
  func whatStandsInAHeadIsMarkedAndABodyIsNot(_ step: Int) {
    let body = "a : b\r\n\r\n \rc"
    let good = """
      \r\nPOST /a b HTTP/1.1\r\nHost: x y\r\nCONTENT-length:\t          \
                         \(body.utf8.count) \r\n\r\n\(body)GET / HTTP/1.1\nHost:\n\n
      """
    let cases = [
      (good, good), ("\(good)GET /\r\nA : b\r\n\r\n", "\(good)GET /\r\nA#: b\r\n\r\n"),
      ("GET /\r\nA\t: b\r\n c: d\r\n", "GET /\r\nA#: b\r\n#c: d\r\n"),
      ("GET /\r\nA: b\rC: d\r\r\nE\r: f", "GET /\r\nA: b\r#: d\r#\nE\r##f"),
      ("GET /\r\nA\0: b", "GET /\r\nA#: b"),
      ("PUT /\r\nTransfer-Encoding: chunked\r\n\r\na : b", "PUT /\r\nTransfer-Encoding: chunked\r\n\r\na : b"),
    ]
    for (text, expected) in cases { #expect(Self.marked(text, step: step) == expected) }
  }

  /// A server before this one, which reads the length, would take the second request for a body (RFC 9112,
  /// 11.2).
  @Test func whatHidesALengthIsRefusedAndItsConnectionClosed() async throws {
    let port = Int.random(in: 20_000..<30_000)
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let client = try ChildProcess.start(
      "python3", ["-c", Self.client.replacing("PORT", with: "\(port)")], streams: [1: .file(folder + "/out")])
    let result = await ServerTests.run(
      """
      await nbridge.http.serve({ port: \(port) }, (request) => {
        const { pathname } = new URL(request.url);
        if (pathname !== "/") console.log(pathname);
        return pathname === "/end" ? exit() : new Response(request.body);
      });
      """)
    #expect(client.wait() == 0)
    let told = try String(contentsOfFile: folder + "/out", encoding: .utf8)
    #expect(told == String(repeating: "1 True\n", count: 7) + "2 a : b\n", "\(result)")
    #expect(result.output == "/end\n", "\(result)")
  }

  /// Prints how many answers there are to each bad request and what follows it, and whether the first is 400.
  private static let client = #"""
    import socket, time
    def ask(data):
      client = socket.create_connection(("127.0.0.1", PORT), timeout=20)
      client.sendall(data)
      told = b""
      while piece := client.recv(999): told += piece
      return told
    for _ in range(600):
      try: ask(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); break
      except OSError: time.sleep(0.05)
    next = b"GET /hidden HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    for line in [b"Content-Length : %d", b"Content-Length\t: %d", b"Transfer-Encoding : chunked", b" X: %d",
        b"X: y\rContent-Length: %d", b"Content-Length\0: %d", b"X(: %d"]:
      line = line % len(next) if b"%" in line else line
      told = ask(b"POST / HTTP/1.1\r\nHost: x\r\n" + line + b"\r\n\r\n" + next)
      print(told.count(b"HTTP/1.1 "), told.startswith(b"HTTP/1.1 400 "))
    told = ask(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\na : b"
      b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    print(told.count(b"HTTP/1.1 "), "a : b" if b"a : b" in told else told)
    try: ask(b"GET /end HTTP/1.1\r\nHost: x\r\n\r\n")
    except OSError: pass
    """#
}
