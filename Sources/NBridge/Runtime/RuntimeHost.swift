// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin
internal import Synchronization

/// What plugins and other threads may ask of a runtime. Sendable: each request travels to the engine's thread.
final class RuntimeHost: AppHost {
  private let loop: EventLoop
  private let output: any ScriptOutput
  let lifecycles = LifecycleReaders()
  /// What scripts may call, for plugins that ask.
  private let permissions: Mutex<PermissionSet>
  private let sealed: SealedPaths

  // Set and read on the engine's thread only.
  private nonisolated(unsafe) weak var runtime: Runtime?

  init(loop: EventLoop, output: any ScriptOutput, permissions: PermissionSet, sealed: SealedPaths) {
    self.permissions = Mutex(permissions)
    self.sealed = sealed
    self.loop = loop
    self.output = output
  }

  func attach(_ runtime: Runtime) { self.runtime = runtime }
  func detach() { lifecycles.finish() }

  func requestExit(_ code: Int32) { request(.exited(code)) }

  /// Ends the program at the loop's next turn, unless it has ended. Callable from any thread.
  func request(_ ending: Ending) {
    loop.post { [self] in
      if runtime?.ending == nil { runtime?.ending = ending }
    }
  }

  /// What takes records; set before the script starts.
  private let receiver = Mutex<(any LogReceiver)?>(nil)

  func setReceiver(_ plugin: any LogReceiver) { receiver.withLock { $0 = plugin } }

  /// Without a logger, what matters is told on stderr.
  func logs(_ level: LogLevel) -> Bool { receiver.withLock { $0 != nil } || level >= .warning }

  func log(_ record: LogRecord) {
    guard let receiver = receiver.withLock(\.self) else {
      return note("\(record.service): \(record.level.rawValue): \(record.message)")
    }
    receiver.receive(record)
  }

  func note(_ line: String) { output.writeError(line + "\n") }

  func allows(_ permission: String) -> Bool {
    permissions.withLock { $0.allows(permission) } && !sealed.holds(permission)
  }

  func setPermissions(_ set: PermissionSet) { permissions.withLock { $0 = set } }

  /// Why scripts may not; nil when they may.
  func denial(of permission: String) -> BridgeError? { permissions.withLock { $0.denial(of: permission) } }

  func lifecycle() -> AsyncStream<LifecycleState> { lifecycles.stream() }
  var phase: LifecycleState { lifecycles.phase }

  /// Changes the state and tells every reader. Answers false when it stood there already.
  @discardableResult
  func enter(_ next: LifecycleState) -> Bool { lifecycles.enter(next) }

  // MARK: - Calls between plugins

  func invoke(_ service: String, _ action: String, _ options: Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      invoke(service, action, options) { continuation.resume(with: $0) }
    }
  }

  /// The same for those who can't await; `done` is called once, on any thread.
  func invoke(
    _ service: String, _ action: String, _ options: Value,
    _ done: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    loop.post { [self] in
      guard let bridge = runtime?.bridge else {
        return done(.failure(BridgeError(.cancelled, "the program has ended")))
      }
      bridge.invoke(service, action, options, done)
    }
  }
}
