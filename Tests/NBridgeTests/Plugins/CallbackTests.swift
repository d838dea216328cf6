// SPDX-License-Identifier: MIT

import BothWays
import NBridge
import NBridgePlugin
import NBridgeTesting
import Testing

/// Functions that scripts hand to plugins, with the plugin linked and behind the table.
@Suite(.bothWays) struct CallbackTests {
  let intake = IntakePlugin()

  func expect(
    _ script: String, prints expected: String, waits: Bool = false,
    _ location: SourceLocation = #_sourceLocation
  ) async {
    var harness = ScriptHarness(plugins: [intake])
    harness.usesRealTime = waits
    let result = await harness.run("const { intake } = nbridge;\n" + script)
    #expect(result.output == expected + "\n", "\(result.errors)", sourceLocation: location)
    #expect(result.status == .success, "\(result.errors)", sourceLocation: location)
  }

  @Test func aFunctionAnswersAtOnceOrLater() async {
    await expect(
      """
      console.log(await intake.ask(n => n * 2, { times: 3 }));
      console.log(await intake.ask(async n => { await null; return n; }, { times: 3 }));
      console.log(await intake.askBlocking(async n => n * 3, { times: 4 }));
      const later = n => new Promise(resolve => setTimeout(resolve, 10 - n, n));
      console.log(await intake.askAll(later, { times: 9 }));
      console.log(await intake.compare(({ left, right }) => new Uint8Array(left.length + right.getTime())));
      """, prints: "12\n6\n30\n45\n1002")
  }

  @Test func aFunctionWhoseAnswerDoesNotMatterMayAnswerAnything() async {
    await expect(
      "await intake.tell(text => { console.log(text); return () => Symbol('a'); }); console.log('end');",
      prints: "a\nb\nend")
  }

  @Test func whatAFunctionThrowsIsThrownInThePlugin() async {
    await expect(
      """
      const boom = new RangeError('boom');
      for (const ask of [
        () => { throw boom; }, async () => { throw boom; }, () => 'text', () => () => 1, () => undefined,
        () => ({ get then() { throw boom; } })]) {
        const error = await intake.ask(ask).catch(error => error);
        console.log(error.code, '|', error.message, '|', error.cause === boom);
      }
      const own = new nbridge.BridgeError('conflict', 'mine');
      console.log((await intake.askBlocking(() => { throw own; }).catch(error => error)).code);
      """,
      prints: """
        script_failed | ask failed: boom | true
        script_failed | ask failed: boom | true
        invalid_parameter | ask() must be an integer, not a string | false
        invalid_parameter | ask() is a function, which can't cross the bridge | false
        invalid_parameter | ask() must be an integer, not undefined | false
        script_failed | ask failed: boom | true
        conflict
        """)
  }

  @Test func whatIsNoFunctionIsRefused() async {
    await expect(
      """
      for (const ask of [1, {}, null, undefined, [() => 1], 'f'])
        console.log((await intake.ask(ask).catch(error => error)).message);
      """,
      prints: """
        ask must be a function, not a number
        ask must be a function, not an object
        ask must be a function, not null
        ask must be a function, not undefined
        ask[0] is a function, which can't cross the bridge
        ask must be a function, not a string
        """)
  }

  @Test func aFunctionIsNotCalledOnceItsCallIsOver() async {
    await expect(
      """
      const seen = [];
      console.log(await intake.keepFunction(n => (seen.push(n), n)));
      const error = await intake.callKept().catch(error => error);
      console.log(error.code, error.message, seen.join());
      """, prints: "1\nclosed the call is over: what the script gave it can't be used any more 1")
  }

  @Test func aFunctionMayCallThePluginAgain() async {
    await expect(
      """
      const deep = depth => async n => depth === 0 ? n : await intake.ask(deep(depth - 1), { times: 2 });
      console.log(await intake.ask(deep(4), { times: 2 }));
      console.log(await intake.askBlocking(async n => intake.askBlocking(async n => n), { times: 3 }));
      """, prints: "48\n3")
  }

  @Test func aFunctionThatNeverAnswersEndsWithItsCall() async {
    await expect(
      """
      const never = () => new Promise(() => {});
      for (const name of ['ask', 'askBlocking'])
        console.log(await intake[name](never, {}, { timeout: 5 }).catch(error => error.code));
      """, prints: "timeout\ntimeout", waits: true)
  }

  @Test func callsTellTheirProgress() async {
    await expect(
      """
      const told = [];
      console.log(await intake.load(3, { progress: step => told.push(step) }), JSON.stringify(told));
      told.length = 0;
      console.log(await intake.wait({ progress: n => told.push(n), timeout: 1000 }), told.join());
      const signal = new AbortController().signal;
      console.log(await intake.compute(1, { progress: n => told.push(n), signal }), told.join());
      told.length = 0;
      console.log(await intake.compute(1000, { progress: n => told.push(n) }), told[0] === 1);
      console.log(await intake.load(1), await intake.wait(), await intake.compute(2));
      console.log(await intake.load(1, { progress() { throw Error('dropped'); } }));
      """,
      prints: """
        3 [{"done":1,"name":"s1"},{"done":2,"name":"s2"},{"done":3,"name":"s3"}]
        1 7
        1 7,1
        1000 true
        1 1 2
        1
        """, waits: true)
  }

  @Test func progressIsForActionsThatTellIt() async {
    await expect(
      """
      for (const call of [intake.sum([], {}, { progress() {} }), intake.load(1, { progress: 5 }),
        intake.load(1, { progres() {} }), intake.doubled([1], {}, undefined, { progress() {} }).next()]) {
        const error = await call.catch(error => error);
        console.log(error.code, error.message);
      }
      """,
      prints: """
        invalid_parameter control.progress is for actions that tell it; 'intake.sum' does not
        invalid_parameter control.progress must be a function
        invalid_parameter control has no 'progres'; it may have signal, timeout, progress and, \
        for a watch, holdsOpen
        invalid_parameter control.progress is for calls; a watch gives events
        """)
  }

  @Test func aStreamAndAFunctionStandSideBySide() async {
    await expect(
      """
      async function* numbers() { yield 1; yield 2; }
      console.log((await intake.map(numbers(), n => n * 10)).join());
      console.log((await intake.map([3], async n => n)).join());
      """, prints: "10,20\n3")
  }
}
