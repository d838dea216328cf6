// SPDX-License-Identifier: MIT

import NBridgeTesting
import Testing

/// `fetch` over TLS, of servers in Python.
@Suite struct FetchTLSTests {
  private static func run(_ server: PeerProgram, _ script: String) async throws -> ScriptHarness.Result {
    await FetchTests.run(
      // Nobody asks this one.
      try RawServer { _ in [.close] }, "const peer = 'https://localhost:\(server.port)';\n" + script,
      authorities: try TestAuthority.shared.get().certificate)
  }

  /// Accepts connections, one after the other, and has each request's head read.
  private static func serving(_ answer: String, setting: String = "") -> String {
    let steps = answer.split(separator: "\n", omittingEmptySubsequences: false).map { "    " + $0 }
    return """
      \(setting)
      while True:
        client, _ = listener.accept()
        try:
          client = context.wrap_socket(client, server_side=True)
          head = b""
          while b"\\r\\n\\r\\n" not in head:
            piece = client.recv(9999)
            if not piece: raise OSError
            head += piece
          path = head.split()[1].decode()
      \(steps.joined(separator: "\n"))
        except OSError: pass
        client.close()

      """
  }

  /// RFC 9112, 9.8: who cuts the connection can't say that TLS ends.
  @Test func aBodyIsWholeWhereTLSSaysSo() async throws {
    let server = try PeerProgram(
      python: Self.serving(
        """
        client.sendall(b"HTTP/1.1 200 OK\\r\\nConnection: close\\r\\n\\r\\nbody")
        if path == "/whole":
          try: client.unwrap()
          except OSError: pass
        """))
    let result = try await Self.run(
      server,
      """
      const read = (path) => fetch(peer + path).then((r) => r.text()).catch((error) => error.cause?.code);
      console.log(await read("/whole"), await read("/cut"), await read("/whole"));
      """)
    #expect(result.output == "body io_error body\n", "\(result)")
  }

  /// It sends again what it may, also where the server has closed the connection without a word of TLS's.
  @Test(arguments: [
    "", "client.unwrap()", "client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, bytes([1] + 7 * [0]))",
  ])
  func aKeptConnectionThatIsClosedLosesNoRequest(_ end: String) async throws {
    let server = try PeerProgram(
      python: Self.serving(
        """
        answer = b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n%s" % (len(path), path.encode())
        client.sendall(answer)
        if path != "/last":
          try:
            # The next request by this connection.
            if client.recv(9999): \(end.isEmpty ? "pass" : end)
          except OSError: pass
        """))
    let result = try await Self.run(
      server,
      """
      const read = async (path, method) => {
        try { console.log(await (await fetch(peer + path, { method })).text()); } catch (error) {
          console.log(error.cause?.message);
        }
      };
      for (const path of ["/first", "/second"]) await read(path);
      await read("/third", "DELETE");
      await read("/last");
      """)
    #expect(result.output == "/first\n/second\n/third\n/last\n", "\(result)")
  }

  @Test func aBodyThatBreaksOverTLSIsNoWholeOne() async throws {
    let server = try PeerProgram(
      python: Self.serving(
        """
        answers = {
          "/chunks": b"Transfer-Encoding: chunked\\r\\n\\r\\n3\\r\\ncut\\r\\n",
          "/size": b"Transfer-Encoding: chunked\\r\\n\\r\\n3\\r\\ncut\\r\\nzz\\r\\n\\r\\n",
          "/length": b"Content-Length: 9\\r\\nConnection: close\\r\\n\\r\\ncut",
          "/good": b"Transfer-Encoding: chunked\\r\\n\\r\\n4\\r\\ngood\\r\\n0\\r\\n\\r\\n",
        }
        client.sendall(b"HTTP/1.1 200 OK\\r\\n" + answers[path])
        try: client.unwrap()
        except OSError: pass
        """))
    let result = try await Self.run(
      server,
      """
      for (const path of ["/chunks", "/size", "/length", "/good"]) {
        console.log(await fetch(peer + path).then((r) => r.text()).catch((error) => error.cause?.code));
      }
      """)
    #expect(result.output == "io_error\ninvalid_data\nio_error\ngood\n", "\(result)")
  }

  /// RFC 8996.
  @Test(arguments: [("TLSv1", "unavailable"), ("TLSv1_1", "unavailable"), ("TLSv1_2", "200")])
  func whatIsOlderThanTLSOneTwoIsNotSpoken(_ version: String, _ told: String) async throws {
    let server = try PeerProgram(
      python: Self.serving(
        #"client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")"#,
        setting: """
          context.set_ciphers("ALL:@SECLEVEL=0")
          context.minimum_version = context.maximum_version = ssl.TLSVersion.\(version)
          """))
    let result = try await Self.run(
      server, "console.log(await fetch(peer).then((r) => r.status, (error) => error.cause?.code));")
    #expect(result.output == told + "\n", "\(result)")
  }
}
