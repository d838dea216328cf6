// SPDX-License-Identifier: MIT

internal import Synchronization

/// One call under way: what an action may know and ask.
public struct Call: Sendable {
  /// The program the script belongs to.
  public let app: AppEnvironment
  package let state: CallState?
  /// Which client calls: what a plugin keeps for one is no other's.
  package let session: UInt32

  package init(app: AppEnvironment, session: UInt32 = CallState.firstSession) {
    (self.app, self.session) = (app, session)
    state = nil
  }

  package init(app: AppEnvironment, state: CallState) {
    self.app = app
    self.state = state
    session = state.session
  }

  /// Whether the script, its deadline or its end has cancelled the call. Ask in the handler's own task: in
  /// another one it tells only of calls with a deadline, and of detached ones.
  public var isCancelled: Bool { state?.isCancelled ?? false || Task.isCancelled }

  /// Throws ``BridgeError/Code/cancelled`` once the call is cancelled.
  public func checkCancellation() throws {
    if isCancelled { throw BridgeError(.cancelled, "the call was cancelled") }
  }

  /// Has `body` called when the call is cancelled: by its signal, its deadline, or the program's end; of a
  /// watch also when its reader leaves. Once; at once when it is cancelled already; never when the call has
  /// been answered.
  ///
  /// It is for work that no task sees: a child process to end, a descriptor to shut, a query to interrupt. It
  /// runs on the engine's thread, or on the caller's when it comes too late, and must not block. In an
  /// ``Action`` it hears of calls with a deadline only: use `withTaskCancellationHandler` there.
  public func onCancel(_ body: @escaping @Sendable () -> Void) {
    if let state { return state.onCancel(body) }
    if Task.isCancelled { body() }
  }

  /// Tells the script how far the call is, if it wants to know: what the action declares by `.progress(_:)`.
  ///
  /// It costs nothing when nobody listens, and waits for nothing: while the script is busy with one value,
  /// the next ones give way to the newest. What can't cross is not told. Any thread.
  public func progress(_ value: some Codable & Sendable) {
    guard let listener = state?.progress, let value = try? Value(encoding: value) else { return }
    listener.tell(value)
  }

  /// How long the script still waits; nil when it set no `timeout`.
  public var remaining: Duration? {
    state?.deadline.map { ContinuousClock.now.duration(to: $0) }
  }

  /// The plugin's way into the program's log: `call.logger.info("connected", ["host": host])`.
  public var logger: PluginLogger { app.logger }

  /// Whether this program's scripts may do what a permission stands for, as `"documents.read"`.
  public func allows(_ permission: String) -> Bool { app.host.allows(permission) }

  /// Calls an action of another plugin, with this app's permissions: by the same checks, ledger and traces as
  /// a script's call. It is cancelled with the task that waits for it, and waits no longer than this call's
  /// own script does.
  ///
  /// - Parameters:
  ///   - service: the other plugin's name, as `documents`.
  ///   - action: the action's name.
  ///   - options: what the action takes.
  ///   - timeout: how long to wait at most; nil for as long as this call may.
  ///   - type: what the action answers.
  /// - Throws: ``BridgeError`` of the action, or of the bridge: not permitted, timed out, cancelled, the
  ///   program's end.
  public func invoke<R: Codable & Sendable>(
    _ service: String, _ action: String, _ options: some Codable & Sendable, timeout: Duration? = nil,
    as type: R.Type = R.self
  ) async throws -> R {
    let own = timeout.map { ContinuousClock.now + $0 }
    let deadline = [own, state?.deadline].compactMap { $0 }.min()
    let request = InvocationRequest(
      caller: app.service, service: service, action: action, option: try Value(encoding: options),
      deadline: deadline)
    return try await app.host.invoke(request).decode(type)
  }
}

/// Who hears how far a call is.
package protocol ProgressListener: AnyObject, Sendable {
  func tell(_ value: Value)
}

/// The part of a call that its canceller and its handler share.
package final class CallState: Sendable {
  package let deadline: ContinuousClock.Instant?
  /// The number by which a loaded plugin knows the call; 0 for others.
  package let number: UInt64
  package let session: UInt32
  /// nil when nobody listens.
  let progress: (any ProgressListener)?
  private let cancelled = Atomic<Bool>(false)
  /// What is to be called when it is; nil once that was done.
  private let hooks = Mutex<[@Sendable () -> Void]?>([])

  /// The number of a program's first session.
  package static let firstSession: UInt32 = 1

  package init(
    deadline: ContinuousClock.Instant? = nil, number: UInt64 = 0, session: UInt32 = firstSession,
    progress: (any ProgressListener)? = nil
  ) {
    self.progress = progress
    self.deadline = deadline
    self.number = number
    self.session = session
  }

  package var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  package func cancel() {
    cancelled.store(true, ordering: .releasing)
    let waiting = hooks.withLock { hooks in
      defer { hooks = nil }
      return hooks
    }
    for hook in waiting ?? [] { hook() }
  }

  func onCancel(_ body: @escaping @Sendable () -> Void) {
    let isLate = hooks.withLock { hooks in
      hooks?.append(body)
      return hooks == nil
    }
    if isLate { body() }
  }
}
