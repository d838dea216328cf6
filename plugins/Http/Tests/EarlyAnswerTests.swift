// SPDX-License-Identifier: MIT

import NBridgeTesting
import Testing

@testable import HttpPlugin

/// Servers that answer before they have read the request, by HTTP/1.1.
@Suite struct EarlyAnswerTests {
  /// Accepts connections, one after the other, and reads each request's head. The address `/seen` says what
  /// became of the request before.
  private static func serving(_ then: String, isEncrypted: Bool) -> String {
    let steps = then.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n")
    let answer =
      #"b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(seen), seen)"#
    return #"""
      seen = b"nothing"
      while True:
        client, _ = listener.accept()
        # Else an answer may wait behind the tickets of TLS, and go with the rest when it is closed.
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
          if \#(isEncrypted ? "True" : "False"): client = context.wrap_socket(client, server_side=True)
          head = b""
          while b"\r\n\r\n" not in head:
            piece = client.recv(999)
            if not piece: raise OSError
            head += piece
          path = head.split()[1].decode()
          if path == "/seen":
            client.sendall(\#(answer))
            client.close()
            continue
      \#(steps)
        except OSError: pass
        client.close()
      """#
  }

  private static let refusal = #"client.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\n\r\nlarge")"#

  /// Sends a long body of each kind, and prints what is answered.
  private static func send(_ then: String, isEncrypted: Bool = false, _ rest: String = "") async throws
    -> ScriptHarness.Result
  {
    let server = try PeerProgram(python: serving(then, isEncrypted: isEncrypted))
    return await FetchTests.run(
      // Nobody asks this one.
      try RawServer { _ in [.close] },
      """
      const peer = "\(isEncrypted ? "https://localhost" : "http://127.0.0.1"):\(server.port)/";
      const piece = new Uint8Array(100_000);
      let cancelled = 0;
      const endless = () => new ReadableStream({
        pull(controller) { controller.enqueue(piece); }, cancel() { cancelled++; },
      });
      for (const body of [new Uint8Array(20_000_000), endless()]) {
        const answer = await fetch(peer, { method: "POST", body, duplex: "half" });
        console.log(answer.status, await answer.text());
      }
      console.log("cancelled", cancelled);
      \(rest)
      """, authorities: try TestAuthority.shared.get().certificate)
  }

  private static let large = "413 large\n413 large\ncancelled 1\n"

  /// The answer is there, though the connection breaks while the request is written.
  @Test(arguments: [false, true])
  func anAnswerOfAServerThatClosesIsHeard(isEncrypted: Bool) async throws {
    let result = try await Self.send(Self.refusal, isEncrypted: isEncrypted)
    #expect(result.output == Self.large, "\(result)")
  }

  /// A server may say that it wants no more, read no more, and leave the connection open; also byte by byte,
  /// behind what it says before its answer.
  @Test(
    arguments: [
      refusal,
      // More than is looked at, at once.
      #"client.sendall(b"HTTP/1.1 413 A\r\nX: " + b"x" * 5000 + b"\r\nContent-Length: 5\r\n\r\nlarge")"#,
      // Hints that are longer than a record of TLS.
      #"""
      client.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: " + b"x" * 40_000 + b"\r\n\r\n")
      client.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\n\r\nlarge")
      """#,
      #"""
      import time
      for byte in b"HTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 413 Too Large\r\nContent-Length: 5\r\n\r\nlarge":
        client.sendall(bytes([byte]))
        time.sleep(0.002)
      """#,
      // The body comes when the script's stream was let go of.
      #"""
      import time
      client.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\n\r\n")
      time.sleep(0.05)
      client.sendall(b"large")
      """#,
    ], [false, true])
  func anAnswerOfAServerThatReadsNoMoreIsHeard(_ answer: String, isEncrypted: Bool) async throws {
    let rest = """
      kept = globals().get("kept", []) + [client]
      continue
      """
    let result = try await Self.send(answer + "\n" + rest, isEncrypted: isEncrypted)
    #expect(result.output == Self.large, "\(result)")
  }

  /// What ends the connection is no header of the server's.
  @Test func anEarlyAnswerHasItsOwnHeadersAlone() async throws {
    let rest = "kept = globals().get('kept', []) + [client]\ncontinue"
    let result = try await Self.send(
      Self.refusal + "\n" + rest,
      """
      const { headers } = await fetch(peer, { method: "POST", body: piece.slice(0, 70_000) });
      console.log([...headers].join());
      """)
    #expect(result.output == Self.large + "content-length,5\n", "\(result)")
  }

  /// The server keeps it, and neither reads nor closes: a request that is not sent twice would fail there.
  @Test(arguments: [false, true]) func noOtherRequestGoesByItsConnection(isEncrypted: Bool) async throws {
    let rest = "kept = globals().get('kept', []) + [client]\ncontinue"
    let result = try await Self.send(
      Self.refusal + "\n" + rest, isEncrypted: isEncrypted,
      """
      for (let i = 0; i < 4; i++) {
        const body = i % 2 ? "short" : piece;
        console.log((await fetch(peer, { method: "POST", body })).status);
        await new Promise((done) => setTimeout(done, 5));
      }
      """)
    #expect(result.output == Self.large + "413\n413\n413\n413\n", "\(result)")
  }

  /// Its chunks have no end, and no other request goes by that connection.
  @Test func aBodyThatIsWantedNoMoreIsNeverWhole() async throws {
    let rest = """
      body = head
      while True:
        piece = client.recv(1 << 16)
        if not piece: break
        body = (body + piece)[-64:]
      seen = b"whole" if body.endswith(b"0\\r\\n\\r\\n") or b"GET" in body else b"cut"
      """
    let result = try await Self.send(
      Self.refusal + "\n" + rest, "console.log(await (await fetch(peer + 'seen')).text());")
    #expect(result.output == Self.large + "cut\n", "\(result)")
  }

  /// A server that answers early, and reads all the same, gets all.
  @Test func whoGoesOnReadingGetsAll() async throws {
    let server = try PeerProgram(
      python: Self.serving(
        #"""
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n")
        count = len(head.split(b"\r\n\r\n", 1)[1])
        while count < 20000000:
          piece = client.recv(1 << 16)
          if not piece: break
          count += len(piece)
        client.sendall(b"%d" % count)
        """#, isEncrypted: false))
    let result = await FetchTests.run(
      try RawServer { _ in [.close] },
      """
      const all = { method: "POST", body: new Uint8Array(20_000_000) };
      const answer = await fetch("http://127.0.0.1:\(server.port)/", all);
      console.log(answer.status, await answer.text());
      """)
    #expect(result.output == "200 20000000\n", "\(result)")
  }

  /// A stream that has nothing to say for now, to a server that ends the connection: nothing is written that
  /// could fail.
  @Test(
    arguments: [
      ("", "io_error"), (refusal, "413"), (refusal.replacing("413", with: "200"), "200"),
    ], [false, true])
  func aServerThatClosesIsHeardWhileTheStreamRests(_ expected: (String, String), isEncrypted: Bool)
    async throws
  {
    let (answer, told) = expected
    let rest = "client.shutdown(socket.SHUT_RDWR)"
    let server = try PeerProgram(python: Self.serving(answer + "\n" + rest, isEncrypted: isEncrypted))
    let result = await FetchTests.run(
      try RawServer { _ in [.close] },
      """
      const body = new ReadableStream({ start(controller) { controller.enqueue(new Uint8Array(10)); } });
      const peer = "\(isEncrypted ? "https://localhost" : "http://127.0.0.1"):\(server.port)/";
      const asked = fetch(peer, { method: "POST", body, duplex: "half" });
      console.log(await asked.then(({ status }) => status, (error) => error.cause?.code));
      """, authorities: try TestAuthority.shared.get().certificate)
    #expect(result.output == told + "\n", "\(result)")
  }

  /// Who aborts an upload whose stream rests leaves nothing behind.
  @Test func anUploadThatIsAbortedWhileItRestsEnds() async throws {
    let server = try PeerProgram(
      python: Self.serving("kept = globals().get('kept', []) + [client]\ncontinue", isEncrypted: false))
    let result = await FetchTests.run(
      try RawServer { _ in [.close] },
      """
      const peer = "http://127.0.0.1:\(server.port)/";
      // More than may go to one host at once.
      for (let i = 0; i < 140; i++) {
        const stop = new AbortController(), sent = Promise.withResolvers();
        let count = 0;
        const body = new ReadableStream({ pull(controller) {
          if (count++ === 0) return controller.enqueue(new Uint8Array(10));
          sent.resolve();
          return new Promise(() => {});
        } });
        const asked = fetch(peer, { method: "POST", body, duplex: "half", signal: stop.signal });
        await sent.promise;
        await new Promise((done) => setTimeout(done, 5));
        stop.abort();
        const name = await asked.catch((error) => error.name);
        if (name !== "AbortError") console.log(name);
      }
      console.log(await (await fetch(peer + "seen", { signal: AbortSignal.timeout(10000) })).text());
      """)
    #expect(result.output == "nothing\n", "\(result)")
  }

  /// Bodies that fit into the buffers of a connection, too.
  @Test func aShortUploadHearsAServerThatCloses() async throws {
    let server = try PeerProgram(python: Self.serving(Self.refusal, isEncrypted: false))
    let result = await FetchTests.run(
      try RawServer { _ in [.close] },
      """
      const seen = new Set();
      for (let i = 0; i < 40; i++) {
        const option = { method: "POST", body: new Uint8Array(i % 2 ? 60_000 : 65_536) };
        seen.add((await fetch("http://127.0.0.1:\(server.port)/", option)).status);
      }
      console.log([...seen].join());
      """)
    #expect(result.output == "413\n", "\(result)")
  }

  /// To take leave of a server over TLS takes until that reads, if it does: the script does not wait for it.
  @Test func whoAbortsAnUploadDoesNotWaitForAServerThatDoesNotRead() async throws {
    let server = try PeerProgram(
      python: Self.serving("kept = globals().get('kept', []) + [client]\ncontinue", isEncrypted: true))
    let result = await FetchTests.run(
      try RawServer { _ in [.close] },
      """
      const peer = "https://localhost:\(server.port)/";
      for (let i = 0; i < 3; i++) {
        const stop = new AbortController();
        const asked = fetch(peer, { method: "POST", body: new Uint8Array(20_000_000), signal: stop.signal });
        // Time for what the connection takes.
        setTimeout(() => stop.abort(), 200);
        console.log(await asked.catch((error) => error.name));
      }
      """, authorities: try TestAuthority.shared.get().certificate)
    #expect(result.output == "AbortError\nAbortError\nAbortError\n", "\(result)")
  }

  @Test(arguments: [
    ("", EarlyStatus.unknown), ("HTTP/1.1 4", .unknown), ("HTTP/1.1 413 Too", .wantsNoMore),
    ("HTTP/1.0 303 See", .wantsNoMore), ("HTTP/1.1 200 OK\r\n", .goesOn), ("HTTP/1.1 100 Con", .unknown),
    ("HTTP/1.1 100 C\r\nA: b\r\n\r\nHTTP/1.1 413 T", .wantsNoMore), ("HTTP/1.1 101 Sw", .goesOn),
    ("HTTP/1.1 103 E\n\nHTTP/1.1 200 O", .goesOn), ("HTTP/1.1 100 C\r\n\r\nHTTP", .unknown),
    ("SSH-2.0-OpenSSH", .goesOn), ("HTTP/1.1 4x3 Too", .goesOn),
  ])
  func whatComesEarlySaysWhetherToGoOn(_ text: String, _ expected: EarlyStatus) {
    #expect(EarlyStatus(Array(text.utf8)) == expected)
  }
}
