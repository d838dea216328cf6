// SPDX-License-Identifier: MIT

import NBridgeHost
import NBridgeTesting
import Testing

/// Ports that go from engine to engine, what waits at them, and buffers that come back.
@Suite struct WorkerPortTests {
  /// HTML, 9.4.4: "close" comes whether anybody listens for messages or not.
  @Test func aPortThatNobodyListensAtIsToldOfItsEnd() async {
    let result = await WorkerHarness.run(
      """
      const worker = spawn(() => { onmessage = ({ data, ports: [port] }) => {
        if (data) port.postMessage("last");
        port.close();
      }; });
      for (const says of [false, true]) {
        const { port1, port2 } = new MessageChannel();
        const closed = new Promise((done) => port1.addEventListener("close", done));
        worker.postMessage(says, [port2]);
        if (says) {
          port1.onmessage = ({ data }) => console.log(data);
        }
        await closed;
        console.log("closed");
      }
      worker.terminate();
      """)
    #expect(result.output == "closed\nlast\nclosed\n", "\(result)")
  }

  /// All of it is the first that an end is told of whoever gets it, after what waits there.
  @Test func portsOnTheirWayAreToldOfTheirEnd() async {
    let result = await WorkerHarness.run(
      """
      const closed = (port) => new Promise((done) => port.addEventListener("close", () => done("closed")));
      const pair = () => new MessageChannel();
      { // It waits in a message that is taken later.
        const a = pair(), b = pair();
        a.port1.postMessage(null, [b.port1]);
        b.port2.close();
        const got = new Promise((done) => { a.port2.onmessage = (e) => done(e.ports[0]); });
        console.log(await closed(await got));
        a.port1.close();
      }
      { // It waits where nobody takes it, or is sent to where nobody is.
        const a = pair(), b = pair(), c = pair();
        const all = Promise.all([closed(b.port2), closed(c.port2)]);
        a.port1.postMessage(null, [b.port1]);
        a.port2.close();
        a.port1.postMessage(null, [c.port1]);
        console.log(...await all);
      }
      { // Its messages come first.
        const { port1, port2 } = pair();
        port1.postMessage(1);
        port1.close();
        await new Promise((done) => setTimeout(done, 5));
        const end = closed(port2);
        port2.onmessage = ({ data }) => console.log(data);
        console.log(await end);
      }
      """)
    #expect(result.output == "closed\nclosed closed\n1\nclosed\n", "\(result)")
  }

  /// A chain of 6000, each waiting at the next; and a port that leaves together with its other end.
  @Test func whatWaitsAtAPortLeavesWithIt() async {
    let result = await WorkerHarness.run(
      """
      const worker = spawn(() => {
        let count = 0;
        const follow = (port) => {
          port.onmessage = ({ ports, data }) => {
            count++;
            if (ports.length > 0) follow(ports[0]);
            else postMessage([count, data]);
          };
        };
        onmessage = ({ ports }) => {
          count = 0;
          follow(ports[0]);
        };
      });
      let last = null;
      for (let i = 0; i < 6000; i++) {
        const { port1, port2 } = new MessageChannel();
        port2.postMessage(i, last === null ? [] : [last]);
        last = port1;
      }
      let told = next(worker);
      worker.postMessage(null, [last]);
      console.log(...await told);
      const { port1, port2 } = new MessageChannel();
      port2.postMessage("kept");
      told = next(worker);
      worker.postMessage(null, [port1, port2]);
      console.log(...await told);
      // The other end leaves first, and says more from there.
      const sender = spawn(() => { onmessage = ({ ports: [port] }) => port.postMessage([]); });
      const ends = new MessageChannel();
      ends.port2.postMessage("first");
      ends.port2.postMessage("second");
      sender.postMessage(null, [ends.port2]);
      const heard = spawn(() => {
        const list = [];
        onmessage = ({ ports: [port] }) => {
          port.onmessage = ({ data }) => {
            list.push(`${data}`);
            if (list.length === 3) postMessage(list.join());
          };
        };
      });
      told = next(heard);
      heard.postMessage(null, [ends.port1]);
      console.log(await told);
      for (const one of [worker, sender, heard]) one.terminate();
      """)
    #expect(result.output == "6000 0\n1 kept\nfirst,second,\n", "\(result)")
  }

  /// Many bytes go by loan, few by copy.
  /// What came from the other engine is behind what waits here, whoever owns the port by then.
  @Test func whatWaitsHereComesFirstForTheNextOwnerToo() async {
    let result = await WorkerHarness.run(
      """
      const worker = spawn(() => { onmessage = ({ data: port }) => {
        port.postMessage("L1"), port.postMessage("L2"), postMessage(0);
        globalThis.kept = port;
      }; });
      const { port1: p1, port2: p2 } = new MessageChannel(), c = new MessageChannel(), told = [];
      for (const message of ["A1", "A2", "A3"]) p2.postMessage(message);
      worker.postMessage(p2, [p2]);
      await next(worker);
      let last;
      const all = new Promise((done) => {
        const take = ({ data }) => { if (told.push(data) === 5) done(); };
        c.port1.onmessage = ({ data }) => {
          if (data === "start") p1.start(), c.port2.postMessage("enable");
          else last.onmessage = take;
        };
        p1.addEventListener("message", (event) => {
          take(event);
          last ??= structuredClone(p1, { transfer: [p1] });
        });
      });
      c.port2.postMessage("start");
      await all;
      console.log(...told);
      last.close(), c.port1.close(), worker.terminate();
      """)
    #expect(result.output == "A1 A2 A3 L1 L2\n", "\(result)")
  }

  @Test func anEndThatLeavesInTheMiddleOfAMessageGetsIt() async {
    let result = await WorkerHarness.run(
      """
      const worker = spawn(() => { onmessage = ({ data: port }) => {
        port.onmessage = ({ data }) => postMessage(data.n);
      }; });
      const { port1, port2 } = new MessageChannel();
      port1.postMessage({ n: 1 });
      port1.postMessage({ n: 2, get x() { worker.postMessage(port2, [port2]); return 1; } });
      port1.postMessage({ n: 3 });
      console.log(await next(worker), await next(worker), await next(worker));
      port1.close(), worker.terminate();
      { // Nobody has what is in the message then.
        const { port1, port2 } = new MessageChannel(), inner = new MessageChannel();
        const closed = new Promise((done) => inner.port2.addEventListener("close", done));
        const { port1: sent } = inner;
        port1.postMessage({ sent, get x() { port2.close(); return 1; } }, [sent]);
        await closed;
        console.log("closed");
      }
      """)
    #expect(result.output == "1 2 3\nclosed\n", "\(result)")
  }

  @Test(arguments: [4096, 2 << 20]) func aBufferThatCameBackIsTransferredAgain(_ count: Int) async {
    let result = await WorkerHarness.run(
      """
      const worker = spawn(() => {
        onmessage = ({ data }) => { new Uint8Array(data)[0]++; postMessage(data, [data]); };
      });
      let buffer = new ArrayBuffer(\(count));
      for (let i = 0; i < 3; i++) {
        const told = next(worker), given = buffer;
        worker.postMessage(given, [given]);
        buffer = await told;
        console.log(given.detached, new Uint8Array(buffer)[0], buffer.byteLength === \(count));
      }
      const last = crypto.getRandomValues(new Uint8Array(buffer, 0, 99));
      const moved = structuredClone(buffer, { transfer: [buffer] });
      console.log(buffer.detached, last.length, moved.byteLength === \(count));
      worker.terminate();
      """)
    #expect(result.output == "true 1 true\ntrue 2 true\ntrue 3 true\ntrue 0 true\n", "\(result)")
  }
}
