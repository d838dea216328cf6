// SPDX-License-Identifier: MIT

import BothWays
import Foundation
import NBridge
import NBridgePlugin
import NBridgeTesting
import PeersPlugin
import Testing

/// The same scripts over both transports, linked and loaded.
@Suite(.bothWays) struct PeersPluginTests {
  static let transports = ["local", "simulated"]

  /// Runs a script that may `make` peers and `join` them.
  func run(_ script: String, over transport: String) async -> ScriptHarness.Result {
    var harness = ScriptHarness(plugins: [PeersPlugin()])
    harness.usesRealTime = true
    // One that waits for what never comes is a failure that says so, not a test that hangs.
    let head = """
      setTimeout(() => { console.error(`waited too long, at ${new Date().toISOString()}`); exit(9); },
        180_000);
      const { peers } = nbridge;
      const make = async (displayName, more) => {
        const session = await peers.create({ displayName, serviceType: "test", transport: "\(transport)",
          ...more });
        session.accepting = session.invitations((invitation) => invitation.accept());
        return session;
      };
      const find = async (one, other) => {
        for await (const { kind, peer }
          of one.browse()) if (kind === "found" && peer.id === other.id) return peer;
      };
      const join = async (one, other) => { await other.advertise();
        await one.invite(await find(one, other), { timeout: 60_000 }); };
      const until = async (holds) => { while (!await holds()) await new Promise((r) => setTimeout(r, 5)); };
      const connected = async (session) => (await session.peers()).filter((p) =>
        p.state === "connected").map((p) => p.name).sort().join();
      const first = async (events) => { for await (const event of events) return event; };
      const t = async (f) => { try { console.log(await f()) } catch (e) { console.log(e.code ?? e.name,
        e.message) } };

      """
    return await harness.run(head + script + "\nexit(0);")
  }

  func expect(_ transport: String, _ script: String, prints expected: String) async {
    let result = await run(script, over: transport)
    #expect(result.output == expected, "\(result.errors)")
  }

  @Test(arguments: transports) func peersFindEachOtherAndLoseWhoStops(_ transport: String) async {
    await expect(
      transport,
      """
      const ada = await make("Ada"), bob = await make("Bob", { discoveryInfo: { level: "3" } });
      const events = ada.browse();
      await bob.advertise();
      const found = (await events.next()).value;
      console.log(found.kind, found.peer.name, found.peer.info, found.peer.id === bob.id);
      await bob.advertise({ discoveryInfo: { level: "4" } });
      console.log((await events.next()).value.kind, (await ada.peers())[0].info);
      await bob.stopAdvertising();
      console.log((await events.next()).value.kind, await ada.peers());
      await bob.advertise();
      const again = (await events.next()).value;
      await ada.invite(again.peer);
      console.log(again.kind, await connected(ada));
      """,
      prints: """
        found Bob { level: '3' } true
        updated { level: '4' }
        lost []
        found Bob

        """)
  }

  @Test(arguments: transports) func anInvitationIsAcceptedDeclinedOrTimesOut(_ transport: String) async {
    await expect(
      transport,
      """
      const ada = await make("Ada");
      const bob = await peers.create({ displayName: "Bob", serviceType: "test", transport: "\(transport)" });
      const states = [];
      ada.states(({ state }) => states.push("ada " + state));
      bob.states(({ state }) => states.push("bob " + state));
      await bob.advertise();
      const peer = await find(ada, bob);
      const invitations = bob.invitations();
      const ask = (option) => { const asked = ada.invite(peer, option); asked.catch(() => {}); return asked;
        };
      let asked = ask({ context: { game: 7 } });
      let invitation = (await invitations.next()).value;
      console.log(invitation.from.name, invitation.context, await invitation.decline(),
        await invitation.decline());
      await t(() => asked);
      // On a busy machine Bob hears of this one late, or never.
      await t(() => ask({ timeout: 60 }));
      let isAsking = true, accepted;
      asked = ask().finally(() => isAsking = false);
      while (isAsking) {
        const { value } = await Promise.race([invitations.next(), asked.then(() => ({}))]);
        if (value) accepted = await value.accept();
      }
      console.log(accepted, await asked, await connected(ada));
      // Bob hears of it after Ada.
      await until(async () => await connected(bob) === "Ada");
      await until(() => states.includes("ada connected") && states.includes("bob connected"));
      console.log(states.filter((s) => s.startsWith("ada")).slice(-2),
        states.filter((s) => s.startsWith("bob")).slice(-2));
      await t(() => ada.invite("00000000000000000000000000000000"));
      """,
      prints: """
        Ada { game: 7 } true false
        declined 'Bob' declined the invitation
        timeout 'Bob' did not answer the invitation within 60 ms
        true undefined Bob
        [ 'ada connecting', 'ada connected' ] [ 'bob connecting', 'bob connected' ]
        not_found the peer '00000000000000000000000000000000' was not found, or is lost; browse() \
        tells who is there

        """)
  }

  @Test(arguments: transports) func whoIsInvitedByAMemberIsConnectedToAll(_ transport: String) async {
    await expect(
      transport,
      """
      const [ada, bob, eve] = await Promise.all(["Ada", "Bob", "Eve"].map((name) => make(name)));
      await join(ada, bob);
      await join(bob, eve);
      await until(async () => await connected(ada) === "Bob,Eve" && await connected(eve) === "Ada,Bob");
      await until(async () => (await ada.peers()).every((p) => p.route === "direct"));
      console.log(await ada.send("to all"), (await first(bob.messages())).data,
        (await first(eve.messages())).from.name);
      await bob.disconnect();
      await until(async () => await connected(ada) === "Eve" && await connected(bob) === "" &&
        await connected(eve) === "Ada");
      console.log(await connected(eve));
      """, prints: "2 to all Ada\nAda\n")
  }

  @Test(arguments: transports) func valuesComeAsTheyWereInTheirOrder(_ transport: String) async {
    await expect(
      transport,
      """
      const ada = await make("Ada"), bob = await make("Bob");
      await join(ada, bob);
      const sent = ["text é", "", new Uint8Array([1, 2, 3]), new Uint8Array(0), { a: [1, null], b: 2n },
        undefined, null, NaN, new Map([[1, new Uint16Array([7])]]),
        "x".repeat(300000), new Uint8Array(1 << 20).fill(9), "again", new Date(5)];
      const buffer = new Uint8Array([5]);
      for (const data of sent) ada.send(data, { to: bob.id });
      ada.send(buffer); buffer[0] = 6; ada.send(buffer);
      const got = [];
      for await (const { data, mode } of bob.messages()) { got.push(data);
        if (got.length === sent.length + 2) break; }
      const shown = (value) => value?.length > 99 ? value.constructor.name + value.length : value;
      console.log(got.map(shown));
      await t(() => ada.send(new Uint8Array(5 << 20)));
      await t(() => ada.send("x", { to: "nobody" }));
      await t(() => ada.send("x", { to: ada.id }).catch((e) => e.code));
      await t(() => ada.send("x", { two: bob }));
      """,
      prints: """
        [
          'text é',
          '',
          Uint8Array(3) [ 1, 2, 3 ],
          Uint8Array(0) [],
          { a: [ 1, null ], b: 2n },
          undefined,
          null,
          NaN,
          Map(1) { 1 => Uint16Array(1) [ 7 ] },
          'String300000',
          'Uint8Array1048576',
          'again',
          1970-01-01T00:00:00.005Z,
          Uint8Array(1) [ 5 ],
          Uint8Array(1) [ 6 ]
        ]
        too_large the message has 5242880 bytes; a message has at most 4194304, and sendResource() \
        or openStream() take more
        invalid_parameter 'nobody' is no peer's id; give a peer that was found, or its id
        unavailable
        invalid_parameter option has no 'two'; did you mean 'to'?

        """)
  }

  @Test(arguments: transports) func aSlowReaderHoldsTheSenderUp(_ transport: String) async {
    await expect(
      transport,
      """
      const ada = await make("Ada"), bob = await make("Bob");
      await join(ada, bob);
      let taken = 0;
      const sends = (async () => { for (; taken < 60;
        taken++) await ada.send(new Uint8Array(1 << 20), { to: bob.id }); })();
      let before;
      do { before = taken; await new Promise((r) => setTimeout(r, 300)); } while (taken !== before);
      console.log(taken >= 8 && taken <= 24);
      let got = 0;
      for await (const _ of bob.messages()) if (++got === 60) break;
      await sends;
      console.log(got);
      """, prints: "true\n60\n")
  }

  @Test(arguments: transports) func resourcesComeWholeWithTheirHash(_ transport: String) async {
    await expect(
      transport,
      """
      const ada = await make("Ada"), bob = await make("Bob");
      await join(ada, bob);
      const bytes = new Uint8Array(5 << 20).map((_, i) => i * 7);
      let told = 0;
      const arrives = bob.receiveResource({ progress: () => told++ });
      const sent = await ada.sendResource(bytes, { to: bob, name: "../pho to.png" });
      const got = await arrives;
      console.log(sent.size, got.size, got.name, got.from.name, sent.hash === got.hash,
        got.path.startsWith("peers/"), told > 0);
      const offer = first(bob.resources());
      const refused = ada.sendResource(bytes, { to: bob }); refused.catch(() => {});
      await (await offer).decline();
      await t(() => refused);
      await t(() => ada.sendResource("../../etc/passwd", { to: bob }));
      await t(() => ada.sendResource("nothing", { to: bob }));
      const stop = new AbortController();
      const cancelled = ada.sendResource(bytes, { to: bob, signal: stop.signal }); cancelled.catch(() => {});
      const receiving = (await first(bob.resources())).receive(); receiving.catch(() => {});
      stop.abort();
      console.log(await cancelled.catch((e) => e.code));
      """,
      prints: """
        5242880 5242880 ../pho to.png Ada true true true
        declined the resource 'data' was declined by the receiver
        permission_denied '../../etc/passwd' leads out of the app's folder
        not_found there is no file 'nothing' to send
        cancelled

        """)
  }

  @Test(arguments: transports) func streamsFlowAsFastAsTheyAreRead(_ transport: String) async {
    await expect(
      transport,
      """
      const ada = await make("Ada"), bob = await make("Bob");
      await join(ada, bob);
      const streams = bob.streams();
      const writer = (await ada.openStream(bob, "log")).getWriter();
      const { name, from, readable } = (await streams.next()).value;
      let written = 0;
      const writing = (async () => { for (let i = 0; i < 100;
        i++) { await writer.write(new Uint8Array(100_000).fill(i)); written += 100_000; }
        await writer.close(); })();
      let before;
      do { before = written; await new Promise((r) => setTimeout(r, 200)); } while (written !== before);
      console.log(name, from.name, written < 6_000_000);
      let read = 0, last;
      for await (const chunk of readable) { read += chunk.length; last = chunk[0]; }
      await writing;
      console.log(read, last);
      const other = (await ada.openStream(bob, "other")).getWriter();
      await (await streams.next()).value.readable.cancel();
      await until(() => other.write("x").then(() => false, () => true));
      console.log("ended");
      """, prints: "log Ada true\n10000000 99\nended\n")
  }

  @Test(arguments: [
    ("{ serviceType: '' }", "option.serviceType '' must be 1 to 15"),
    ("{ serviceType: '../x' }", "option.serviceType '../x' must be 1 to 15"),
    ("{ serviceType: 'x'.repeat(65536) }", "option.serviceType 'xxxx"),
    ("{ serviceType: 'a--b' }", "must be 1 to 15"),
    ("{ serviceType: 'ok', displayName: '' }", "option.displayName is empty"),
    (
      "{ serviceType: 'ok', displayName: 'x'.repeat(65536) }",
      "option.displayName has 65536 bytes; at most 63 may be"
    ),
    ("{ serviceType: 'ok', displayName: 'a\\nb' }", "option.displayName holds control characters"),
    ("{ serviceType: 'ok', transport: 'pigeon' }", "option.transport must be one of 'local', 'simulated'"),
    ("{ serviceType: 'ok', silence: 1 }", "option.silence must be 100 to 3600000 milliseconds, not 1"),
    ("{ type: 'ok' }", "option has no 'type'; there is discoveryInfo, displayName, network"),
  ])
  func whatCannotBeIsRefused(_ option: String, _ message: String) async {
    let result = await run(
      """
      try { await peers.create(\(option)); console.log('made') } catch (e) { console.log(e.code, e.message) }
      """,
      over: "local")
    #expect(
      result.output.hasPrefix("invalid_parameter") && result.output.contains(message),
      "\(result.output)\(result.errors)")
  }

  @Test(arguments: transports) func twoOfOneNameAreTwo(_ transport: String) async {
    await expect(
      transport,
      """
      const ada = await make("Same"), bob = await make("Same"), eve = await make("Same");
      // Both invite each other at once.
      await ada.advertise(); await bob.advertise();
      const [one, other] = await Promise.all([find(ada, bob), find(bob, ada)]);
      await Promise.all([ada.invite(one), bob.invite(other)]);
      await join(ada, eve);
      await until(async () => await connected(bob) === "Same,Same");
      await until(async () => (await bob.statistics()).links === 2);
      console.log(await bob.send("x"), (await first(ada.messages())).from.id === bob.id);
      """, prints: "2 true\n")
  }

  @Test(arguments: transports) func whatALoopDidNotTakeIsTheNextOnes(_ transport: String) async {
    await expect(
      transport,
      """
      const ada = await make("Ada"), bob = await make("Bob");
      await join(ada, bob);
      for (let i = 0; i < 2000; i++) ada.send(i % 3 === 0 ? { i } : String(i), { to: [bob.id, bob.id] });
      const got = [];
      const number = (data) => Number(data.i ?? data);
      while (got.length < 1000) {
        for await (const { data } of bob.messages()) { got.push(number(data));
          if (got.length % 10 === 0) break; }
      }
      const events = bob.messages();
      while (got.length < 2000) for (const { value }
        of await Promise.all([events.next(), events.next()])) got.push(number(value.data));
      console.log(got.length, got.every((value, index) => value === index));
      """, prints: "2000 true\n")
  }

  @Test(arguments: transports) func whatIsLeftAtTheEndIsDeliveredOrFails(_ transport: String) async {
    await expect(
      transport,
      """
      const ada = await make("Ada"), bob = await make("Bob"), eve = await make("Eve", { resume: 200 });
      await join(ada, bob);
      await join(ada, eve);
      ada.send("short");
      const stop = new AbortController();
      const zoe = await peers.create({ displayName: "Zoe", serviceType: "test", transport: "\(transport)" });
      await zoe.advertise();
      const asking = zoe.invitations(),
        asked = ada.invite(await find(ada, zoe), undefined, { signal: stop.signal });
      const invitation = (await asking.next()).value;
      stop.abort();
      await t(() => asked.catch((e) => e.code));
      await until(() => invitation.isOver);
      const hanging = ada.sendResource(new Uint8Array(5 << 20), { to: eve }).catch((e) => e.code);
      await first(eve.resources());
      await eve.close();
      console.log(await hanging);
      await ada.close();
      console.log((await first(bob.messages())).data);
      await t(() => ada.send("x").catch((e) => e.code));
      """, prints: "cancelled\nunavailable\nshort\nclosed\n")
  }

  @Test func whatTwoCannotReachDirectlyGoesByWayOfAThird() async {
    await expect(
      "simulated",
      """
      await peers.simulate({ network: "test", seed: 5, latency: [0.1, 1] });
      const [ada, bob, eve] = await Promise.all(["Ada", "Bob", "Eve"].map((name) => make(name)));
      await peers.simulate({ network: "test", blocked: [[ada, eve]] });
      await join(ada, bob);
      await join(bob, eve);
      await until(async () => await connected(eve) === "Ada,Bob");
      console.log((await eve.peers()).map((p) => `${p.name} ${p.route} ${p.hops}`).sort().join(", "));
      for (let i = 0; i < 300; i++) await eve.send(i, { to: ada.id });
      let next = 0;
      for await (const { data } of ada.messages()) { if (data !== next++) throw new Error("order");
        if (next === 300) break; }
      console.log((await bob.statistics()).counts.relayed >= 300);
      """, prints: "Ada relayed 2, Bob direct 1\ntrue\n")
  }
}
