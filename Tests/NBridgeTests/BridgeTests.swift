// SPDX-License-Identifier: MIT

import BothWays
import Foundation
import NBridge
import NBridgePlugin
import NBridgeTesting
import StressPlugins
import Testing

@Suite(.allWays) struct BridgeTests {
  let harness = ScriptHarness(plugins: [ProbePlugin()])

  /// Runs a script and expects what it prints.
  func expect(
    _ script: String, prints expected: String, _ location: SourceLocation = #_sourceLocation
  ) async {
    let result = await harness.run(script)
    #expect(result.output == expected + "\n", "\(result.errors)", sourceLocation: location)
    #expect(result.status == .success, "\(result.errors)", sourceLocation: location)
  }

  @Test func everyKindOfActionAnswers() async {
    await expect(
      """
      const p = nbridge.probe; console.log(await p.answer(), await p.hello({name: 'Ada'}), await p.soon(),
        await p.later({ms: 2}), await p.compute({count: 4}), await p.nothing())
      """,
      prints: "42 Hello, Ada! soon 2 8 undefined")
  }

  @Test func everyCallIsAPromise() async {
    await expect(
      """
      console.log(nbridge.probe.answer() instanceof Promise,
        nbridge.callToNative('x', 'y').catch(() => {}) instanceof Promise)
      """,
      prints: "true true")
  }

  @Test(arguments: [
    "undefined", "null", "true", "0", "-0", "1.5", "NaN", "Infinity", "-Infinity", "1e300", "''", "'text'",
    "'\\u0000 é 漢 🎉'",
    "12345678901234567890n", "-1n", "new Date(5)", "new Date(NaN)", "[]", "[1,[2,[3]]]", "{}",
    "({a:{b:[1,null]}})",
    "new Map([['a',1],[{k:1},new Set([1])]])", "new Set(['x'])", "new Uint8Array([1,2,3])",
    "new Float64Array([1.5,-2])",
    "new Uint16Array([1,2,3]).subarray(1)", "new ArrayBuffer(4)", "new Uint8Array(100000).fill(7)",
    "[undefined]",
    "({u: undefined})", "({$nb: ['u']})", "({a: {$nb: 1}})", "({['__proto__']: {x: 1}})", "'\\\\u0041'",
    "({'a.b': 1, '': 2})",
    "[new Date(1), 2n, new Map()]", "new DataView(new ArrayBuffer(3))",
  ])
  func valuesSurvive(_ value: String) async {
    // Compared as console.log shows them, which tells types, views, -0 and own keys apart.
    await expect(
      """
      const lines = [];
      const shown = (value) => { lines.length = 0; console.group(); console.groupEnd(); return value; };
      const value = (\(value));
      const back = await nbridge.probe.echo({value});
      const same = (a, b) => Object.is(a, b) ||
        (typeof a === 'object' && a !== null && typeof b === 'object' && b !== null
        && Object.getPrototypeOf(a) === Object.getPrototypeOf(b)
        && (!(a instanceof Date) || Object.is(+a, +b))
        && (!(a instanceof Map || a instanceof Set) || same([...a], [...b]))
        && (!(a instanceof ArrayBuffer) || same(new Uint8Array(a), new Uint8Array(b)))
        && (!(a instanceof DataView) || a.byteLength === b.byteLength)
        && Reflect.ownKeys(a).length === Reflect.ownKeys(b).length
        && Reflect.ownKeys(a).every((key) => same(a[key], b[key])));
      console.log(same(value, back));
      if (!same(value, back)) console.log(value, back);
      """, prints: "true")
  }

  @Test(arguments: [
    ("f", "{value: {f() {}}}", "option.value.f is a function, which can't cross the bridge"),
    ("symbol", "{value: [Symbol('s')]}", "option.value[0] is a symbol, which can't cross the bridge"),
    (
      "cycle", "(() => { const a = {}; a.b = {a}; return {value: a}; })()",
      "option.value.b.a contains itself (a cycle)"
    ),
    (
      "getter", "{value: {get x() { throw new Error('no') }}}",
      "option.value.x can't be read: its getter threw"
    ),
    (
      "proxy", "{value: new Proxy({}, {ownKeys() { throw new Error('no') }})}", "option.value can't be listed"
    ),
    ("promise", "{value: Promise.resolve(1)}", "option.value is a Promise; await it first"),
    (
      "surrogate", "{value: ['a\\ud800']}",
      "option.value[0] holds a lone surrogate, half of a character, which text can't carry"
    ),
    (
      "detached", "(() => { const b = new ArrayBuffer(8); b.transfer(); return {value: b}; })()",
      "option.value is a detached buffer"
    ),
    (
      "shared", "{value: new WebAssembly.Memory({initial: 1, maximum: 1, shared: true}).buffer}",
      "option.value is memory that other threads may change, which can't cross the bridge; hand over a copy"
    ),
    (
      "shared view",
      "{value: new Uint8Array(new WebAssembly.Memory({initial: 1, maximum: 1, shared: true}).buffer)}",
      "option.value is memory that other threads may change, which can't cross the bridge; hand over a copy"
    ),
    (
      "outside",
      """
      (() => { const b = new ArrayBuffer(9000, {maxByteLength: 1e6}), v = new Uint8Array(b, 8000, 1000);
        b.resize(100); return {value: v}; })()
      """,
      "option.value is a view of what its buffer does not have any more"
    ),
    (
      "key", "{value: [await crypto.subtle.generateKey({name: 'AES-GCM', length: 128}, true, ['encrypt'])]}",
      """
      option.value[0] is an object of the class CryptoKey, whose contents would be lost; export it first, \
      with crypto.subtle.exportKey
      """
    ),
    (
      "blob", "{value: new Map([['k', new Blob(['x'])]])}",
      "option.value[0][1] is an object of the class Blob, whose contents would be lost; hand over its "
        + "bytes, of its bytes()"
    ),
    (
      "weak", "{value: {m: new WeakMap()}}",
      "option.value.m is an object of the class WeakMap, whose contents would be lost; hand over what is "
        + "in it"
    ),
    ("missing", "undefined", "option.value is missing"),
    ("number", "5", "option must be an object, not a number"),
    ("misspelt", "{vlaue: 1, value: 1}", "option has no 'vlaue'; did you mean 'value'?"),
    ("unlike", "{value: new Date(), colour: null}", "option has no 'colour'; there is value"),
    ("behind much", "{value: Array(1000).fill([{}]), other: 1}", "option has no 'other'; there is value"),
    ("tag", "{$nb: 1, value: 1}", "option has no '$nb'; there is value"),
    ("getter", "{value: 1, get vlaue() { return 1 }}", "option has no 'vlaue'; did you mean 'value'?"),
  ])
  func whatCannotCrossIsNamedByItsPath(_ name: String, _ option: String, _ message: String) async {
    await expect(
      """
      try { await nbridge.probe.echo(\(option)); console.log('crossed') } catch (e) {
        console.log(e instanceof nbridge.BridgeError, e.code, e.service, e.action, e.message) }
      """,
      prints: "true invalid_parameter probe echo \(message)")
  }

  /// Only what has a class of the platform's is refused, as far as it hides what it has.
  @Test func objectsWithoutMembersCrossAsDocumented() async {
    await expect(
      """
      class Own {} class Told { toJSON() { return 'told' } get [Symbol.toStringTag]() { return 'T' } }
      const errors = [new RangeError('e'), new DOMException('d')];
      const all = [new Own(), /x/, ...errors, new Told(), new URL('http://a/')];
      console.log(JSON.stringify(await nbridge.probe.echo({value: all})));
      """,
      prints: #"[{},{},{},{},"told","http://a/"]"#)
  }

  @Test func anOptionWithManyMembersThatAreAllKnownPasses() async {
    await expect(
      "console.log((await nbridge.probe.echo({value: Array(1000).fill([{a: 1}])})).length)", prints: "1000")
  }

  @Test func aValueTenThousandDeepIsRefused() async {
    await expect(
      """
      let v = 1; for (let i = 0; i < 10000; i++) v = [v]; try {
        await nbridge.probe.echo({value: v}) } catch (e) { console.log(e.code, e.message.length < 200,
        e.message.endsWith('is nested deeper than 512')) }
      """,
      prints: "invalid_parameter true true")
  }

  @Test func aStringOf256MiBIsRefused() async {
    await expect(
      """
      try { await nbridge.probe.echo({value: {text: 'x'.repeat(256 * 1024 * 1024)}}) } catch (e) {
        console.log(e.code, e.message) }
      """,
      prints: "invalid_parameter option.value.text is a string of 268435456 units; the limit is 67108864")
  }

  @Test(arguments: [
    ("prob", "answer", "invalid_service there is no plugin for the service 'prob'; did you mean 'probe'?"),
    (
      "probe", "anser",
      "invalid_action_name the service 'probe' has no action 'anser'; did you mean 'answer'?"
    ),
    ("__proto__", "x", "invalid_service there is no plugin for the service '__proto__'; there is probe"),
    (
      "probe", "constructor",
      "invalid_action_name the service 'probe' has no action 'constructor'; there is answer,"
    ),
  ])
  func anUnknownNameNamesTheNearest(_ service: String, _ action: String, _ text: String) async {
    let result = await harness.run(
      """
      try { await nbridge.callToNative('\(service)', '\(action)') } catch (e) { console.log(e.code,
        e.message) }
      """
    )
    #expect(result.output.hasPrefix(text))
  }

  @Test func aPlainSwiftErrorIsAnUnknownError() async {
    await expect(
      "try { await nbridge.probe.throwsPlain() } catch (e) { console.log(e.code, e.message, e.cause) }",
      prints: "unknown_error the plugin failed: a plain Swift error a plain Swift error")
  }

  @Test func aPluginHasCodesOfItsOwn() async {
    await expect(
      """
      try { await nbridge.probe.throwsCode() } catch (e) { console.log(e.name, e.code, e.message, e.details) }
      """,
      prints: "BridgeError out_of_paper the printer is empty { tray: 2 }")
  }

  @Test func anErrorNamesTheCallSiteAcrossAnAwait() async {
    await expect(
      """
      async function caller() {
        await nbridge.probe.later({ms: 'x'});
      }
      try { await caller() } catch (e) { console.log(e.stack.split('\\n')[0]) }
      """,
      prints: "    at caller (test.js:2:23)")
  }

  @Test func callsInFlightAllSettle() async {
    await expect(
      """
      const all = await Promise.all(Array.from({length: 5000},
        (_, i) => i % 3 === 0 ? nbridge.probe.compute({count: i}) : i % 3 === 1 ? nbridge.probe.later(
        {ms: 1}) : nbridge.probe.answer())); console.log(all.length, all[3], all[1], all[2])
      """,
      prints: "5000 6 1 42")
  }

  /// Twenty actions block until another has answered: it gets a thread although every one of the pool's is
  /// taken.
  @Test func aSlowActionDoesNotStallAnother() async {
    var harness = harness
    harness.usesRealTime = true
    let result = await harness.run(
      """
      const gates = Array.from({length: 20}, () => nbridge.probe.gate());
      console.log(await nbridge.callToNative('probe', 'compute', {count: 4}, {timeout: 60000}));
      await nbridge.probe.openGate();
      await Promise.all(gates);
      """)
    #expect(result.output == "8\n", "\(result.errors)")
  }

  @Test func aSignalCancelsTheHandler() async {
    await expect(
      """
      const controller = new AbortController();
      const call = nbridge.callToNative('probe', 'later', {ms: 60000}, {signal: controller.signal});
      controller.abort();
      try { await call } catch (e) { console.log(e.code, e.cause.name) }
      while (await nbridge.probe.cancellations() === 0) await new Promise(r => setTimeout(r, 1));
      console.log('the handler was told');
      """, prints: "cancelled AbortError\nthe handler was told")
  }

  @Test func anAbortedSignalNeverCalls() async {
    await expect(
      """
      try { await nbridge.callToNative('probe', 'answer', undefined,
        {signal: AbortSignal.abort()}) } catch (e) { console.log(e.code) }
      """,
      prints: "cancelled")
  }

  @Test func aDeadlineEndsACall() async {
    await expect(
      """
      try { await nbridge.callToNative('probe', 'never', undefined,
        {timeout: 50}) } catch (e) { console.log(e.code, e.message) }
      """,
      prints: "timeout 'probe.never' did not answer within 50 ms; raise its timeout or cancel it")
  }

  @Test func aReplyAfterCancelIsDropped() async {
    await expect(
      """
      const controller = new AbortController();
      let settled = 0;
      const call = nbridge.callToNative('probe', 'block', {ms: 30},
        {signal: controller.signal}).finally(() => settled++);
      controller.abort();
      await call.catch(() => {});
      await nbridge.probe.block({ms: 60});
      console.log(settled, await nbridge.probe.compute({count: 1}));
      """, prints: "1 2")
  }

  @Test func aPluginCallsAnother() async {
    await expect("console.log(await nbridge.probe.viaOther())", prints: "Hello, plugin!")
  }

  @Test func bytesGoBothWaysWithoutACopyOfTheText() async {
    await expect(
      """
      const b = new Uint8Array(64 << 20).fill(3); const r = await nbridge.probe.bytes({bytes: b});
      console.log(r.length, r[5], r[r.length - 1])
      """,
      prints: "67108864 3 3")
  }

  @Test func aRedefinedGlobalDoesNotReachTheBridge() async {
    await expect(
      """
      const p = nbridge.probe; p.answer; JSON.stringify = () => 'no'; JSON.parse = () => 'no';
      Promise.resolve = () => 'no'; console.log(await p.point({x: 1, y: 2, label: 'l', on: true}))
      """,
      prints: "{ x: 1, y: 2, label: 'l', on: true }")
  }

  @Test func aHandlerThatNeverReturnsDoesNotHangAScriptThatHasRun() async {
    var harness = ScriptHarness(plugins: [ProbePlugin()])
    harness.usesRealTime = true
    harness.options.patience = 0.05
    let result = await harness.run("nbridge.probe.never(); console.log('run')", url: "stuck.js")
    #expect(result.output == "run\n")
    #expect(result.status == .failure)
    #expect(
      result.errors.contains(
        """
        1 open call(s) did not answer for 0.05 s
        """) && result.errors.contains("probe.never (call), open for"), "\(result.errors)")
  }

  @Test func aHandlerThatYieldsForEverHoldsNobodyUp() async {
    var harness = ScriptHarness(plugins: [ProbePlugin()])
    harness.usesRealTime = true
    let result = await harness.run(
      """
      let ticks = 0;
      const timer = setInterval(() => ticks++, 5);
      try { await nbridge.probe.yields({timeout: 100}) } catch (e) { console.log(e.code) }
      clearInterval(timer);
      console.log(ticks > 0);
      """)
    #expect(result.output == "timeout\ntrue\n", "\(result.errors)")
  }

  @Test(arguments: ["exit(0)", "nope()", "setTimeout(() => exit(3), 1)"])
  func aHandlerThatIsCancelledByTheEndCleansUp(_ end: String) async {
    let plugin = ProbePlugin()
    var harness = ScriptHarness(plugins: [plugin])
    // Whatever a busy machine needs: the end waits no longer than the handler does.
    harness.options.cleanupTime = 30
    _ = await harness.run("nbridge.probe.later({ms: 100000}); " + end)
    #expect(plugin.cancelled.value == 1)
  }

  @Test func whatMovesIsNotStuck() async {
    var harness = ScriptHarness(plugins: [ProbePlugin()])
    harness.usesRealTime = true
    // Longer than a busy machine stands still, shorter than the script runs.
    harness.options.patience = 8
    // On the bridge's own threads: tests that wait for processes may hold up all of Swift's, and with them
    // every Task.sleep.
    let step = "const step = (n) => n && nbridge.probe.block({ms: 50}).then(() => step(n - 1)); step(180);"
    let busy = await harness.run(step + "nbridge.probe.block({ms: 9000}).then(() => console.log('done'))")
    #expect(busy.output == "done\n" && busy.status == .success, "\(busy.errors)")
    harness.options.patience = 0.05
    let timer = await harness.run("nbridge.probe.never(); setTimeout(() => exit(7), 150)")
    #expect(timer.status.code == 7, "\(timer.errors)")
    let deadline = await harness.run(
      "nbridge.callToNative('probe', 'never', undefined, {timeout: 150}).catch((e) => console.log(e.code))")
    #expect(deadline.output == "timeout\n", "\(deadline.errors)")
  }

  @Test func aPageWithoutANativeSideIsToldSo() async throws {
    let source = try String(
      contentsOfFile: #filePath.components(separatedBy: "/Tests/")[0] + "/www/nbridge.js", encoding: .utf8)
    await expect(
      """
      delete globalThis.nbridge;
      \(source)
      nbridge.define("probe", ({ action, call }) => ({ answer: () => call(action("answer")) }));
      try { await nbridge.probe.answer() } catch (e) { console.log(e.name, e.code, e.service, e.action) }
      """, prints: "BridgeError unavailable probe answer")
  }
}
