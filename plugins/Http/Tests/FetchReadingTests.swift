// SPDX-License-Identifier: MIT

import NBridge
import NBridgeTesting
import Testing

/// How often, and for how long, a body can be read (Fetch standard, 5.2 and 5.6).
@Suite struct FetchReadingTests {
  private static func server() throws -> RawServer { try RawServer { _ in .ok(#"{"a":1}"#) } }

  /// To look at `body` is not to take it away from who reads it.
  @Test func aBodyThatIsReadIsLockedWhereItIsShown() async throws {
    let result = await FetchTests.run(
      try Self.server(),
      """
      const makers = [
        () => fetch(origin), () => new Response("text"), () => new Response(new Blob(["blob"]).stream()),
        () => new Request(origin, { method: "PUT", body: "r" }),
      ];
      for (const make of makers) {
        const one = await make(), read = one.text();
        let error;
        try { one.body.getReader(); } catch (thrown) { error = thrown.name; }
        console.log(await read, error, one.body.locked, one.bodyUsed);
      }
      """)
    #expect(
      result.output == """
        {"a":1} TypeError true true
        text TypeError true true
        blob TypeError true true
        r TypeError true true

        """, "\(result)")
  }

  /// URL standard, 5.1: names and values are decoded without a look for a byte order mark.
  @Test func aFormsFirstNameKeepsItsMark() async throws {
    let result = await FetchTests.run(
      try Self.server(),
      """
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const form = await new Response("\\ufeffa=\\ufeffb", { headers }).formData();
      for (const [name, value] of form) console.log(name === "\\ufeffa", value === "\\ufeffb");
      """)
    #expect(result.output == "true true\n", "\(result)")
  }

  /// What came before the connection broke is read first.
  @Test func theBeginningOfABodyThatIsCutIsRead() async throws {
    let server = try RawServer { request in
      let length = request.path == "/chunked" ? "Transfer-Encoding: chunked" : "Content-Length: 99"
      let body = request.path == "/chunked" ? "5\r\nhello\r\n9\r\nwo" : "hello"
      return [.send("HTTP/1.1 200 OK\r\n\(length)\r\n\r\n\(body)"), .close]
    }
    let result = await FetchTests.run(
      server,
      """
      for (const path of ["/chunked", "/long"]) {
        let text = "";
        const decoder = new TextDecoder();
        try {
          for await (const piece of (await fetch(origin + path)).body) text += decoder.decode(piece);
        } catch (error) { text += ` ${error.name}`; }
        console.log(text.slice(0, 5), text.endsWith(" TypeError"));
      }
      """)
    #expect(result.output == "hello true\nhello true\n", "\(result)")
  }

  /// Fetch standard, 5.6, "abort a fetch() call": the answer's body, too, when all of it has come.
  @Test func whatWasAbortedIsNotRead() async throws {
    let result = await FetchTests.run(
      try Self.server(),
      """
      const abort = new AbortController(), { signal } = abort;
      const answers = await Promise.all([1, 2, 3, 4].map(() => fetch(origin, { signal })));
      const [one, two, three, copied] = answers;
      const copy = copied.clone(), reader = three.body.getReader(), log = [];
      abort.abort();
      const read = one.json().catch((error) => log.push(error.name));
      await Promise.all([read, Promise.resolve().then(() => log.push("then"))]);
      console.log(log.join(), await one.text().catch((error) => error.name), one.bodyUsed);
      for (const late of [two.body.getReader().read(), reader.read(), copy.text()]) {
        console.log(await late.catch((error) => error.name));
      }
      const kept = new AbortController(), answer = await fetch(origin, { signal: kept.signal });
      const text = await answer.text();
      kept.abort();
      console.log(text);
      """)
    #expect(
      result.output == """
        AbortError,then AbortError false
        AbortError
        AbortError
        AbortError
        {"a":1}

        """, "\(result)")
  }

  /// Streams standard, ReadableStreamTee with "cloneForBranch2".
  @Test func chunksOfACopyAreCopies() async throws {
    let result = await FetchTests.run(
      try Self.server(),
      """
      const given = new Uint16Array([1, 2, 3]).subarray(1);
      const pair = (chunk) => {
        const cancel = (reason) => console.log("cancel", reason.name);
        const response = new Response(new ReadableStream({ pull: (at) => at.enqueue(chunk), cancel }));
        return Promise.allSettled([response, response.clone()].map((one) => one.body.getReader().read()));
      };
      const [{ value: first }, { value: second }] = await pair(given);
      console.log(first.value === given, [...second.value], second.value.constructor.name);
      const refused = await pair(() => {});
      console.log(second.value.buffer === given.buffer, ...refused.map(({ reason }) => reason.name));
      """)
    #expect(
      result.output
        == "true [ 2, 3 ] Uint16Array\ncancel DataCloneError\nfalse DataCloneError DataCloneError\n",
      "\(result)")
  }

  /// A promise of bytes would ask them for `then`.
  @Test func aThenOfAllObjectsSeesNoBytes() async throws {
    let result = await FetchTests.run(
      try Self.server(),
      """
      const response = new Response(new Uint8Array([1, 2, 3])), written = [];
      const sink = new WritableStream({ write(chunk) { written.push(...chunk); } });
      Object.prototype.then = (resolve) => {
        delete Object.prototype.then;
        resolve({ done: false, value: new Uint8Array([4, 5, 6]) });
      };
      await response.body.pipeTo(sink);
      console.log(written.join());
      """)
    #expect(result.output == "1,2,3\n", "\(result)")
  }

  @Test func aRequestThatAnotherIsMadeOfIsUsed() async throws {
    let result = await FetchTests.run(
      try Self.server(),
      """
      const one = new Request(origin, { method: "PUT", body: "b" }), { body } = one;
      const two = new Request(one);
      console.log(one.bodyUsed, one.body === body, await two.text());
      for (const referrer of ["", "about:client", "https://a.example/x", "http://:1 a"]) {
        try { console.log(JSON.stringify(new Request(origin, { referrer }).referrer)); } catch (error) {
          console.log(error.name, error.message);
        }
      }
      """)
    #expect(
      result.output == """
        true true b
        ""
        "about:client"
        "https://a.example/x"
        TypeError Request: the referrer "http://:1 a" is no URL

        """, "\(result)")
  }

  /// MIME Sniffing standard, 4.4: white space stands before a parameter's name and behind its value.
  @Test func typesOfDataHaveTheirParameters() async throws {
    let result = await FetchTests.run(
      try Self.server(),
      """
      const types = [";charset =x", ";charset= x", "; charset=x ", "text/ html", "text/html ;a=b",
        'a/b;c="d;e" ;f=g'];
      for (const type of types) {
        console.log((await fetch(`data:${type},`)).headers.get("content-type"));
      }
      const answer = await fetch(URL.createObjectURL(new Blob(["x"])));
      console.log([answer.headers.get("content-type"), (await answer.blob()).type]);
      """)
    #expect(
      result.output == """
        text/plain
        text/plain;charset=" x"
        text/plain;charset=x
        text/plain;charset=US-ASCII
        text/html;a=b
        a/b;c="d;e";f=g
        [ '', '' ]

        """, "\(result)")
  }

  /// Subresource Integrity, 3.1: base64 as in addresses, and without its end.
  @Test func hashesMayBeWrittenAsInAddresses() async throws {
    let server = try RawServer { _ in .ok("3") }
    let result = await FetchTests.run(
      server,
      """
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-512", new TextEncoder().encode("3")));
      const whole = btoa(String.fromCharCode(...digest)), cut = whole.replace(/=+$/, "");
      const address = (text) => text.replaceAll("+", "-").replaceAll("/", "_");
      for (const hash of [whole, cut, address(whole), address(cut), whole.slice(0, -9), whole + "x"]) {
        const option = { integrity: "sha512-" + hash };
        console.log(await fetch(origin, option).then((r) => r.text(), (error) => error.name));
      }
      """)
    #expect(result.output == "3\n3\n3\n3\nTypeError\nTypeError\n", "\(result)")
  }

  /// URL standard, 4.5: a `%` that escapes nothing stays, as all that is escaped does.
  @Test func addressesAreSentAsTheyAre() async throws {
    let server = try RawServer { request in .ok(request.path) }
    let result = await FetchTests.run(
      server,
      """
      for (const path of ["/?a=100%", "/a%zz%", "/%41%7e?%41%7E#x", "?a|b", "//b;c", "/\\u00fc?\\u00fc"]) {
        console.log(await fetch(origin + path).then((r) => r.text()));
      }
      """)
    #expect(
      result.output == """
        /?a=100%
        /a%zz%
        /%41%7e?%41%7E
        /?a|b
        //b;c
        /%C3%BC?%C3%BC

        """, "\(result)")
  }

  /// Fetch standard, 2.2.6, "location URL": servers write UTF-8.
  @Test func aServerLeadsOnInUTF8() async throws {
    let server = try RawServer { request in
      request.path == "/" ? .answer("302 Found", ["Location: /\u{2603}?\u{2603}%E2"]) : .ok(request.path)
    }
    let result = await FetchTests.run(
      server, "console.log(await fetch(origin).then((r) => r.text()));")
    #expect(result.output == "/%E2%98%83?%E2%98%83%E2\n", "\(result)")
  }

  @Test func whoHoldsTheReaderOfABodyHearsThatItBreaks() async throws {
    let server = try RawServer { _ in
      [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n"), .close]
    }
    let result = await FetchTests.run(
      server,
      """
      const broken = await fetch(origin), reader = broken.body.getReader();
      console.log(await reader.closed.catch((error) => error.name));
      """)
    #expect(result.output == "TypeError\n", "\(result)")
  }

  /// Fetch standard, 2.2.2: names are sent as the first was written, and values of one name together.
  @Test func namesOfHeadersAreSentAsTheyAreWritten() async throws {
    let peer = try PeerProgram(
      python: """
        for _ in range(2):
          client, _ = listener.accept()
          lines = client.recv(9999).split(b"\\r\\n")
          body = b"|".join(line for line in lines if line.lower().startswith(b"x-"))
          head = b"HTTP/1.1 200 OK\\r\\nConnection: close\\r\\nContent-Length: %d\\r\\n\\r\\n"
          client.sendall(head % len(body) + body)
          client.close()
        """)
    let result = await FetchTests.run(
      try Self.server(),
      """
      const url = "http://127.0.0.1:\(peer.port)/";
      const headers = new Headers([["X-One", "1"], ["x-oNE", "2"], ["x-two", "a"], ["X-Gone", "b"]]);
      headers.delete("x-gone"); headers.set("X-TWO", "c"); headers.append("X-GONE", "d");
      const request = new Request(new Request(url, { headers }));
      console.log(await fetch(request).then((r) => r.text()), [...headers.keys()].join());
      console.log(await fetch(url, { headers: { "X-A": "a/b" } }).then((r) => r.text()));
      """)
    #expect(
      result.output == """
        X-One: 1, 2|x-two: c|X-GONE: d x-gone,x-one,x-two
        X-A: a/b

        """, "\(result)")
  }

  /// Fetch standard, 5.6, "abort a fetch() call": the stream fails, with what it has and nobody has read.
  @Test(arguments: [false, true]) func aStreamThatIsHeldFailsWhenItsFetchIsAborted(_ isWhole: Bool)
    async throws
  {
    let gate = RawServer.Gate()
    let server = try RawServer { _ in
      let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
      return [.send(head), isWhole ? .send("3\r\ndef\r\n0\r\n\r\n") : .wait(gate)]
    }
    let result = await FetchTests.run(
      server,
      """
      const abort = new AbortController(), { signal } = abort, answers = [];
      for (let i = 0; i < 5; i++) answers.push(await fetch(origin, { signal }));
      const [held, cloned, piped, looked, last] = answers;
      const reader = held.body.getReader(), copy = cloned.clone();
      const pipe = piped.body.pipeTo(new WritableStream({}, { highWaterMark: 0 }));
      looked.body;
      // What the others were sent has come before.
      await last.body.getReader().read();
      abort.abort(new Error("why"));
      for (const late of [reader.closed, reader.read(), cloned.text(), copy.text(), pipe,
        looked.text()]) {
        console.log(await late.then(() => "no", (error) => error.message));
      }
      """)
    gate.open()
    #expect(result.output == String(repeating: "why\n", count: 6), "\(result)")
  }

  /// What is known of a body is not forgotten when its stream is looked at.
  @Test func aBodyThatWasLookedAtIsSentAgain() async throws {
    let server = try RawServer { request in
      request.path == "/"
        ? .answer("307 Temporary Redirect", ["Location: /to"])
        : .ok("\(request.headers["content-length"] ?? "none") \(request.text)")
    }
    let result = await FetchTests.run(
      server,
      """
      const request = new Request(origin, { method: "POST", body: "abc" });
      request.body;
      console.log(await fetch(request).then((r) => r.text()), request.bodyUsed, request.body.locked);
      const other = new Request(origin, { method: "POST", body: "abc" });
      const made = new Request(other, { body: null });
      console.log(await made.text(), other.bodyUsed);
      try { new Request(made.url, { method: "GET", body: "" }); } catch (error) { console.log(error.name); }
      """)
    #expect(result.output == "3 abc true true\nabc true\nTypeError\n", "\(result)")
  }

  @Test func messagesTellNoPasswords() async throws {
    let result = await FetchTests.run(
      try Self.server(),
      """
      const url = "http://ada:SECRET@[zz/a@b";
      for (const make of [() => fetch(url), () => new Request(origin, { referrer: url }), () =>
        new WebSocket(url.replace("http", "ws"))]) {
        console.log(await (async () => make())().catch((error) => error.message.includes("***@[zz/a@b")
          && !error.message.includes("SECRET")));
      }
      """)
    #expect(result.output == "true\ntrue\ntrue\n", "\(result)")
  }

  @Test func cookiesAreOneLineAndQuotesEndNoType() async throws {
    let server = try RawServer { request in .ok(request.headers["cookie"] ?? "") }
    let result = await FetchTests.run(
      server,
      """
      const headers = [["Cookie", "a=1"], ["cookie", "b=2"]];
      console.log(await fetch(origin, { headers }).then((r) => r.text()));
      for (const type of ['text/html;a="\\\\"", text/plain', 'text/html;a="\\\\",text/plain;b="']) {
        console.log((await new Response("", { headers: { "content-type": type } }).blob()).type);
      }
      """)
    #expect(result.output == "a=1; b=2\ntext/plain\ntext/html;a=\"\\\",text/plain;b=\"\n", "\(result)")
  }
}
