// SPDX-License-Identifier: MIT

import NBridge
import NBridgeTesting
import Testing

/// Rules of the Fetch standard that no server sees.
@Suite struct FetchStandardTests {
  /// Fetch standard, scheme fetch: `blob`.
  @Test func aPartOfABlobIsRead() async throws {
    let server = try RawServer { _ in .ok("") }
    let result = await FetchTests.run(
      server,
      """
      const url = URL.createObjectURL(new Blob(["-abcdef-"]).slice(1, 7, "a/b"));
      for (const range of ["bytes=0-2", "bytes=4-", "bytes=-2", "bytes=3-99", "bytes = 1 - 1", "bytes=-99"]) {
        const r = await fetch(url, { headers: { range } });
        const told = ["range", "length", "type"].map((name) => r.headers.get("content-" + name));
        console.log(r.status, r.statusText, ...told, await r.text());
      }
      const bad = ["bytes=6-", "bytes=2-1", "bytes=-", "bytes=-0", "items=0-1", "bytes=0-1,3-4", "0-1", ""];
      for (const range of bad) {
        console.log(await fetch(url, { headers: { range } }).then(String, (e) => e.name));
      }
      """)
    let refused = String(repeating: "TypeError\n", count: 8)
    #expect(
      result.output == """
        206 Partial Content bytes 0-2/6 3 a/b abc
        206 Partial Content bytes 4-5/6 2 a/b ef
        206 Partial Content bytes 4-5/6 2 a/b ef
        206 Partial Content bytes 3-5/6 3 a/b def
        206 Partial Content bytes 1-1/6 1 a/b b
        206 Partial Content bytes 0-5/6 6 a/b abcdef
        \(refused)
        """, "\(result)")
  }

  /// Fetch standard, 2.2.2: a value is bytes, one for a character, in both directions.
  @Test func headersAreBytes() async throws {
    let peer = try PeerProgram(
      python: """
        client, _ = listener.accept()
        head = client.recv(9999)
        line = [line for line in head.split(b"\\r\\n") if line.lower().startswith(b"x-one: ")][0]
        client.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\nX-Two: caf\\xc3\\xa9\\r\\n"
          b"X-Bytes: " + line[7:].hex().encode() + b"\\r\\n\\r\\n")
        """)
    let result = await FetchTests.run(
      try RawServer { _ in [.close] },
      """
      const headers = new Headers({ "x-one": "caf\\u00e9" });
      const answer = await fetch("http://127.0.0.1:\(peer.port)/", { headers });
      console.log(answer.headers.get("x-bytes"), answer.headers.get("x-two") === "caf\\u00c3\\u00a9");
      for (const make of [() => new Headers({ a: "\\u0100" }), () => headers.set("a", "\\u20ac"),
        () => new Response("", { headers: { a: "\\u0100" } })]) {
        try { make(); } catch (error) { console.log(error.name); }
      }
      """)
    #expect(result.output == "636166e9 true\nTypeError\nTypeError\nTypeError\n", "\(result)")
  }

  /// What a page could send by a form, too.
  @Test func aRequestToOthersHasAMethodOfForms() async throws {
    let server = try RawServer { request in .ok(request.method) }
    let result = await FetchTests.run(
      server,
      """
      for (const method of ["GET", "post", "PUT", "DELETE"]) {
        console.log(await fetch(origin, { method, mode: "no-cors" }).then((r) => r.text(), (e) => e.name));
      }
      """)
    #expect(result.output == "GET\nPOST\nTypeError\nTypeError\n", "\(result)")
  }

  /// What is sent to a mail server, say, must not be a script's.
  @Test func portsOfOtherProtocolsAreNotAsked() async throws {
    let server = try RawServer { _ in .answer("302 Found", ["Location: http://127.0.0.1:6000/"]) }
    let result = await FetchTests.run(
      server,
      """
      for (const address of ["http://127.0.0.1:25/", "https://127.0.0.1:6667/", origin]) {
        const error = await fetch(address).catch((e) => e);
        console.log(error.name, error.message.match(/the port [0-9]+/)?.[0]);
      }
      const socket = new WebSocket("ws://127.0.0.1:10080/");
      socket.onerror = ({ message }) => console.log(message.match(/the port [0-9]+/)?.[0]);
      console.log(await new Promise((done) => { socket.onclose = (event) => done(event.code); }));
      const source = new EventSource("http://127.0.0.1:22/");
      await new Promise((done) => { source.onerror = done; });
      console.log(source.readyState);
      """)
    #expect(
      result.output == """
        TypeError the port 25
        TypeError the port 6667
        TypeError the port 6000
        the port 10080
        1006
        2

        """, "\(result)")
    #expect(server.requests.count == 1)
  }

  /// A quote in a name is `%22`, and a backslash is a backslash.
  @Test func namesOfPartsAreReadAsTheStandardSays() async throws {
    let server = try RawServer { _ in .ok("") }
    let result = await FetchTests.run(
      server,
      #"""
      const show = async (parameters) => {
        const body = `--X\r\nContent-Disposition: form-data${parameters}\r\n\r\nv\r\n--X--\r\n`;
        const headers = { "content-type": "multipart/form-data; boundary=X" };
        const form = await new Response(body, { headers }).formData().catch((e) => e.name);
        const parts = typeof form === "string" ? [] : [...form].map(([n, v]) => `${n} ${v.name ?? v}`);
        console.log(typeof form === "string" ? form : parts.join());
      };
      await show('; name="a%22b"; filename="x\\y%0Az.txt"');
      await show('; name="a\\"; filename="f"');
      await show('; filename="name=\'q\'"; name="n"');
      await show('; name="a"; filename*=UTF-8\'\'x');
      await show('; name="a\\"b"');
      await show('; name="a;b=\\"c"');
      await show('; name="a" b="c"');
      await show('; name="a');
      """#)
    #expect(
      result.output == #"""
        a"b x\y
        z.txt
        a\ f
        n name='q'
        a v
        TypeError
        TypeError
        TypeError
        TypeError

        """#, "\(result)")
  }

  /// The same bytes again and again, so that the test takes little memory itself.
  @Test func aBodyWithoutAnEndIsNotReadAsAWhole() async throws {
    let server = try RawServer { _ in .ok("") }
    let result = await FetchTests.run(
      server,
      """
      const chunk = new Uint8Array(256 << 20);
      for (const form of ["text", "json", "formData", "arrayBuffer", "bytes", "blob"]) {
        let count = 0, reason;
        const body = new ReadableStream({
          pull(controller) { count++; controller.enqueue(chunk); },
          cancel(given) { reason = given; },
        }, { highWaterMark: 0 });
        const error = await new Response(body)[form]().catch((e) => e);
        console.log(form, error.name, error.message.match(/[0-9]+/)?.[0], count, reason === error);
      }
      """)
    #expect(
      result.output == """
        text RangeError 1073741824 5 true
        json RangeError 1073741824 5 true
        formData RangeError 1073741824 5 true
        arrayBuffer RangeError 4294967295 16 true
        bytes RangeError 4294967295 16 true
        blob RangeError 4294967295 16 true

        """, "\(result)")
  }
}
