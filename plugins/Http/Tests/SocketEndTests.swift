// SPDX-License-Identifier: MIT

import NBridgeTesting
import Testing

/// WebSockets whose other ends take their leave while something is still on its way to them (RFC 6455, 7).
@Suite struct SocketEndTests {
  /// Python's: `accept()`, which answers a handshake; `frames(end)`, those that come up to a Close or the
  /// end, as pairs of their first byte and their payload; `frame(kind, payload)`, one of a server; and
  /// `answer(text)`, to the next request that is none for a WebSocket.
  private static let frames = """
    import base64, hashlib
    def read_head(end):
      text = b""
      while b"\\r\\n\\r\\n" not in text:
        piece = end.recv(1)
        assert piece, text
        text += piece
      return text
    def accept():
      end, _ = listener.accept()
      lines = [line.split(b": ") for line in read_head(end).split(b"\\r\\n")]
      key = [line[1] for line in lines if line[0].lower() == b"sec-websocket-key"][0]
      digest = hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
      end.sendall(b"HTTP/1.1 101 X\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n"
        b"Sec-WebSocket-Accept: " + base64.b64encode(digest) + b"\\r\\n\\r\\n")
      return end
    def frames(end):
      file, found = end.makefile("rb"), []
      try:
        while head := file.read(2):
          size = head[1] & 127
          if size == 126: size, = struct.unpack("!H", file.read(2))
          elif size == 127: size, = struct.unpack("!Q", file.read(8))
          if head[1] & 128: file.read(4)
          payload = file.read(size)
          if len(payload) == size: found.append((head[0], payload))
          if head[0] == 0x88: break
      except OSError as error: found.append((0, repr(error).encode()))
      return found
    def frame(kind, payload): return bytes([128 | kind, len(payload)]) + payload
    def answer(text):
      end, _ = listener.accept()
      read_head(end)
      head = f"HTTP/1.1 200 OK\\r\\nConnection: close\\r\\nContent-Length: {len(text)}\\r\\n\\r\\n"
      end.sendall((head + text).encode())
      end.close()

    """

  /// Runs a script that has `peer`, and `closing`, the text of a socket's end, beside a server in Python.
  private func run(_ server: String, _ script: String) async throws -> ScriptHarness.Result {
    let peer = try PeerProgram(python: Self.frames + server)
    return await FetchTests.run(
      try RawServer { _ in [.close] },
      """
      const peer = "127.0.0.1:\(peer.port)/";
      const closing = (socket) => new Promise((resolve) => {
        let failed = "";
        socket.onerror = () => { failed = "error "; };
        socket.onclose = ({ code, reason, wasClean }) => resolve(failed + [code, reason, wasClean].join());
      });
      const sending = (socket) => new Promise((resolve) => {
        socket.onopen = () => {
          for (let i = 0; i < 200; i++) socket.send(new Uint8Array(100_000));
          resolve();
        };
      });

      """ + script)
  }

  /// TCP has two ways, and the one to the other end is still there (RFC 9293, 3.6).
  @Test(arguments: [
    (saysClose: true, hasOwn: true, end: "1000,bye,true", told: "200 and a Close"),
    (true, false, "1000,bye,true", "200 and a Close"),
    (false, true, "error 1006,,false", "200 and a Close"),
    (false, false, "error 1006,,false", "200 and nothing"),
  ])
  func anEndThatSendsNoMoreGetsAllThatWasSent(
    _ saysClose: Bool, _ hasOwn: Bool, _ end: String, _ told: String
  ) async throws {
    let result = try await run(
      """
      end = accept()
      answer("")
      # What comes behind a Close is passed over.
      close = frame(8, struct.pack("!H", 1000) + b"bye") + b"\\xff" * 50
      if \(saysClose ? "True" : "False"): end.sendall(close)
      end.shutdown(socket.SHUT_WR)
      found = frames(end)
      messages = sum(1 for kind, payload in found if len(payload) == 100_000)
      answer(f"{messages} and " + ("a Close" if found[-1][0] == 0x88 else "nothing"))
      """,
      """
      const socket = new WebSocket("ws://" + peer);
      const end = closing(socket);
      await sending(socket);
      if (\(hasOwn)) socket.close(3001, "own");
      await fetch("http://" + peer);
      console.log(await end);
      console.log(await (await fetch("http://" + peer)).text());
      """)
    // Who said it before the connection broke is no failure.
    let end = hasOwn ? end.replacing("error ", with: "") : end
    #expect(result.output == "\(end)\n\(told)\n", "\(result)")
  }

  /// What a script sends then goes nowhere, so that it has to see it.
  @Test func aSocketThatTheOtherEndClosesIsClosingAtOnce() async throws {
    let result = try await run(
      """
      end = accept()
      end.recv(1, socket.MSG_PEEK)  # the script has sent
      end.sendall(frame(8, struct.pack("!H", 1000)))
      answer("")
      frames(end)
      """,
      """
      const socket = new WebSocket("ws://" + peer);
      const end = closing(socket);
      await sending(socket);
      while (socket.readyState === 1) await new Promise((resolve) => { setTimeout(resolve, 5); });
      console.log(socket.readyState);
      await fetch("http://" + peer);
      console.log(await end);
      """)
    #expect(result.output == "2\n1000,,true\n", "\(result)")
  }

  /// The system breaks the connection for what the script sends then; what has come by it is there still.
  @Test func messagesThatCameBeforeTheConnectionBrokeAreTold() async throws {
    let result = try await run(
      """
      import fcntl, termios
      end = accept()
      end.recv(1, socket.MSG_PEEK)
      end.sendall(frame(1, b"x" * 50) * 1000 + frame(8, struct.pack("!H", 1000)))
      while struct.unpack("i", fcntl.ioctl(end, termios.TIOCOUTQ, bytes(4)))[0]: pass
      end.close()
      """,
      """
      const socket = new WebSocket("ws://" + peer);
      socket.onopen = () => socket.send("begin");
      let count = 0;
      socket.onmessage = ({ data }) => { (count++, socket.send(data)); };
      console.log(await new Promise((resolve) => { socket.onclose = ({ code }) => resolve(code); }), count);
      """)
    #expect(result.output == "1000 1000\n", "\(result)")
  }

  @Test func whoSendsWithoutEndBehindACloseIsCut() async throws {
    let result = try await run(
      """
      end = accept()
      end.sendall(frame(8, struct.pack("!H", 1000)))
      sent = 0
      try:
        while sent < 1_000_000_000: sent += end.send(bytes(1_000_000))
      except OSError: pass
      answer("cut" if sent < 300_000_000 else "not cut")
      """,
      """
      console.log(await closing(new WebSocket("ws://" + peer)));
      console.log(await (await fetch("http://" + peer)).text());
      """)
    #expect(result.output == "1000,,true\ncut\n", "\(result)")
  }

  /// Clean is what both ends have said (RFC 6455, 7.1.4).
  @Test func anEndThatDidNotTakeWhatWasSentIsNotClean() async throws {
    let result = try await run(
      """
      end = accept()
      end.recv(1, socket.MSG_PEEK)  # the script has sent
      end.sendall(frame(8, struct.pack("!H", 1000) + b"bye"))
      answer("")
      end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
      end.close()
      """,
      """
      const socket = new WebSocket("ws://" + peer);
      const end = closing(socket);
      await sending(socket);
      while (socket.readyState === 1) await new Promise((resolve) => { setTimeout(resolve, 5); });
      await fetch("http://" + peer);
      console.log(await end, socket.bufferedAmount > 0);
      """)
    #expect(result.output == "error 1000,bye,false true\n", "\(result)")
  }

  /// A client that takes its leave, and reads what was sent before only when the server has closed its half:
  /// one that sends no more, and one whose pings go on, which no Close forbids.
  @Test(arguments: ["client.shutdown(socket.SHUT_WR)", "client.sendall(bytes([0x89, 0x81, 0, 0, 0, 0, 1]))"])
  func aClientThatLeavesGetsAllThatWasSentToIt(_ goesOn: String) async throws {
    let (result, told) = try await ServerLeavingTests().run(
      """
      const handle = (request) => {
        const { socket, response } = nbridge.http.upgrade(request);
        socket.onopen = () => { for (let i = 0; i < 100; i++) socket.send(new Uint8Array(1000)); };
        socket.onclose = ({ code, wasClean }) => {
          begun.resolve();
          console.log(code, wasClean, socket.bufferedAmount);
        };
        return response;
      };
      """,
      client: Self.frames + """
        client = connect()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(b"GET / HTTP/1.1\\r\\nHost: localhost\\r\\nUpgrade: websocket\\r\\n"
          b"Connection: Upgrade\\r\\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n"
          b"Sec-WebSocket-Version: 13\\r\\n\\r\\n")
        read_head(client)
        client.recv(1, socket.MSG_PEEK)  # the socket is open
        client.sendall(bytes([0x88, 0x82, 0, 0, 0, 0]) + struct.pack("!H", 1000))
        text(b"/begun")
        \(goesOn)
        found = frames(client)
        print(sum(1 for kind, payload in found if len(payload) == 1000), found[-1][0] == 0x88)
        """)
    #expect(told == "100 True\n", "\(told)\(result)")
    #expect(result.output == "1000 true 0\n", "\(result)")
  }
}
