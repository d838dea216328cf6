// SPDX-License-Identifier: MIT

import NBridgeTesting
import Testing

/// Servers that agree on HTTP/2 and speak something else: frames by hand, in Python.
@Suite struct Http2FrameTests {
  private static func run(_ frames: String, _ script: String) async throws -> ScriptHarness.Result {
    let server = try PeerProgram(
      python: """
        def frame(kind, flags, stream, body=b""):
          return struct.pack(">I", len(body))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + body
        settings, good = frame(4, 0, 0), b"\\x88"  # :status 200 of the static table (RFC 7541, A)
        context.set_alpn_protocols(["h2"])
        while True:
          client, _ = listener.accept()
          try:
            client = context.wrap_socket(client, server_side=True)
            client.settimeout(20)
            head = b""
            # The preface, settings and what follows them; a request comes behind these.
            while b"\\x01\\x05" not in head and b"\\x01\\x04" not in head[24:]:
              piece = client.recv(9999)
              if not piece: raise OSError
              head += piece
            \(frames)
            while client.recv(9999): pass
          except OSError: pass
          client.close()

        """)
    return await FetchTests.run(
      try RawServer { _ in [.close] },
      """
      const peer = "https://localhost:\(server.port)";
      \(script)
      """, authorities: try TestAuthority.shared.get().certificate)
  }

  @Test(arguments: [
    ("b'HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n' * 9", "invalid_data"),
    ("settings + frame(0, 1, 1, b'body')", "invalid_data"),
    ("settings + frame(1, 4, 1, b'\\xff\\xff\\xff\\xff\\xff\\xff')", "invalid_data"),
    ("settings + frame(1, 4, 1, b'\\x00')", "invalid_data"),
    ("settings + frame(1, 4, 2, good)", "invalid_data"),
    ("settings + frame(5, 4, 1, struct.pack('>I', 2) + good)", "io_error"),
    ("settings + frame(8, 0, 0, struct.pack('>I', 0))", "invalid_data"),
    ("settings + frame(3, 0, 1, struct.pack('>I', 1))", "invalid_data"),
    ("settings + frame(7, 0, 0, struct.pack('>II', 1, 11))", "io_error"),
    ("settings + frame(1, 4, 1, good) + frame(0, 8, 1, b'\\xffbody')", "invalid_data"),
    ("settings + (frame(6, 0, 0, b'12345678') + settings) * 40000", "invalid_data"),
    ("settings + frame(1, 0, 1, good) + frame(9, 0, 1, b'\\x00\\x01a\\x01b') * 40000", "invalid_data"),
    ("settings + frame(1, 5, 1, b'\\x08\\x03099')", "invalid_data"),
    ("settings + frame(1, 4, 1, b'\\x08\\x03000') + frame(0, 1, 1, b'body')", "invalid_data"),
    ("settings + frame(1, 5, 1, b'\\x08\\x03100')", "invalid_data"),
    ("settings + frame(1, 4, 1, good) + frame(0, 0, 1, b'part')", "io_error"),
    ("settings + frame(1, 5, 1, good)", "whole"),
  ])
  func whatIsNotHTTP2FailsItsRequest(_ frames: String, _ told: String) async throws {
    let result = try await Self.run(
      "client.sendall(\(frames)); client.shutdown(socket.SHUT_WR)",
      """
      console.log(await fetch(peer).then((r) => r.text()).then((t) => t || "whole", (e) => e.cause?.code));
      """)
    #expect(result.output == told + "\n", "\(frames): \(result)")
  }

  /// What waits for a server that reads nothing is no more for each thing that happens meanwhile.
  @Test func aServerThatReadsNothingHoldsUpAnUpload() async throws {
    let result = try await Self.run(
      """
      wide = frame(4, 0, 0, struct.pack(">HI", 4, 2**31 - 1)); import select; gone = select.poll()
          client.sendall(wide + frame(8, 0, 0, struct.pack(">I", 2**31 - 70000)))
          gone.register(client, select.POLLRDHUP); gone.poll(40_000)
      """,
      """
      let taken = 0;
      const body = new ReadableStream({
        pull(controller) {
          taken += 65536;
          controller.enqueue(new Uint8Array(65536));
        },
      });
      const stop = new AbortController(), { signal } = stop;
      const asked = [fetch(peer, { method: "POST", body, duplex: "half", signal })];
      const quiet = async () => {
        for (let same = 0, last = -1; same < 20; await new Promise((go) => setTimeout(go, 10))) {
          same = taken === last && taken > 1 << 20 ? same + 1 : 0;
          last = taken;
        }
        return taken;
      };
      const before = await quiet();
      for (let i = 0; i < 90; i++) {
        asked.push(fetch(peer, { signal }));
        await new Promise((go) => setTimeout(go, 1));
      }
      console.log(await quiet() - before < 1 << 20);
      stop.abort();
      console.log((await Promise.allSettled(asked)).every(({ reason }) => reason.name === "AbortError"));
      """)
    #expect(result.output == "true\ntrue\n", "\(result)")
  }

  /// By TLS 1.2 the handshake's end is the client's to hear: the first write fails.
  @Test func aConnectionThatIsResetAtOnceFailsItsRequest() async throws {
    let server = try PeerProgram(
      python: """
        context.set_alpn_protocols(["h2"])
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        while True:
          client, _ = listener.accept()
          try:
            client = context.wrap_socket(client, server_side=True)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
          except OSError: pass
          client.close()

        """)
    let result = await FetchTests.run(
      try RawServer { _ in [.close] },
      """
      const codes = [];
      for (let i = 0; i < 5; i++) {
        codes.push(await fetch("https://localhost:\(server.port)").catch((error) => error.cause?.code));
      }
      console.log(codes.every((code) => code === "io_error" || code === "unavailable"));
      """, authorities: try TestAuthority.shared.get().certificate)
    #expect(result.output == "true\n", "\(result)")
  }

  /// One that is another server behind a restart. The first connection asks, and says nothing else.
  @Test func whatAServerSpeaksIsAskedAnewWhenItFails() async throws {
    let server = try PeerProgram(
      python: """
        def frame(kind, flags, stream, body=b""):
          return struct.pack(">I", len(body))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + body
        count = 0
        while True:
          client, _ = listener.accept()
          count += 1
          try:
            context.set_alpn_protocols(["http/1.1"] if count <= 2 else ["h2"])
            client = context.wrap_socket(client, server_side=True)
            client.settimeout(20)
            head = client.recv(9999)
            if count <= 2:
              if not head: raise OSError()
              head = b"HTTP/1.1 200 OK\\r\\nConnection: close\\r\\nContent-Length: 5\\r\\n\\r\\n"
              client.sendall(head + b"older")
            elif client.selected_alpn_protocol() == "h2":
              client.sendall(frame(4, 0, 0) + frame(1, 4, 1, b"\\x88") + frame(0, 1, 1, b"newer"))
              while client.recv(9999): pass
          except OSError: pass
          client.close()

        """)
    let result = await FetchTests.run(
      try RawServer { _ in [.close] },
      """
      const peer = "https://localhost:\(server.port)";
      const ask = () => fetch(peer).then((answer) => answer.text()).catch((error) => error.cause?.code);
      console.log(await ask(), await ask(), await ask());
      """, authorities: try TestAuthority.shared.get().certificate)
    #expect(result.output == "older io_error newer\n", "\(result)")
  }
}
