// SPDX-License-Identifier: MIT

import BothWays
import NBridge
import NBridgePlugin
import NBridgeTesting
import StressPlugins
import Testing

/// Every call settles exactly once, with its own answer, whatever scripts and handlers do.
@Suite(.bothWays) struct SettlingTests: ScriptAttacks {
  let harness = ScriptHarness(plugins: [AttackedPlugin(), ProbePlugin()])

  @Test func aHandlerThatResumesAnotherAnswersItsOwnCall() async {
    await expect(
      """
      const pulled = [2, 30, 400].map((n) => a.pull({n}));
      const pushed = await a.push({n: 1});
      console.log(pushed, await Promise.all(pulled));
      """, prints: "1 [ 2, 30, 400 ]")
  }

  @Test func aHandlerThatResumesAnotherAndFailsFailsAlone() async {
    await expect(
      """
      const pulled = [2, 30].map((n) => a.pull({n}));
      const failed = await a.pushThenFail({n: 5}).catch((e) => e.message);
      console.log(failed, await Promise.all(pulled), await a.yieldThen({n: 6}));
      """, prints: "number 5 [ 2, 30 ] 6")
  }

  @Test func aSignalThatThrowsWhenItIsLetGoOfTakesNoOtherCallWithIt() async {
    await expect(
      """
      const signal = () => Object.assign(new AbortController().signal,
        { removeEventListener() { throw new Error("no") } });
      const calls = Array.from({length: 40},
        () => nbridge.callToNative("probe", "later", {ms: 2}, {signal: signal()}));
      console.log((await Promise.allSettled(calls)).filter(({ status }) => status === "fulfilled").length);
      """, prints: "40")
  }

  @Test(arguments: [
    """
    Array.prototype.filter = Array.prototype.map = Array.prototype.flatMap = Array.prototype.push = () =>
      { throw 1 }
    """,
    "String.prototype.split = String.prototype.includes = String.prototype.slice = () => { throw 1 }",
    "Object.defineProperty(Array.prototype, Symbol.iterator, { get() { throw 1 } })",
    "Object.defineProperty(Array.prototype, 0, { set() { throw 1 }, get() { throw 1 } })",
    """
    for (const name of ['site', 'service', 'details', 'mock', 'forget', 'native', 'cause',
      'watch']) Object.defineProperty(Object.prototype, name, { get() { throw 1 }, set() { throw 1 } })
    """,
    "Object.prototype.toJSON = undefined; Array.prototype.toJSON = 5",
    "Object.defineProperty(Promise.prototype, 'then', { get() { throw 1 } })",
    "globalThis.Promise = globalThis.Error = globalThis.Map = globalThis.JSON = undefined",
    "Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw 1 }",
    "Object.keys = Object.defineProperty = Reflect.apply = () => { throw 1 }",
    "Error.stackTraceLimit = 0",
    "Object.defineProperty(Error.prototype, 'stack', { set() { throw 1 } })",
  ])
  func pollutedPrototypesKeepNoCallFromSettling(_ pollution: String) async {
    // Told by the status: the console shows values by the prototypes that there are.
    let result = await harness.run(
      """
      const a = nbridge.attacked, p = nbridge.probe;
      let settled = 0, own = 0;
      \(pollution);
      for (let i = 0; i < 3; i++) {
        const set = (value) => { settled++; if (value === 2 * i) own++; };
        const caught = (error) => { settled++; if (error.code === "out_of_paper") own++; };
        const late = (error) => { settled++; if (error.code === "invalid_parameter") own++; };
        (async () => { set(await p.compute({count: i})); })();
        (async () => { try { await p.throwsCode() } catch (e) { caught(e) } })();
        (async () => { try { await p.later({ms: "x"}) } catch (e) { late(e) } })();
      }
      for (let i = 0; i < 20_000 && settled < 9; i++) await p.later({ms: 1});
      exit(10 * settled + own);
      """)
    #expect(result.status.code == 99, "\(result.errors)")
  }

  @Test func aFailureWithDetailsThatStandForNothingFailsItsCallAlone() async {
    await expect(
      """
      const calls = Array.from({length: 20}, (_, i) => i % 4 === 0 ? a.badDetails() : p.later({ms: 1}));
      const ends = await Promise.allSettled(calls);
      console.log(ends.filter(({ status }) => status === "fulfilled").length, ends[0].reason.code,
        ends[0].reason.details);
      """, prints: "15 bad undefined")
  }

  /// Code that runs while a reply is handed over makes calls that get slots of others in the same hand-over.
  @Test func aThenGetterThatCallsMixesNoAnswers() async {
    await expect(
      """
      const made = [];
      let left = 200;
      Object.defineProperty(Object.prototype, "then", { configurable: true, get() {
        if (left-- > 0) made.push(p.compute({count: left}).catch(String));
        return undefined;
      } });
      const points = await Promise.all(Array.from({length: 60},
        (_, i) => a.pull({n: i})).concat(a.push({n: 99})));
      delete Object.prototype.then;
      console.log(points.every((n, i) => i === 60 ? n === 99 : n === i));
      const late = await Promise.all(made);
      console.log(late.every((n, i) => n === 2 * (199 - i)), left <= 0 || late.length > 0 ||
        "none were made");
      """.replacing("a.pull({n: i})", with: "p.gated({count: i}).then((n) => n / 2)")
        .replacing("a.push({n: 99})", with: "[p.openAll().then(() => 99)]"), prints: "true\ntrue true")
  }

  @Test func aFrozenBridgeStillHasItsServices() async {
    let result = await harness.run(
      """
      Object.freeze(nbridge); console.log(await nbridge.probe.answer(),
        await nbridge.attacked.yieldThen({n: 3}), nbridge.probe === nbridge.probe)
      """
    )
    #expect(result.output == "42 3 true\n", "\(result.errors)")
  }

  @Test func optionsNamedLikeWordsOfTheLanguageCross() async {
    await expect(
      "console.log(await a.word('d', 'c', 'k', 'o', {other: 5}), (await a.word('only')).default)",
      prints: "{ default: 'd', call: 'c', control: 'k', option: 'o', other: 5 } only")
  }

  @Test func hiddenActionsAreNoActionsToScripts() async {
    await expect(
      """
      try { await nbridge.callToNative("attacked", "secret") } catch (e) { console.log(e.code,
        "secret" in a) }
      nbridge.define("own", ({ action, call }) =>
        ({ secret() { return call({ native: () => 5, service: "attacked", name: "secret" }) } }));
      try { await nbridge.own.secret() } catch (e) { console.log(e.code) }
      """, prints: "invalid_action_name false\ninvalid_parameter")
  }

  @Test func aWatchOfTheScriptsOwnMakingTakesNoSlot() async {
    await expect(
      """
      const W = p.numbers({count: 0}).constructor;
      let call;
      try { new W({ limit: 1, policy: "wait", service: "x", name: "y", native() { call = p.later({ms: 1}) }
        }) } catch (e) { console.log(e.code) }
      console.log(call, await p.later({ms: 2}));
      """, prints: "invalid_parameter\nundefined 2")
  }

  @Test(arguments: [
    "bad = true",
    """
    Object.defineProperty(Error.prototype, 'stack', { get() { throw 1 } }); delete Error.stackTraceLimit
    """,
    "try { Object.setPrototypeOf(nbridge.BridgeError, function () { throw 1 }) } catch {}",
    """
    try { Object.defineProperty(nbridge.BridgeError, Symbol.hasInstance, { value() { throw 1 } }) } catch {}
    """,
    "Object.defineProperty(Error, Symbol.hasInstance, { value() { throw 1 } })",
  ])
  func anAbortSettlesItsCallWhateverItsErrorMeets(_ attack: String) async {
    await expect(
      """
      let bad = false, fire;
      const signal = { aborted: false, addEventListener(type, abort) { fire = abort },
        removeEventListener() {} };
      const name = { toString() { if (bad) throw 1; return "never" } };
      const call = nbridge.callToNative("attacked", name, undefined, { signal }).then(() => "answered",
        () => "rejected");
      const wrong = () => p.echo({ value: { key: 1n, value: () => 1 } }).then(() => "answered",
        () => "rejected");
      \(attack);
      try { fire() } catch {}
      console.log(await call, await wrong());
      """, prints: "rejected rejected")
  }

  @Test func aNameThatChangesEachTimeBindsNoOtherAction() async {
    await expect(
      """
      let asked = 0;
      const flip = { toString() { return ++asked <= 1 ? "answer" : "nothing" } };
      console.log(await nbridge.callToNative("probe", flip), await nbridge.callToNative("probe", "answer"));
      """, prints: "42 42")
  }

  @Test func anArrayOfThirtyMillionHolesIsRefusedSoon() async {
    await expect(
      "try { await p.echo({value: new Array(3e7)}) } catch (e) { console.log(e.code, e.message) }",
      prints: "invalid_parameter option is more than 67108864 units of text, the limit")
  }

  /// Answers that are there at once settle in the same turn: a script that awaits one after the other would
  /// never come back to its loop, and nothing else of it would run.
  @Test(
    .inThisProcess, arguments: ["answer", "soon"],
    ["", "setTimeout(run, 0)", "nbridge.probe.later({ ms: 1 }).then(run)"])
  func whoAwaitsWhatIsThereAtOnceLetsTimersIn(_ action: String, _ begin: String) async {
    var harness = ScriptHarness(plugins: [ProbePlugin()])
    harness.usesRealTime = true
    let script = """
      let over = false, events = 0;
      setTimeout(() => { over = true; }, 60);
      (async () => { for await (const event of nbridge.probe.numbers({ count: 3 })) events++; })();
      const run = async () => { while (!over) await nbridge.probe.\(action)(); console.log("over", events); };
      \(begin.isEmpty ? "run()" : begin)
      """
    harness.options.patience = 20
    let result = await harness.run(script)
    #expect(result.output == "over 3\n", "\(result.errors)")
  }

  /// A part of the bridge that is loaded with the first call, value or watch that needs it is loaded after
  /// the script has changed what it likes.
  @Test func whatIsLoadedLaterReadsNothingOfAPollutedPrototype() async {
    await expect(
      """
      const seen = new Set(), log = console.log;
      for (const name of ["get", "set", "value", "writable", "part", "host", "intrinsics", "control",
        "signal", "timeout", "holdsOpen", "0", "length"])
        Object.defineProperty(Object.prototype, name,
          { __proto__: null, configurable: true, get() { seen.add(name); }, set() { seen.add(name); } });
      const date = await nbridge.probe.echo({ value: new Date(5) });
      const one = await nbridge.probe.answer(undefined, { __proto__: null, timeout: 1000 });
      const watch = nbridge.probe.numbers({ count: 2 }), first = await watch.next();
      for (const name of ["get", "set", "value", "writable", "part", "host", "intrinsics", "control",
        "signal", "timeout", "holdsOpen", "0", "length"])
        delete Object.prototype[name];
      log(date.getTime(), one, first.value, seen);
      """, prints: "5 42 0 Set(0) {}")
  }

  /// Native code that sets the elements of a list one by one would run these setters in the middle of an
  /// answer.
  @Test func settersOfElementsMeetNoAnswer() async {
    await expect(
      """
      await p.answer();
      let sets = 0;
      for (const prototype of [Array.prototype, Object.prototype]) for (const index of [0,
        1]) Object.defineProperty(prototype, index, {
        configurable: true,
        set(value) {
          sets++;
          Object.defineProperty(this, index,
            { __proto__: null, value, writable: true, enumerable: true, configurable: true });
          p.compute({ count: 1 });
        },
      });
      const mixed = () => p.echo({ value: { b: new Uint8Array([7]), who: "outer" } });
      const calls = [];
      for (let n = 0; n < 20; n++) calls.push(mixed(), p.compute({ count: n }));
      let right = 0;
      for (let n = 0; n < 20; n++) {
        const outer = await calls[2 * n];
        if (outer.who === "outer" && outer.b[0] === 7 && await calls[2 * n + 1] === 2 * n) right++;
      }
      for (const prototype of [Array.prototype, Object.prototype]) for (const index of [0,
        1]) delete prototype[index];
      console.log(right, nbridge.services.includes("probe"));
      """, prints: "20 true")
  }
}
