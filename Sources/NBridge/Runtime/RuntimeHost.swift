// SPDX-License-Identifier: MIT

internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem
internal import Synchronization

/// What plugins and other threads may ask of a runtime. Sendable: each request travels to the engine's
/// thread.
final class RuntimeHost: LibraryHost {
  private let loop: EventLoop
  private let output: any ScriptOutput
  let lifecycles = LifecycleReaders()
  /// What scripts may call, for plugins that ask.
  private let permissions: Mutex<PermissionSet>
  let sealed: SealedPaths
  private let invocations: PluginInvocations
  /// What plugins asked for and got; nil when nobody wants to know.
  private let audit: PermissionAudit?

  // Set and read on the engine's thread only.
  private nonisolated(unsafe) weak var state: ProgramState?

  init(
    loop: EventLoop, output: any ScriptOutput, permissions: PermissionSet, sealed: SealedPaths, audits: Bool
  ) {
    audit = audits ? PermissionAudit() : nil
    self.permissions = Mutex(permissions)
    self.sealed = sealed
    self.loop = loop
    self.output = output
    invocations = PluginInvocations(loop)
  }

  /// From here on requests reach the program, and plugins' calls of each other the session that they are made
  /// in.
  func attach(_ state: ProgramState, invocations session: CallSession) {
    self.state = state
    invocations.open(session)
  }

  /// Answers the calls that plugins wait for of each other, and takes no more.
  func endInvocations() { invocations.close() }

  /// Nothing reaches the runtime any more; plugins that wait for an answer are told that the program is over.
  func detach() {
    invocations.close()
    lifecycles.finish()
  }

  func requestExit(_ code: Int32) { request(.exited(code)) }

  /// Ends the program at the loop's next turn, unless it has ended. Callable from any thread.
  func request(_ ending: Ending) {
    loop.post { [self] in
      state?.end(ending)
    }
  }

  /// Who takes records.
  private enum Records {
    /// Without a logger, what matters is told on stderr.
    case errors
    case logger(any LogReceiver)
    case nobody
  }
  private let records = Mutex(Records.errors)

  /// The logger that takes records; set before the script starts.
  func setReceiver(_ plugin: any LogReceiver) { records.withLock { $0 = .logger(plugin) } }

  /// The plugins have ended: a logger that knows its program would keep that, and be kept by it.
  func dropReceiver() { records.withLock { $0 = .nobody } }

  func logs(_ level: LogLevel) -> Bool {
    switch records.withLock(\.self) {
    case .errors: level >= .warning
    case .logger: true
    case .nobody: false
    }
  }

  func log(_ record: LogRecord) {
    switch records.withLock(\.self) {
    case .errors: note("\(record.service): \(record.level.rawValue): \(record.message)")
    case .logger(let receiver): receiver.receive(record)
    case .nobody: break
    }
  }

  func note(_ line: String) { output.writeError(line + "\n") }

  func write(_ bytes: Bytes, to stream: OutputStream, _ done: @escaping @Sendable (Int32?) -> Void) {
    output.write(Array(bytes), toErrors: stream == .errors, done)
  }

  func allows(_ permission: String) -> Bool {
    guard permissions.withLock({ $0.allows(permission) }) || isChosen(permission), !sealed.holds(permission)
    else { return false }
    audit?.note(permission)
    return true
  }

  func forbidding(_ permission: String) -> String? {
    permissions.withLock { $0.forbidding(permission) }
  }

  /// The permissions that plugins asked for themselves and got, as `documents.import:/home/ada/a.txt`.
  var used: [String] { audit?.permissions ?? [] }

  func setPermissions(_ set: PermissionSet) { permissions.withLock { $0 = set } }

  /// The files that the program is made of.
  private let programFiles = Mutex<[RealPath]>([])

  func noteProgramFiles(_ paths: [String]) { noteProgramFiles(paths.compactMap { RealPath($0) }) }

  func noteProgramFiles(_ paths: [RealPath]) { programFiles.withLock { $0 += paths } }

  func holdsProgramFile(_ path: RealPath) -> Bool {
    programFiles.withLock { files in files.contains { $0.lies(in: path) } }
  }

  /// What people chose in dialogs, or dropped, and where it led then, which is what they saw: what is a link
  /// there later leads nowhere. Words as bytes: a String compares by what it looks like.
  private let chosen = Mutex<[[UInt8]: RealPath]>([:])

  func choose(_ path: String) {
    let place = RealPath(planned: path)
    chosen.withLock { $0[Array(path.utf8)] = place }
  }

  func chosenPlace(_ path: String) -> RealPath? { chosen.withLock { $0[Array(path.utf8)] } }

  /// Whether a permission is for what a person chose, or for what lies in a folder that a person chose. The
  /// path of a permission is one without links.
  private func isChosen(_ permission: String) -> Bool {
    guard let scoped = ScopedPermission(permission),
      ["documents.import", "documents.export"].contains(scoped.name)
    else { return false }
    let path = scoped.path
    return chosen.withLock { chosen in chosen.values.contains { path.lies(in: $0) } }
  }

  func lifecycle() -> AsyncStream<LifecycleState> { lifecycles.stream() }
  var phase: LifecycleState { lifecycles.phase }

  /// Changes the state and tells every reader. Answers false when it stood there already.
  @discardableResult
  func enter(_ next: LifecycleState) -> Bool { lifecycles.enter(next) }

  // MARK: - Calls between plugins

  func invoke(_ request: InvocationRequest) async throws -> Value { try await invocations.call(request) }

  /// The same for callers that can't await. `done` is called once, on any thread. Answers a number for
  /// ``cancelInvocation(_:)``.
  func invoke(
    _ request: InvocationRequest, _ done: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> UInt64 { invocations.begin(request, done) }

  func cancelInvocation(_ number: UInt64) { invocations.cancel(number) }
}

/// The permissions that were asked for. Any thread.
private final class PermissionAudit: Sendable {
  private struct Asked { var permissions: Set<String> = [] }
  private let asked = Mutex(Asked())

  func note(_ permission: String) { asked.withLock { _ = $0.permissions.insert(permission) } }
  var permissions: [String] { asked.withLock { Array($0.permissions) } }
}
