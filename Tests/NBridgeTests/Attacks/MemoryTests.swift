// SPDX-License-Identifier: MIT

import BothWays
import NBridge
import NBridgePlugin
import NBridgeTesting
import StressPlugins
import Testing

/// No script reaches memory that native code reads or writes.
@Suite(.allWays) struct MemoryTests: ScriptAttacks {
  let harness = ScriptHarness(plugins: [AttackedPlugin(), ProbePlugin()])
  /// These scripts come before the bridge is there.
  let prelude = ""

  @Test func noSetterCatchesTheHost() async {
    await expect(
      """
      const caught = [];
      const names = ["__nbridgeHost", "host", "registers", "bind", "connect", "install", "intrinsics",
        "native", "cancel", "program"];
      for (const name of names) Object.defineProperty(Object.prototype, name,
        { set(value) { caught.push(name) }, configurable: true });
      const { answer } = nbridge["pro" + "be"];
      const value = await answer();
      for (const name of names) delete Object.prototype[name];
      console.log(value, caught);
      """, prints: "42 []")
  }

  @Test func theProgramIsNotHandedOut() async {
    await expect(
      """
      const got = [];
      nbridge.define("mine", (inner) => { got.push(...Object.keys(inner)); return {}; });
      console.log(got.join(" "), nbridge.mine !== undefined);
      """, prints: "action call watch handle BridgeError true")
  }

  @Test func aMemoryThatGrowsIsReadAsItWas() async {
    await expect(
      """
      const a = nbridge.attacked;
      const memory = new WebAssembly.Memory({ initial: 1, maximum: 400 });
      const bytes = new Uint8Array(memory.buffer, 0, 50_000).fill(2);
      const sum = a.sumLate({ bytes });
      memory.grow(300);
      const noise = Array.from({ length: 50 }, () => new Uint8Array(65536).fill(9));
      await a.openGate();
      console.log(await sum, noise.length);
      """, prints: "100000 50")
  }

  @Test(arguments: [
    "Object.defineProperty(buffer, 'resizable', { value: false })",
    "Object.defineProperty(bytes, 'buffer', { value: new ArrayBuffer(60_000) })",
    """
    Object.defineProperty(bytes, 'byteLength', { value: 60_000 }); Object.defineProperty(bytes, 'length', { \
    value: 60_000 })
    """,
    "Object.defineProperty(ArrayBuffer.prototype, 'resizable', { get: () => false })",
    """
    Object.defineProperty(Object.getPrototypeOf(Uint8Array.prototype), 'buffer',
      { get: () => new ArrayBuffer(9) })
    """,
  ])
  func aBufferThatSaysItCannotShrinkIsReadAsItWas(_ lie: String) async {
    await expect(
      """
      const a = nbridge.attacked;
      const buffer = new ArrayBuffer(50_000, { maxByteLength: 60_000 });
      const bytes = new Uint8Array(buffer).fill(2);
      \(lie);
      const sum = a.sumLate({ bytes });
      ArrayBuffer.prototype.resize.call(buffer, 0);
      const noise = Array.from({ length: 50 }, () => new Uint8Array(65536).fill(9));
      await a.openGate();
      console.log(await sum, noise.length);
      """, prints: "100000 50")
  }

  @Test func whatNativeCodeHasInHandStaysWhereItIs() async {
    await expect(
      """
      const a = nbridge.attacked;
      const bytes = new Uint8Array(50_000).fill(2);
      const sum = a.sumLate({ bytes });
      let taken;
      try { taken = new Uint8Array(bytes.buffer.transfer()).fill(9); } catch {}
      const noise = Array.from({ length: 50 }, () => new Uint8Array(65536).fill(9));
      await a.openGate();
      console.log(await sum, noise.length);
      """, prints: "100000 50")
  }

  @Test func scriptsWriteToBytesOfTheirOwn() async {
    await expect(
      """
      const a = nbridge.attacked;
      for (const get of [a.keep, a.keepLate, async () => (await a.keepMixed()).bytes]) {
        (await get()).fill(0);
        console.log((await get())[0], (await get()).length);
      }
      const mine = new Uint8Array(50_000).fill(1);
      const back = await a.echoBytes({ bytes: mine });
      mine[0] = 9;
      console.log(back[0], back.length);
      """, prints: "7 100000\n7 100000\n7 100000\n1 50000")
  }

  @Test func halfPrecisionNumbersCrossWhole() async {
    await expect(
      """
      const half = new Float16Array([1.5, -2, 0.25]);
      const { value } = await nbridge.probe.echo({ value: { value: half } });
      console.log(value instanceof Float16Array, [...value],
        (await nbridge.probe.echo({ value: half.subarray(1) })).length);
      """, prints: "true [ 1.5, -2, 0.25 ] 2")
  }

  @Test(arguments: [
    "{ first: bytes, get second() { bytes.buffer.transfer(); return 1 } }",
    "{ first: new DataView(bytes.buffer), get second() { bytes.buffer.transfer(); return 1 } }",
    "{ first: bytes.buffer, get second() { bytes.buffer.transfer(); return 1 } }",
  ])
  func whatAGetterDetachesIsRefusedByItsPath(_ value: String) async {
    await expect(
      """
      for (const size of [16, 50_000]) {
        const bytes = new Uint8Array(size);
        try { await nbridge.probe.echo({ value: \(value) });
          console.log("crossed") } catch (e) { console.log(e.code, e.message) }
      }
      """,
      prints: Array(
        repeating: "invalid_parameter option.value.first was detached while the option was read", count: 2
      ).joined(separator: "\n"))
  }

  @Test func whatOnlyLooksLikeAValueOfTheEnginesIsRefused() async {
    await expect(
      """
      for (const proto of [Date, Map, Set, ArrayBuffer, Number]) {
        try { await nbridge.probe.echo({ value: Object.create(proto.prototype) });
          console.log("crossed") } catch (e) { console.log(e.message) }
      }
      """,
      prints: Array(
        repeating: """
          option.value only looks like a value of the engine's
          """, count: 5
      ).joined(separator: "\n"))
  }

  @Test func anArrayThatCantBeReadIsRefusedByItsPath() async {
    await expect(
      """
      const p = nbridge.probe, { proxy, revoke } = Proxy.revocable([], {});
      revoke();
      const length = (value) => new Proxy([],
        { get: (target, name) => name === "length" ? value : target[name] });
      const thrower = new Proxy([], { get() { throw 1 } });
      for (const bad of [proxy, length(5n), length(Symbol()), thrower]) {
        try { await p.echo({ value: { deep: bad, when: new Date(0) } });
          console.log("crossed") } catch (e) { console.log(e.code, e.message) }
      }
      """,
      prints: """
        invalid_parameter option.value.deep can't be looked at
        invalid_parameter option.value.deep has a length that is no number
        invalid_parameter option.value.deep has a length that is no number
        invalid_parameter option.value.deep.toJSON can't be read: its getter threw
        """)
  }

  @Test func anArraysOwnToJSONIsHeededWhateverStandsBesideIt() async {
    await expect(
      """
      const p = nbridge.probe, a = Object.assign([1], { toJSON: () => "from toJSON" });
      console.log((await p.echo({ value: { a } })).a, (await p.echo({ value: { a, when: new Date(0) } })).a);
      let deep = 1;
      for (let n = 0; n < 600; n++) deep = [deep];
      try { await p.echo({ value: Object.assign([1], { toJSON: () => deep }) }) } catch (e) {
        console.log(e.code) }
      """, prints: "from toJSON from toJSON\ninvalid_parameter")
  }

  @Test(arguments: [("1e20", 255), ("-1", 255), ("Infinity", 255), ("3.9", 3), ("'4'", 4), ("256", 0)])
  func anyNumberEndsTheProgram(_ code: String, _ status: Int32) async {
    let result = await harness.run("exit(\(code))")
    #expect(result.status.code == status, "\(result.errors)")
  }
}
