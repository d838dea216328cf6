// SPDX-License-Identifier: MIT

import NBridgeCompression
import NBridgeTesting
import Testing

@testable import NBridgeInspector

/// `WebSocket` against a server at a real socket, whose frames are its own.
@Suite struct WebSocketTests {
  /// Answers what comes; a close with the same close.
  static func echo(_ frame: WebSocketFrame) -> [WebSocketFrame] { [frame] }

  static func run(_ server: RawServer, _ script: String) async -> ScriptHarness.Result {
    await FetchTests.run(
      server,
      """
      const address = origin.replace("http", "ws");
      const opened = (socket) => new Promise((resolve, reject) => {
        socket.onopen = () => resolve(socket);
        socket.onclose = (event) => reject(event);
      });
      const next = (socket) => new Promise((resolve) => { socket.onmessage = (e) => resolve(e.data); });
      const closed = (socket) => new Promise((resolve) => { socket.onclose = resolve; });

      """ + script)
  }

  @Test func messagesComeWhateverAScriptMakesOfWhatAllObjectsHave() async throws {
    let server = try RawServer { _ in [.webSocket(Self.echo)] }
    let result = await Self.run(
      server,
      EventSourceTests.replaced + """
        const socket = await opened(new WebSocket(address));
        socket.binaryType = "arraybuffer";
        const got = [next(socket)];
        socket.send(new Uint16Array([1, 2]));
        const view = new DataView(await got[0]);
        const end = closed(socket);
        socket.close(1000);
        console.log(view.byteLength, view.getUint8(2), (await end).wasClean);
        const given = new WebSocket(address);
        given.close();
        console.log((await closed(given)).code);
        """)
    #expect(result.output == "4 2 true\n1006\n", "\(result)")
  }

  @Test func messagesOfBothKindsComeBackInTheirOrder() async throws {
    let server = try RawServer { _ in [.webSocket(Self.echo)] }
    let result = await Self.run(
      server,
      """
      const socket = new WebSocket(address + "/a?b", ["one", "two"]);
      console.log(socket.readyState, socket.url === address + "/a?b");
      await opened(socket);
      console.log(socket.readyState, socket.protocol, socket.binaryType);
      const got = [];
      socket.binaryType = "arraybuffer";
      const all = new Promise((resolve) => {
        socket.onmessage = ({ data }) => {
          got.push(typeof data === "string" ? data.length : [...new Uint8Array(data)].join("-"));
          if (got.length === 4) resolve();
        };
      });
      socket.send("h\\u00e9llo");
      socket.send(new Uint16Array([1, 2]));
      socket.send(new Blob(["AB"]));
      socket.send("x".repeat(100000));
      await all;
      console.log(got);
      const end = closed(socket);
      socket.close(3001, "enough");
      console.log(socket.readyState);
      const { code, reason, wasClean } = await end;
      console.log(code, reason, wasClean, socket.readyState);
      """)
    #expect(
      result.output == """
        0 true
        1 two blob
        [ 5, '1-0-2-0', '65-66', 100000 ]
        2
        3001 enough true 3

        """, "\(result)")
  }

  /// RFC 7617, with what an address escapes.
  @Test func aNameAndPasswordInTheAddressAreSent() async throws {
    let server = try RawServer { _ in [.webSocket(Self.echo)] }
    let result = await Self.run(
      server,
      """
      for (const user of ["ada:a%20b:c%0d%0aX-Y: 1@", "ada@", "us%er:p%FF@", ""]) {
        const socket = await opened(new WebSocket(address.replace("//", "//" + user)));
        socket.close();
      }
      """)
    #expect(result.errors == "" && result.output == "", "\(result)")
    let told = server.requests.map { $0.headers["authorization"] }
    #expect(told == ["Basic YWRhOmEgYjpjDQpYLVk6IDE=", "Basic YWRhOg==", "Basic dXMlZXI6cP8=", nil])
  }

  @Test func bufferedAmountFallsWhenTheSystemHasTakenWhatWasSent() async throws {
    let server = try RawServer { _ in [.webSocket { _ in [] }] }
    let result = await Self.run(
      server,
      """
      const socket = await opened(new WebSocket(address));
      socket.send("four");
      socket.send(new Uint8Array(6));
      console.log(socket.bufferedAmount);
      while (socket.bufferedAmount > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      console.log(socket.bufferedAmount);
      socket.close();
      """)
    #expect(result.output == "10\n0\n", "\(result)")
  }

  @Test func theServersEndIsTold() async throws {
    let reason = Array("bye".utf8)
    let server = try RawServer { request in
      switch request.path {
      case "/refused": .answer("403 No")
      case "/gone": [.webSocketWith(nil)]
      default:
        [
          .webSocket { frame in
            switch frame.payload.first {
            case UInt8(ascii: "c"): [WebSocketFrame(kind: .close, payload: [0x0F, 0xA0] + reason)]
            case UInt8(ascii: "b"): [WebSocketFrame(kind: .text, payload: [0xFF, 0xFE])]
            default: []
            }
          }
        ]
      }
    }
    let result = await Self.run(
      server,
      """
      const tell = async (path, text) => {
        const events = [], socket = new WebSocket(address + path);
        socket.onerror = () => events.push("error");
        const end = new Promise((resolve) => { socket.addEventListener("close", resolve); });
        if (text !== undefined) socket.onopen = () => socket.send(text);
        const { code, reason, wasClean } = await end;
        console.log(path, [...events, "close"], code, reason, wasClean);
      };
      await tell("/code", "c");
      await tell("/broken", "b");
      await tell("/gone");
      await tell("/refused");
      """)
    #expect(
      result.output == """
        /code [ 'close' ] 4000 bye true
        /broken [ 'error', 'close' ] 1006  false
        /gone [ 'error', 'close' ] 1006  false
        /refused [ 'error', 'close' ] 1006  false

        """, "\(result)")
  }

  /// Web IDL, 3.3.5, `[Clamp]`: to the nearest whole number.
  @Test func theCodeOfAnEndIsRounded() async throws {
    let server = try RawServer { _ in [.webSocket(Self.echo)] }
    let result = await Self.run(
      server,
      """
      for (const code of [999.5, 2999.6, 3000.5, 3001.5, 4999.4]) {
        const socket = await opened(new WebSocket(address)), end = closed(socket);
        socket.close(code);
        console.log((await end).code);
      }
      const socket = await opened(new WebSocket(address));
      for (const code of [999, 2999.4, 4999.5, -1, NaN, Infinity]) {
        try { socket.close(code); console.log(code); } catch ({ name }) { console.log(name); }
      }
      socket.close();
      """)
    let refused = String(repeating: "InvalidAccessError\n", count: 6)
    #expect(result.output == "1000\n3000\n3000\n3002\n4999\n" + refused, "\(result)")
  }

  /// What a server says with the handshake's last byte.
  @Test func theFirstMessageIsNotLostAndNeitherIsAnEarlyEnd() async throws {
    let server = try RawServer { request in
      [
        .webSocketWith(
          request.path == "/hello" ? [WebSocketFrame(kind: .text, payload: Array("hello".utf8))] : nil)
      ]
    }
    let result = await Self.run(
      server,
      """
      for (let i = 0; i < 20; i++) {
        const socket = new WebSocket(address + "/hello");
        if (await next(socket) !== "hello") console.log("lost");
        socket.close();
        const cut = new WebSocket(address + "/cut");
        await closed(cut);
      }
      console.log("all");
      """)
    #expect(result.output == "all\n", "\(result)")
  }

  /// RFC 7692, 7.2.3.4, with the byte that belongs behind it and without; what follows may refer to it.
  @Test func aMessageMayEndInABlockThatSaysItIsTheLast() async throws {
    let hello: [UInt8] = [0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00]
    let again: [UInt8] = [0xf2, 0x00, 0x11, 0x00, 0x00]  // 7.2.3.2
    let sent = [hello + [0], again, hello, again, [0x03, 0], hello].flatMap { Self.frame(0xC1, $0) }
    let server = try RawServer { _ in [.compressedSocket(sent + Self.frame(0x88, [0x03, 0xE8]))] }
    let result = await Self.run(
      server,
      """
      const socket = new WebSocket(address);
      const heard = [];
      socket.onmessage = ({ data }) => heard.push(data);
      const { code, wasClean } = await closed(socket);
      console.log(heard, code, wasClean);
      """)
    #expect(
      result.output == "[ 'Hello', 'Hello', 'Hello', 'Hello', '', 'Hello' ] 1000 true\n", "\(result)")
  }

  /// 300 KB that stand for 300 MB, in one frame and in many; and what is no compression.
  @Test(arguments: [
    ("a message unfolds to more", [300]), ("a message unfolds to more", Array(repeating: 20, count: 15)),
    ("a message is not compressed as it says", []),
  ])
  func aMessageThatUnfoldsWithoutEndEndsItsSocket(why: String, frames: [Int]) async throws {
    let codec = try ByteCodec(compressing: .deflateRaw)
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    var sent: [UInt8] = frames.isEmpty ? Self.frame(0xC2, [0xff, 0xff, 0xff, 0xff]) : []
    for (index, count) in frames.enumerated() {
      var payload: [UInt8] = []
      for _ in 0..<count {
        zeros.withUnsafeBytes { codec.feed($0) }
        while let piece = try codec.next() { payload += piece }
      }
      let isLast = index == frames.count - 1
      sent += Self.frame((isLast ? 0x80 : 0) | (index == 0 ? 0x42 : 0), payload)
    }
    let server = try RawServer { [sent] _ in [.compressedSocket(sent)] }
    let result = await Self.run(
      server,
      """
      const socket = new WebSocket(address);
      let count = 0;
      socket.onmessage = () => { count++; };
      socket.onerror = ({ message, error }) => console.log(message ?? error?.message ?? "error");
      const { code, wasClean } = await closed(socket);
      console.log(count, code, wasClean, socket.extensions);
      """)
    #expect(result.output == "\(why)\n0 1006 false permessage-deflate\n", "\(result)")
  }

  /// Pings and messages without an end: the loop has its turns all the same.
  @Test(arguments: [[0x89, 0], [0x81, 1, 0x61]] as [[UInt8]])
  func noServerHoldsTheLoop(frame: [UInt8]) async throws {
    let many = Array(repeating: frame, count: 65_536 / frame.count).flatMap { $0 }
    let server = try RawServer { _ in [.compressedSocket([]), .forever(many)] }
    let result = await Self.run(
      server,
      """
      const socket = await opened(new WebSocket(address));
      const over = closed(socket);
      let turns = 0;
      while (turns < 100) { await new Promise((resolve) => setTimeout(resolve, 1)); turns++; }
      socket.close();
      console.log(turns, (await over).code);
      """)
    // It never says good-bye, and is cut.
    #expect(result.output == "100 1006\n", "\(result)")
  }

  /// A frame of a server's (RFC 6455, 5.2), of whatever length.
  private static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [first, 127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) } + payload
  }

  @Test func whatCanNotBeIsRefusedAtOnce() async throws {
    let server = try RawServer { _ in [.webSocket(Self.echo)] }
    let result = await Self.run(
      server,
      """
      const name = (run) => { try { run(); return "none"; } catch (error) { return error.name; } };
      console.log([
        () => new WebSocket("ftp://a/"), () => new WebSocket("/path"), () => new WebSocket(address + "#a"),
        () => new WebSocket(address, ["a", "A"]), () => new WebSocket(address, "a b"), () => new WebSocket(),
      ].map(name).join());
      const socket = new WebSocket(address);
      console.log(name(() => socket.send("early")));
      await opened(socket);
      console.log(name(() => socket.close(1001)), name(() => socket.close(1000, "x".repeat(124))));
      socket.close();
      await closed(socket);
      socket.send("late");
      console.log(socket.bufferedAmount);
      const early = new WebSocket(address), ended = closed(early);
      early.close();
      console.log((await ended).code);
      """)
    #expect(
      result.output == """
        SyntaxError,SyntaxError,SyntaxError,SyntaxError,SyntaxError,TypeError
        InvalidStateError
        InvalidAccessError SyntaxError
        4
        1006

        """, "\(result)")
  }
}
