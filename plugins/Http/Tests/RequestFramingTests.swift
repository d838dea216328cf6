// SPDX-License-Identifier: MIT

import Testing

@testable import HttpPlugin

/// What a server reads for requests (RFC 9112).
@Suite struct RequestFramingTests {
  /// Bytes as they come, in pieces of a size: how many are sound, and the fault.
  private static func take(_ text: String, by size: Int) -> (sound: Int, fault: RequestFraming.Fault?) {
    var framing = RequestFraming()
    let bytes = Array(text.utf8)
    var sound = 0
    for start in stride(from: 0, to: bytes.count, by: size) {
      let taken = bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { framing.take($0) }
      sound += taken.sound
      if let fault = taken.fault { return (sound, fault) }
    }
    return (sound, nil)
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n\r\n",
    "\r\n\nGET / HTTP/1.0\nA:\nB: \t x : y\n\nGET / HTTP/1.0\n\n",
    "PUT / HTTP/1.1\r\nContent-Length: 12\r\n\r\n: no head\r\n\r\nGET / HTTP/1.1\r\n\r\n",
    "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
      + "3;a=b\r\n: \r\r\n0\r\nX: y\r\n\r\nGET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n",
    // Blanks before a length are none of it.
    "PUT / HTTP/1.1\r\nContent-Length:\(String(repeating: " \t", count: 40))5\r\n\r\nA\r\n:b"
      + "GET / HTTP/1.1\r\n\r\n",
  ]) func whatIsSoundPasses(_ text: String) {
    for size in [1, 2, 3, 7, text.utf8.count] {
      let (sound, fault) = Self.take(text, by: size)
      #expect(sound == text.utf8.count && fault == nil, "\(size)")
    }
  }

  /// A length that one reader sees and another does not makes a request of a body.
  @Test(arguments: [
    "Content-Length : 5", "Content-Length\u{B}: 5", "\rContent-Length: 5", "Content-Length", " folded: 5",
    "\tfolded", ": 5", "a b: 5", "a\0: 5", "a: \0", "a: b\rContent-Length: 5", "\u{E4}: 5",
  ]) func aLineThatIsNoFieldIsAFault(_ line: String) {
    let before = "GET /before HTTP/1.1\r\nHost: a\r\n\r\n"
    let text = before + "GET / HTTP/1.1\r\nHost: a\r\n\(line)\r\n\r\n"
    for size in [1, 3, text.utf8.count] {
      let (sound, fault) = Self.take(text, by: size)
      #expect(fault == .head, "\(size)")
      if size == text.utf8.count { #expect(sound == before.utf8.count) }
    }
  }

  @Test(arguments: ["zz", "", "0x5", "-5", "5\nhello", "10000000000000005", "5\r\nhelloXX5"])
  func whatIsNoChunkIsAFault(_ chunk: String) {
    let text =
      "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n\(chunk)\r\n0\r\n\r\n"
    for size in [1, 5, text.utf8.count] { #expect(Self.take(text, by: size).fault == .chunk, "\(size)") }
  }
}
