// SPDX-License-Identifier: MIT

import AuthPlugin
import NBridge
import NBridgePlugin
import NBridgeTesting
import Testing

/// Failures that lock, and successes that count again.
extension AuthPluginTests {
  // MARK: - Lockout

  @Test func fiveFailuresLockUntilAPasscodeIsGiven() async throws {
    let policy =
      #"""
      {"rules": [{"policy": "passcode", "outcomes": ["fail", "pass"]}, {"outcomes": ["fail", "fail", \#
      "fail", "fail", "fail", "pass"]}]}
      """#
    let result = await run(
      """
      for (let i = 0; i < 6; i++) console.log(await ask());
      console.log((await auth.canEvaluatePolicy("biometrics")).reason);
      console.log(await ask({ policy: "passcode" }), await ask(), await ask({ policy: "passcode" }),
        await ask());
      """, try setup(policy))
    let failed = String(repeating: "authentication_failed\n", count: 5)
    #expect(
      result.output == failed
        + "biometry_lockout\nbiometry_lockout\nauthentication_failed biometry_lockout stub stub\n",
      "\(result.errors)")
  }

  @Test func aSuccessEndsTheCount() async throws {
    let policy =
      #"""
      {"rules": [{"outcomes": ["fail", "fail", "fail", "fail", "pass", "fail", "fail", "fail", "fail", \#
      "pass"]}]}
      """#
    let result = await run(
      "for (let i = 0; i < 10; i++) await ask(); console.log(await ask());", try setup(policy))
    #expect(result.output == "stub\n", "\(result.errors)")
  }

  @Test func theLockOutlivesRunsAppsAndAClockThatIsSet() async throws {
    try await withFolder { folder in
      let clock = TestClock()
      var failing = AuthSetup(always: .fail), passing = AuthSetup(always: .pass)
      (failing.clock, passing.clock) = (clock, clock)
      #expect(await run("for (let i = 0; i < 3; i++) await ask();", failing, in: folder).status == .success)
      // Another app: the reader is the same.
      #expect(
        await run("for (let i = 0; i < 2; i++) await ask();", failing, in: folder, id: "org.other").status
          == .success)
      for step in [-365 * 86_400_000, 2 * 365 * 86_400_000] {
        clock.setWall(by: step)
        let result = await run(
          "console.log(await ask(), await ask({ policy: 'biometricsOrPasscode' }));", passing, in: folder)
        #expect(result.output == (step < 0 ? "biometry_lockout stub\n" : "stub stub\n"), "\(result.errors)")
      }
      let log = try log(folder)
      #expect(log.problems.isEmpty)
    }
  }

  // MARK: - Reuse

  @Test func aSuccessCountsAgainForAsLongAsWasAsked() async throws {
    let clock = TestClock()
    let policy =
      #"""
      {"rules": [{"outcomes": ["pass", {"outcome": "cancel", "delay": 30000}, "cancel", {"outcome": \#
      "cancel", "delay": 3600000}]}]}
      """#
    let result = await run(
      """
      const first = await auth.evaluatePolicy({ policy: "biometrics", reason: "x" });
      const again = await auth.evaluatePolicy({ policy: "biometricsOrPasscode", reason: "x",
        reuseSeconds: 60 });
      console.log(first.time.getTime() === again.time.getTime());
      await show(ask(), ask({ reuseSeconds: 20 }));
      console.log(await ask({ policy: "passcode", reuseSeconds: 300 }), await ask({ reuseSeconds: 300 }));
      """, try setup(policy, clock: clock))
    // 30 s have passed after the first cancel; a success of a finger is none of a passcode; an hour later it
    // is too old.
    #expect(result.output == "true\nuser_cancel user_cancel\nuser_cancel user_cancel\n", "\(result.errors)")
  }

  @Test func aSuccessIsForgottenWithItsProcessByInvalidateAndByOtherFingers() async throws {
    try await withFolder { folder in
      let once = #"{"rules": [{"outcomes": ["pass", "cancel"]}]}"#
      let reuse = "console.log(await ask({ reuseSeconds: 300 }));"
      let (first, cancelling) = (try setup(once), try setup(#"{"rules": [{"outcome": "cancel"}]}"#))
      #expect(await run(reuse + reuse, first, in: folder).output == "stub\nstub\n")
      #expect(await run(reuse, cancelling, in: folder).output == "user_cancel\n")
      let second = try setup(once)
      #expect(
        await run("\(reuse) await auth.invalidate(); \(reuse)", second, in: folder).output
          == "stub\nuser_cancel\n")
      let other =
        #"""
        {"enrolled": ["left"], "rules": [{"outcomes": ["pass", {"outcome": "fail", "enrolled": ["left", \#
        "right"]}, "cancel"]}]}
        """#
      let enrolling = try setup(other)
      #expect(
        await run("\(reuse) await ask(); \(reuse)", enrolling, in: folder).output == "stub\nuser_cancel\n")
    }
  }

  @Test func whatCountsAgainUnlocksNothing() async throws {
    try await withFolder { folder in
      let policy =
        #"{"rules": [{"policy": "passcode", "outcomes": ["pass", "cancel"]}, {"outcome": "pass"}]}"#
      let result = await run(
        """
        console.log(await ask({ policy: "passcode" }), await ask());
        console.log(await ask({ reuseSeconds: 300 }));
        await nbridge.other.fails();
        console.log(await ask({ reuseSeconds: 300 }), await ask({ policy: "passcode", reuseSeconds: 300 }),
          await ask());
        """, try setup(policy), in: folder
      ) { $0.plugins.append(OtherAppPlugin(folder: folder)) }
      #expect(
        result.output == "stub stub\nstub\nbiometry_lockout user_cancel biometry_lockout\n",
        "\(result.output)\(result.errors)")
    }
  }
}
