// SPDX-License-Identifier: MIT

import Foundation
import NBridgeSystem
import NBridgeTesting
import Testing

/// Bodies that a server's handler does not read, or not to their end: its clients are answered all the same.
@Suite struct UnreadBodyTests {
  private static func run(_ script: String, client: String) async throws -> (
    ScriptHarness.Result, told: String
  ) {
    try await ServerLeavingTests().run(script, client: tools + client)
  }

  /// What clients in Python have beside ``ServerLeavingTests/run(_:client:)``'s.
  private static let tools = """
    import select, threading
    def flood(client, piece, isOver=lambda: False):
      end = time.monotonic() + 30
      try:
        while not isOver() and time.monotonic() < end and not select.select([client], [], [], 0)[0]:
          client.sendall(piece)
      except OSError: pass
    def status(client):
      text = b""
      try:
        while b"\\r\\n\\r\\n" not in text and (piece := client.recv(999)): text += piece
      except OSError: pass
      return text.split(b" ")[1].decode() if text else "nothing"
    chunk = b"10000\\r\\n" + b"x" * 65536 + b"\\r\\n"

    """

  /// Lines of Python that make `client`, a connection to a server that may not listen yet.
  private static func connecting(to port: Int) -> String {
    """
    import socket, time
    for _ in range(6000):
      try: client = socket.create_connection(("127.0.0.1", \(port))); break
      except OSError: time.sleep(0.05)
    """
  }

  /// One that is too long, or never ends, in chunks or of a length that nobody has.
  @Test func whoSendsWithoutEndIsAnsweredMeanwhile() async throws {
    let (result, told) = try await Self.run(
      """
      const handle = async (request) => {
        switch (request.headers.get("x-kind")) {
          case "reads": return new Response(await request.text());
          case "echoes": return new Response(request.body);
          case "fails": throw new Error("fails");
          default: return new Response("plain");
        }
      };
      """,
      client: """
        for kind in [b"reads", b"echoes", b"fails", b"plain"]:
          client = post(b"Transfer-Encoding: chunked\\r\\nX-Kind: " + kind, b"")
          flood(client, chunk)
          print(kind.decode(), status(client))
        client = post(b"Content-Length: 900000000000000", b"")
        flood(client, chunk)
        print("long", status(client))
        """)
    #expect(told == "reads 413\nechoes 413\nfails 500\nplain 200\nlong 413\n", "\(told) \(result)")
  }

  /// Chunks of one byte, which take the longest; of several clients, of which one would have its turn always.
  @Test func othersAreAnsweredWhileABodyIsPassedOver() async throws {
    let (result, told) = try await Self.run(
      "const handle = () => new Response('plain');",
      client: """
        isOver, all = threading.Event(), []
        for i in range(3):
          client = post(b"Transfer-Encoding: chunked", b"")
          # It has its answer, and goes on.
          until(client, b"plain")
          args = (client, b"1\\r\\na\\r\\n" * 20000, isOver.is_set)
          all.append(threading.Thread(target=flood, args=args))
        for flooding in all: flooding.start()
        time.sleep(0.2)
        for i in range(5): status(post(b"Content-Length: 0", b""))
        print([flooding.is_alive() for flooding in all])
        isOver.set()
        for flooding in all: flooding.join()
        """)
    #expect(told == "[True, True, True]\n", "\(told) \(result)")
  }

  /// RFC 9110, 10.1.1: who is refused by its head is not asked for its body.
  @Test func aBodyIsAskedForWhenAHandlerReadsIt() async throws {
    let (result, told) = try await Self.run(
      """
      const handle = async (request) => request.headers.has("x-read")
        ? new Response(String((await request.bytes()).length)) : new Response("no", { status: 403 });
      """,
      client: """
        for more in [b"", b"\\r\\nX-Read: 1"]:
          client = post(b"Content-Length: 100000\\r\\nExpect: 100-continue" + more, b"")
          print(status(client))
          if more: client.sendall(b"x" * 100000); print(status(client))
          else: print(client.recv(99) in (b"", b"no"))
        """)
    #expect(told == "403\nTrue\n100\n200\n", "\(told) \(result)")
  }

  /// Who sends a part of its body unasked, as curl does behind a second, sends the rest unasked, too: what
  /// would ask it stands in the midst of an answer that has begun.
  @Test(arguments: ["new Response(two)", "(two.cancel(), reader.cancel(), new Response('no'))"])
  func whoSendsUnaskedIsNotAskedLater(_ answer: String) async throws {
    let (result, told) = try await Self.run(
      """
      const handle = async (request) => {
        const [one, two] = request.body.tee(), reader = one.getReader();
        await reader.read();
        told.resolve("read");
        return \(answer);
      };
      """,
      client: """
        expect = b"Transfer-Encoding: chunked\\r\\nExpect: 100-continue"
        client = post(expect, b"5\\r\\nhello\\r\\n")
        print(text(b"/told"))
        client.sendall(b"5\\r\\nworld\\r\\n")
        client.sendall(b"0\\r\\n\\r\\nGET / HTTP/1.1\\r\\nHost: a\\r\\nX-Path: /told\\r\\n\\r\\n")
        told = until(client, b"\\r\\n\\r\\nread")
        print(b"100 Continue" in told, b"close" in told.lower(), told.count(b"HTTP/1.1 200"))
        """)
    #expect(told == "read\nFalse False 2\n", "\(told) \(result)")
  }

  /// What is left of the body stands before the next request.
  @Test func aConnectionIsKeptBehindABodyThatNobodyRead() async throws {
    let (result, told) = try await Self.run(
      "const handle = ({ headers }) => new Response(headers.get('x-name') ?? 'none');",
      client: """
        more = b"POST / HTTP/1.1\\r\\nHost: localhost\\r\\nX-Name: %s\\r\\nContent-Length: 0\\r\\n\\r\\n"
        body = b"G" * 300000
        client = post(b"Content-Length: 300000", body + more % b"second")
        print(until(client, b"second").count(b"HTTP/1.1 200"))
        chunks = b"493e0\\r\\n" + body + b"\\r\\n0\\r\\nX: y\\r\\n\\r\\n"
        head = b"PUT / HTTP/1.1\\r\\nHost: localhost\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n"
        client.sendall(head + chunks)
        until(client, b"none")
        client.sendall(more % b"third")
        print(b"200" in until(client, b"third"))
        """)
    #expect(told == "2\nTrue\n", "\(told) \(result)")
  }

  /// A line behind the last chunk that has no name is no field.
  @Test func whatIsNoFieldBehindChunksIsNoRequest() async throws {
    let (result, told) = try await Self.run(
      "const handle = async (request) => new Response(await request.text());",
      client: """
        for line in [b"no field", b"GET /x HTTP/1.1", b": none", b"X: y"]:
          client = post(b"Transfer-Encoding: chunked", b"2\\r\\nhi\\r\\n0\\r\\n" + line + b"\\r\\n\\r\\n")
          print(status(client))
        """)
    #expect(told == "400\n400\n400\n200\n", "\(told) \(result)")
  }

  @Test func aServerStopsThoughABodyStillComes() async {
    let result = await ServerTests.run(
      """
      const server = await nbridge.http.serve(() => new Response("early"));
      let hasStopped = false;
      const body = new ReadableStream({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          if (hasStopped) controller.close(); else controller.enqueue(new Uint8Array(100));
        },
      });
      const answer = fetch(server.url, { method: "POST", body, duplex: "half" }).catch((error) => error);
      await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 300))]);
      await server.stop();
      hasStopped = true;
      console.log("stopped");
      await answer;
      """)
    #expect(result.output == "stopped\n", "\(result)")
  }

  /// It is not taken for an empty one, and no client hears in the middle of the answer that it may send.
  @Test func aBodyThatIsReadBehindTheBeginningOfTheAnswerIsNone() async throws {
    let (result, told) = try await Self.run(
      """
      let go = Promise.withResolvers();
      const handle = (request) =>
        request.headers.get("x-path") === "/go" ? went() : answer(request, go.promise);
      const went = () => {
        go.resolve();
        go = Promise.withResolvers();
        return new Response();
      };
      // It reads when the client has heard of the answer.
      const answer = (request, hasBegun) => new Response(new ReadableStream({
        async start(controller) {
          controller.enqueue(new TextEncoder().encode("first"));
          await hasBegun;
          const text = await request.text().catch(({ cause, code }) => cause?.code ?? code);
          controller.enqueue(new TextEncoder().encode(`<${text}>`));
          controller.close();
        },
      }));
      """,
      client: """
        for more in [b"", b"\\r\\nExpect: 100-continue"]:
          client = post(b"Content-Length: 100000" + more, b"")
          begun = until(client, b"first")
          text(b"/go")
          if not more: client.sendall(b"x" * 100000)
          print(b"HTTP/1.1 100" in begun + until(client, b"<closed>"))
        """)
    #expect(told == "False\nFalse\n", "\(told) \(result)")
  }

  /// Also one that says that the connection ends with the answer, and takes its time to send.
  @Test func whoSendsAllBeforeItReadsGetsItsAnswer() async throws {
    let (result, told) = try await Self.run(
      "const handle = () => new Response('plain');",
      client: """
        for version in [b"1.1\\r\\nConnection: close", b"1.0"]:
          client = post(b"Content-Length: 0", b"")
          until(client, b"plain")
          head = b"POST / HTTP/%s\\r\\nHost: localhost\\r\\nContent-Length: 3000000\\r\\n\\r\\n"
          client.sendall(head % version)
          for i in range(4):
            client.sendall(b"x" * 750000)
            time.sleep(1.2)
          print(status(client))
        """)
    #expect(told == "200\n200\n", "\(told) \(result)")
  }

  /// However little a server takes: what still comes then is read to no purpose.
  @Test func whoSendsMuchMoreThanIsTakenHearsSo() async throws {
    let port = Int.random(in: 32_000..<32_700)
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let client = try ChildProcess.start(
      "python3",
      [
        "-c",
        """
        \(Self.connecting(to: port))
        client.sendall(b"POST / HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 2000000\\r\\n\\r\\n")
        for i in range(100):
          client.sendall(b"x" * 20000)
          time.sleep(0.005)
        print(client.recv(999).split()[1].decode())
        last = socket.create_connection(("127.0.0.1", \(port)))
        last.sendall(b"GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
        last.recv(999)
        """,
      ], streams: [1: .file(folder + "/out")])
    let result = await ServerTests.run(
      """
      const last = Promise.withResolvers();
      const server = await nbridge.http.serve({ port: \(port), bodyLimit: 10 }, () => {
        last.resolve();
        return new Response();
      });
      await last.promise;
      await server.stop();
      """)
    #expect(client.wait() == 0)
    let told = try String(contentsOfFile: folder + "/out", encoding: .utf8)
    #expect(told == "413\n", "\(result)")
  }

  /// A client that goes is told of, though nobody reads what it has sent.
  @Test(arguments: [
    #"b"Transfer-Encoding: chunked\r\n\r\n5dc\r\n" + b"x" * 1500 + b"\r\n""#,
    #"b"Content-Length: 900000\r\n\r\n" + b"x" * 900000"#,
    #"b"Content-Length: 900000\r\n\r\n" + b"x" * 70000"#,
  ])
  func whoGoesBehindABodyAbortsItsSignal(_ body: String) async throws {
    let (port, limit) = (Int.random(in: 32_000..<32_700), body.contains("chunked") ? 1000 : 1_000_000)
    let client = try ChildProcess.start(
      "python3",
      [
        "-c",
        """
        \(Self.connecting(to: port))
        client.sendall(b"POST / HTTP/1.1\\r\\nHost: a\\r\\n" + \(body))
        """,
      ])
    let result = await ServerTests.run(
      """
      const gone = Promise.withResolvers();
      const server = await nbridge.http.serve({ port: \(port), bodyLimit: \(limit) }, async ({ signal }) => {
        signal.onabort = () => gone.resolve("gone");
        await gone.promise;
        return new Response();
      });
      console.log(await gone.promise);
      await server.stop();
      """)
    #expect(client.wait() == 0)
    #expect(result.output == "gone\n", "\(result)")
  }

  /// RFC 9110, 8.6: the length of what GET would get, or none.
  @Test func aHandlerSaysToHEADHowLongABodyWere() async throws {
    let (result, told) = try await Self.run(
      """
      const handle = ({ headers }) =>
        new Response(null, { headers: headers.has("x-length") ? { "content-length": "77" } : {} });
      """,
      client: """
        client = post(b"Content-Length: 0", b"")
        until(client, b"\\r\\n\\r\\n")
        for line in [b"X-Length: 1", b"X-None: 1"]:
          client.sendall(b"HEAD / HTTP/1.1\\r\\nHost: localhost\\r\\n" + line + b"\\r\\n\\r\\n")
          head = until(client, b"\\r\\n\\r\\n").lower()
          print(b"content-length: 77" in head, b"content-length" in head)
        """)
    #expect(told == "True True\nFalse False\n", "\(told) \(result)")
  }

  /// What `fetch` has decoded is not said to be encoded when it is handed on (RFC 9110, 8.4).
  @Test func anAnswerThatIsHandedOnIsWhatItSaysToBe() async {
    let result = await ServerTests.run(
      """
      const gzip = () => new Blob(["hello"]).stream().pipeThrough(new CompressionStream("gzip"));
      const source = await nbridge.http.serve(() =>
        new Response(gzip(), { headers: { "Content-Encoding": "gzip", "x-kept": "yes" } }));
      const ways = [
        () => fetch(source.url), async () => (await fetch(source.url)).clone(),
        async () => { const answer = await fetch(source.url); return new Response(answer.body, answer); },
        async () => {
          const { body, headers } = await fetch(source.url);
          return new Response(body, { headers });
        },
        async () => new Response(gzip(), { headers: { "content-encoding": "gzip", "x-kept": "yes" } }),
      ];
      for (const way of ways) {
        const server = await nbridge.http.serve(way);
        const answer = await fetch(server.url), { headers } = answer;
        console.log(await answer.text(), headers.get("content-encoding"), headers.get("x-kept"));
        await server.stop();
      }
      await source.stop();
      """)
    #expect(
      result.output == String(repeating: "hello null yes\n", count: 4) + "hello gzip yes\n", "\(result)")
  }
}
