// SPDX-License-Identifier: MIT

import AuthPlugin
import BothWays
import DocumentsPlugin
import Foundation
import Glibc
import NBridge
import NBridgePlugin
import NBridgeTesting
import Synchronization
import Testing

/// A clock that tests set; what sleeps is over at once, after so long on the clock.
final class TestClock: AuthClock {
  private let times = Mutex((wall: 1_800_000_000_000, sinceStart: 5_000))

  var wall: Int { times.withLock(\.wall) }
  var sinceStart: Int { times.withLock(\.sinceStart) }

  /// Somebody sets the wall clock; the other one can't be set.
  func setWall(by milliseconds: Int) { times.withLock { $0.wall += milliseconds } }
  func pass(milliseconds: Int) {
    times.withLock { ($0.wall, $0.sinceStart) = ($0.wall + milliseconds, $0.sinceStart + milliseconds) }
  }
  func sleep(milliseconds: Int) async throws {
    pass(milliseconds: milliseconds)
    try Task.checkCancellation()
  }
}

/// Somebody who lets in when the test says so, by the reason that is asked for; asked before, he waits.
final class Gate: AuthPrompter {
  private struct State {
    var opened: Set<String> = []
    var cancelled: Set<String> = []
    var waiting: [String: CheckedContinuation<Void, Never>] = [:]
  }
  private let state = Mutex(State())
  let canAsk = true

  func open(_ reason: String) {
    state.withLock { state in
      state.opened.insert(reason)
      return state.waiting.removeValue(forKey: reason)
    }?.resume()
  }

  func ask(_ question: AuthQuestion) async -> AuthAnswer {
    let reason = question.reason
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          if state.opened.contains(reason) || state.cancelled.contains(reason) { return true }
          state.waiting[reason] = continuation
          return false
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      state.withLock { state in
        state.cancelled.insert(reason)
        return state.waiting.removeValue(forKey: reason)
      }?.resume()
    }
    return AuthAnswer(.pass, .biometrics)
  }
}

struct GateOptions: Codable, Sendable {
  var reason: String
}

/// `nbridge.gate.open({ reason })`.
struct GatePlugin: Plugin {
  static let manifest = PluginManifest(service: "gate", version: "1.0.0")
  let gate: Gate
  var body: PluginBody {
    Immediate("open", "Lets in who waits.") { (options: GateOptions, call) in gate.open(options.reason) }
  }
}

/// `nbridge.other.fails()`: another app of the user's, in which five evaluations of biometrics fail.
struct OtherAppPlugin: Plugin {
  static let manifest = PluginManifest(service: "other", version: "1.0.0")
  let folder: String
  var body: PluginBody {
    Action("fails", "Locks biometrics.") { call in
      var harness = ScriptHarness(plugins: [AuthPlugin(AuthSetup(always: .fail))])
      (harness.container, harness.options.app.id) = (folder, "org.other")
      let result = await harness.run(
        "for (let i = 0; i < 5; i++) await nbridge.auth.evaluatePolicy({ policy: 'biometrics', reason: 'x' }).catch(() => {});"
      )
      if result.status != .success { throw BridgeError(.unknownError, result.errors) }
    }
  }
}

@Suite(.bothWays) struct AuthPluginTests {
  static let prelude = """
    const { auth } = nbridge;
    const ask = (option) => auth.evaluatePolicy({ policy: "biometrics", reason: "Open the vault", ...option }).then(({ method }) => method, ({ code }) => code);
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
    try AuditLog.read(folder + "/.shared", body)
  }

  // MARK: - The table

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
      for (let i = 0; i < 4; i++) await auth.evaluatePolicy({ policy: "biometrics", reason: "x" }).catch((e) => console.log(e.code, e.details?.legacyCode));
      """, try setup(#"{"rules": [{"outcomes": ["cancel", "not-enrolled", "not-available", "fail"]}]}"#))
    #expect(
      result.output
        == "user_cancel user_cancel\nbiometry_not_enrolled no_biometrics\nbiometry_not_available no_biometrics\nauthentication_failed undefined\n"
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
      "await show(ask(), ask({ policy: 'passcode' }), ask({ reason: 'Delete all' }), ask({ reason: 'Delete it' }), ask({ reason: 'Delete' }), ask({ reason: 'nothing fits' }));",
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
    ("{ whenBusy: 'push' }", "option.whenBusy must be one of 'wait', 'refuse'"), ("{ auth: 'pass' }", ""),
  ])
  func whatNobodyCanBeAskedIsNamed(_ option: String, _ message: String) async throws {
    let result = await run(
      "await auth.evaluatePolicy({ policy: 'biometrics', reason: 'x', ...\(option) }).catch((e) => console.log(e.code, e.message));",
      AuthSetup(always: .fail))
    // An option that there is not can't choose the outcome.
    let code = message.isEmpty ? "authentication_failed" : "invalid_parameter"
    #expect(
      result.output.hasPrefix(code) && (message.isEmpty || result.output.contains(message)),
      "\(result.output)\(result.errors)")
  }

  // MARK: - Lockout

  @Test func fiveFailuresLockUntilAPasscodeIsGiven() async throws {
    let policy =
      #"{"rules": [{"policy": "passcode", "outcomes": ["fail", "pass"]}, {"outcomes": ["fail", "fail", "fail", "fail", "fail", "pass"]}]}"#
    let result = await run(
      """
      for (let i = 0; i < 6; i++) console.log(await ask());
      console.log((await auth.canEvaluatePolicy("biometrics")).reason);
      console.log(await ask({ policy: "passcode" }), await ask(), await ask({ policy: "passcode" }), await ask());
      """, try setup(policy))
    let failed = String(repeating: "authentication_failed\n", count: 5)
    #expect(
      result.output == failed
        + "biometry_lockout\nbiometry_lockout\nauthentication_failed biometry_lockout stub stub\n",
      "\(result.errors)")
  }

  @Test func aSuccessEndsTheCount() async throws {
    let policy =
      #"{"rules": [{"outcomes": ["fail", "fail", "fail", "fail", "pass", "fail", "fail", "fail", "fail", "pass"]}]}"#
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
      #"{"rules": [{"outcomes": ["pass", {"outcome": "cancel", "delay": 30000}, "cancel", {"outcome": "cancel", "delay": 3600000}]}]}"#
    let result = await run(
      """
      const first = await auth.evaluatePolicy({ policy: "biometrics", reason: "x" });
      const again = await auth.evaluatePolicy({ policy: "biometricsOrPasscode", reason: "x", reuseSeconds: 60 });
      console.log(first.time.getTime() === again.time.getTime());
      await show(ask(), ask({ reuseSeconds: 20 }));
      console.log(await ask({ policy: "passcode", reuseSeconds: 300 }), await ask({ reuseSeconds: 300 }));
      """, try setup(policy, clock: clock))
    // 30 s have passed after the first cancel; a success of a finger is none of a passcode; an hour later it is too old.
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
        #"{"enrolled": ["left"], "rules": [{"outcomes": ["pass", {"outcome": "fail", "enrolled": ["left", "right"]}, "cancel"]}]}"#
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
        console.log(await ask({ reuseSeconds: 300 }), await ask({ policy: "passcode", reuseSeconds: 300 }), await ask());
        """, try setup(policy), in: folder
      ) { $0.plugins.append(OtherAppPlugin(folder: folder)) }
      #expect(
        result.output == "stub stub\nstub\nbiometry_lockout user_cancel biometry_lockout\n",
        "\(result.output)\(result.errors)")
    }
  }

  // MARK: - One at a time, cancelling

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
        const evaluate = (control) => auth.evaluatePolicy({ policy: "biometrics", reason: control ? "hang" : "pass" }, control).then(() => "success", (e) => e.code ?? e.name);
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
      #"{"rules": [{"outcomes": [{"outcome": "hang", "cancelAfter": 20}, {"outcome": "pass", "delay": 10, "cancelAfter": 20}, {"outcome": "pass", "delay": 30, "cancelAfter": 20}]}]}"#
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

  @Test func tenThousandRacesHaveOneSuccessAtMost() async throws {
    try await withFolder { folder in
      let gate = Gate()
      var setup = AuthSetup(always: .prompt, prompter: gate)
      setup.isDurable = false
      let result = await run(
        """
        let worst = 0, successes = 0, settled = 0;
        for (let i = 0; i < 10_000; i++) {
          const controller = new AbortController();
          const evaluate = (option, control) => auth.evaluatePolicy({ policy: "biometrics", reason: `race ${i}`, ...option }, control).then(() => 1, () => 0);
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
      #expect(result.output.hasPrefix("1 20000 "), "\(result.output)\(result.errors)")
      var successes = 0
      let log = try log(folder) { successes += $0.outcome == "success" ? 1 : 0 }
      let told = Int(result.output.split(separator: " ").last?.dropLast() ?? "") ?? -1
      #expect(
        log.problems.isEmpty && told == successes && told >= 2500, "\(told) \(successes) \(log.problems)")
    }
  }

  // MARK: - Enrolment

  @Test func theDomainStateChangesWithEnrolmentOnly() async throws {
    try await withFolder { folder in
      let state = { (list: String) in
        await run(
          "await ask(); console.log(await auth.domainState());",
          try setup(#"{"enrolled": \#(list), "rules": [{"outcome": "fail"}]}"#), in: folder
        ).output
      }
      let (left, both, turned, none) = (
        try await state(#"["left"]"#), try await state(#"["left", "right"]"#),
        try await state(#"["right", "left"]"#), try await state("[]")
      )
      #expect(left.count == 65 && left != both && both == turned && none == "null\n")
      let again = try await state(#"["left"]"#)
      #expect(again == left)
    }
  }

  @Test func statesTellEnrolmentAndLockOfOtherPrograms() async throws {
    try await withFolder { folder in
      let failing = AuthSetup(always: .fail)
      var harness = ScriptHarness(plugins: [AuthPlugin(failing)])
      (harness.container, harness.usesRealTime) = (folder, true)
      let way = ScriptHarness.way
      let other = Task {
        try await ScriptHarness.$way.withValue(way) {
          for _ in 0..<2000 where !FileManager.default.fileExists(atPath: folder + "/Documents/watching") {
            try await Task.sleep(for: .milliseconds(20))
          }
          return await run("for (let i = 0; i < 5; i++) await ask();", failing, in: folder, id: "org.other")
            .status
        }
      }
      harness.plugins.append(DocumentsPlugin())
      let result = await harness.run(
        """
        for await (const { locked, enrolled, biometryType } of nbridge.auth.states()) {
          console.log(locked, enrolled, biometryType);
          if (locked) break;
          await nbridge.documents.write("watching", "");
        }
        """)
      #expect(result.output == "false true fingerprint\ntrue true fingerprint\n", "\(result.errors)")
      let status = try await other.value
      #expect(status == .success)
    }
  }

  // MARK: - Attacks

  @Test func aScriptThatRedefinesEverythingFoolsItselfOnly() async throws {
    try await withFolder { folder in
      let result = await run(
        """
        const real = nbridge.auth.evaluatePolicy;
        Promise.prototype.then = function (yes) { return yes?.({ success: true }); };
        JSON.parse = () => ({ success: true }); JSON.stringify = () => '{"policy":"passcode","reason":"x"}';
        Object.defineProperty(nbridge, "auth", { value: { evaluatePolicy: async () => ({ success: true }) }, configurable: true });
        await real({ policy: "biometrics", reason: "x" });
        """, AuthSetup(always: .fail), in: folder)
      _ = result
      var outcomes: [String] = []
      let log = try log(folder) { outcomes.append("\($0.policy?.rawValue ?? "") \($0.outcome ?? "")") }
      #expect(outcomes.allSatisfy { !$0.contains("success") } && log.problems.isEmpty, "\(outcomes)")
    }
  }

  @Test func scriptsReachNeitherLockNorLogNorPolicy() async throws {
    try await withFolder { folder in
      let place = TemporaryFolder.make()
      defer { TemporaryFolder.remove(place) }
      try Data(#"{"rules": [{"outcome": "fail"}]}"#.utf8).write(
        to: URL(fileURLWithPath: place + "/policy.json"))
      let setup = try AuthSetup(file: place + "/policy.json")
      let result = await run(
        """
        await ask();
        const { documents } = nbridge;
        const code = (call) => call.then(() => "done", (e) => e.code);
        await documents.write("mine", "x");
        for (const path of ["../.shared/auth/lockout", "/.shared/auth/audit.log", "\(folder)/.shared/auth/lockout"]) {
          console.log(await code(documents.write(path, "")), await code(documents.read(path)), await code(documents.remove(path)));
        }
        for (const path of ["\(folder)/.shared/auth/lockout", "\(folder)/.shared/auth/audit.log", "\(folder)/.shared", "\(place)/policy.json", "\(place)"]) {
          console.log(await code(documents.import(path, "taken")), await code(documents.export("mine", path, { overwrite: true })));
        }
        """, setup, in: folder
      ) { harness in
        harness.plugins.append(DocumentsPlugin())
        harness.options.sealedPaths = [setup.sealedFile ?? ""]
        harness.options.permissions = PermissionSet([
          "auth.*", "documents.*", "documents.import:/", "documents.export:/", "documents.import:\(folder)",
          "documents.export:\(folder)", "documents.import:\(place)", "documents.export:\(place)",
        ])
      }
      let lines = result.output.split(separator: "\n")
      #expect(lines.count == 8 && !result.output.contains("done"), "\(result.output)\(result.errors)")
      #expect(lines.suffix(5).allSatisfy { $0 == "permission_denied permission_denied" }, "\(result.output)")
      let log = try log(folder)
      #expect(log.problems.isEmpty)
    }
  }

  @Test func aPolicyThatTheScriptCouldWriteIsRefused() async throws {
    try await withFolder { folder in
      try FileManager.default.createDirectory(
        atPath: folder + "/Documents", withIntermediateDirectories: true)
      let path = folder + "/Documents/policy.json"
      try Data(#"{"rules": [{"outcome": "pass"}]}"#.utf8).write(to: URL(fileURLWithPath: path))
      let result = await run("console.log(await ask());", try AuthSetup(file: path), in: folder)
      #expect(
        result.output != "stub\n" && result.errors.contains("where scripts can write"),
        "\(result.output)\(result.errors)")
    }
  }

  @Test func whatAnAppSaysOfItselfSetsNothingUp() async throws {
    let result = await run("console.log(await ask());", AuthSetup(always: .fail)) {
      $0.options.settings = ["auth": Value(text: Array(#"{"outcome":"pass"}"#.utf8))]
    }
    #expect(
      result.output.isEmpty && result.errors.contains("app.json can't set up 'auth'"),
      "\(result.output)\(result.errors)")
  }

  @Test func aPolicyThatIsChangedMeanwhileIsToldAndDoesNotCount() async throws {
    try await withFolder { folder in
      let place = TemporaryFolder.make()
      defer { TemporaryFolder.remove(place) }
      let path = place + "/policy.json"
      try Data(#"{"rules": [{"outcome": "fail"}]}"#.utf8).write(to: URL(fileURLWithPath: path))
      let setup = try AuthSetup(file: path)
      try Data(#"{"rules": [{"outcome": "pass"}]}"#.utf8).write(to: URL(fileURLWithPath: path))
      let result = await run("console.log(await ask(), await ask());", setup, in: folder)
      #expect(result.output == "authentication_failed authentication_failed\n")
      #expect(
        result.errors.components(separatedBy: "was changed while a program ran").count == 2,
        "\(result.errors)")
      let log = try log(folder)
      #expect(log.problems.map(\.text).contains { $0.contains("was changed while a program ran") })
    }
  }

  @Test(arguments: [
    "change lockout", "remove lockout", "replace lockout", "old lockout", "cut log", "remove log",
    "append log", "change log", "remove both", "empty both", "huge number", "huge log",
  ])
  func whatIsChangedFromOutsideIsReportedAndLocks(_ attack: String) async throws {
    try await withFolder { folder in
      let (lockout, log) = (folder + "/.shared/auth/lockout", folder + "/.shared/auth/audit.log")
      #expect(
        await run("for (let i = 0; i < 3; i++) await ask();", AuthSetup(always: .fail), in: folder).status
          == .success)
      let old = try Data(contentsOf: URL(fileURLWithPath: lockout))
      #expect(
        await run("for (let i = 0; i < 3; i++) await ask();", AuthSetup(always: .fail), in: folder).status
          == .success)
      let text = try String(contentsOfFile: log, encoding: .utf8)
      func write(_ path: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      }
      switch attack {
      case "change lockout":
        try write(
          lockout, try String(contentsOfFile: lockout, encoding: .utf8).replacing("true", with: "false"))
      case "remove lockout": try FileManager.default.removeItem(atPath: lockout)
      case "replace lockout": try write(lockout, "")
      case "old lockout": try old.write(to: URL(fileURLWithPath: lockout))
      case "cut log": try write(log, text.split(separator: "\n").prefix(3).joined(separator: "\n") + "\n")
      case "remove log": try FileManager.default.removeItem(atPath: log)
      case "append log": try write(log, text + (text.split(separator: "\n").last ?? "") + "\n")
      case "huge number":
        let line = String(text.split(separator: "\n").last ?? "").replacing(
          "\"seq\":6", with: "\"seq\":\(Int.max)")
        try write(log, text + line + "\n")
      case "huge log": truncate(log, 1 << 40)
      case "change log":
        try write(log, String(text.dropLast(200)) + String(text.suffix(200)).replacing("true", with: "false"))
      case "remove both": for path in [lockout, log] { try FileManager.default.removeItem(atPath: path) }
      default: for path in [lockout, log] { try write(path, "") }
      }
      let result = await run("console.log(await ask());", AuthSetup(always: .pass), in: folder)
      if attack == "old lockout" {
        // The log behind it is whole: what was written since counts.
        #expect(result.output == "biometry_lockout\n", "\(result.output)\(result.errors)")
        return
      }
      #expect(
        result.output == "biometry_lockout\n"
          && result.errors.contains("not by nBridge; biometrics are locked"),
        "\(result.output)\(result.errors)")
      let found = try self.log(folder)
      #expect(!found.problems.isEmpty)
      // A passcode ends it, and the log goes on.
      let unlocked = await run(
        "console.log(await ask({ policy: 'passcode' }), await ask());", AuthSetup(always: .pass), in: folder)
      #expect(unlocked.output == "stub stub\n", "\(unlocked.errors)")
    }
  }

  @Test func halfALineOfAProcessThatWasKilledIsNoTampering() async throws {
    try await withFolder { folder in
      let log = folder + "/.shared/auth/audit.log"
      #expect(await run("await ask();", AuthSetup(always: .fail), in: folder).status == .success)
      let text = try String(contentsOfFile: log, encoding: .utf8)
      try Data((text + text.prefix(100)).utf8).write(to: URL(fileURLWithPath: log))
      let result = await run("console.log(await ask());", AuthSetup(always: .pass), in: folder)
      let found = try self.log(folder)
      #expect(
        result.output == "stub\n" && found.problems.isEmpty && found.count == 2,
        "\(result.errors) \(found.problems)")
    }
  }

  @Test func whatCanNotBeWrittenDownDoesNotSucceed() async throws {
    try await withFolder { folder in
      #expect(await run("await ask();", AuthSetup(always: .fail), in: folder).status == .success)
      let log = folder + "/.shared/auth/audit.log"
      try FileManager.default.removeItem(atPath: log)
      try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: "/dev/full")
      let result = await run("console.log(await ask());", AuthSetup(always: .pass), in: folder)
      #expect(result.output == "io_error\n", "\(result.output)\(result.errors)")
    }
  }

  @Test func aStubThatLetsSomebodyInSaysSoOnce() async throws {
    let result = await run("await ask(); await ask();", AuthSetup(always: .pass))
    #expect(result.errors == "nbridge: auth: --auth pass let an authentication succeed; nobody was asked\n")
    #expect(await run("await ask();", AuthSetup(always: .fail)).errors.isEmpty)
  }
}

@Suite struct AuthPolicyFileTests {
  @Test(arguments: [
    ("{\n\"rules\": [\n{\"outcome\": \"maybe\"}]}", 3, "rules[0].outcome must be one of 'pass', 'fail'"),
    ("{\n\n\"rule\": []}", 3, "the policy has no key 'rule'; there are biometry, enrolled, passcode, rules"),
    ("[]", 1, "the policy must be an object, not an array"), ("{\n\"rules\": [\n]\n,}", 4, "is not JSON"),
    ("", 1, "is not JSON"),
    ("{\"rules\": [\n{}]}", 2, "rules[0] must say what happens"),
    (
      "{\"rules\": [{\"outcomes\": [\"pass\",\n\n{\"delay\": 5}]}]}", 3, "rules[0].outcomes[1] has no outcome"
    ),
    (
      "{\"rules\": [{\"outcomes\": [\n{\"outcome\": \"pass\", \"delay\": -1}]}]}", 2,
      "rules[0].outcomes[0].delay must be milliseconds"
    ),
    ("{\"rules\": [{\"outcome\": \"pass\",\n\"outcomes\": [\"fail\"]}]}", 2, "both outcome and outcomes"),
    ("{\"passcode\": true,\n\"passcode\": false}", 2, "the key 'passcode' twice"),
    ("{\"biometry\": \"none\", \"enrolled\": [\"left\"]}", 1, "enrolled must be empty"),
    ("{\"biometry\": \"iris\"}", 1, "must be one of 'fingerprint', 'face', 'none', not 'iris'"),
    ("{\"rules\": [{\"outcomes\": []}]}", 1, "1 to 100000 outcomes"),
    ("{\"enrolled\": [\"\\ud800\"]}", 1, ""),
    ("{\"passcode\": \"yes\"}", 1, "passcode must be true or false, not 'yes'"),
  ])
  func aWrongFileIsNamedWithItsLine(_ text: String, _ line: Int, _ message: String) {
    let error = #expect(throws: BridgeError.self) {
      try AuthPolicyFile.parse(Array(text.utf8), path: "dir/policy.json")
    }
    #expect(
      error?.message.hasPrefix("dir/policy.json:\(line): ") == true
        && (message.isEmpty || error?.message.contains(message) == true), "\(error?.message ?? "")")
  }

  @Test func aFileThatIsNotThereIsNamed() {
    let error = #expect(throws: BridgeError.self) { try AuthSetup(file: "/nowhere/policy.json") }
    #expect(error?.message == "there is no policy file '/nowhere/policy.json'")
  }
}
