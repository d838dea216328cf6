// SPDX-License-Identifier: MIT

import BothWays
import NBridge
import NBridgeTesting
import StressPlugins
import Testing

/// A slot is used again once nothing of its last call is on the way, also when more replies come at once than
/// the script takes in one go, and it calls in between.
@Suite(.allWays) struct SlotTests: ScriptAttacks {
  let harness = ScriptHarness(plugins: [ProbePlugin(), AttackedPlugin()])

  @Test func callsMadeWhileManyRepliesArriveAreNotTakenForOlderOnes() async {
    await expect(
      """
      const chain = async (i) => { let sum = 0; for (let k = 0; k < 4;
        k++) sum += await nbridge.probe[k ? "compute" : "gated"]({count: i}); return sum };
      const all = Promise.all(Array.from({length: 3000}, (_, i) => chain(i)));
      await nbridge.probe.openAll();
      console.log((await all).every((sum, i) => sum === 8 * i));
      """, prints: "true")
  }

  @Test func answersThatHaveToWaitWhileManyRepliesArriveAreTheirCallsOwn() async {
    // Some calls that the replies set going take so long that their answers wait for the loop, behind
    // replies that are still on their way.
    var harness = ScriptHarness(plugins: [ProbePlugin()])
    harness.usesRealTime = true
    let result = await harness.run(
      """
      const work = () => { for (const end = performance.now() + 0.05; performance.now() < end;); };
      const chain = async (i) => {
        await nbridge.probe.gated({count: i});
        let right = true;
        for (let k = 0; k < 12; k++) {
          work();
          right &&= await nbridge.probe.hello({name: `${i}.${k}`}) === `Hello, ${i}.${k}!`;
        }
        return right;
      };
      const all = Promise.all(Array.from({length: 480}, (_, i) => chain(i)));
      await nbridge.probe.openAll();
      console.log((await all).every((right) => right));
      """)
    #expect(result.output == "true\n", "\(result.errors)")
  }

  @Test func watchesThatAreOverWhenTheyBeginAreTheirCallsOwn() async {
    // As of programs that have ended by the time that somebody waits for their end: what such a watch tells
    // lies behind the replies that set it going, and others may begin before it is out.
    await expect(
      """
      const chain = async (i) => {
        await nbridge.probe.gated({count: i});
        const count = i % 7 + 1;
        return (await nbridge.probe.numbers({count}).toArray()).length === count;
      };
      const all = Promise.all(Array.from({length: 480}, (_, i) => chain(i)));
      await nbridge.probe.openAll();
      console.log((await all).every((right) => right));
      """, prints: "true")
  }
}
