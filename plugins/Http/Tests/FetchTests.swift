// SPDX-License-Identifier: MIT

import NBridge
import NBridgeTesting
import Testing

@testable import HttpPlugin

/// `fetch` against a server at a real socket.
@Suite struct FetchTests {
  static func run(
    _ server: RawServer, _ script: String, permissions: PermissionSet = .everything,
    authorities: String? = nil
  ) async -> ScriptHarness.Result {
    let plugin = authorities.map { HttpPlugin(authorities: $0) } ?? HttpPlugin()
    var harness = ScriptHarness(plugins: [plugin])
    harness.usesRealTime = true
    harness.options.permissions = permissions
    return await harness.run(
      """
      const origin = "\(server.origin)";
      const told = (promise) => promise.then((value) => "answered " + value,
        (error) => error.name + ": " + error.message.replaceAll(origin, "ORIGIN"));

      """ + script)
  }

  @Test func anAnswerHasItsStatusHeadersAndBody() async throws {
    let server = try RawServer { _ in
      .answer(
        "201 Made it", ["Content-Type: application/json", "X-One: a", "X-One: b", "Set-Cookie: c=1"],
        #"{"a":1}"#)
    }
    let result = await Self.run(
      server,
      """
      const response = await fetch(origin + "/a?b#c");
      const { status, statusText, ok, url, type } = response;
      console.log(status, statusText, ok, url === origin + "/a?b", type);
      console.log(response.headers.get("x-one"), response.headers.getSetCookie(), response.bodyUsed);
      console.log(await response.json(), response.bodyUsed, await told(response.text()));
      """)
    #expect(
      result.output == """
        201 Made it true true basic
        a, b [ 'c=1' ] false
        { a: 1 } true TypeError: text: the body was read already, or a reader has it

        """, "\(result)")
    let request = try #require(server.requests.first)
    #expect(request.path == "/a?b")
    #expect(request.headers["user-agent"]?.hasPrefix("nbridge/") == true)
    #expect(request.headers["cookie"] == nil)
  }

  @Test func bodiesOfEveryKindArriveWithTheirType() async throws {
    let server = try RawServer { _ in .ok("") }
    let result = await Self.run(
      server,
      """
      const form = new FormData();
      form.append("a", "1\\n2");
      form.append("f\\"", new File(["file"], "n.txt", { type: "text/x" }));
      const stream = new ReadableStream({
        async pull(c) { c.enqueue(new TextEncoder().encode("piece")); c.close(); },
      });
      const bodies = ["text\\u00e9", new Uint8Array([1, 2]), new Blob(["blob"], { type: "a/b" }),
        new URLSearchParams({ q: "a b" }), form, stream, null];
      for (const body of bodies) await fetch(origin, { method: "POST", body, duplex: "half" });
      """)
    #expect(result.output.isEmpty && result.errors.isEmpty, "\(result)")
    let got = server.requests.map { ($0.headers["content-type"] ?? "none", $0.text) }
    try #require(got.count == 7)
    #expect(got[0] == ("text/plain;charset=UTF-8", "texté"))
    #expect(got[1] == ("none", "\u{1}\u{2}"))
    #expect(got[2] == ("a/b", "blob"))
    #expect(got[3] == ("application/x-www-form-urlencoded;charset=UTF-8", "q=a+b"))
    #expect(got[4].0.hasPrefix("multipart/form-data; boundary="))
    #expect(got[4].1.contains("name=\"a\"\r\n\r\n1\r\n2\r\n"))
    #expect(got[4].1.contains("name=\"f%22\"; filename=\"n.txt\"\r\nContent-Type: text/x\r\n\r\nfile\r\n"))
    #expect(got[5] == ("none", "piece"))
    #expect(server.requests[5].headers["transfer-encoding"] == "chunked")
    #expect(server.requests[6].headers["content-length"] == "0")
  }

  @Test func aFormComesBackAsItWasSent() async throws {
    let server = try RawServer { request in
      .answer("200 OK", ["Content-Type: \(request.headers["content-type"] ?? "")"], request.text)
    }
    let result = await Self.run(
      server,
      """
      const form = new FormData();
      form.append("plain", "one");
      form.append("plain", "two\\r\\n--not the end");
      form.append("file", new File(["a\\r\\nb"], 'q"uote.txt', { type: "text/plain" }));
      const back = await (await fetch(origin, { method: "PUT", body: form })).formData();
      for (const [name, value] of back) {
        console.log(name, typeof value === "string" ? JSON.stringify(value)
          : [value.name, value.type, JSON.stringify(await value.text())]);
      }
      const body = new URLSearchParams("a=1&a=2");
      const text = await (await fetch(origin, { method: "PUT", body })).formData();
      console.log([...text]);
      """)
    #expect(
      result.output == #"""
        plain "one"
        plain "two\r\n--not the end"
        file [ 'q"uote.txt', 'text/plain', '"a\\r\\nb"' ]
        [ [ 'a', '1' ], [ 'a', '2' ] ]

        """#, "\(result)")
  }

  @Test func redirectsAreFollowedAsTheStandardSays() async throws {
    let server = try RawServer { request in
      switch request.path {
      case "/end": .ok("\(request.method) \(request.text) \(request.headers["authorization"] ?? "-")")
      case "/loop": .answer("302 Found", ["Location: /loop"])
      case "/bad": .answer("302 Found", ["Location: ftp://127.0.0.1/"])
      default:
        .answer("\(request.path.dropFirst()) Moved", ["Location: /end#there"])
      }
    }
    let result = await Self.run(
      server,
      """
      const init = { method: "POST", body: "text", headers: { authorization: "secret" } };
      for (const status of [301, 302, 303, 307, 308]) {
        const response = await fetch(`${origin}/${status}`, init);
        console.log(status, response.redirected, response.url === origin + "/end", await response.text());
      }
      console.log(await told(fetch(origin + "/loop")));
      console.log(await told(fetch(origin + "/bad")));
      console.log(await told(fetch(origin + "/302", { redirect: "error" })));
      console.log((await fetch(origin + "/302", { redirect: "manual" })).status);
      """)
    #expect(
      result.output == """
        301 true true GET  secret
        302 true true GET  secret
        303 true true GET  secret
        307 true true POST text secret
        308 true true POST text secret
        TypeError: fetch failed: the server has led on 20 times
        TypeError: fetch failed: the server leads to an address with the scheme ftp:
        TypeError: fetch failed: the server leads elsewhere, with the status 302
        302

        """, "\(result)")
  }

  /// What is for one server only is not told to another.
  @Test func anotherServerGetsNoPassword() async throws {
    let other = try RawServer { request in .ok(request.headers["authorization"] ?? "none") }
    let server = try RawServer { _ in .answer("307 Go", ["Location: \(other.origin)/"]) }
    let result = await Self.run(
      server, #"console.log(await (await fetch(origin, { headers: { Authorization: "secret" } })).text())"#)
    #expect(result.output == "none\n", "\(result)")
  }

  @Test(arguments: ["gzip", "deflate", "br", "zstd"])
  func aCompressedBodyIsRead(_ encoding: String) async throws {
    let server = try RawServer { request in
      [
        .send(
          "HTTP/1.1 200 OK\r\nContent-Encoding: \(encoding)\r\nConnection: close\r\n\r\n"),
        .bytes(request.body), .close,
      ]
    }
    let result = await Self.run(
      server,
      """
      const format = "\(encoding)" === "br" ? "brotli" : "\(encoding)";
      const text = "again and ".repeat(100000);
      const small = new Blob([text]).stream().pipeThrough(new CompressionStream(format));
      const body = await new Response(small).bytes();
      console.log(body.length < 20000, await (await fetch(origin, { method: "POST", body })).text() === text);
      const cut = body.subarray(0, body.length >> 1);
      console.log(await told(fetch(origin, { method: "POST", body: cut }).then((r) => r.text())));
      """)
    #expect(
      result.output == "true true\nTypeError: fetch failed: the answer of ORIGIN ends too early\n",
      "\(result)")
  }

  @Test func aBodyIsAStreamThatWaitsForItsReader() async throws {
    let server = try RawServer { _ in
      [.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"), .forever(Array(repeating: 7, count: 1 << 16))]
    }
    let result = await Self.run(
      server,
      """
      const response = await fetch(origin), reader = response.body.getReader();
      let count = 0;
      while (count < 50e6) count += (await reader.read()).value.length;
      await reader.cancel();
      console.log((await reader.read()).done);
      """)
    #expect(result.output == "true\n", "\(result)")
  }

  @Test func abortingEndsWhatIsUnderWay() async throws {
    let gate = RawServer.Gate()
    defer { gate.open() }
    let server = try RawServer { request in
      request.path == "/head"
        ? [.wait(gate)] : [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbegin"), .wait(gate)]
    }
    let result = await Self.run(
      server,
      """
      const stop = new AbortController();
      const waits = fetch(origin + "/head", { signal: stop.signal });
      setTimeout(() => stop.abort(), 20);
      console.log(await told(waits));
      const again = new AbortController();
      const response = await fetch(origin + "/body", { signal: again.signal });
      const text = response.text().catch((error) => error);
      setTimeout(() => again.abort("enough"), 20);
      console.log(await response.text().catch((error) => error.message), await text);
      console.log(await told(fetch(origin, { signal: AbortSignal.abort() })));
      console.log(await told(fetch(origin + "/head", { signal: AbortSignal.timeout(10) })));
      """)
    #expect(
      result.output == """
        AbortError: This operation was aborted
        text: the body was read already, or a reader has it enough
        AbortError: This operation was aborted
        TimeoutError: The operation timed out

        """, "\(result)")
  }

  @Test func serversThatLieAreFoundOut() async throws {
    let server = try RawServer { request in
      switch request.path {
      case "/short": [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"), .close]
      case "/chunk": [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ncut"), .close]
      case "/garbage": [.send("\u{1}\u{2}garbage\r\n\r\n"), .close]
      case "/endless": [.send("HTTP/1.1 200 OK\r\n"), .forever(Array("X-Header: more and more\r\n".utf8))]
      default: [.close]
      }
    }
    let result = await Self.run(
      server,
      """
      for (const path of ["short", "chunk", "garbage", "endless", "closed"]) {
        const error = await fetch(`${origin}/${path}`).then((r) => r.text()).then((t) => t, (e) => e);
        console.log(path, error instanceof TypeError, error.cause?.code);
      }
      console.log((await told(fetch("http://127.0.0.1:2/"))).includes("127.0.0.1:2"));
      """)
    #expect(
      result.output == """
        short true io_error
        chunk true io_error
        garbage true io_error
        endless true io_error
        closed true io_error
        true

        """, "\(result)")
  }

  @Test func manyRequestsShareTheirConnections() async throws {
    let server = try RawServer { request in .ok(request.path) }
    let result = await Self.run(
      server,
      """
      for (let round = 0; round < 5; round++) {
        const one = (_, i) => fetch(`${origin}/${i}`).then((r) => r.text());
        const texts = await Promise.all(Array.from({ length: 64 }, one));
        if (texts.some((text, i) => text !== `/${i}`)) console.log("mixed", texts);
      }
      """)
    #expect(result.output.isEmpty && result.errors.isEmpty, "\(result)")
    #expect(server.requests.count == 320)
    #expect(server.connectionCount <= 64, "\(server.connectionCount)")
  }

  @Test func addressesWithoutAServerAreReadOrRefused() async throws {
    let server = try RawServer { _ in .ok("") }
    let result = await Self.run(
      server,
      """
      const text = async (url) => {
        const r = await fetch(url);
        return [r.status, r.headers.get("content-type"), await r.text()];
      };
      console.log(await text("data:,a%20b"), await text("data:text/html;base64,PGI+"));
      console.log(await text("data:;charset=x,y"));
      const url = URL.createObjectURL(new Blob(["inside"], { type: "a/b" }));
      console.log(await text(url));
      URL.revokeObjectURL(url);
      for (const bad of [url, "data:nothing", "ftp://a/", "/path", "http://user:word@h/"]) {
        console.log((await told(fetch(bad))).replace(/blob:.*/, "blob:"));
      }
      """)
    #expect(
      result.output == """
        [ 200, 'text/plain;charset=US-ASCII', 'a b' ] [ 200, 'text/html', '<b>' ]
        [ 200, 'text/plain;charset=x', 'y' ]
        [ 200, 'a/b', 'inside' ]
        TypeError: fetch failed: there is no such blob:
        TypeError: fetch failed: a data: URL needs a comma before its data
        TypeError: fetch failed: the scheme ftp: is none that is fetched; there are http:, https:, data:, \
        blob:
        TypeError: Request: "/path" is no URL; a script has no address of its own: give a whole one, as \
        http://127.0.0.1:8080/
        TypeError: Request: the URL has a user's name or password in it; send it in an Authorization header

        """, "\(result)")
  }

  // MARK: - Permissions

  @Test func aListOpensTheServersThatItNames() async throws {
    let server = try RawServer { request in
      request.path == "/go" ? .answer("302 Go", ["Location: http://127.0.0.1:10/"]) : .ok("open")
    }
    let open = PermissionSet(["fetch:\(server.origin)"])
    let result = await Self.run(
      server,
      """
      console.log(await (await fetch(origin)).text());
      console.log(await told(fetch("http://127.0.0.1:10/")));
      console.log(await told(fetch(origin + "/go")));
      console.log((await fetch(origin.replace("127.0.0.1", "localhost")).catch((e) => e)).cause?.code);
      """, permissions: open)
    let denied = """
      TypeError: fetch failed: fetch of http://127.0.0.1:10 is not permitted; to allow it, add \
      "fetch:http://127.0.0.1:10" to "permissions" in app.json (or to --permissions)
      """
    // This machine has one name.
    #expect(result.output == "open\n\(denied)\n\(denied)\nundefined\n", "\(result)")
    for list in [["fetch"], ["*"], ["http.*"], ["fetch:http://*"]] {
      let result = await Self.run(
        server, "console.log(await (await fetch(origin)).text())", permissions: PermissionSet(list))
      #expect(result.output == "open\n", "\(list) \(result)")
    }
    let none = await Self.run(
      server, "console.log(await told(fetch(origin)))", permissions: PermissionSet(["app.*"]))
    #expect(none.output.contains("is not permitted"), "\(none)")
  }
}

extension FetchTests {
  /// An empty module of WebAssembly.
  @Test func aModuleOfWebAssemblyIsCompiledFromAnAnswer() async throws {
    let server = try RawServer { request in
      let type = request.path == "/wasm" ? "application/wasm" : "text/plain"
      return [
        .send("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: 8\r\n\r\n"),
        .bytes([0, 0x61, 0x73, 0x6D, 1, 0, 0, 0]),
      ]
    }
    let result = await Self.run(
      server,
      """
      console.log(await WebAssembly.compileStreaming(fetch(origin + "/wasm")) instanceof WebAssembly.Module);
      const { instance } = await WebAssembly.instantiateStreaming(await fetch(origin + "/wasm"), {});
      console.log(instance instanceof WebAssembly.Instance);
      console.log(await told(WebAssembly.compileStreaming(fetch(origin))));
      const empty = new Response(null, { headers: { "content-type": "application/wasm" } });
      await WebAssembly.compileStreaming(empty).catch(({ name }) => console.log(name));
      """)
    #expect(
      result.output == """
        true
        true
        TypeError: WebAssembly.compileStreaming: the Content-Type must be application/wasm, not "text/plain"
        CompileError

        """, "\(result)")
  }
}
