// SPDX-License-Identifier: MIT

package import NBridgePlugin
internal import Synchronization

/// Authentication by a stub with a policy: the person who runs the program decides which readers there are
/// and what comes of asking.
package struct AuthPlugin: Plugin {
  /// `nbridge.auth`.
  package static let manifest = PluginManifest(
    service: "auth", version: "1.0.0",
    help: "Asks whether it is really you: biometrics or a passcode, decided by a policy.")

  private let holder: AuthHolder

  /// Makes the plugin.
  package init(_ setup: AuthSetup) { holder = AuthHolder(setup) }

  package func start(_ app: AppEnvironment) throws {
    guard app.settings == nil else {
      throw BridgeError(
        .invalidParameter,
        "app.json can't set up 'auth': who runs the program decides, with --auth or --auth-policy")
    }
    try holder.start(app)
  }

  package func stop() { holder.stop() }

  /// The plugin's actions.
  package var body: PluginBody {
    Immediate("canEvaluatePolicy", "Whether a policy can be evaluated now, and why not.") {
      (options: PolicyOptions, call) in
      try holder.session().availability(options.policy)
    }
    .positional("policy").permission("ask").errors(.ioError)
    Action("evaluatePolicy", "Asks for authentication; everything but success is an error.") {
      (options: EvaluateOptions, call) in
      try await holder.session().evaluate(options, call)
    }
    .permission("evaluate").vouches(by: "method", mocked: AuthMethod.mock.rawValue)
    .parameter("reason", "What it is for, as the person reads it.")
    .parameter("fallbackTitle", "What the way around biometrics is called.")
    .parameter("cancelTitle", "What cancelling is called.")
    .parameter(
      "reuseSeconds", "How old a success of this process may be to count again; 0 to 300, by default 0."
    )
    .parameter("whenBusy", "What happens while this app has one under way; by default it waits.")
    .errors(AuthCode.errors + [.ioError])
    Immediate("invalidate", "Cancels evaluations that are under way or wait, with app_cancel.") { call in
      try holder.session().cancelAll(.appCancel)
    }
    .permission("evaluate")
    Immediate("domainState", "Changes when other fingers or faces are enrolled; null when none is.") {
      call -> String? in
      try holder.session().domainState()
    }
    .permission("ask").errors(.ioError)
    Watch("states", "Tells of readers, enrolment and the lock: how it is, then each change.") { call in
      try holder.states()
    }
    .permission("ask").errors(.ioError)
  }
}

/// The parts of a program's authentication, made when it is first used.
private final class AuthHolder: Sendable {
  private struct State {
    var app: AppEnvironment?
    var session: AuthSession?
  }
  private let setup: AuthSetup
  private let state = Mutex(State())
  private let readers = AuthStates()

  init(_ setup: AuthSetup) { self.setup = setup }

  /// - Throws: `permission_denied` for a policy that scripts could write.
  func start(_ app: AppEnvironment) throws {
    try setup.file?.check(app)
    state.withLock { $0 = State(app: app) }
  }

  func session() throws -> AuthSession {
    try state.withLock { state in
      if let session = state.session { return session }
      guard let app = state.app else { throw AuthCode.systemCancel.error() }
      let session = try AuthSession(setup, app) { [weak self] in self?.look() }
      state.session = session
      return session
    }
  }

  func states() throws -> AsyncStream<AuthState> { try readers.stream(session()) }

  private func look() {
    guard let session = state.withLock(\.session) else { return }
    readers.look(session)
  }

  func stop() {
    let session = state.withLock { state in
      defer { state = State() }
      return state.session
    }
    readers.stop()
    session?.end()
  }
}
