// SPDX-License-Identifier: MIT

import BothWays
import NBridge
import NBridgePlugin
import NBridgeTesting
import StressPlugins
import Testing

/// A call's control, given beside its option, belongs to that call, and is heeded or refused.
@Suite(.bothWays) struct ControlTests: ScriptAttacks {
  let harness = ScriptHarness(plugins: [AttackedPlugin(), ProbePlugin()])

  @Test func aRefusedWatchLeavesItsTimeoutToNobody() async {
    await expect(
      """
      const code = async (promise) => { try { return await promise } catch (e) { return e.code } };
      const refused = p.numbers({ get count() { throw 1 } }, undefined, { timeout: 5 });
      const after = p.later({ms: 50});
      console.log(await code(refused.next()), await code(after));
      """, prints: "invalid_parameter 50")
  }

  @Test func aGetterThatCallsStealsNoTimeout() async {
    await expect(
      """
      let inner;
      const option = { get ms() { inner ??= p.later({ms: 50}); return 30_000 } };
      const outer = p.later(option, { timeout: 10 }).catch((e) => e.code);
      console.log(await inner, await outer);
      """, prints: "50 timeout")
  }

  @Test func anAbortInsideOfAGetterIsHeeded() async {
    await expect(
      """
      const abort = new AbortController();
      const option = () => ({ get ms() { abort.abort(); return 5 } });
      console.log(await p.later(option(), { signal: abort.signal }).catch((e) => e.code));
      const watch = new AbortController();
      const numbers = p.numbers({ get count() { watch.abort(); return 5 } }, undefined,
        { signal: watch.signal });
      console.log(await numbers.next().catch((e) => e.code));
      """, prints: "cancelled\ncancelled")
  }

  @Test(.inThisProcess) func aThenGetterMakesASignalCancelNoOtherCall() async {
    await expect(
      """
      const abort = new AbortController();
      let other;
      Object.defineProperty(Object.prototype, "then",
        { configurable: true, get() { other ??= p.later({ms: 5}); } });
      const point = p.point({x: 1, y: 2, label: "l", on: true}, { signal: abort.signal });
      delete Object.prototype.then;
      abort.abort();
      console.log((await point).x, await other);
      """, prints: "1 5")
  }

  @Test(arguments: ["{ aborted: false }", "5", "'x'", "{ addEventListener() {} }"])
  func whatIsNoSignalIsRefusedBeforeTheCall(_ signal: String) async {
    await expect(
      """
      const code = (e) => console.log(e.code, e.message.split(" ")[0]);
      await p.later({ms: 1}, { signal: \(signal) }).catch(code);
      const ticks = a.ticks(undefined, { signal: \(signal) });
      await ticks.next().catch(code);
      """, prints: "invalid_parameter control.signal\ninvalid_parameter control.signal")
    let open = await harness.run(
      "nbridge.attacked.ticks(undefined, { signal: \(signal) }).next().catch(() => {})")
    #expect(open.status == .success, "\(open.errors)")  // it ends: no watch is left open
  }

  @Test func aSignalThatCannotBeHeardEndsItsCall() async {
    await expect(
      """
      const signal = { aborted: false, addEventListener() { throw new Error("no") }, removeEventListener() {}
        };
      console.log(await a.never({ signal }).catch((e) => e.code),
        await a.ticks(undefined, { signal }).next().catch((e) => e.code));
      while (await a.cancellations() < 2) await p.later({ms: 1}); // both handlers are told
      """, prints: "invalid_parameter invalid_parameter")
  }

  @Test func aControlThatThrowsRejectsAndThrowsNothing() async {
    await expect(
      """
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      const bad = [proxy, { get signal() { throw 1 } }, { get timeout() { throw 1 } }, 7, "text"];
      for (const control of bad) {
        console.log(await p.later({ms: 1}, control).catch((e) => e.code),
          await nbridge.callToNative("probe", "numbers", {count: 1}, control).next().catch((e) => e.code));
      }
      """, prints: Array(repeating: "invalid_parameter invalid_parameter", count: 5).joined(separator: "\n"))
  }

  @Test(arguments: ["0", "-1", "NaN", "'5'", "{}"])
  func aBadTimeoutOfAWatchIsRefused(_ timeout: String) async {
    await expect(
      """
      try { await p.numbers({count: 1}, undefined,
        {timeout: \(timeout)}).next() } catch (e) { console.log(e.code, e.message, e.action) }
      """,
      prints: "invalid_parameter timeout must be a number of milliseconds above 0 numbers")
  }

  @Test func aMisspeltNameIsRefusedForItsDeadlineWouldBeNone() async {
    await expect(
      """
      try { await p.later({ms: 1}, {timeuot: 5}) } catch (e) { console.log(e.code, e.message) }
      try { await p.numbers({count: 1}, undefined, {Signal: 1}).next() } catch (e) { console.log(e.code,
        e.message) }
      console.log(await p.answer(undefined, {timeout: 60000, progress: undefined}),
        await p.answer(undefined, new AbortController()));
      """,
      prints: """
        invalid_parameter control has no 'timeuot'; it may have signal, timeout, \
        progress and, for a watch, holdsOpen
        invalid_parameter control has no 'Signal'; it may have signal, timeout, \
        progress and, for a watch, holdsOpen
        42 42
        """)
  }

  @Test func scriptsCannotFeedOrFailAWatch() async {
    await expect(
      """
      const watch = p.numbers({count: 2});
      console.log(watch.fail, watch.take, await watch.toArray());
      """, prints: "undefined undefined [ 0, 1 ]")
  }

  @Test func theEndOfAWatchIsToldAsOftenAsItIsAskedFor() async {
    await expect(
      """
      const watch = p.fails();
      const told = [];
      watch.ended.catch((e) => told.push(e.code));
      watch.ended.catch((e) => told.push(e.code));
      try { for await (const _ of watch); } catch (e) { told.push(e.code) }
      await watch.ended.catch((e) => told.push(e.code));
      console.log(told, await p.numbers({count: 0}).ended);
      """, prints: "[ 'unavailable', 'unavailable', 'unavailable', 'unavailable' ] undefined")
  }

  @Test func aRetainedCallbackOnAnActionIsRefusedBeforeItRuns() async {
    await expect(
      """
      const before = await p.asked();
      try { await nbridge.callToNative("attacked", "openGate",
        { retainCallback() {} }) } catch (e) { console.log(e.code, e.message) }
      """, prints: "invalid_parameter option.retainCallback is for watches; this action answers once")
  }
}
