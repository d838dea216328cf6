// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// Authentication in one program: takes evaluations in their turn, has them decided, and writes down what
/// came of them.
final class AuthSession: Sendable {
  private struct State {
    /// The evaluations that are under way or wait for their turn.
    var evaluations: [ObjectIdentifier: Evaluation] = [:]
    /// The last success that may count again, by factor.
    var successes: [AuthFactor: Success] = [:]
    var isEnding = false
    var hasToldStub = false
    var hasToldPolicy = false
  }

  private struct Success {
    var result: AuthSuccess
    var sinceStart: Int
    var domain: String?
    /// How often biometrics had been locked at that time.
    var locks: Int
  }

  /// The decision of a stub or a person.
  private struct Decision {
    var code: AuthCode?
    var factor: AuthFactor?
    var method: AuthMethod?
  }

  let setup: AuthSetup
  let store: AuthStore
  private let decider: AuthDecider
  private let app: AppEnvironment
  private let turn: AuthTurn
  private let state = Mutex(State())
  /// Called when what scripts may know of readers has changed.
  private let changed: @Sendable () -> Void

  /// - Throws: `io_error` when the folder for the turn can't be made.
  init(_ setup: AuthSetup, _ app: AppEnvironment, changed: @escaping @Sendable () -> Void) throws {
    (self.setup, self.app, self.changed) = (setup, app, changed)
    decider = AuthDecider(setup.rules)
    store = AuthStore(app.shared, note: { app.note($0) })
    turn = AuthTurn(
      try SharedFolders.make("auth", in: app.shared.runtime)
        + "/\(app.info.id.replacing("/", with: "_")).turn",
      setup.clock)
  }

  /// The folders of what the user's apps share.
  var shared: SharedFolders { app.shared }

  // MARK: - What is known

  /// Whether a policy can be evaluated now.
  func availability(_ policy: AuthPolicy) throws -> Availability {
    let reason = obstacle(policy, try store.current())
    return Availability(
      available: reason == nil, biometryType: setup.rules.biometry, reason: reason?.rawValue)
  }

  func domainState() throws -> String? { domain(try store.current()) }

  var authState: AuthState {
    get throws {
      let counted = try store.current()
      return AuthState(
        biometryType: setup.rules.biometry, enrolled: !decider.enrolled.isEmpty,
        locked: counted.locked || setup.rules.isLocked, passcodeSet: setup.rules.hasPasscode,
        domainState: domain(counted))
    }
  }

  /// A text that changes when the enrolled biometrics do, and tells nothing else of them; nil when none are
  /// enrolled.
  private func domain(_ counted: LockoutState) -> String? {
    let enrolled = decider.enrolled
    guard !enrolled.isEmpty else { return nil }
    let names = enrolled.sorted().map { "\($0.utf8.count):\($0)" }.joined()
    return SHA256.hex(Array("\(counted.salt) \(setup.rules.biometry.rawValue) \(names)".utf8))
  }

  /// Why no person can be asked; nil when one can.
  private func obstacle(_ policy: AuthPolicy, _ counted: LockoutState) -> AuthCode? {
    if setup.rules.rules.isEmpty || setup.rules.isPrompt && !canAsk { return .notInteractive }
    let biometric = biometricObstacle(counted)
    switch policy {
    case .biometrics: return biometric
    case .passcode: return setup.rules.hasPasscode ? nil : .passcodeNotSet
    case .biometricsOrPasscode:
      guard let biometric, !setup.rules.hasPasscode else { return nil }
      return biometric == .biometryLockout ? biometric : .passcodeNotSet
    }
  }

  private func biometricObstacle(_ counted: LockoutState) -> AuthCode? {
    if setup.rules.biometry == .none { return .biometryNotAvailable }
    if decider.enrolled.isEmpty { return .biometryNotEnrolled }
    return counted.locked || setup.rules.isLocked ? .biometryLockout : nil
  }

  private var canAsk: Bool { setup.prompter?.canAsk ?? false }

  // MARK: - Evaluating

  /// Evaluates a policy.
  ///
  /// - Throws: what ``AuthCode`` names; `invalid_parameter`; `io_error` when it can't be written down.
  func evaluate(_ options: EvaluateOptions, _ call: Call, isolation: isolated (any Actor)? = #isolation)
    async throws -> AuthSuccess
  {
    try options.check()
    let evaluation = Evaluation(options.policy)
    try begin(evaluation)
    defer { state.withLock { _ = $0.evaluations.removeValue(forKey: ObjectIdentifier(evaluation)) } }
    guard try await takeTurn(options, evaluation, call) else {
      let isCancelled = evaluation.reason != nil || call.isCancelled
      let code: AuthCode = isCancelled ? why(evaluation, call) : .invalidContext
      return try conclude(evaluation, Decision(code: code))
    }
    defer { turn.leave() }
    checkPolicyFile()
    if evaluation.reason != nil || call.isCancelled {
      return try conclude(evaluation, Decision(code: why(evaluation, call)))
    }
    let counted = try store.current()
    if let again = reusable(options, counted) { return try reuse(again, evaluation) }
    return try conclude(evaluation, await decide(options, counted, evaluation, call))
  }

  /// Takes the turn; false when another evaluation has it and this one does not wait, or was cancelled.
  private func takeTurn(
    _ options: EvaluateOptions, _ evaluation: Evaluation, _ call: Call,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Bool {
    if try turn.takeAtOnce() { return true }
    guard options.whenBusy != .refuse else { return false }
    let watch = watchLifecycle(evaluation)
    defer { watch.cancel() }
    let reason: @Sendable () -> AuthCode = { [self] in cancelReason(call) }
    return try await evaluation.wait(whenTaskIsCancelled: reason) { [turn] in try await turn.take() }.get()
  }

  private func begin(_ evaluation: Evaluation) throws {
    let isEnding = state.withLock { state in
      state.evaluations[ObjectIdentifier(evaluation)] = evaluation
      return state.isEnding
    }
    if isEnding { throw AuthCode.systemCancel.error() }
  }

  /// Cancels all that is under way, or waits.
  func cancelAll(_ reason: AuthCode) {
    let evaluations = state.withLock { state in
      state.successes = [:]
      return Array(state.evaluations.values)
    }
    for evaluation in evaluations { evaluation.cancel(reason) }
  }

  /// The program is over: what its handlers could not write down any more is written down here.
  func end() {
    let evaluations = state.withLock { state in
      state.isEnding = true
      return Array(state.evaluations.values)
    }
    cancelAll(.systemCancel)
    for evaluation in evaluations where evaluation.conclude() {
      _ = try? write(evaluation.policy, Decision(code: .systemCancel), setup.clock.wall)
    }
    store.close()
  }

  /// Why an evaluation is over without a decision.
  private func why(_ evaluation: Evaluation, _ call: Call) -> AuthCode {
    evaluation.reason ?? cancelReason(call)
  }

  /// A call is cancelled by its deadline, because the program ends, or by its script.
  private func cancelReason(_ call: Call) -> AuthCode {
    if let remaining = call.remaining, remaining <= .zero { return .timeout }
    return app.phase == .terminating ? .systemCancel : .appCancel
  }

  // MARK: - Deciding

  private func decide(
    _ options: EvaluateOptions, _ counted: LockoutState, _ evaluation: Evaluation, _ call: Call,
    isolation: isolated (any Actor)? = #isolation
  ) async -> Decision {
    if let obstacle = obstacle(options.policy, counted) { return Decision(code: obstacle) }
    guard let step = decider.next(app: app.info.id, policy: options.policy, reason: options.reason) else {
      return Decision(code: .notInteractive)
    }
    if step.enrolled != nil {
      changed()
      if let obstacle = obstacle(options.policy, counted) { return Decision(code: obstacle) }
    }
    if let decision = await wait(step, options, counted, evaluation, call) { return decision }
    return outcome(step.outcome, step.factor, .stub, options.policy, counted)
  }

  /// Waits as a step wants it; nil when its outcome is to be taken then.
  private func wait(
    _ step: AuthStep, _ options: EvaluateOptions, _ counted: LockoutState, _ evaluation: Evaluation,
    _ call: Call, isolation: isolated (any Actor)? = #isolation
  ) async -> Decision? {
    let delay = step.outcome == .hang ? .max : step.delay
    let limit = step.cancelAfter ?? .max
    guard delay > 0 || limit == 0 || step.outcome == .prompt else { return nil }
    let watch = watchLifecycle(evaluation)
    defer { watch.cancel() }
    let reason: @Sendable () -> AuthCode = { [self] in cancelReason(call) }
    let (clock, question, prompter) = (setup.clock, question(options, counted), setup.prompter)
    let answer = await evaluation.wait(whenTaskIsCancelled: reason) { () -> AuthAnswer? in
      if min(delay, limit) == .max { return try await Self.never() }
      if min(delay, limit) > 0 { try await clock.sleep(milliseconds: min(delay, limit)) }
      if limit < delay || limit == 0 { return AuthAnswer(.cancel) }
      guard step.outcome == .prompt else { return nil }
      guard let prompter, prompter.canAsk else { return AuthAnswer(.notInteractive) }
      return await Self.ask(prompter, question, within: limit, clock)
    }
    // A decision that came too late, or whose caller has gone, counts for nothing.
    let isLate = call.remaining.map { $0 <= .zero } ?? false
    guard evaluation.reason == nil, !call.isCancelled, !isLate, case .success(let answer) = answer else {
      return Decision(code: why(evaluation, call))
    }
    return answer.map { outcome($0.outcome, $0.factor, .prompt, options.policy, counted) }
  }

  /// Asks; the person cancels if nothing is decided after `limit` milliseconds.
  private static func ask(
    _ prompter: any AuthPrompter, _ question: AuthQuestion, within limit: Int, _ clock: any AuthClock
  ) async -> AuthAnswer {
    guard limit < .max else { return await prompter.ask(question) }
    return await withTaskGroup(of: AuthAnswer.self) { group in
      group.addTask { await prompter.ask(question) }
      group.addTask {
        try? await clock.sleep(milliseconds: limit)
        return AuthAnswer(.cancel)
      }
      defer { group.cancelAll() }
      return await group.next() ?? AuthAnswer(.cancel)
    }
  }

  private static func never() async throws -> AuthAnswer? {
    while true { try await Task.sleep(for: .seconds(3600)) }
  }

  /// While a program is stopped, or ends, no person is asked: the evaluation is cancelled.
  private func watchLifecycle(_ evaluation: Evaluation) -> Task<Void, Never> {
    let states = app.lifecycle()
    return Task {
      for await state in states where state != .active { evaluation.cancel(.systemCancel) }
    }
  }

  private func question(_ options: EvaluateOptions, _ counted: LockoutState) -> AuthQuestion {
    var factors: [AuthFactor] = []
    if options.policy.takesBiometrics, biometricObstacle(counted) == nil { factors.append(.biometrics) }
    if options.policy.takesPasscode, setup.rules.hasPasscode { factors.append(.passcode) }
    return AuthQuestion(
      app: app.info.name, id: app.info.id, policy: options.policy, reason: options.reason,
      biometry: setup.rules.biometry, factors: factors, fallbackTitle: options.fallbackTitle,
      cancelTitle: options.cancelTitle)
  }

  /// What an outcome means for a policy.
  private func outcome(
    _ outcome: AuthOutcome, _ factor: AuthFactor?, _ method: AuthMethod, _ policy: AuthPolicy,
    _ counted: LockoutState
  ) -> Decision {
    let usual: AuthFactor =
      policy.takesBiometrics && biometricObstacle(counted) == nil ? .biometrics : .passcode
    var used = factor ?? usual
    if policy == .biometrics { used = .biometrics }
    if policy == .passcode { used = .passcode }
    if outcome == .pass, used == .passcode, !setup.rules.hasPasscode {
      return Decision(code: .passcodeNotSet, method: method)
    }
    let failed = { (code: AuthCode) in Decision(code: code, method: method) }
    // A reader that fails leaves the passcode, where the policy takes one.
    let withoutReader = { (code: AuthCode) -> Decision in
      guard policy.takesPasscode else { return failed(code) }
      return self.setup.rules.hasPasscode
        ? Decision(factor: .passcode, method: method) : failed(.passcodeNotSet)
    }
    switch outcome {
    case .pass: return Decision(factor: used, method: method)
    case .fail: return Decision(code: .authenticationFailed, factor: used, method: method)
    case .cancel: return failed(.userCancel)
    case .fallback: return withoutReader(.userFallback)
    case .lockout: return withoutReader(.biometryLockout)
    case .notEnrolled: return withoutReader(.biometryNotEnrolled)
    case .notAvailable: return withoutReader(.biometryNotAvailable)
    case .passcodeNotSet: return failed(.passcodeNotSet)
    case .systemCancel: return failed(.systemCancel)
    case .appCancel: return failed(.appCancel)
    case .invalidContext: return failed(.invalidContext)
    case .timeout: return failed(.timeout)
    case .notInteractive, .prompt, .hang: return failed(.notInteractive)
    }
  }

  // MARK: - Concluding

  /// Writes down what was decided and answers it.
  private func conclude(_ evaluation: Evaluation, _ decision: Decision) throws -> AuthSuccess {
    guard evaluation.conclude() else { throw AuthCode.systemCancel.error() }
    let now = setup.clock.wall
    let (written, counted) = try write(evaluation.policy, decision, now)
    if let code = AuthCode(rawValue: written.outcome) {
      if code == .authenticationFailed { state.withLock { $0.successes = [:] } }
      throw code.error()
    }
    let result = AuthSuccess(
      method: decision.method ?? .stub, time: Date(timeIntervalSince1970: Double(now) / 1000))
    tellStub(result.method)
    let success = Success(
      result: result, sinceStart: setup.clock.sinceStart, domain: domain(counted), locks: counted.locks)
    state.withLock { $0.successes[decision.factor ?? .passcode] = success }
    return result
  }

  private func write(_ policy: AuthPolicy, _ decision: Decision, _ now: Int, isReused: Bool = false) throws
    -> (AuditEntry, LockoutState)
  {
    let time = AuditTime(
      text: WallTime.text(seconds: now / 1000, milliseconds: now % 1000),
      sinceStart: setup.clock.sinceStart / 1000)
    return try store.record(time) { counted in
      var entry = AuditEntry(
        app: app.info.id, policy: policy, outcome: decision.code?.rawValue ?? AuditLine.success,
        factor: decision.factor, method: decision.method)
      // Another program's failures may have locked them since this one was asked.
      if decision.code == nil, decision.factor == .biometrics, counted.locked {
        (entry.outcome, entry.factor) = (AuthCode.biometryLockout.rawValue, nil)
      }
      entry.isReused = isReused
      entry.isDurable = setup.isDurable && decision.method == .prompt && !isReused
      return entry
    }
  }

  /// The latest success that may count once more.
  private func reusable(_ options: EvaluateOptions, _ counted: LockoutState) -> (AuthFactor, Success)? {
    guard let seconds = options.reuseSeconds, seconds > 0, obstacle(options.policy, counted) == nil else {
      return nil
    }
    let now = setup.clock.sinceStart
    let fitting = state.withLock(\.successes).filter { factor, success in
      let fits = factor == .biometrics ? options.policy.takesBiometrics : options.policy.takesPasscode
      let isFree = factor == .passcode || biometricObstacle(counted) == nil
      return fits && isFree && success.domain == domain(counted) && success.locks == counted.locks
        && Double(now - success.sinceStart) <= seconds * 1000
    }
    return fitting.max { $0.value.sinceStart < $1.value.sinceStart }.map { ($0.key, $0.value) }
  }

  private func reuse(_ again: (AuthFactor, Success), _ evaluation: Evaluation) throws -> AuthSuccess {
    guard evaluation.conclude() else { throw AuthCode.systemCancel.error() }
    let decision = Decision(factor: again.0, method: again.1.result.method)
    let (written, _) = try write(evaluation.policy, decision, setup.clock.wall, isReused: true)
    if let code = AuthCode(rawValue: written.outcome) { throw code.error() }
    return again.1.result
  }

  // MARK: - What is told to people

  /// The person who runs the program must see that a stub let an authentication succeed.
  private func tellStub(_ method: AuthMethod) {
    guard method == .stub,
      state.withLock({ state in
        defer { state.hasToldStub = true }
        return !state.hasToldStub
      })
    else { return }
    app.note("nbridge: auth: \(setup.name) let an authentication succeed; nobody was asked")
  }

  /// The policy that was read counts, whatever becomes of its file; but a change of the file is reported.
  private func checkPolicyFile() {
    guard let file = setup.file, !file.isUnchanged,
      state.withLock({ state in
        defer { state.hasToldPolicy = true }
        return !state.hasToldPolicy
      })
    else { return }
    let found = "the policy '\(file.path)' was changed while a program ran that had read it"
    try? store.report(found, app: app.info.id)
    app.note("nbridge: auth: \(found); what was read still counts")
  }
}
