// SPDX-License-Identifier: MIT

import Foundation
import NBridgeHost
import NBridgeSystem
import NBridgeTesting
import Testing

/// `nbridge.http.serve` over TLS, and clients in Python.
@Suite struct ServerTLSTests {
  /// Serves with `handle`, a function of a script's, until a client in Python ends, which has `connect()`,
  /// `encrypted()`, `ask(path)` and `text(path)`. Answers what both have printed.
  private func run(_ script: String, client: String) async throws -> (ScriptHarness.Result, told: String) {
    let authority = try TestAuthority.shared.get()
    let port = Int.random(in: 20_000..<30_000)
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let head = """
      import atexit, socket, ssl, time
      context = ssl.create_default_context(cafile="\(authority.certificate)")
      def connect(): return socket.create_connection(("127.0.0.1", \(port)), timeout=20)
      def encrypted(): return context.wrap_socket(connect(), server_hostname="localhost")
      def ask(path, more=b""):
        client = encrypted()
        client.sendall(b"GET %s HTTP/1.1\\r\\nHost: localhost\\r\\n%s\\r\\n" % (path, more))
        return client
      def text(path):
        client = ask(path, b"Connection: close\\r\\n")
        told = b""
        while piece := client.recv(999): told += piece
        return told.split(b"\\r\\n")[-1].decode()
      def until(client, end):
        text = b""
        while end not in text:
          piece = client.recv(999)
          assert piece, text
          text += piece
        return text
      for _ in range(6000):
        try: connect().close(); break
        except OSError: time.sleep(0.05)
      def end():
        try: ask(b"/end").recv(99)
        except OSError: pass
      atexit.register(end)

      """
    let child = try ChildProcess.start(
      "python3", ["-c", head + client], streams: [1: .file(folder + "/out")])
    let (certificate, key) = try authority.literals
    let result = await ServerTests.run(
      """
      \(script)
      const option = { port: \(port), cert: \(certificate), key: \(key) };
      await nbridge.http.serve(option, (request) => {
        const { pathname } = new URL(request.url);
        return pathname === "/end" ? exit() : handle(pathname, request);
      });
      """)
    #expect(child.wait() == 0)
    return (result, try String(contentsOfFile: folder + "/out", encoding: .utf8))
  }

  /// TLS says the end first, and the connection may stay: what came is no whole request.
  @Test func aRequestThatTLSEndsInItsMiddleIsNotWhole() async throws {
    let (result, told) = try await run(
      """
      const seen = [], all = Promise.withResolvers();
      const handle = async (path, request) => {
        if (path === "/told") return all.promise.then(() => new Response(seen.sort().join()));
        seen.push(await request.text().catch(() => "cut"));
        if (seen.length === 4) all.resolve();
        return new Response();
      };
      """,
      client: #"""
        kept = []
        whole = b"5\r\nwhole\r\n0\r\n\r\n"
        for part in [b"5\r\nhello\r\n", b"5\r\nhel", b"", whole]:
          client = encrypted()
          client.sendall(b"POST /a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + part)
          client.settimeout(0.1)
          try: part is whole or client.unwrap()
          except OSError: pass
          kept.append(client)
        print(text(b"/told"))
        """#)
    #expect(told == "cut,cut,cut,whole\n", "\(result)")
  }

  /// By HTTP/1.0 an answer ends with its connection, and TLS says when that is the end.
  @Test func anAnswerThatTheProgramsEndCutsIsNotWhole() async throws {
    let (result, told) = try await run(
      """
      const handle = () => new Response(new ReadableStream({
        start(controller) { controller.enqueue(new TextEncoder().encode("part")); },
      }));
      """,
      client: #"""
        client = context.wrap_socket(connect(), server_hostname="localhost", suppress_ragged_eofs=False)
        client.sendall(b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")
        until(client, b"part")
        ask(b"/end")
        try: print("whole" if client.recv(9) == b"" else "more")
        except OSError: print("cut")
        """#)
    #expect(told == "cut\n", "\(result)")
  }

  /// To take leave of a client takes until that reads, if it does: nobody waits for it.
  @Test(.timeLimit(.minutes(2))) func aProgramEndsWhereAClientReadsNothing() async throws {
    let (result, told) = try await run(
      """
      const handle = (path, request) => {
        const { socket, response } = nbridge.http.upgrade(request);
        socket.onopen = () => socket.send(new Uint8Array(20 << 20));
        return response;
      };
      """,
      client: #"""
        upgrade = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        silent = ask(b"/", upgrade + b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
        print(until(silent, b"\r\n\r\n")[:12].decode())
        last = ask(b"/end")
        try: last.recv(9)
        except TimeoutError: print("it does not end")
        except OSError: pass
        """#)
    #expect(told == "HTTP/1.1 101\n" && result.status == .success, "\(result)")
  }

  /// Each would take one of GIO's threads, which are for the whole process.
  @Test func clientsThatSayNothingKeepNobodyOut() async throws {
    let (result, told) = try await run(
      "const handle = () => new Response('answer');",
      client: """
        silent = [connect() for _ in range(200)]
        # One that begins, and does not go on.
        slow = connect()
        slow.sendall(b"\\x16\\x03\\x01")
        print(text(b"/"))
        """)
    #expect(told == "answer\n", "\(result)")
  }

  /// As many as shake hands at a time, and more that wait for them: all of one address, as this one.
  @Test func clientsThatBeginAHandshakeAndStopKeepTheNextOutForAMoment() async throws {
    let (result, told) = try await run(
      "const handle = () => new Response('answer');",
      client: """
        slow = [connect() for _ in range(30)]
        for client in slow: client.sendall(b"\\x16\\x03\\x01")
        print(text(b"/"))
        """)
    #expect(told == "answer\n", "\(result)")
  }

  /// For longer than one may that others wait for.
  @Test func aClientThatIsSlowWhileNobodyWaitsShakesHands() async throws {
    let (result, told) = try await run(
      "const handle = () => new Response('answer');",
      client: """
        coming, going = ssl.MemoryBIO(), ssl.MemoryBIO()
        slow = context.wrap_bio(coming, going, server_hostname="localhost")
        try: slow.do_handshake()
        except ssl.SSLWantReadError: pass
        hello = going.read()
        client = connect()
        client.sendall(hello[:9])
        time.sleep(4)
        client.sendall(hello[9:])
        print(client.recv(9)[:1])
        """)
    #expect(told == "b'\\x16'\n", "\(result)")
  }

  /// A client with Nagle's algorithm keeps its request until it knows that the end of its handshake has come;
  /// where nobody says so, the system does, after 40 ms (TCP_DELACK_MIN).
  @Test func theFirstRequestNeedNotWaitForTheSystemToConfirmTheHandshake() async throws {
    let (result, told) = try await run(
      "const handle = () => new Response('answer');",
      client: """
        def first():
          client = encrypted()
          begun = time.perf_counter()
          client.sendall(b"GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
          until(client, b"answer")
          return time.perf_counter() - begun
        print(min(first() for _ in range(30)) < 0.035)
        """)
    #expect(told == "True\n", "\(result)")
  }

  /// Each has a file of the process, which may have so many.
  @Test func clientsThatComeToNothingAreLetGoOf() async throws {
    let (result, told) = try await run(
      "const handle = () => new Response('answer');",
      client: """
        def ended(client):
          try:
            while client.recv(999): pass
          except ConnectionResetError: pass
          return 1
        gone, wrong, silent = ([connect() for _ in range(30)] for _ in range(3))
        for client in gone: client.shutdown(socket.SHUT_WR)
        for client in wrong: client.sendall(b"GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
        # A client that waits for longer than the server's patience fails.
        print(*(sum(map(ended, clients)) for clients in [gone, wrong, silent]), text(b"/"))
        """)
    #expect(told == "30 30 30 answer\n", "\(result)")
  }

  /// Who takes the one for the other would wait for a head that never comes.
  @Test func whoSpeaksHTTPToAServerOfHTTPSIsToldAndTheOtherWayRound() async throws {
    let (result, told) = try await run(
      """
      const handle = () => new Response("answer");
      const plain = await nbridge.http.serve(() => new Response("plain"));
      const error = await fetch(plain.url.replace("http:", "https:")).catch((error) => error);
      console.log(error.name, error.cause?.code, (await fetch(plain.url)).status);
      plain.stop();
      """,
      client: """
        client = connect()
        client.sendall(b"GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
        told = b""
        while piece := client.recv(999): told += piece
        print(told.split(b"\\r\\n")[0].decode(), told.split(b"\\r\\n")[-1].decode(), text(b"/"))
        """)
    #expect(result.output == "TypeError io_error 200\n", "\(result)")
    let said = "This server speaks HTTPS, not HTTP: ask it with https:."
    #expect(told == "HTTP/1.1 400 Bad Request \(said)\n answer\n", "\(result)")
  }

  /// RFC 8996.
  @Test func whatIsOlderThanTLSOneTwoGetsNoAnswer() async throws {
    let (result, told) = try await run(
      "const handle = (path, request) => { console.log('asked', path); return new Response('x'); };",
      client: """
        context.set_ciphers("ALL:@SECLEVEL=0")
        for version in ["TLSv1", "TLSv1_1", "TLSv1_2", "TLSv1_3"]:
          context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
          context.maximum_version = getattr(ssl.TLSVersion, version)
          context.minimum_version = context.maximum_version
          try: print(version, len(ask(b"/" + version.encode()).recv(999)) > 0)
          except OSError: print(version, False)
        """)
    #expect(told == "TLSv1 False\nTLSv1_1 False\nTLSv1_2 True\nTLSv1_3 True\n", "\(result)")
    #expect(result.output == "asked /TLSv1_2\nasked /TLSv1_3\n", "\(result)")
  }

  /// What says that TLS ends lies in the socket, before the end itself, and nobody reads it.
  @Test(arguments: ["/handler", "/stream"])
  func aClientThatEndsItsTLSAndGoesIsTold(_ path: String) async throws {
    let (result, told) = try await run(
      """
      const left = Promise.withResolvers();
      const handle = (path, request) => {
        if (path === "/told") return left.promise.then((text) => new Response(text));
        if (path === "/handler") {
          request.signal.onabort = () => left.resolve("aborted");
          return new Promise(() => {});
        }
        return new Response(new ReadableStream({
          start(controller) { controller.enqueue(new Uint8Array(1)); },
          cancel() { left.resolve("cancelled"); },
        }));
      };
      """,
      client: """
        # Without anything that the client would have to read behind the handshake.
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        client = ask(b"\(path)")
        if b"\(path)" == b"/stream":
          until(client, b"\\r\\n1\\r\\n")
        client.settimeout(0)
        try: client.unwrap()
        except OSError: pass
        client.close()
        print(text(b"/told"))
        """)
    #expect(told == (path == "/stream" ? "cancelled\n" : "aborted\n"), "\(result)")
  }

  @Test func aConnectionIsKeptBetweenRequestsAndAWebSocketIsOpened() async throws {
    let (result, told) = try await run(
      """
      const handle = (path, request) => {
        if (path !== "/socket") return new Response(path);
        const { socket, response } = nbridge.http.upgrade(request);
        socket.onopen = () => { socket.send("hello"); socket.close(); };
        return response;
      };
      """,
      client: """
        client = encrypted()
        for path in [b"/one", b"/two"]:
          client.sendall(b"GET %s HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n" % path)
          until(client, b"\\r\\n\\r\\n" + path)
        client.sendall(b"GET /socket HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: upgrade\\r\\n"
          b"Upgrade: websocket\\r\\nSec-WebSocket-Version: 13\\r\\n"
          b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\\r\\n\\r\\n")
        until(client, b"hello")
        print("kept")
        """)
    #expect(told == "kept\n", "\(result)")
  }

  /// What of one record of TLS is not read yet makes no connection readable.
  @Test func aRequestBehindABodyIsAnsweredThoughItCameWithItsEnd() async throws {
    let (result, told) = try await run(
      "const handle = async (path, request) => new Response(`<${(await request.bytes()).length}>`);",
      client: """
        def answers(*sizes):
          post = b"POST / HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: %d\\r\\n\\r\\n"
          last = b"GET / HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n"
          client = encrypted()
          client.sendall(b"".join(post % size + b"x" * size for size in sizes) + last)
          told = b""
          while piece := client.recv(999): told += piece
          lines = told.replace(b"HTTP", b"\\r\\n").split(b"\\r\\n")
          return [line.decode() for line in lines if line[:1] == b"<"]
        for size in [1, 16000, 16384, 17000, 30000, 100000, 300000]: print(*answers(size))
        print(*answers(9000, 9000, 9000, 9000), *answers(12000, 12000))
        """)
    #expect(
      told == """
        <1> <0>
        <16000> <0>
        <16384> <0>
        <17000> <0>
        <30000> <0>
        <100000> <0>
        <300000> <0>
        <9000> <9000> <9000> <9000> <0> <12000> <12000> <0>

        """, "\(result)")
  }

  /// libsoup passes over a line that is no field, which may say how long a body is.
  @Test func noBodyIsTakenForARequest() async throws {
    let (result, told) = try await run(
      "const handle = (path) => { console.log(path); return new Response(path); };",
      client: """
        inner = b"GET /inner HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n"
        def said(data):
          client = encrypted()
          client.sendall(data)
          told = b""
          while piece := client.recv(999): told += piece
          return [line.decode() for line in told.split(b"\\r\\n") if line[:1] in b"H/" and line]
        head = b"POST /outer HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length : %d\\r\\n\\r\\n" % len(inner)
        print(said(head + inner))
        # What came before is answered.
        print(said(b"GET /first HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n" + head + inner))
        """)
    #expect(result.output == "/first\n", "\(result)")
    #expect(
      told == """
        ['HTTP/1.1 400 Bad Request']
        ['HTTP/1.1 200 ', '/firstHTTP/1.1 400 Bad Request']

        """)
  }
}
