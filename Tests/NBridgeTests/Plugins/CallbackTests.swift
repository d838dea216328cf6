// SPDX-License-Identifier: MIT

import BothWays
import NBridge
import NBridgePlugin
import NBridgeTesting
import Testing

/// Functions that scripts hand to plugins, with the plugin linked and behind the table.
@Suite(.allWays) struct CallbackTests: IntakeSuite {
  let intake = IntakePlugin()

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
      const pause = () => new Promise(resolve => setTimeout(resolve, 1));
      const heard = async n => { while (told.length < n) await pause(); };
      const steps = await intake.load(3, heard, { progress: step => told.push(step) });
      console.log(steps, JSON.stringify(told));
      told.length = 0;
      const signal = new AbortController().signal;
      const progress = n => told.push(n);
      console.log(await intake.loadBlocking(4, heard, { progress, signal, timeout: 600_000 }), told.join());
      """,
      prints: """
        3 [{"done":1,"name":"s1"},{"done":2,"name":"s2"},{"done":3,"name":"s3"}]
        4 1,2,3,4
        """, waits: true)
  }

  /// The newest may give way to the answer, and older ones to newer ones.
  @Test func whoIsNotWaitedForHearsNothingElse() async {
    await expect(
      """
      let told = [];
      const progress = n => told.push(n);
      console.log(await intake.wait({ progress, timeout: 10_000 }), told.every(n => n === 7));
      told = [];
      const isNewer = (n, at) => at === 0 || n > told[at - 1];
      console.log(await intake.compute(1000, { progress }), told.every(isNewer));
      console.log(await intake.wait(), await intake.compute(2));
      console.log(await intake.compute(1, { progress() { throw Error('dropped'); } }));
      """, prints: "1 true\n1000 true\n1 2\n1", waits: true)
  }

  @Test func progressIsForActionsThatTellIt() async {
    await expect(
      """
      for (const call of [intake.sum([], {}, { progress() {} }), intake.compute(1, { progress: 5 }),
        intake.compute(1, { progres() {} }), intake.doubled([1], {}, undefined, { progress() {} }).next()]) {
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
