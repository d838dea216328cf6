// SPDX-License-Identifier: MIT

import NBridgeTesting
import Testing

/// What goes on beside a script that always has something to do: a timer that is due, whenever one looks.
@Suite struct BusyScriptTests {
  private static let busy = """
    let isBusy = true;
    const turn = async () => { while (isBusy) await new Promise((go) => setTimeout(go, 0)); };
    turn(), turn();
    const within = async (promise) => {
      let timer;
      const late = new Promise((go) => { timer = setTimeout(go, 20_000, "never"); });
      const told = await Promise.race([promise, late]);
      clearTimeout(timer);
      return told;
    };

    """

  @Test func aServerStops() async {
    let result = await ServerTests.run(
      Self.busy + """
        const server = await nbridge.http.serve(() => new Response("here"));
        console.log(await within(fetch(server.url).then((answer) => answer.text())));
        console.log(await within(server.stop().then(() => server.finished).then(() => "stopped")));
        isBusy = false;
        """)
    #expect(result.output == "here\nstopped\n", "\(result)")
  }

  @Test func aSocketReadsOn() async {
    let result = await ServerTests.run(
      Self.busy + """
        const server = await nbridge.http.serve((request) => {
          const { socket, response } = nbridge.http.upgrade(request);
          socket.onopen = () => { for (let i = 0; i < 400; i++) socket.send("x".repeat(2000)); };
          socket.onmessage = ({ data }) => socket.close(1000, data);
          return response;
        });
        const socket = new WebSocket(server.url.replace("http", "ws"));
        let count = 0;
        console.log(await within(new Promise((go) => {
          socket.onmessage = () => { if (++count === 400) go("all"); };
          socket.onclose = () => go("closed");
        })), count, await within(new Promise((go) => {
          socket.onclose = ({ reason }) => go(reason);
          socket.send("end");
        })));
        isBusy = false;
        await server.stop();
        """)
    #expect(result.output == "all 400 end\n", "\(result)")
  }

  @Test func whatASocketHasSentIsTold() async {
    let result = await ServerTests.run(
      Self.busy + """
        const server = await nbridge.http.serve((request) => nbridge.http.upgrade(request).response);
        const socket = new WebSocket(server.url.replace("http", "ws"));
        await new Promise((go) => { socket.onopen = go; });
        socket.send("x".repeat(1000));
        const isSent = async () => {
          while (socket.bufferedAmount > 0) await new Promise((go) => setTimeout(go, 1));
          return "sent";
        };
        console.log(await within(isSent()));
        isBusy = false;
        socket.close();
        await server.stop();
        """)
    #expect(result.output == "sent\n", "\(result)")
  }

  /// Each piece is there when it is asked for.
  @Test func whoWorksOnEachPieceLetsTimersIn() async throws {
    let piece = [UInt8](repeating: 0, count: 1 << 20)
    let server = try RawServer { _ in [.send("HTTP/1.1 200 OK\r\n\r\n"), .forever(piece)] }
    let result = await FetchTests.run(
      server,
      """
      let ticks = 0;
      const timer = setInterval(() => ticks++, 1);
      const reader = (await fetch(origin)).body.getReader();
      for (let i = 0; i < 60; i++) {
        await reader.read();
        for (const end = performance.now() + 5; performance.now() < end;);
      }
      clearInterval(timer);
      await reader.cancel();
      console.log(ticks > 4 ? "they came" : ticks);
      """)
    #expect(result.output == "they came\n", "\(result)")
  }
}
