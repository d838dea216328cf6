// SPDX-License-Identifier: MIT

import Foundation
import HttpPlugin
import NBridge
import NBridgeSystem
import NBridgeTesting
import Testing

/// `nbridge.http.upgrade`: WebSockets of a server's clients, over real sockets.
@Suite struct UpgradeTests {
  static let head = """
    const settled = (target, name) => new Promise((resolve) => {
      target.addEventListener(name, resolve, { once: true });
    });
    const client = (server, path = "", protocols) => new WebSocket(server.url + path, protocols);

    """

  static func run(_ script: String, permissions: PermissionSet = .everything) async -> ScriptHarness.Result {
    await ServerTests.run(head + script, permissions: permissions)
  }

  @Test func aClientAndItsServerTalkAndPart() async {
    let result = await Self.run(
      """
      const server = await nbridge.http.serve((request) => {
        const { socket, response } = nbridge.http.upgrade(request, { protocol: "two" });
        console.log(response.status, socket.readyState, socket.url === request.url.replace("http", "ws"));
        socket.onopen = () => { console.log("open", socket.protocol); socket.send("welcome"); };
        socket.onmessage = async ({ data }) => {
          socket.send(typeof data === "string" ? data.length
            : new Uint8Array(await data.arrayBuffer()).reverse());
        };
        socket.onclose = ({ code, reason, wasClean }) => console.log("server", code, reason, wasClean);
        return response;
      });
      const socket = client(server, "chat?a=b", ["one", "two"]);
      socket.binaryType = "arraybuffer";
      console.log((await settled(socket, "message")).data, socket.protocol);
      socket.send("x".repeat(200000));
      console.log((await settled(socket, "message")).data);
      socket.send(new Uint8Array([1, 2, 3]));
      console.log(new Uint8Array((await settled(socket, "message")).data).join());
      socket.close(3001, "done");
      const { code, reason, wasClean } = await settled(socket, "close");
      console.log("client", code, reason, wasClean);
      await server.stop();
      """)
    #expect(
      result.output == """
        101 0 true
        open two
        welcome two
        200000
        3,2,1
        server 3001 done true
        client 3001 done true

        """, "\(result)")
  }

  /// Both ends of ours agree on permessage-deflate (RFC 7692).
  @Test func messagesAreCompressedBetweenServerAndClient() async {
    let result = await Self.run(
      """
      const server = await nbridge.http.serve((request) => {
        const { socket, response } = nbridge.http.upgrade(request);
        socket.onopen = () => console.log("server", socket.extensions);
        socket.onmessage = ({ data }) => socket.send(data);
        return response;
      });
      const socket = client(server);
      await settled(socket, "open");
      console.log("client", socket.extensions.split(";")[0]);
      // The second is like the first: each end remembers.
      for (const text of ["été ".repeat(100_000), "été ".repeat(100_000), "a", "", "b".repeat(125)]) {
        socket.send(text);
        console.log((await settled(socket, "message")).data === text);
      }
      socket.binaryType = "arraybuffer";
      const bytes = crypto.getRandomValues(new Uint8Array(60_000));
      socket.send(bytes);
      console.log(new Uint8Array((await settled(socket, "message")).data).join() === bytes.join());
      socket.close();
      await server.stop();
      """)
    let all = String(repeating: "true\n", count: 6)
    #expect(
      result.output == "server permessage-deflate\nclient permessage-deflate\n\(all)"
        || result.output == "client permessage-deflate\nserver permessage-deflate\n\(all)", "\(result)")
  }

  @Test func socketsStayWhenTheServerStopsAndManyAreOpenAtOnce() async {
    let result = await Self.run(
      """
      const open = [];
      const server = await nbridge.http.serve((request) => {
        const { socket, response } = nbridge.http.upgrade(request);
        open.push(socket);
        socket.onmessage = ({ data }) => { for (const each of open) each.send(data); };
        return response;
      });
      const clients = Array.from({ length: 100 }, () => client(server));
      await Promise.all(clients.map((each) => settled(each, "open")));
      await server.stop();
      const heard = clients.map((each) => settled(each, "message"));
      clients[7].send("all");
      console.log((await Promise.all(heard)).every(({ data }) => data === "all"), open.length);
      for (const each of open) each.close();
      await Promise.all(clients.map((each) => settled(each, "close")));
      console.log((await fetch(server.url).catch((error) => error)).name);
      """)
    #expect(result.output == "true 100\nTypeError\n", "\(result)")
  }

  /// Sends requests as they are to a port where a server listens soon; answers the status and body of each.
  private static func sent(_ heads: [String], to port: Int, _ script: String) async throws -> (
    said: String, result: ScriptHarness.Result
  ) {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let requests = heads.map { "b'" + $0.replacingOccurrences(of: "\n", with: "\\r\\n") + "\\r\\n\\r\\n'" }
    let client = """
      import socket, time
      for request in [\(requests.joined(separator: ", "))]:
        for _ in range(6000):
          try: s = socket.create_connection(("127.0.0.1", \(port))); break
          except OSError: time.sleep(0.05)
        s.sendall(request)
        answer = s.makefile("rb")
        status, length = answer.readline().split()[1].decode(), 0
        while (line := answer.readline().strip()):
          if line.lower().startswith(b"content-length:"): length = int(line.split()[1])
        print(status, answer.read(length).decode().strip())
      """
    let process = try ChildProcess.start("python3", ["-c", client], streams: [1: .file(folder + "/out")])
    let result = await run("const port = \(port);\n" + script)
    _ = process.wait()
    return (try String(contentsOfFile: folder + "/out", encoding: .utf8), result)
  }

  @Test func whatIsNoHandshakeIsSaid() async throws {
    let rest = "Host: x\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
    let wanted = "Connection: keep-alive, Upgrade\nUpgrade: WebSocket"
    let (said, result) = try await Self.sent(
      [
        "GET / HTTP/1.1\n\(rest)", "POST / HTTP/1.1\n\(rest)\n\(wanted)",
        "GET / HTTP/1.1\n\(rest)\nConnection: upgrade\nUpgrade: websockets",
        "GET / HTTP/1.1\n\(rest)\n\(wanted)\nSec-WebSocket-Version: 8",
        "GET / HTTP/1.1\nHost: x\n\(wanted)\nSec-WebSocket-Version: 13",
        "GET / HTTP/1.1\n\(rest)AA\n\(wanted)\nSec-WebSocket-Version: 13",
        "GET /?p=chat HTTP/1.1\n\(rest)\n\(wanted)\nSec-WebSocket-Version: 13"
          + "\nSec-WebSocket-Protocol: Chat, c",
      ], to: Int.random(in: 20_000..<30_000),
      """
      let count = 0;
      const server = await nbridge.http.serve({ port }, (request) => {
        if (++count === 7) server.stop();
        const protocol = new URL(request.url).searchParams.get("p") ?? undefined;
        try { return nbridge.http.upgrade(request, { protocol }).response; }
        catch ({ code, message }) { return new Response(message, { status: 426 }); }
      });
      const shown = (call) => {
        try { return call(); } catch ({ code, message }) { return `${code} ${message}`; }
      };
      console.log(shown(() => nbridge.http.upgrade(new Request(server.url))));
      console.log(shown(() => nbridge.http.upgrade(5)));
      console.log(shown(() => nbridge.http.upgrade({}, { protocols: ["a"] })));
      """)
    let no = "426 the request asks for no WebSocket:"
    #expect(
      said == """
        \(no) its header Connection does not say upgrade; answer it with the status 426
        \(no) its method is POST, not GET; answer it with the status 426
        \(no) its header Upgrade does not say websocket; answer it with the status 426
        \(no) its header Sec-WebSocket-Version is not 13; answer it with the status 426
        \(no) its header Sec-WebSocket-Key is not one of 16 bytes in base64; answer it with the status 426
        \(no) its header Sec-WebSocket-Key is not one of 16 bytes in base64; answer it with the status 426
        426 option.protocol: the client does not name 'chat' in its header Sec-WebSocket-Protocol

        """)
    #expect(
      result.output == """
        invalid_parameter upgrade takes a Request that a server of this program was given
        invalid_parameter upgrade takes a Request that a server of this program was given
        invalid_parameter option has no 'protocols'; did you mean 'protocol'?

        """, "\(result)")
  }

  @Test func aHandshakeByAnOldVersionGets400AndItsSocketFails() async throws {
    let asked = "Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13"
    let head = "GET / HTTP/1.0\nHost: x\n\(asked)\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
    let (said, result) = try await Self.sent(
      [head], to: Int.random(in: 20_000..<30_000),
      """
      const server = await nbridge.http.serve({ port }, (request) => {
        const { socket, response } = nbridge.http.upgrade(request);
        socket.onerror = ({ message }) => console.log(message);
        socket.onclose = ({ code }) => { console.log(code, socket.readyState); server.stop(); };
        return response;
      });
      """)
    #expect(said.hasPrefix("400 "), "\(said)")
    #expect(
      result.output == """
        the request is no whole handshake of a WebSocket (RFC 6455, 4.2.1)
        1006 3

        """, "\(result)")
  }

  @Test func anotherAnswerThanTheSocketsFailsIt() async {
    let result = await Self.run(
      """
      let first;
      const server = await nbridge.http.serve((request) => {
        const { socket, response } = nbridge.http.upgrade(request);
        socket.onerror = ({ message }) => console.log(message);
        if (first !== undefined) return first;
        first = response;
        try { nbridge.http.upgrade(request); } catch (error) { console.log(error.message); }
        return new Response("no", { status: 403 });
      });
      const refused = client(server);
      refused.onerror = () => {};
      console.log((await settled(refused, "close")).code);
      const other = client(server);
      other.onerror = () => {};
      console.log((await settled(other, "close")).code);
      await server.stop();
      """)
    #expect(
      result.output == """
        the request was upgraded already
        the handler gave the request another answer than the WebSocket's
        1006
        the handler gave the request another answer than the WebSocket's
        1006

        """, "\(result)")
    #expect(result.errors.contains("a WebSocket of another request"), "\(result.errors)")
  }

  @Test func aClientThatGoesBeforeTheAnswerFailsItsSocket() async {
    let result = await Self.run(
      """
      let goOn, leave, end;
      const reached = new Promise((resolve) => { goOn = resolve; });
      const left = new Promise((resolve) => { leave = resolve; });
      const server = await nbridge.http.serve(async (request) => {
        const { socket, response } = nbridge.http.upgrade(request);
        end = settled(socket, "close");
        goOn();
        await left;
        return response;
      });
      const socket = client(server);
      socket.onerror = () => {};
      await reached;
      socket.close();
      await settled(socket, "close");
      leave();
      console.log((await end).code);
      await server.stop();
      """)
    #expect(result.output == "1006\n", "\(result)")
  }

  /// Shakes hands at a port, as soon as somebody listens there, and sends a frame.
  private static func rawClient(port: Int) -> String {
    """
    import socket, time
    for _ in range(6000):
      try: s = socket.create_connection(("127.0.0.1", \(port))); break
      except OSError: time.sleep(0.05)
    s.sendall(b"GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n"
      b"Sec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n\\r\\n")
    head = b""
    while not head.endswith(b"\\r\\n\\r\\n"): head += s.recv(1)
    s.sendall(b"\\x81\\x82" + bytes(4) + b"hi")
    print(head.split(b"\\r\\n")[0].decode(), b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in head, s.recv(2))
    """
  }

  @Test func whoMayServeNeedNotBeAllowedToFetch() async throws {
    let port = Int.random(in: 20_000..<30_000)
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let client = try ChildProcess.start(
      "python3", ["-c", Self.rawClient(port: port)], streams: [1: .file(folder + "/out")])
    let result = await Self.run(
      """
      const server = await nbridge.http.serve({ port: \(port) }, (request) => {
        const { socket, response } = nbridge.http.upgrade(request);
        socket.onmessage = ({ data }) => { console.log(data); socket.close(); server.stop(); };
        return response;
      });
      console.log((await fetch(server.url).catch((error) => error)).name);
      """, permissions: PermissionSet(["http.serve"]))
    #expect(result.output == "TypeError\nhi\n", "\(result)")
    #expect(client.wait() == 0)
    let said = try String(contentsOfFile: folder + "/out", encoding: .utf8)
    // The key's answer is that of RFC 6455, 1.3.
    #expect(said == "HTTP/1.1 101 Switching Protocols True b'\\x88\\x00'\n")
  }

  /// Only the Response itself opens the socket; a copy of it would be half of an answer.
  @Test func aCopyOfTheResponseThatOpensASocketIsNoAnswer() async {
    let result = await Self.run(
      """
      const onError = (e) => {
        console.log(e.name, e.message.includes("copy"));
        return new Response(null, { status: 500 });
      };
      const server = await nbridge.http.serve({ onError },
        (request) => nbridge.http.upgrade(request).response.clone());
      await settled(client(server), "error");
      await server.stop();
      """)
    #expect(result.output == "TypeError true\n", "\(result)")
  }

  @Test(arguments: ["gone", "body", "isComing", "number", "headers"])
  func whatAPrototypeHasIsNoPartOfARequest(_ name: String) async {
    let result = await Self.run(
      """
      const server = await nbridge.http.serve((request) => new Response(new Request(request).url));
      Object.defineProperty(Object.prototype, "\(name)", { get: () => "evil", set() {}, configurable: true });
      const told = await fetch(server.url + "a").then((r) => r.text(), (e) => e.message);
      delete Object.prototype["\(name)"];
      console.log(told === server.url + "a");
      await server.stop();
      """)
    #expect(result.output == "true\n", "\(result)")
  }

  /// A body of 3 MB that nobody reads stands before what the client says then.
  @Test func aRequestWithALongBodyOpensASocket() async throws {
    let port = Int.random(in: 20_000..<30_000)
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let program = Self.rawClient(port: port).replacing(
      "\\r\\n\\r\\n\")", with: "\\r\\nContent-Length: 3000000\\r\\n\\r\\n\" + b\"x\" * 3000000)",
      maxReplacements: 1)
    let client = try ChildProcess.start("python3", ["-c", program], streams: [1: .file(folder + "/out")])
    let result = await Self.run(
      """
      const server = await nbridge.http.serve({ port: \(port) }, (request) => {
        const { socket, response } = nbridge.http.upgrade(request);
        socket.onmessage = ({ data }) => { console.log(data); socket.close(); server.stop(); };
        return response;
      });
      """)
    #expect(result.output == "hi\n", "\(result)")
    #expect(client.wait() == 0)
  }
}
