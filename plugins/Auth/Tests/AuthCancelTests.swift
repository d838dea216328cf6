// SPDX-License-Identifier: MIT

import AuthPlugin
import BothWays
import Foundation
import Glibc
import NBridge
import NBridgePlugin
import NBridgeTesting
import Testing

/// One evaluation at a time; cancelling at every moment.
extension AuthPluginTests {
  @Test func aSecondEvaluationWaitsOrIsRefused() async throws {
    let policy = #"{"rules": [{"outcomes": [{"outcome": "pass", "delay": 30}, "cancel"]}]}"#
    let result = await run(
      "await show(ask(), ask({ whenBusy: 'refuse' }), ask({ whenBusy: 'wait' }));", try setup(policy))
    #expect(result.output == "stub invalid_context user_cancel\n", "\(result.errors)")
  }

  @Test func invalidateCancelsWhatIsUnderWayAndWhatWaits() async throws {
    let result = await run(
      """
      const all = [ask(), ask(), ask()];
      await Promise.resolve();
      await auth.invalidate();
      await show(...all, ask());
      """, try setup(#"{"rules": [{"outcomes": ["hang", "pass"]}]}"#))
    #expect(result.output == "app_cancel app_cancel app_cancel stub\n", "\(result.errors)")
  }

  @Test func signalsAndDeadlinesEndAnEvaluationAndAreWrittenDown() async throws {
    try await withFolder { folder in
      let result = await run(
        """
        const evaluate = (control) => auth.evaluatePolicy({ policy: "biometrics",
          reason: control ? "hang" : "pass" }, control).then(() => "success", (e) => e.code ?? e.name);
        const controller = new AbortController();
        const first = evaluate({ signal: controller.signal }), second = evaluate({ timeout: 30 });
        setTimeout(() => controller.abort(), 5);
        await show(first, second, evaluate({ signal: AbortSignal.abort() }));
        console.log(await evaluate());
        """, try setup(#"{"rules": [{"reason": "hang", "outcome": "hang"}, {"outcome": "pass"}]}"#),
        in: folder
      ) { $0.usesRealTime = true }
      #expect(
        result.output.hasSuffix("\nsuccess\n") && result.output.contains("timeout"),
        "\(result.output)\(result.errors)")
      var outcomes: [String] = []
      let log = try log(folder) { outcomes.append($0.outcome ?? "") }
      #expect(
        outcomes.sorted() == ["app_cancel", "success", "timeout"] && log.problems.isEmpty,
        "\(outcomes) \(log.problems)")
    }
  }

  @Test func whatIsCancelledAfterATimeIsCancelledByThePerson() async throws {
    let policy =
      #"""
      {"rules": [{"outcomes": [{"outcome": "hang", "cancelAfter": 20}, {"outcome": "pass", "delay": 10, \#
      "cancelAfter": 20}, {"outcome": "pass", "delay": 30, "cancelAfter": 20}]}]}
      """#
    let result = await run(
      "for (let i = 0; i < 3; i++) console.log(await ask());", try setup(policy, clock: TestClock()))
    #expect(result.output == "user_cancel\nstub\nuser_cancel\n", "\(result.errors)")
  }

  @Test func aQuestionIsTakenAwayAfterItsTime() async throws {
    var setup = try setup(
      #"{"rules": [{"outcomes": [{"outcome": "prompt", "cancelAfter": 5000}]}]}"#, clock: TestClock())
    (setup.prompter, setup.isDurable) = (Gate(), false)
    #expect(await run("console.log(await ask());", setup).output == "user_cancel\n")
  }

  @Test func theProgramsEndCancelsAndIsWrittenDown() async throws {
    try await withFolder { folder in
      let result = await run("ask(); exit(0);", AuthSetup(always: .hang), in: folder) {
        $0.options.cleanupTime = 10
      }
      #expect(result.status == .success, "\(result.errors)")
      var outcomes: [String] = []
      _ = try log(folder) { outcomes.append($0.outcome ?? "") }
      #expect(outcomes == ["system_cancel"])
    }
  }

  /// A thousand; `NBRIDGE_RACES` says how many else.
  @Test(.inThisProcess) func racesHaveOneSuccessAtMost() async throws {
    let races = ProcessInfo.processInfo.environment["NBRIDGE_RACES"].flatMap { Int($0) } ?? 1000
    try await withFolder { folder in
      let gate = Gate()
      var setup = AuthSetup(always: .prompt, prompter: gate)
      setup.isDurable = false
      let result = await run(
        """
        let worst = 0, successes = 0, settled = 0;
        for (let i = 0; i < \(races); i++) {
          const controller = new AbortController();
          const evaluate = (option, control) => auth.evaluatePolicy({ policy: "biometrics",
            reason: `race ${i}`, ...option }, control).then(() => 1, () => 0);
          const both = [evaluate({}, { signal: controller.signal }), evaluate({ whenBusy: "refuse" })];
          if (i % 4 > 1) nbridge.gate.open({ reason: `race ${i}` });
          if (i % 4 === 0 || i % 4 === 3) auth.invalidate();
          if (i % 4 === 1) controller.abort();
          const sum = (await Promise.all(both)).reduce((a, b) => a + b);
          settled += both.length; successes += sum; worst = Math.max(worst, sum);
        }
        console.log(worst, settled, successes);
        """, setup, in: folder
      ) { $0.plugins.append(GatePlugin(gate: gate)) }
      #expect(result.output.hasPrefix("1 \(2 * races) "), "\(result.output)\(result.errors)")
      var successes = 0
      let log = try log(folder) { successes += $0.outcome == "success" ? 1 : 0 }
      let told = Int(result.output.split(separator: " ").last?.dropLast() ?? "") ?? -1
      #expect(
        log.problems.isEmpty && told == successes && told >= races / 4, "\(told) \(successes) \(log.problems)"
      )
    }
  }
}
