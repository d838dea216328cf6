// SPDX-License-Identifier: MIT

import Foundation
import HttpPlugin
import NBridge
import NBridgeSystem
import NBridgeTesting
import Testing

/// `nbridge.http.serve` and `fetch` of one program, over a real socket.
@Suite struct ServerTests {
  static func run(_ script: String, permissions: PermissionSet = .everything) async -> ScriptHarness.Result {
    var harness = ScriptHarness(plugins: [HttpPlugin()])
    harness.usesRealTime = true
    harness.options.permissions = permissions
    return await harness.run(script)
  }

  @Test func aRequestComesAsItWasSentAndItsAnswerGoesBack() async {
    let result = await Self.run(
      """
      const server = await nbridge.http.serve(async (request) => {
        const { pathname, search } = new URL(request.url);
        const told = [request.method, pathname + search, request.headers.get("x-one"), await request.text()];
        return new Response(told.join(" | "), { status: 201, statusText: "Told", headers: { "x-two": "2" } });
      });
      console.log(server.host, server.port > 0, server.url === `http://127.0.0.1:${server.port}/`);
      const headers = { "X-One": "1" };
      const answer = await fetch(server.url + "a%20b?c=d", { method: "PUT", body: "text", headers });
      const { status, statusText } = answer;
      console.log(status, statusText, answer.headers.get("x-two"), answer.headers.get("content-length"));
      console.log(await answer.text());
      const many = await Promise.all(Array.from({ length: 200 }, (_, i) =>
        fetch(server.url + i).then((r) => r.text())));
      console.log(many.every((text, i) => text === `GET | /${i} |  | `));
      await server.stop();
      await server.finished;
      console.log((await fetch(server.url).catch((e) => e)).name);
      """)
    #expect(
      result.output == """
        127.0.0.1 true true
        201 Told 2 27
        PUT | /a%20b?c=d | 1 | text
        true
        TypeError

        """, "\(result)")
  }

  @Test func anAnswerMayBeAStreamThatWaitsForItsReader() async {
    let result = await Self.run(
      """
      let made = 0;
      const server = await nbridge.http.serve((request) => new Response(new ReadableStream({
        pull(controller) {
          if (++made > 200) return controller.close();
          controller.enqueue(new Uint8Array(1 << 18).fill(made));
        },
      })));
      const answer = await fetch(server.url), reader = answer.body.getReader();
      const first = await reader.read();
      await new Promise((resolve) => setTimeout(resolve, 50));
      console.log(answer.headers.get("transfer-encoding"), first.value[0], made < 150);
      let count = first.value.length;
      for (let piece; !(piece = await reader.read()).done;) count += piece.value.length;
      console.log(count === 200 << 18);
      // A client that goes ends the stream.
      made = 0;
      const other = await fetch(server.url);
      await other.body.cancel();
      await new Promise((resolve) => setTimeout(resolve, 50));
      console.log(made < 200);
      await server.stop();
      """)
    #expect(result.output == "chunked 1 true\ntrue\ntrue\n", "\(result)")
  }

  @Test func whatAHandlerDoesWrongIsLoggedAndAnswered() async {
    let result = await Self.run(
      """
      const handlers = {
        "/throw"() { throw new Error("thrown"); },
        async "/reject"() { throw new TypeError("rejected"); },
        "/nothing"() {},
        "/used"() { const r = new Response("x"); r.text(); return r; },
      };
      const read = async (request) => new Response(await request.text());
      const handler = (request) => (handlers[new URL(request.url).pathname] ?? read)(request);
      const server = await nbridge.http.serve({ bodyLimit: 10 }, handler);
      for (const path in handlers) {
        const answer = await fetch(server.url + path.slice(1));
        console.log(path, answer.status, JSON.stringify(await answer.text()));
      }
      const long = (body) =>
        fetch(server.url, { method: "POST", body, duplex: "half" }).then(
          async (answer) => [answer.status, await answer.text()]);
      console.log(...await long("12345678901"), ...await long(new Blob(["12345678901"]).stream()));
      await server.stop();
      const onError = (error) => new Response(error.message, { status: 400 });
      const kind = await nbridge.http.serve({ onError }, handler);
      console.log(await (await fetch(kind.url + "throw")).text());
      await kind.stop();
      """)
    #expect(
      result.output == #"""
        /throw 500 "Internal Server Error\n"
        /reject 500 "Internal Server Error\n"
        /nothing 500 "Internal Server Error\n"
        /used 500 "Internal Server Error\n"
        413  413 Content Too Large

        thrown

        """#, "\(result)")
    for text in [
      "Error: thrown", "TypeError: rejected", "a promise of one, not undefined", "was read already",
    ] {
      #expect(result.errors.contains(text), "\(text): \(result.errors)")
    }
  }

  /// The handler has not answered, and libsoup reads nothing meanwhile.
  @Test func aClientThatGoesIsToldToAHandlerThatWaits() async {
    let result = await Self.run(
      """
      let goOn, told;
      const reached = new Promise((resolve) => { goOn = resolve; });
      const gone = new Promise((resolve) => { told = resolve; });
      const server = await nbridge.http.serve((request) => {
        if (request.url.endsWith("/quick")) return new Response("quick");
        request.signal.onabort = () => told(request.signal.reason.message);
        goOn();
        return gone.then(() => new Response("late"));
      });
      const controller = new AbortController();
      const answer = fetch(server.url, { signal: controller.signal }).catch(({ name }) => name);
      await reached;
      controller.abort();
      console.log(await answer, await gone);
      console.log(await (await fetch(server.url + "quick")).text());
      await server.stop();
      """)
    #expect(
      result.output == "AbortError the client has gone before the answer was whole\nquick\n", "\(result)")
  }

  /// Its descriptor would stay open as long as the program otherwise.
  @Test func theConnectionOfAClientThatGoesIsLetGo() async throws {
    let port = Int.random(in: 20_000..<30_000)
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let script = """
      import socket, time
      for _ in range(6000):
        try: s = socket.create_connection(("127.0.0.1", \(port))); break
        except OSError: time.sleep(0.05)
      s.sendall(b"GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
      s.shutdown(socket.SHUT_WR)
      s.settimeout(20)
      while s.recv(1000): pass
      print("ended")
      other = socket.create_connection(("127.0.0.1", \(port)))
      other.sendall(b"GET /end HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
      other.recv(1000)
      """
    let client = try ChildProcess.start("python3", ["-c", script], streams: [1: .file(folder + "/out")])
    let result = await Self.run(
      """
      const server = await nbridge.http.serve({ port: \(port) }, (request) => {
        if (request.url.endsWith("/end")) { server.stop(); return new Response(); }
        request.signal.onabort = () => console.log("told");
        return new Promise(() => {});
      });
      """)
    #expect(result.output == "told\n", "\(result)")
    #expect(client.wait() == 0)
    #expect(try String(contentsOfFile: folder + "/out", encoding: .utf8) == "ended\n")
  }

  /// Of one that was answered, and of one whose body was too long.
  @Test(arguments: ["", "too long"])
  func aConnectionThatItsClientClosesBetweenTwoRequestsIsLetGo(_ body: String) async throws {
    let port = Int.random(in: 20_000..<30_000)
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let script = """
      import http.client, time
      def left():
        rows = [line.split() for line in open("/proc/net/tcp").readlines()[1:]]
        return sum(1 for row in rows if row[1].endswith(":%04X" % \(port)) and row[3] == "08")
      def ask(path):
        client = http.client.HTTPConnection("127.0.0.1", \(port))
        for _ in range(2):
          client.request("POST", path, "\(body)")
          answer = client.getresponse()
          answer.read()
        client.close()
        return answer.status
      for _ in range(6000):
        try: ask("/"); break
        except OSError: time.sleep(0.05)
      for _ in range(40): status = ask("/")
      for _ in range(400):
        if left() == 0: break
        time.sleep(0.05)
      print(status, left())
      client = http.client.HTTPConnection("127.0.0.1", \(port))
      client.request("GET", "/end")
      """
    let client = try ChildProcess.start("python3", ["-c", script], streams: [1: .file(folder + "/out")])
    let result = await Self.run(
      """
      const server = await nbridge.http.serve({ port: \(port), bodyLimit: 5 }, (request) => {
        if (request.url.endsWith("/end")) server.stop();
        return new Response("x");
      });
      """)
    #expect(result.status == .success && client.wait() == 0, "\(result)")
    let told = try String(contentsOfFile: folder + "/out", encoding: .utf8)
    #expect(told == (body.isEmpty ? "200 0\n" : "413 0\n"))
  }

  @Test func anAnswerThatFailsIsLoggedAndAClientThatGoesIsTold() async {
    let result = await Self.run(
      """
      let gone;
      const server = await nbridge.http.serve((request) => {
        request.signal.addEventListener("abort", () => gone?.());
        let count = 0;
        return new Response(new ReadableStream({ async pull(controller) {
          if (count++ === 1 && request.url.endsWith("cut")) throw new Error("the disk is gone");
          controller.enqueue(new Uint8Array(1 << 16));
        } }));
      });
      await (await fetch(server.url + "cut")).bytes().catch(() => {});
      const told = new Promise((resolve) => { gone = resolve; });
      const left = await fetch(server.url);
      await left.body.cancel();
      await told;
      await server.stop();
      console.log("stopped");
      """)
    #expect(result.output == "stopped\n", "\(result)")
    #expect(result.errors.contains("the disk is gone"), "\(result)")
  }

  @Test func aHostThatIsNoneIsRefusedBeforeTheHandler() async {
    let result = await Self.run(
      """
      const server = await nbridge.http.serve((request) => new Response(request.url));
      for (const host of ["a?b", "a#b", "user@a", "a b", "a:70000", "EXAMPLE.org:80"]) {
        const answer = await fetch(server.url + "path", { headers: { host } });
        console.log(answer.status, answer.ok ? await answer.text() : "");
      }
      await server.stop();
      """)
    let refused = String(repeating: "400 \n", count: 5)
    #expect(result.output == refused + "200 http://example.org/path\n", "\(result)")
  }

  @Test func aServerThatStopsAnswersWhatWasBegun() async {
    let result = await Self.run(
      """
      const server = await nbridge.http.serve((request) => { server.stop(); return new Response("bye"); });
      console.log(await (await fetch(server.url)).text());
      await server.finished;
      """)
    #expect(result.output == "bye\n" && result.status.code == 0, "\(result)")
  }

  /// What answers in place of a handler is not asked again about its own answer.
  @Test func anAnswerToAnErrorThatIsNoneEndsAsFiveHundred() async {
    let result = await Self.run(
      """
      for (const onError of [() => Response.error(), () => 5, () => { throw 1; }, () => Promise.reject(2)]) {
        const server = await nbridge.http.serve({ onError }, () => { throw new Error("first"); });
        console.log((await fetch(server.url)).status);
        await server.stop();
      }
      """)
    #expect(result.output == "500\n500\n500\n500\n", "\(result)")
  }

  /// A file that no other user can open; one that a program left behind is no hindrance, and one at which
  /// somebody listens is.
  @Test func aServerMayBeAtAPath() async throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let ask = """
      import os, socket, sys
      mode = oct(os.stat("\(folder)/s").st_mode & 0o777)
      def ask(head):
        s = socket.socket(socket.AF_UNIX); s.connect("\(folder)/s")
        s.sendall(head + b"\\r\\nConnection: close\\r\\n\\r\\n")
        data = b""
        while (piece := s.recv(999)): data += piece
        return data.split(b"\\r\\n\\r\\n")[1].decode()
      print(mode, ask(b"GET /a HTTP/1.0"), ask(b"GET /a HTTP/1.1\\r\\nHost: here"))
      """
    let leave = "import socket; socket.socket(socket.AF_UNIX).bind('\(folder)/s')"
    #expect(try ChildProcess.start("python3", ["-c", leave]).wait() == 0)
    let client = """
      while [ ! -e \(folder)/go ]; do sleep 0.05; done; exec python3 -c "$0"
      """
    let child = try ChildProcess.start("sh", ["-c", client, ask], streams: [1: .file(folder + "/out")])
    let result = await Self.run(
      """
      const answered = Promise.withResolvers();
      const handler = (request) => {
        if (request.headers.has("host")) answered.resolve();
        return new Response(request.url);
      };
      const server = await nbridge.http.serve({ unix: "\(folder)/s" }, handler);
      console.log(server.unix === "\(folder)/s", server.url, server.port);
      const second = await nbridge.http.serve({ unix: "\(folder)/s" }, handler).catch((error) => error.code);
      const both = await nbridge.http.serve({ unix: "/a", port: 1 }, handler).catch((error) => error.code);
      console.log(second, both);
      const go = await nbridge.http.serve({ unix: "\(folder)/go" }, handler);
      await answered.promise;
      await server.stop();
      await go.stop();
      """)
    #expect(result.output == "true undefined undefined\nunavailable invalid_parameter\n", "\(result)")
    #expect(child.wait() == 0)
    let told = try String(contentsOfFile: folder + "/out", encoding: .utf8)
    #expect(told == "0o600 http://localhost/a http://here/a\n")
    #expect(!FileManager.default.fileExists(atPath: folder + "/s"))
  }

  /// A path is one place, written in one way, that fits into an address.
  @Test(arguments: [
    "s", "/tmp/a/../s", "/tmp/./s", "/tmp//s", "/tmp/a\\0b", "/" + String(repeating: "a", count: 107),
  ])
  func aPathIsWrittenInOneWay(_ path: String) async {
    let result = await Self.run(
      """
      const { code } = await nbridge.http.serve({ unix: "\(path)" }, () => new Response()).catch((e) => e);
      console.log(code);
      """)
    #expect(result.output == "invalid_parameter\n", "\(result)")
  }

  /// Nothing listens beyond loopback because somebody has written to Object.prototype.
  @Test func whatAnObjectInheritsIsNoOption() async {
    let result = await Self.run(
      """
      const inherited = { host: "0.0.0.0", port: 1, unix: "/tmp/a", cert: "x", key: "x", bodyLimit: -1 };
      Object.assign(Object.prototype, inherited);
      const server = await nbridge.http.serve({}, () => new Response("here"));
      console.log(Object.hasOwn(server, "unix"), server.host, server.port > 1);
      for (const name of Object.keys(inherited)) delete Object.prototype[name];
      console.log(await (await fetch(server.url)).text());
      await server.stop();
      """)
    #expect(result.output == "false 127.0.0.1 true\nhere\n", "\(result)")
  }

  @Test func whereItMayNotListenItDoesNot() async {
    let result = await Self.run(
      """
      const told = (promise) => promise.then(() => "listens", (error) => error.code + ": " + error.message);
      const serve = (option) => nbridge.http.serve(option, () => new Response());
      const server = await serve({});
      const taken = await told(serve({ port: server.port }));
      console.log(taken.startsWith("unavailable: no server can listen at 127.0.0.1:"));
      const wrong = [{ port: 70000 }, { host: "example.org" }, { prot: 1 }, { cert: "x" },
        { cert: "x", key: "secret" }];
      for (const option of wrong) console.log(await told(serve(option)));
      console.log(await told(nbridge.http.serve({})));
      await server.stop();
      """)
    #expect(
      result.output.hasPrefix("true\ninvalid_parameter: option.port must be from 0 to 65535"), "\(result)")
    #expect(!result.output.contains("secret") && !result.output.contains("listens"), "\(result)")
    let denied = await Self.run(
      """
      const serve = (option) => nbridge.http.serve(option, () => new Response())
        .then((server) => server.stop(), (error) => error.message);
      console.log(await serve({ host: "0.0.0.0" }));
      console.log(await serve({}));
      """, permissions: PermissionSet(["http.serve:127.0.0.1:*"]))
    #expect(
      denied.output == """
        a server at 0.0.0.0:0 is not permitted; to allow it, add "http.serve:0.0.0.0:0" to "permissions" in \
        app.json (or to --permissions)
        undefined

        """, "\(denied)")
  }
}
