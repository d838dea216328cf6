// SPDX-License-Identifier: MIT

import BothWays
import NBridge
import NBridgePlugin
import NBridgeTesting
import StressPlugins
import Testing

@Suite(.allWays) struct WatchTests {
  let harness = ScriptHarness(plugins: [ProbePlugin()])

  func output(_ script: String) async -> String {
    let result = await harness.run(script)
    #expect(result.status == .success, "\(result.errors)")
    return result.output
  }

  @Test func deliversEveryEventInOrder() async {
    #expect(
      await output(
        """
        let sum = 0, last = -1; for await (const n of nbridge.probe.numbers({count: 10000})) {
          if (n !== last + 1) throw n; last = n; sum += n } console.log(sum)
        """
      )
        == "49995000\n")
  }

  /// Also where some always wait.
  @Test func readersGetEventsInTheirOrder() async {
    #expect(
      await output(
        """
        const numbers = nbridge.probe.numbers({ count: 20000 });
        let got = 0, wrong = 0;
        const read = async () => {
          for (let step; !(step = await numbers.next()).done;) if (step.value !== got++) wrong++;
        };
        await Promise.all(Array.from({ length: 3000 }, read));
        console.log(got, wrong);
        """)
        == "20000 0\n")
  }

  @Test func eventsWithAndWithoutBytesKeepTheirOrder() async {
    #expect(
      await output(
        """
        let n = 0;
        for await (const e of nbridge.probe.mixed({count: 300})) {
          if (e.n !== n || (n % 3 === 0) !== (e.bytes?.[0] === n % 256) ||
            (n % 5 === 0) !== (e.big === BigInt(n))) throw n;
          n++;
          if (n % 50 === 0) await new Promise((r) => setTimeout(r, 1));
        }
        console.log(n);
        """) == "300\n")
  }

  @Test func oneThatWaitsForTheScriptIsNotReadAhead() async {
    #expect(
      await output(
        """
        const watch = nbridge.probe.hungry();
        for await (const n of watch) if (n === 2) break;
        await new Promise((r) => setTimeout(r, 20));
        console.log(await nbridge.probe.asked() <= 12);
        """) == "true\n")
  }

  @Test func wrongOptionsWithADeadlineLeaveNoTimerBehind() async {
    #expect(
      await output(
        """
        const code = (e) => console.log(e.code);
        try { for await (const n of nbridge.probe.numbers({count: "x"}, {timeout: 20}));
          } catch (e) { code(e) }
        await nbridge.probe.compute({}, {timeout: 20}).catch(code);
        await new Promise((r) => setTimeout(r, 60));
        console.log("alive");
        """) == "invalid_parameter\ninvalid_parameter\nalive\n")
  }

  @Test func eventsBeforeTheFirstNextAreKept() async {
    #expect(
      await output(
        """
        const w = nbridge.probe.numbers({count: 3}); await new Promise(r => setTimeout(r, 10));
        const all = []; for await (const n of w) all.push(n); console.log(all)
        """
      )
        == "[ 0, 1, 2 ]\n")
  }

  @Test func breakStopsTheNativeSide() async {
    #expect(
      await output(
        """
        for await (const n of nbridge.probe.endless()) { if (n === 5) break } while (
          await nbridge.probe.cancellations() === 0) await new Promise(r => setTimeout(r, 1));
          console.log('stopped')
        """
      )
        == "stopped\n")
  }

  @Test func aSignalStopsIt() async {
    #expect(
      await output(
        """
        const c = new AbortController(); try { for await (const n of nbridge.probe.endless(undefined,
          {signal: c.signal})) { if (n === 3) c.abort() } } catch (e) { console.log(e.code) }
        """
      )
        == "cancelled\n")
  }

  @Test func aCallbackGetsTheEventsAndThePromiseTheEnd() async {
    #expect(
      await output(
        """
        const all = []; await nbridge.probe.numbers({count: 3}, n => all.push(n)); console.log(all);
        all.length = 0; await nbridge.callToNative('probe', 'numbers',
          {count: 2, retainCallback: n => all.push(n)}); console.log(all)
        """
      )
        == "[ 0, 1, 2 ]\n[ 0, 1 ]\n")
  }

  @Test func anErrorEndsItAfterItsEvents() async {
    #expect(
      await output(
        """
        try { for await (const n of nbridge.probe.fails()) console.log(n) } catch (e) { console.log(e.code,
          e.service, e.action) }
        """
      )
        == "1\n2\nunavailable probe fails\n")
  }

  @Test func theOldestAreDroppedAndCounted() async {
    #expect(
      await output(
        """
        const w = nbridge.probe.burst({count: 100}); await new Promise(r => setTimeout(r, 10));
        const all = []; for await (const n of w) all.push(n); console.log(all.length, all[0], w.dropped)
        """
      )
        == "10 90 90\n")
  }

  @Test func oneThatHoldsNothingOpenEndsWithTheProgram() async {
    #expect(
      await output("for await (const n of nbridge.probe.silent()) {} console.log('ended')") == "ended\n")
  }

  @Test func aWatchHoldsTheProgramOpenUntilItIsStopped() async {
    #expect(
      await output(
        "const w = nbridge.probe.endless(); setTimeout(() => { w.stop(); console.log('stopped') }, 50)")
        == "stopped\n")
  }

  @Test func wrongOptionsFailTheFirstNext() async {
    #expect(
      await output(
        """
        try { for await (const n of nbridge.probe.numbers({})) {}
          } catch (e) { console.log(e.code, e.message) }
        """
      )
        == "invalid_parameter option.count is missing\n")
  }
}
