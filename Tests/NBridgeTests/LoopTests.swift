// SPDX-License-Identifier: MIT

import NBridge
import NBridgeTesting
import StressPlugins
import Testing

@Suite struct LoopTests {
  let harness = ScriptHarness(plugins: [ProbePlugin()])

  @Test(arguments: [
    (
      "order",
      """
      setTimeout(() => console.log('b'), 2); setTimeout(() => console.log('a'), 1);
      setTimeout(() => console.log('z'), 0); queueMicrotask(() => console.log('micro')); console.log('sync')
      """,
      "sync\nmicro\nz\na\nb\n"
    ),
    ("equal delays", "for (const n of [1, 2, 3]) setTimeout(() => console.log(n), 5)", "1\n2\n3\n"),
    (
      "microtasks between timers",
      """
      setTimeout(() => { console.log(1); Promise.resolve().then(() => console.log('m')) }, 1);
      setTimeout(() => console.log(2), 1)
      """,
      "1\nm\n2\n"
    ),
    ("arguments", "setTimeout((a, b) => console.log(a, b), 1, 'x', 'y')", "x y\n"),
    ("a string is code", "setTimeout('console.log(\"code\")', 1)", "code\n"),
    ("a huge delay wraps", "setTimeout(() => console.log('now'), 2 ** 32)", "now\n"),
    (
      "NaN is 0", "setTimeout(() => console.log('n'), NaN); setTimeout(() => console.log('one'), 1)",
      "n\none\n"
    ),
    (
      "cleared",
      """
      clearTimeout(setTimeout(() => console.log('no'), 1)); clearTimeout(99); clearTimeout(undefined);
      console.log('yes')
      """,
      "yes\n"
    ),
    (
      "cleared by the thousand",
      """
      const ids = Array.from({ length: 5000 }, (_, i) => setTimeout(() => console.log(i), (i * 7919) % 5000));
      for (const id of ids) if (id % 1000 !== 0) clearTimeout(id);
      """,
      "1999\n999\n4999\n3999\n2999\n"
    ),
    (
      "interval",
      "let n = 0; const id = setInterval(() => { console.log(++n); if (n === 3) clearInterval(id) }, 10)",
      "1\n2\n3\n"
    ),
    (
      "interval cleared by clearTimeout",
      "const id = setInterval(() => { console.log('once'); clearTimeout(id) }, 1)", "once\n"
    ),
    ("an hour passes at once", "setTimeout(() => console.log('later'), 3600000)", "later\n"),
    (
      "nested timers",
      "let n = 0; (function next() { if (n++ < 10) setTimeout(next, 0); else console.log('done') })()",
      "done\n"
    ),
    ("this", "setTimeout(function () { console.log(this === globalThis) }, 0)", "true\n"),
    (
      "ids are numbers from 1",
      "console.log(setTimeout(() => {}), setInterval.length, clearTimeout(setTimeout(() => {})))",
      "1 1 undefined\n"
    ),
    (
      "AbortSignal.timeout",
      """
      const s = AbortSignal.timeout(20); s.onabort = () => console.log(s.reason.name);
      setTimeout(() => {}, 30)
      """,
      "TimeoutError\n"
    ),
  ])
  func timers(_ name: String, _ script: String, _ expected: String) async {
    let result = await harness.run(script)
    #expect(result.output == expected, "\(name): \(result.errors)")
    #expect(result.status == .success)
  }

  @Test func whatATimerThrowsEndsTheProgram() async {
    let result = await harness.run(
      "setTimeout(() => {\n  throw new Error('late')\n}, 1); setTimeout(() => console.log('no'), 5)")
    #expect(result.status == .failure)
    #expect(result.output == "")
    #expect(
      result.errors
        == "test.js:2:3\n  throw new Error('late')\n  ^\nError: late\n    at test.js:2:3\n")
  }

  @Test func whatAMicrotaskThrowsEndsTheProgram() async {
    let result = await harness.run("queueMicrotask(() => { throw new TypeError('m') })")
    #expect(result.status == .failure)
    #expect(result.errors.contains("TypeError: m"))
  }

  @Test func anUnhandledRejectionEndsTheProgram() async {
    let result = await harness.run("Promise.reject(new Error('r')); setTimeout(() => console.log('no'), 5)")
    #expect(result.status == .failure)
    #expect(result.errors.contains("Unhandled rejection: Error: r"))
  }

  @Test func aRejectionHandledInTheSameTurnIsFine() async {
    let result = await harness.run(
      "const p = Promise.reject(1); Promise.resolve().then(() => p.catch(() => console.log('caught')))")
    #expect(result.output == "caught\n")
    #expect(result.status == .success)
  }

  @Test(arguments: [
    ("await new Promise(() => {})", 1), ("const a = 1;\n\nconst b = await new Promise(() => {});", 3),
    ("await 1;\nawait 2;\nfor (const x of [1]) {\n  await new Promise(() => {});\n}\nawait 3", 4),
    ("const f = async () => { await 1 };\nawait f();\nconst o = { a: await new Promise(() => {}) };", 3),
  ])
  func anAwaitThatNeverSettlesNamesItsLine(_ script: String, _ line: Int) async {
    let result = await harness.run(script)
    #expect(result.status == .neverSettles)
    #expect(result.errors.hasPrefix("test.js:\(line)\n"), "\(result.errors)")
  }

  @Test(arguments: [
    ("const x = await 1; console.log(x)", "1\n"),
    (
      "console.log(await 1 + await 2, -await 3, !await 0, [await 4], {a: await 5}.a, `${await 6}`)",
      "3 -3 true [ 4 ] 5 6\n"
    ),
    ("const r = await 1 ?? 2\nawait 3\nconsole.log(r)", "1\n"),
    ("for await (const x of [1, 2]) console.log(x)", "1\n2\n"),
    ("if (await 1) console.log('if')", "if\n"),
    ("const f = async (x) => await x; console.log(await f(9))", "9\n"),
    ("class A { async m() { return await 1 } } console.log(await new A().m())", "1\n"),
    ("const re = /await (x)/; console.log(re.test('await x')); await 0", "true\n"),
    ("console.log('await in a string')", "await in a string\n"),
    ("await (async () => console.log('iife'))()", "iife\n"), ("var await_ = 1; console.log(await_)", "1\n"),
    ("const t = await 1 ? 'y' : 'n'; console.log(t)", "y\n"), ("console.log((await 1, await 2))", "2\n"),
    ("label: for (;;) { await 1; break label } console.log('l')", "l\n"),
    ("try { await Promise.reject(1) } catch (e) { console.log('c', e) }", "c 1\n"),
    ("let a = 1\na += await 2\nconsole.log(a)", "3\n"), ("const {x = await 4} = {}; console.log(x)", "4\n"),
    ("var v = 5; with ({w: 6}) console.log(v, w); async function f() { await 1 }", "5 6\n"),
  ])
  func topLevelAwaitInEveryPlace(_ script: String, _ expected: String) async {
    let result = await harness.run(script)
    #expect(result.output == expected, "\(result.errors)")
  }

  @Test func webAssemblyHoldsTheProgram() async {
    let result = await harness.run(
      """
      const {instance} = await WebAssembly.instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
      console.log(instance instanceof WebAssembly.Instance)
      """
    )
    #expect(result.output == "true\n", "\(result.errors)")
  }

  @Test func aLoopIsInterruptedFromOutside() async {
    var harness = harness
    harness.usesRealTime = true
    harness.options.interruptsLoops = true
    let result = await harness.run("while (true) {}") { controller in
      EngineStopper.stop(controller, afterMilliseconds: 100)
    }
    #expect(result.status == .interrupted)
  }

  @Test func anAwaitIsInterruptedFromOutside() async {
    var harness = harness
    harness.usesRealTime = true
    let result = await harness.run("await nbridge.probe.never()") { controller in
      EngineStopper.stop(controller, afterMilliseconds: 50)
    }
    #expect(result.status == .interrupted)
    #expect(result.errors.contains("probe.never (call), open for"))
    #expect(result.errors.contains("made at test.js:1:"))
  }

  @Test func aHandlerThatNeverReturnsDoesNotHoldUpExit() async {
    var harness = harness
    harness.usesRealTime = true
    let result = await harness.run(
      "nbridge.probe.stuck(); nbridge.probe.never(); setTimeout(() => exit(5), 1)")
    #expect(result.status == ExitStatus(5))
  }

  /// Each answer is there at once.
  @Test func whoWorksOnEachAnswerLetsTimersIn() async {
    var harness = harness
    harness.usesRealTime = true
    let result = await harness.run(
      """
      let ticks = 0;
      const timer = setInterval(() => ticks++, 1);
      for (let i = 0; i < 128; i++) {
        await nbridge.probe.answer();
        for (const end = performance.now() + 5; performance.now() < end;);
      }
      clearInterval(timer);
      console.log(ticks > 1 ? "they came" : ticks);
      """)
    #expect(result.output == "they came\n", "\(result)")
  }

  @Test func whoAwaitsManyAnswersAtOnceLetsTimersIn() async {
    var harness = harness
    harness.usesRealTime = true
    let result = await harness.run(
      """
      let [ticks, told] = [0, 0];
      const timer = setInterval(() => ticks++, 1);
      for (const end = performance.now() + 20_000; ticks < 2 && performance.now() < end;) {
        const calls = Array.from({ length: 100 }, () => nbridge.probe.answer().then(() => told++));
        await Promise.all(calls);
        if (told % 100 !== 0) console.log("some are lost");
      }
      clearInterval(timer);
      console.log(ticks > 1 ? "they came" : ticks);
      """)
    #expect(result.output == "they came\n", "\(result)")
  }

  /// What the web's platform answers at once: the loop has its turn after so many, and they keep their order.
  @Test(arguments: [
    "crypto.subtle.digest('SHA-256', new Uint8Array(8))", "crypto.subtle.digest('none', new Uint8Array(8))",
    "new Blob(['1']).text()", "new Blob(['1']).bytes()", "new Response('1').json()", "new Response().text()",
    "fetch('data:,1')",
  ]) func whatIsThereAtOnceLetsTimersIn(_ answer: String) async {
    let result = await harness.run(
      """
      const told = [];
      let rang = false;
      setTimeout(() => rang = true, 0);
      for (let i = 0; i < 200; i++) await \(answer).catch(() => 0);
      const tell = (i) => () => told.push(i);
      await Promise.all(Array.from({ length: 200 }, (_, i) => \(answer).then(tell(i), tell(i))));
      console.log(rang, told.every((number, i) => number === i));
      """)
    #expect(result.output == "true true\n", "\(result)")
  }

  /// Makes calls until the loop is late, and more, which wait for it; `told` has them as they are told.
  private static let late = """
    const told = [];
    const call = (name) => nbridge.probe.answer().then(() => told.push(name));
    const beLate = async (more = 40) => {
      for (const end = performance.now() + 40; performance.now() < end;);
      await null;
      const calls = Array.from({ length: 20 }, (_, i) => call(i));
      // The script is back at its promises, and the loop has not had its turn.
      await null, await null, await null;
      for (let i = 20; i < 20 + more; i++) calls.push(call(i));
      if (told.length > 20) console.log("none of them waits");
      await Promise.all(calls);
    };

    """

  /// Where there are many, the first wait in another way.
  @Test(arguments: [40, 63, 64, 65, 1_000]) func answersKeepTheirOrderWhereTheLoopIsLate(_ count: Int) async {
    var harness = harness
    harness.usesRealTime = true
    let result = await harness.run(
      Self.late + """
        await beLate(\(count));
        console.log(told.length, told.every((number, i) => number === i));
        """)
    #expect(result.output == "\(count + 20) true\n", "\(result)")
  }

  /// Some of them are told before the script is back at its promises.
  @Test func whatWaitsForALoopThatIsLateCanBeCancelled() async {
    var harness = harness
    harness.usesRealTime = true
    let result = await harness.run(
      Self.late + """
        const abort = new AbortController(), { signal } = abort;
        const ends = beLate(0).then(() => Promise.all(asked));
        const asked = [];
        const ask = () => nbridge.callToNative("probe", "answer", undefined, { signal });
        for (const end = performance.now() + 40; performance.now() < end;);
        await null, await null, await null;
        for (let i = 0; i < 300; i++) asked.push(ask().catch(({ code }) => code));
        abort.abort();
        const codes = await ends;
        const cancelled = codes.filter((code) => code === "cancelled").length;
        console.log(cancelled > 250 ? "cancelled" : cancelled);
        """)
    #expect(result.output == "cancelled\n", "\(result)")
  }

  /// What another engine has sent comes behind the answers that waited for the loop.
  @Test func answersThatWaitAreToldBeforeWhatComesThen() async {
    let result = await WorkerHarness.run(
      Self.late + """
        const worker = spawn(() => { onmessage = () => postMessage(1); });
        worker.postMessage(1);
        await next(worker);
        for (let turn = 0; turn < 5; turn++) {
          // The script goes on where the loop hands answers over, and timers and threads come next.
          await nbridge.probe.later({ ms: 1 });
          worker.postMessage(1);
          const event = new Promise((done) => { worker.onmessage = () => call("event").then(done); });
          await Promise.all([beLate(200), event]);
          console.log(told.length, told.indexOf("event"));
          told.length = 0;
        }
        worker.terminate();
        """, plugins: [ProbePlugin()])
    #expect(result.output == String(repeating: "221 220\n", count: 5), "\(result)")
  }
}
