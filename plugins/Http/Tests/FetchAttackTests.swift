// SPDX-License-Identifier: MIT

import NBridge
import NBridgeTesting
import Synchronization
import Testing

/// What goes wrong on the way: streams that fail, answers that lie, names that are written otherwise.
@Suite struct FetchAttackTests {
  @Test func anUploadThatFailsIsNoWholeRequest() async throws {
    let server = try RawServer { _ in .ok("taken") }
    let result = await FetchTests.run(
      server,
      """
      const body = (async function* () { yield new Uint8Array(9); throw new RangeError("lost"); })();
      const error = await fetch(origin, { method: "PUT", duplex: "half", body }).catch((e) => e);
      console.log(error.name, error.cause?.code, error.message.includes("lost"));
      """)
    #expect(result.output == "TypeError script_failed true\n", "\(result)")
    #expect(server.requests.isEmpty, "\(server.requests)")
  }

  /// What tells of a body without having one, as most servers do.
  @Test func anEmptyBodyIsNotTakenForOneThatWasCut() async throws {
    let server = try RawServer { request in
      let length = request.method == "HEAD" ? 900 : 0
      return [.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(length)\r\n\r\n")]
    }
    let result = await FetchTests.run(
      server,
      """
      for (const method of ["HEAD", "GET"]) {
        const answer = await fetch(origin, { method });
        console.log(method, answer.headers.get("content-length"), JSON.stringify(await answer.text()));
      }
      """)
    #expect(result.output == "HEAD 900 \"\"\nGET 0 \"\"\n", "\(result)")
  }

  /// A script's own prototypes must not reach bodies.
  @Test func bodiesDoWithoutWhatObjectsInherit() async throws {
    let server = try RawServer { _ in .ok("body") }
    let result = await FetchTests.run(
      server,
      """
      const names = ["stream", "reader", "bytes", "body", "rest", "signal", "gone"];
      for (const name of names) Object.prototype[name] = 1;
      console.log(await (await fetch(origin)).text(), await new Response("own").text());
      """)
    #expect(result.output == "body own\n", "\(result)")
  }

  /// Nor does what a script makes of promises and lists keep a long body from being read.
  @Test func aLongBodyIsReadWhateverAScriptMakesOfPromises() async throws {
    let server = try RawServer { _ in .ok(String(repeating: "x", count: 3_000_000)) }
    let result = await FetchTests.run(
      server,
      """
      const { then } = Promise.prototype, { [Symbol.iterator]: iterator } = Array.prototype;
      Promise.prototype.then = () => { throw new Error("then"); };
      Array.prototype[Symbol.iterator] = () => { throw new Error("iterator"); };
      const text = await (await fetch(origin)).text();
      Promise.prototype.then = then;
      Array.prototype[Symbol.iterator] = iterator;
      console.log(text.length);
      """)
    #expect(result.output == "3000000\n", "\(result)")
  }

  @Test func aDenialHoldsHoweverTheServerIsWritten() async throws {
    let server = try RawServer { _ in .ok("open") }
    let port = server.port
    let denials = ["http://127.0.0.1:\(port)", "HTTP://127.0.0.1:\(port)/", "ws://127.0.0.1:\(port)"]
    for denial in denials {
      let result = await FetchTests.run(
        server,
        """
        const { port } = new URL(origin);
        const hosts = ["127.0.0.1", "[::ffff:127.0.0.1]", "127.0.0.1.", "0x7f.1", "localhost", "0.0.0.0",
          "[::]"];
        for (const host of hosts) {
          const error = await fetch(`http://${host}:${port}/`).then((r) => r.text(), (e) => e.cause?.code);
          console.log(host, error);
        }
        """, permissions: PermissionSet(["fetch", "!fetch:\(denial)"]))
      let lines = result.output.split(separator: "\n")
      #expect(
        lines.count == 7 && lines.allSatisfy { $0.hasSuffix("permission_denied") }, "\(denial) \(result)")
    }
  }

  /// An answer that comes while the request is given up belongs to nobody, and harms nobody.
  @Test func aRequestMayBeGivenUpAtAnyMoment() async throws {
    let server = try RawServer { _ in .ok(String(repeating: "x", count: 5000)) }
    let result = await FetchTests.run(
      server,
      """
      let ended = 0;
      const one = async (i) => {
        const stop = new AbortController();
        setTimeout(() => stop.abort(), i % 7);
        await fetch(origin, { signal: stop.signal }).then((r) => r.text()).catch(() => {});
        ended++;
      };
      for (let round = 0; round < 30; round++) {
        await Promise.all(Array.from({ length: 20 }, (_, i) => one(i)));
      }
      console.log(ended, await (await fetch(origin)).text().then((text) => text.length));
      """)
    #expect(result.output == "600 5000\n", "\(result)")
  }

  /// libsoup takes the body of a request that it sends again away: the server would get an empty one, or
  /// wait for it.
  @Test(arguments: ["PUT", "DELETE", "OPTIONS"])
  func whatIsSentAgainBecauseItsConnectionWasClosedHasItsBody(_ method: String) async throws {
    let count = Mutex(0)
    let server = try RawServer { request in
      if request.path == "/first" { return .ok("") }
      let isFirst = count.withLock { count in
        count += 1
        return count == 1
      }
      return isFirst ? [.close] : .ok("has \(request.text)")
    }
    let result = await FetchTests.run(
      server,
      """
      await (await fetch(origin + "/first")).text();
      const options = { method: "\(method)", body: "whole", signal: AbortSignal.timeout(60_000) };
      console.log(await (await fetch(origin + "/second", options)).text());
      """)
    #expect(result.output == "has whole\n", "\(result)")
    #expect(server.connectionCount == 2)
  }

  /// Of the connections that were kept each may be as the first: the second try has one of its own.
  @Test func whatIsSentAgainGoesByAConnectionOfItsOwn() async throws {
    let gate = RawServer.Gate()
    let count = Mutex(0)
    let server = try RawServer { request in
      let isFirst = count.withLock { count in
        count += 1
        if count == 5 { gate.open() }
        return count == 6
      }
      if request.path == "/warm" { return [.wait(gate)] + .ok("") }
      return isFirst ? [.close] : .ok("put")
    }
    let result = await FetchTests.run(
      server,
      """
      await Promise.all(Array.from({ length: 5 }, async () => (await fetch(origin + "/warm")).text()));
      console.log(await (await fetch(origin, { method: "PUT", body: "x" })).text());
      """)
    #expect(result.output == "put\n" && server.connectionCount == 6, "\(result) \(server.connectionCount)")
  }

  /// Another try can't mend it.
  @Test func whatIsNotPermittedEndsAnEventSourceAndAWebSocketWithTheReason() async throws {
    let server = try RawServer { _ in .ok("") }
    let result = await FetchTests.run(
      server,
      """
      const source = new EventSource(origin);
      await new Promise((resolve) => { source.onerror = resolve; });
      console.log(source.readyState);
      const socket = new WebSocket(origin.replace("http", "ws"));
      const { message } = await new Promise((resolve) => { socket.onerror = resolve; });
      console.log(message.includes("fetch:http:"));
      """, permissions: PermissionSet(["app.*"]))
    #expect(result.output == "2\ntrue\n" && result.errors.contains("is not permitted"), "\(result)")
  }

  /// Setters would catch what the bridge notes of a call, and getters stand for what a message has not.
  @Test func whatObjectsInheritIsNoPartOfCallsAndMessages() async throws {
    let server = try RawServer { _ in [.close] }
    let result = await FetchTests.run(
      server,
      """
      const answered = Promise.withResolvers();
      const own = await nbridge.http.serve((request) => {
        if (request.headers.get("upgrade") === null) return new Response(request.body);
        const { socket, response } = nbridge.http.upgrade(request);
        socket.onmessage = ({ data }) => { socket.send(data); socket.close(1000, "bye"); };
        return response;
      });
      const caught = [];
      const names = "ask,action,streams,fault,forget,text,bytes,sent,end,gone,socket".split(",");
      for (const name of names) {
        Object.defineProperty(Object.prototype, name, {
          configurable: true, get() { return "bad"; }, set(value) { caught.push(name); },
        });
      }
      const body = new ReadableStream({ start(c) { c.enqueue(new Uint8Array(70000).fill(65)); c.close(); } });
      const answer = await fetch(own.url, { __proto__: null, method: "POST", body, duplex: "half" });
      console.log((await answer.text()).length);
      const socket = new WebSocket(own.url.replace("http", "ws"));
      socket.onopen = () => socket.send("hello");
      socket.onmessage = ({ data }) => console.log(data);
      const { code, reason } = await new Promise((resolve) => { socket.onclose = resolve; });
      console.log(code, reason, caught.join());
      await own.stop();
      """)
    #expect(result.output == "70000\nhello\n1000 bye \n", "\(result)")
  }

  /// Classes of the runtime's own ask it for nothing.
  @Test func aChangedIteratorOfArraysHoldsUpNoServer() async throws {
    let server = try RawServer { _ in [.close] }
    let result = await FetchTests.run(
      server,
      """
      const own = await nbridge.http.serve((request) => new Response(request.body));
      const kept = Array.prototype[Symbol.iterator];
      Array.prototype[Symbol.iterator] = () => { throw new Error("mine"); };
      const body = new ReadableStream({ start(c) { c.enqueue(new Uint8Array(70000).fill(65)); c.close(); } });
      const { signal } = new AbortController();
      const answer = await fetch(own.url, { method: "POST", body, duplex: "half", signal });
      const text = await answer.text();
      Array.prototype[Symbol.iterator] = kept;
      console.log(text.length);
      await own.stop();
      """)
    #expect(result.output == "70000\n", "\(result)")
  }

  /// By a connection that was kept, too, which the script's end is not waited for to close.
  @Test func whoAbortsIsHeardOfByTheServer() async throws {
    let server = try PeerProgram(
      node: """
        const told = { asked: 0, closed: 0 };
        require("node:http").createServer((request, response) => {
          if (request.url !== "/silent") return response.end(JSON.stringify(told));
          told.asked++;
          response.on("close", () => told.closed++);
        }).listen({ fd: 3 });
        """)
    let result = await FetchTests.run(
      // Nobody asks this one.
      try RawServer { _ in [.close] },
      """
      const peer = "http://127.0.0.1:\(server.port)";
      const until = async (name, count) => {
        const pause = () => new Promise((done) => setTimeout(done, 5));
        while ((await (await fetch(peer)).json())[name] !== count) await pause();
      };
      for (let i = 1; i <= 5; i++) {
        await until("closed", i - 1);
        const control = new AbortController();
        const asked = fetch(peer + "/silent", { signal: control.signal }).catch(() => "aborted");
        await until("asked", i);
        control.abort();
        await until("closed", i);
        if (await asked !== "aborted") throw new Error("it was answered");
      }
      console.log("heard");
      """)
    #expect(result.output == "heard\n", "\(result)")
  }

  /// Nobody asked it to; what follows is no answer.
  @Test func aServerThatGoesOverToAnotherProtocolGivesNoAnswer() async throws {
    let server = try RawServer { _ in
      [
        .send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\n"),
        .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno"),
      ]
    }
    let result = await FetchTests.run(
      server, "const error = await fetch(origin).catch((e) => e); console.log(error.name, error.cause.code);")
    #expect(result.output == "TypeError invalid_data\n", "\(result)")
  }

  /// A name with an empty part would be another one's second spelling.
  @Test(arguments: ["http://a.test../", "ws://a.test../", "http://a..test/"])
  func aNameWithAnEmptyPartIsNone(url: String) async throws {
    let server = try RawServer { _ in .ok("taken") }
    let result = await FetchTests.run(
      server,
      """
      const url = "\(url)";
      if (url.startsWith("ws")) {
        const socket = new WebSocket(url);
        socket.onerror = ({ message, error }) =>
          console.log((message ?? error?.message).includes("is empty"));
      } else console.log((await fetch(url).catch((e) => e)).message.includes("is empty"));
      """)
    #expect(result.output == "true\n", "\(result)")
  }

  /// One that a script gives up says nothing of where a host is.
  @Test func requestsThatAreAbortedCostOthersNoConnection() async throws {
    let gate = RawServer.Gate()
    defer { gate.open() }
    let kept = try RawServer { _ in .ok("kept") }
    let slow = try RawServer { request in request.path == "/slow" ? [.wait(gate)] : .ok("here") }
    let result = await FetchTests.run(
      kept,
      """
      const slow = "\(slow.origin)/";
      for (let i = 0; i < 10; i++) {
        await (await fetch(origin)).text();
        await (await fetch(slow)).text();
        const stop = new AbortController();
        const ask = () => fetch(slow + "slow", { signal: stop.signal }).catch(() => 0);
        const given = Promise.all([ask(), ask(), ask()]);
        await Promise.resolve();
        stop.abort();
        await given;
      }
      console.log("done");
      """)
    #expect(result.output == "done\n" && kept.connectionCount == 1, "\(result) \(kept.connectionCount)")
  }

  @Test func aReasonHasNoLineEndInIt() async throws {
    let server = try RawServer { _ in [.send("HTTP/1.1 200 O\rK\r\nContent-Length: 0\r\n\r\n")] }
    let result = await FetchTests.run(
      server,
      """
      console.log((await fetch(origin)).statusText);
      """)
    #expect(result.output == "OK\n", "\(result)")
  }

  /// What libsoup sends again must not be taken for what failed (`EventPriority.beforeSoup`).
  @Test func aConnectionThatIsKeptMayBeClosedAtAnyMoment() async throws {
    let seen = Mutex<Set<String>>([])
    let server = try RawServer { request in
      let isFirst = seen.withLock { $0.insert(request.path).inserted }
      return isFirst && request.path.hasSuffix("1") ? [.close] : .ok(request.path)
    }
    let result = await FetchTests.run(
      server,
      """
      let right = 0;
      for (let i = 0; i < 800; i++) {
        const path = `/${i >> 1}-${i & 1}`;
        if (await (await fetch(origin + path)).text() === path) right++;
      }
      console.log(right);
      """)
    #expect(result.output == "800\n", "\(result)")
  }

  /// A chunk of a byte may have thousands beside it.
  @Test func aBodyOfLittleThatComesInMuchLetsTimersIn() async throws {
    let chunk = Array("1;\(String(repeating: "x", count: 15_000))\r\na\r\n".utf8)
    let server = try RawServer { _ in
      [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .forever(chunk)]
    }
    let result = await FetchTests.run(
      server,
      """
      const abort = new AbortController(), answer = await fetch(origin, { signal: abort.signal });
      setTimeout(() => abort.abort(), 50);
      console.log(await answer.text().catch((error) => error.name));
      """)
    #expect(result.output == "AbortError\n", "\(result)")
  }
}
