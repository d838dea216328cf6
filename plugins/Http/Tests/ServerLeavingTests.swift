// SPDX-License-Identifier: MIT

import Foundation
import NBridgeSystem
import NBridgeTesting
import Testing

/// Clients that go while a server's script has something to say to them, or waits for what they say.
@Suite struct ServerLeavingTests {
  /// Serves with `handle` until a client in Python ends, which has `connect()`, `post(head, body)` and
  /// `text(path)`;
  /// answers what it has printed.
  func run(_ script: String, client: String) async throws -> (ScriptHarness.Result, told: String) {
    let port = Int.random(in: 30_000..<32_000)
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let head = """
      import socket, struct, time
      def connect():
        for _ in range(6000):
          try: return socket.create_connection(("127.0.0.1", \(port)), timeout=20)
          except OSError: time.sleep(0.05)
      def post(head, body):
        client = connect()
        client.sendall(b"POST / HTTP/1.1\\r\\nHost: localhost\\r\\n" + head + b"\\r\\n\\r\\n" + body)
        return client
      def until(client, end):
        text = b""
        while end not in text:
          piece = client.recv(999)
          assert piece, text
          text += piece
        return text
      def text(path):
        client = post(b"Content-Length: 0\\r\\nConnection: close\\r\\nX-Path: " + path, b"")
        told = b""
        while piece := client.recv(999): told += piece
        return told.split(b"\\r\\n")[-1].decode()

      """
    // In a program of its own, for a client that does not even begin.
    let end = """
      try: text(b"/end")
      except OSError: pass
      """
    let both = #"python3 -c "$0"; status=$?; python3 -c "$1"; exit $status"#
    let child = try ChildProcess.start(
      "sh", ["-c", both, head + client, head + end], streams: [1: .file(folder + "/out")])
    let result = await ServerTests.run(
      """
      const told = Promise.withResolvers(), begun = Promise.withResolvers();
      \(script)
      await nbridge.http.serve({ port: \(port) }, (request) => {
        switch (request.headers.get("x-path")) {
          case "/end": return exit();
          case "/begun": return begun.promise.then(() => new Response("begun"));
          case "/told": return told.promise.then((text) => new Response(text));
          default: return handle(request);
        }
      });
      """)
    #expect(child.wait() == 0)
    return (result, try String(contentsOfFile: folder + "/out", encoding: .utf8))
  }

  /// A body that has a length, and one in chunks.
  @Test(arguments: [
    ("Content-Length: 9000000", "part"), ("Transfer-Encoding: chunked", "4\\r\\npart\\r\\n"),
    ("Transfer-Encoding: chunked", "9\\r\\npart"),
  ])
  func aRequestThatBreaksIsNoWholeOneAndAbortsItsSignal(_ head: String, _ body: String) async throws {
    let (result, told) = try await run(
      """
      const handle = async (request) => {
        const aborted = new Promise((resolve) => { request.signal.onabort = resolve; });
        const reader = request.body.getReader();
        await reader.read();
        begun.resolve();
        const error = await reader.read().then(({ done }) => `done ${done}`, (error) => error.message);
        await aborted;
        told.resolve(error);
        return new Response();
      };
      """,
      client: """
        client = post(b"\(head)", b"\(body)")
        text(b"/begun")
        client.close()
        print(text(b"/told"))
        """)
    #expect(told.contains("the client has gone before its request was whole"), "\(told) \(result)")
  }

  /// Who says that it sends no more has perhaps gone: it may get all of an answer, or see that it has a part.
  @Test func aStreamThatIsCutNeverEndsAsAWholeOne() async throws {
    let (result, told) = try await run(
      """
      const handle = async (request) => new Response(new ReadableStream({
        start(controller) { controller.enqueue("piece"); },
        cancel() { told.resolve("cancelled"); },
      }).pipeThrough(new TextEncoderStream()));
      """,
      client: """
        client = post(b"Content-Length: 0", b"")
        heard = until(client, b"piece")
        client.shutdown(socket.SHUT_WR)
        try:
          while piece := client.recv(999): heard += piece
        except OSError: pass
        print(text(b"/told"), heard.endswith(b"piece\\r\\n"))
        """)
    #expect(told == "cancelled True\n", "\(told) \(result)")
  }

  /// By HTTP/1.0, an answer without a length ends with its connection: one that is cut must not.
  @Test func aStreamThatFailsIsNoWholeAnswerByTheOldestProtocol() async throws {
    let (result, told) = try await run(
      """
      const stream = (headers) => new ReadableStream({
        start(controller) { controller.enqueue(new Uint8Array(9).fill(65)); },
        async pull(controller) {
          if (!headers.has("x-fails")) return controller.close();
          await begun.promise;
          controller.error(new Error("fails"));
        },
      });
      const handle = ({ headers }) => {
        if (headers.has("x-begin")) begun.resolve();
        return new Response(headers.has("x-begin") ? "begun" : stream(headers));
      };
      """,
      client: """
        port = post(b"Content-Length: 0", b"").getpeername()[1]
        def heard(more):
          client = socket.create_connection(("127.0.0.1", port), timeout=20)
          client.sendall(b"GET / HTTP/1.0\\r\\n%s\\r\\n" % more)
          heard = until(client, b"AAAAAAAAA")
          if more: until(post(b"Content-Length: 0\\r\\nX-Begin: 1", b""), b"begun")
          try:
            while piece := client.recv(999): heard += piece
          except ConnectionResetError: return "cut"
          return "whole"
        print(heard(b""), heard(b"X-Fails: 1\\r\\n"))
        """)
    #expect(told == "whole cut\n", "\(told) \(result)")
  }

  /// A whole request with the end behind it, of which more comes than fits into one piece.
  @Test func whoSendsAllAndNoMoreIsAnswered() async throws {
    let (result, told) = try await run(
      "const handle = async (request) => new Response(String((await request.bytes()).length));",
      client: """
        for size in [100, 70000, 300000]:
          client = post(b"Content-Length: %d" % size, b"x" * size)
          client.shutdown(socket.SHUT_WR)
          heard = b""
          while piece := client.recv(999): heard += piece
          print(heard.split()[1].decode(), heard.split(b"\\r\\n")[-1].decode())
        """)
    #expect(told == "200 100\n200 70000\n200 300000\n", "\(told) \(result)")
  }

  /// Its server reads no more of the client meanwhile.
  @Test func aClientThatGoesIsToldToAHandlerThatDoesNotReadOn() async throws {
    let (result, told) = try await run(
      """
      const handle = async (request) => {
        request.signal.onabort = () => told.resolve("aborted");
        await request.body.getReader().read();
        begun.resolve();
        return new Promise(() => {});
      };
      """,
      client: """
        client = post(b"Content-Length: 60000000", b"x")
        text(b"/begun")
        client.settimeout(0.5)
        try: client.sendall(b"x" * 60000000)
        except OSError: pass
        # Else its end would come behind what it could not send.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        print(text(b"/told"))
        """)
    #expect(told == "aborted\n", "\(result)")
  }

  /// A stream that is cancelled by its client's going, not by the next thing that it says.
  @Test func aStreamThatSaysNothingIsCancelledWhenItsClientGoes() async throws {
    let (result, told) = try await run(
      """
      const handle = () => new Response(new ReadableStream({
        start(controller) { controller.enqueue(new Uint8Array(1)); },
        cancel(reason) { told.resolve(`cancelled: ${reason.message}`); },
      }));
      """,
      client: """
        client = post(b"Content-Length: 0", b"")
        until(client, b"\\r\\n1\\r\\n\\0\\r\\n")
        client.close()
        print(text(b"/told"))
        """)
    #expect(told == "cancelled: the client has gone before the answer was whole\n", "\(result)")
  }

  /// It has neither a length nor pieces, and is over with its head; HEAD may hear the length of a 304's.
  @Test(arguments: ["GET", "HEAD"])
  func anAnswerThatHasNoBodyKeepsItsConnection(_ method: String) async throws {
    let (result, told) = try await run(
      """
      const handle = ({ headers }) => new Response(null, {
        status: Number(headers.get("x-status")),
        headers: headers.has("x-length") ? { "content-length": headers.get("x-length") } : {},
      });
      """,
      client: """
        client = post(b"Content-Length: 0\\r\\nX-Status: 204", b"")
        for head in [b"204", b"204\\r\\nX-Length: 5", b"304", b"205", b"204"]:
          told = until(client, b"\\r\\n\\r\\n").lower()
          status = told.split(b" ")[1].decode()
          print(status, *(name in told for name in [b"close", b"-length", b"transfer"]))
          client.sendall(b"\(method) / HTTP/1.1\\r\\nHost: a\\r\\nX-Status: " + head + b"\\r\\n\\r\\n")
        """)
    let last = "304 False False False\n205 False \(method == "HEAD" ? "False" : "True") False\n"
    let none = "204 False False False\n"
    #expect(told == none + none + none + last, "\(told) \(result)")
  }
  /// RFC 9110, 8.6: a length that the answer to GET would not have must not be said.
  @Test func whatHEADHearsOfAStreamHasNoLength() async throws {
    let (result, told) = try await run(
      """
      const handle = ({ method }) => new Response(new ReadableStream({
        start(controller) { controller.enqueue(new Uint8Array(3)); controller.close(); },
      }), { headers: { "X-Method": method } });
      """,
      client: """
        client = post(b"Content-Length: 0", b"")
        until(client, b"\\r\\n0\\r\\n\\r\\n")
        for method in [b"HEAD", b"HEAD", b"GET"]:
          client.sendall(method + b" / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
          told = until(client, b"\\r\\n\\r\\n")
          while b"\\r\\n0\\r\\n" not in told and method == b"GET": told += client.recv(999)
          print(b"x-method: " + method in told, b"content-length" in told.lower(), b"\\0" in told)
        """)
    #expect(told == "True False False\nTrue False False\nTrue False True\n", "\(result)")
  }

  /// libsoup takes what is no chunk for the end.
  @Test(arguments: ["zz\\r\\n", "5\\r\\nworldXX", "-5\\r\\nworld\\r\\n"])
  func aBodyWithWhatIsNoChunkIsNotWhole(_ chunk: String) async throws {
    let (result, told) = try await run(
      """
      const handle = async (request) => {
        const text = await request.text().catch((error) => error.name);
        console.log(text);
        return new Response(text);
      };
      """,
      client: """
        client = post(b"Transfer-Encoding: chunked\\r\\nExpect: 100-continue", b"")
        until(client, b"Continue\\r\\n\\r\\n")
        client.sendall(b"5\\r\\nhello\\r\\n\(chunk)0\\r\\n\\r\\n")
        print(client.recv(999).split(b"\\r\\n")[0].decode(), client.recv(999))
        """)
    #expect(result.output == "BridgeError\n", "\(result)")
    #expect(told == "HTTP/1.1 400 Bad Request b''\n", "\(told)")
  }

  /// Whose end is known keeps its connection.
  @Test func aBodyInChunksKeepsItsConnection() async throws {
    let (result, told) = try await run(
      "const handle = async (request) => new Response(`<${await request.text()}>`);",
      client: """
        client = post(b"Transfer-Encoding: chunked", b"5\\r\\nhello\\r\\n0\\r\\nX: y\\r\\n\\r\\n")
        print(b"close" in until(client, b"<hello>").lower())
        head = b"POST / HTTP/1.1\\r\\nHost: localhost\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n"
        client.sendall(head + b"2\\r\\nhi\\r\\n0\\r\\n\\r\\n")
        print(b"close" in until(client, b"<hi>").lower())
        """)
    #expect(told == "False\nFalse\n", "\(result)")
  }

  /// What libsoup reads in more than one way: bodies that wait for being asked for, fields behind chunks, and
  /// targets that it refuses by itself.
  @Test func noBodyIsAnotherRequest() async throws {
    let (result, told) = try await run(
      """
      const handle = async (request) => {
        console.log(request.method, new URL(request.url).pathname, (await request.text()).length);
        return new Response("<>");
      };
      """,
      client: """
        evil = b"GET /evil HTTP/1.1\\r\\nHost: evil\\r\\n\\r\\n"
        def said(head, body):
          client = post(b"X: y", b"")
          until(client, b"<>")
          last = b"PUT /last HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n"
          client.sendall(head + b"\\r\\n\\r\\n" + body + last)
          text = b""
          try:
            while piece := client.recv(999): text += piece
          except ConnectionError: pass
          print(" ".join(part.split(b" ")[1].decode() for part in text.split(b"HTTP/1.")[1:]))
        expect = b"\\r\\nExpect: 100-continue"
        length = b"\\r\\nContent-Length: %d" % len(evil)
        chunks = b"\\r\\nTransfer-Encoding: chunked"
        fields = b"3\\r\\nabc\\r\\n0\\r\\nX: y\\r\\nZ: " + evil
        start = b"POST /a HTTP/1.1\\r\\nHost: localhost"
        said(start + expect + b"\\r\\nContent-Length: 100000000", evil)
        said(start.replace(b"/a", b"/%00") + expect + length, evil)
        said(start + expect + chunks, fields)
        said(start.replace(b"/a", b"/%00") + chunks, fields)
        said(start.replace(b"POST /a", b"OPTIONS *") + chunks, fields)
        said(start.replace(b"POST /a", b"CONNECT a:1") + chunks, fields)
        said(start.replace(b"/a", b"/%00") + length + b"\\r\\nContent-Length: 0", evil)
        said(start.replace(b"/1.1", b"/1.0") + expect + length, evil)
        """)
    let seen = ["/%00 34", "/a 3", "/%00 3", "/a 34"].map { "POST \($0)\n" }
    let output = result.output.replacing("POST / 0\n", with: "").replacing("PUT /last 0\n", with: "")
    #expect(output == seen.joined(), "\(result)")
    // Some end the connection, as HTTP/1.0 does; behind the others another request is answered.
    #expect(told == "413\n200 200\n200 200\n200 200\n404\n501\n400\n200\n", "\(told)")
  }

  /// libsoup takes whatever is answered so for a request that broke.
  @Test func anAnswerOf500KeepsItsConnection() async throws {
    let (result, told) = try await run(
      """
      const handle = ({ headers }) => {
        const path = headers.get("x");
        if (path === "throw") throw new Error("thrown");
        return new Response(`<${path}>`, { status: path === "fail" ? 500 : 200 });
      };
      """,
      client: """
        request = b"PUT / HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 2\\r\\nX: %s\\r\\n\\r\\nab"
        for path, end in [(b"fail", b"<fail>"), (b"throw", b"Error\\n")]:
          client = post(b"X: first", b"")
          until(client, b"<first>")
          client.sendall(request % path)
          until(client, end)
          client.sendall(request % path + request % b"next")
          until(client, b"<next>")
          client.sendall(request % b"last")
          until(client, b"<last>")
          print("kept")
        """)
    #expect(told == "kept\nkept\n", "\(result)")
  }

  /// Also while what was begun is answered.
  @Test func whereAServerHasStoppedAnotherListens() async throws {
    let result = await ServerTests.run(
      """
      const answer = Promise.withResolvers(), asked = Promise.withResolvers();
      const first = await nbridge.http.serve(() => { asked.resolve(); return answer.promise; });
      const told = fetch(first.url).then((response) => response.text());
      await asked.promise;
      const stopped = first.stop();
      const second = await nbridge.http.serve({ port: first.port }, () => new Response("second"));
      console.log(await (await fetch(second.url)).text());
      answer.resolve(new Response("first"));
      console.log(await told);
      await stopped;
      await second.stop();
      """)
    #expect(result.output == "second\nfirst\n", "\(result)")
  }

  /// One that comes by a connection which is kept; its body is not read into memory.
  @Test func aRequestToAServerThatStopsGets503() async throws {
    let result = await ServerTests.run(
      """
      const answer = Promise.withResolvers(), asked = Promise.withResolvers(), both = Promise.withResolvers();
      let count = 0;
      const server = await nbridge.http.serve(({ url }) => {
        if (url.endsWith("/wait")) { asked.resolve(); return answer.promise; }
        if (++count === 2) both.resolve();
        return both.promise.then(() => new Response("kept"));
      });
      const ask = async (path, options) => {
        const got = await fetch(server.url + path, options);
        return [got.status, await got.text()];
      };
      console.log(await Promise.all([ask(""), ask("")]));
      const waiting = ask("wait");
      await asked.promise;
      const stopped = server.stop();
      console.log(await ask("late", { method: "PUT", body: "body" }), count);
      answer.resolve(new Response("waited"));
      console.log(await waiting);
      await stopped;
      """)
    #expect(
      result.output == "[ [ 200, 'kept' ], [ 200, 'kept' ] ]\n[ 503, '' ] 2\n[ 200, 'waited' ]\n", "\(result)"
    )
  }
}
