// SPDX-License-Identifier: MIT

import AuthPlugin
import BothWays
import Foundation
import NBridge
import NBridgePlugin
import NBridgeTesting
import Testing

/// The meaning of each policy and outcome; the other files of this folder hold the rest of the suite.
@Suite(.bothWays) struct AuthPluginTests {
  static let prelude = """
    const { auth } = nbridge;
    const ask = (option) => auth.evaluatePolicy({ policy: "biometrics", reason: "Open the vault",
      ...option }).then(({ method }) => method, ({ code }) => code);
    const show = async (...calls) => console.log((await Promise.all(calls)).join(" "));

    """

  func setup(_ policy: String, clock: (any AuthClock)? = nil) throws -> AuthSetup {
    var setup = AuthSetup(always: .pass)
    setup.rules = try AuthPolicyFile.parse(Array(policy.utf8), path: "policy.json")
    if let clock { setup.clock = clock }
    return setup
  }

  func run(
    _ script: String, _ setup: AuthSetup, in container: String? = nil, id: String = "com.example.vault",
    change: (inout ScriptHarness) -> Void = { _ in }
  ) async -> ScriptHarness.Result {
    var harness = ScriptHarness(plugins: [AuthPlugin(setup)])
    harness.container = container
    harness.options.app.id = id
    change(&harness)
    return await harness.run(Self.prelude + script)
  }

  func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    return try await body(folder)
  }

  func log(_ folder: String, _ body: (AuditLine) -> Void = { _ in }) throws -> AuditLog {
    try AuditLog.read(SharedFolders(below: folder), body)
  }

  @Test func aSequenceGivesEveryCode() async throws {
    let outcomes = [
      "pass", "fail", "cancel", "fallback", "lockout", "not-enrolled", "not-available", "passcode-not-set",
      "system-cancel", "app-cancel",
      "not-interactive", "invalid-context", "timeout", "pass",
    ]
    let codes = [
      "stub", "authentication_failed", "user_cancel", "user_fallback", "biometry_lockout",
      "biometry_not_enrolled", "biometry_not_available",
      "passcode_not_set", "system_cancel", "app_cancel", "not_interactive", "invalid_context", "timeout",
      "stub",
    ]
    let list = outcomes.map { "\"\($0)\"" }.joined(separator: ",")
    let result = await run(
      "for (let i = 0; i < \(outcomes.count); i++) console.log(await ask());",
      try setup("{\"rules\": [{\"outcomes\": [\(list)]}]}"))
    #expect(result.output == codes.joined(separator: "\n") + "\n", "\(result.errors)")
  }

  @Test(arguments: [
    (AuthOutcome.pass, "stub stub stub"),
    (.fail, "authentication_failed authentication_failed authentication_failed"),
    (.cancel, "user_cancel user_cancel user_cancel"), (.fallback, "user_fallback stub stub"),
    (.lockout, "biometry_lockout stub stub"),
    (.notEnrolled, "biometry_not_enrolled stub stub"), (.notAvailable, "biometry_not_available stub stub"),
    (.passcodeNotSet, "stub stub passcode_not_set"), (.timeout, "timeout timeout timeout"),
    (.prompt, "not_interactive not_interactive not_interactive"),
  ])
  func eachOutcomeMeansItsOwnForEachPolicy(_ outcome: AuthOutcome, _ expected: String) async throws {
    let result = await run(
      "await show(ask(), ask({ policy: 'biometricsOrPasscode' }), ask({ policy: 'passcode' }));",
      AuthSetup(always: outcome))
    #expect(result.output == expected + "\n", "\(result.errors)")
  }

  @Test(arguments: [
    (AuthOutcome.pass, "fingerprint true undefined true undefined true undefined"),
    (.prompt, "fingerprint false not_interactive false not_interactive false not_interactive"),
    (.lockout, "fingerprint false biometry_lockout true undefined true undefined"),
    (.notEnrolled, "fingerprint false biometry_not_enrolled true undefined true undefined"),
    (.notAvailable, "none false biometry_not_available true undefined true undefined"),
    (.passcodeNotSet, "fingerprint true undefined true undefined false passcode_not_set"),
  ])
  func whatCanBeEvaluatedIsToldBefore(_ outcome: AuthOutcome, _ expected: String) async throws {
    let result = await run(
      """
      const told = [];
      for (const policy of ["biometrics", "biometricsOrPasscode", "passcode"]) {
        const { available, biometryType, reason } = await auth.canEvaluatePolicy(policy);
        if (told.length === 0) told.push(biometryType);
        told.push(available, reason);
      }
      console.log(told.map(String).join(" "));
      """, AuthSetup(always: outcome))
    #expect(result.output == expected + "\n", "\(result.errors)")
  }

  @Test func theAncestorsCodesStandBesideTheNewOnes() async throws {
    let result = await run(
      """
      for (let i = 0; i < 4; i++) await auth.evaluatePolicy({ policy: "biometrics",
        reason: "x" }).catch((e) => console.log(e.code, e.details?.legacyCode));
      """, try setup(#"{"rules": [{"outcomes": ["cancel", "not-enrolled", "not-available", "fail"]}]}"#))
    #expect(
      result.output
        == """
        user_cancel user_cancel
        biometry_not_enrolled no_biometrics
        biometry_not_available no_biometrics
        authentication_failed undefined

        """
    )
  }

  @Test func rulesChooseByAppPolicyAndReason() async throws {
    let policy = #"""
      {"rules": [
        {"app": "com.other.*", "outcome": "pass"},
        {"policy": "passcode", "outcome": "fail"},
        {"reason": "Delete*", "outcomes": ["cancel", "timeout"], "repeat": true},
        {"app": "com.example.*", "reason": "*vault", "outcome": "pass"}
      ]}
      """#
    let result = await run(
      """
      await show(ask(), ask({ policy: 'passcode' }), ask({ reason: 'Delete all' }),
        ask({ reason: 'Delete it' }), ask({ reason: 'Delete' }), ask({ reason: 'nothing fits' }));
      """,
      try setup(policy))
    #expect(
      result.output == "stub authentication_failed user_cancel timeout user_cancel not_interactive\n",
      "\(result.errors)")
  }

  @Test(arguments: [
    ("{ policy: 'eyes' }", "option.policy must be one of 'biometrics', 'biometricsOrPasscode', 'passcode'"),
    ("{ reason: ' \\n' }", "option.reason must say"),
    ("{ reason: 'x'.repeat(1001) }", "at most 1000 bytes, not 1001"),
    ("{ reason: undefined }", "option.reason"),
    ("{ reuseSeconds: 301 }", "0 to 300"), ("{ reuseSeconds: -1 }", "0 to 300"),
    ("{ reuseSeconds: NaN }", "0 to 300"), ("{ cancelTitle: 'x'.repeat(101) }", "option.cancelTitle"),
    ("{ whenBusy: 'push' }", "option.whenBusy must be one of 'wait', 'refuse'"),
    ("{ auth: 'pass' }", "option has no 'auth'"),
  ])
  func whatNobodyCanBeAskedIsNamed(_ option: String, _ message: String) async throws {
    let result = await run(
      """
      await auth.evaluatePolicy({ policy: 'biometrics', reason: 'x',
        ...\(option) }).catch((e) => console.log(e.code, e.message));
      """,
      AuthSetup(always: .fail))
    #expect(
      result.output.hasPrefix("invalid_parameter") && result.output.contains(message),
      "\(result.output)\(result.errors)")
  }
}
