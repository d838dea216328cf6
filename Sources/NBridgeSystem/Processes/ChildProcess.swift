// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc

/// A program in a process of its own, started without a shell.
///
/// Not Foundation's: that hands down the signals that the calling thread blocks, and this process blocks
/// those that a thread of its own takes.
public struct ChildProcess: Sendable {
  /// Its process id.
  public let id: Int32

  /// Names one that was started.
  public init(id: Int32) { self.id = id }

  /// What stands behind one of the program's descriptors.
  public enum Stream {
    /// Written to, made anew.
    case file(String)
    /// One of this process's.
    case descriptor(Int32)
    /// What is written is dropped.
    case nothing
  }

  /// Why a program could not be started.
  public struct SpawnError: Error {
    /// `ENOENT` for a program that is not there.
    public let code: Int32
    /// The system's words for it.
    public var reason: String { SystemError.reason(of: code) }
  }

  /// Starts a program: a name without a slash is looked for in `PATH`.
  ///
  /// - Parameters:
  ///   - inherits: whether it has this process's other descriptors, too, as far as they are not
  ///     close-on-exec: for this program itself, whose arguments may name them (`/dev/fd/63`).
  ///   - newSession: whether it goes on when this process's terminal goes, and takes no ^C from there.
  ///   - name: what the program is told that it is called.
  public static func start(
    _ program: String, _ arguments: [String], streams: [Int32: Stream] = [:], inherits: Bool = false,
    newSession: Bool = false, as name: String? = nil
  ) throws(SpawnError) -> ChildProcess {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // In their order: one may stand for another.
    for (target, stream) in streams.sorted(by: { $0.key < $1.key }) { add(stream, to: &actions, as: target) }
    if !inherits { nb_close_from(&actions, max(2, streams.keys.max() ?? 0) + 1) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    // What this process ignores is its own affair.
    var usual = sigset_t()
    sigemptyset(&usual)
    for signal in [SIGPIPE, SIGXFSZ] { sigaddset(&usual, signal) }
    posix_spawnattr_setsigdefault(&attributes, &usual)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | (newSession ? spawnSetSession : 0))
    var list: [UnsafeMutablePointer<CChar>?] = ([name ?? program] + arguments).map { strdup($0) } + [nil]
    defer { list.forEach { free($0) } }
    var id = pid_t()
    let failed = posix_spawnp(&id, program, &actions, &attributes, &list, environ)
    guard failed == 0 else { throw SpawnError(code: failed) }
    return ChildProcess(id: id)
  }

  /// Starts a program that doesn't outlive the thread that starts it, however that ends.
  ///
  /// - Parameters:
  ///   - streams: its stdin, stdout and stderr; -1 for this process's own.
  ///   - signal: what it gets then.
  ///   - inherits: whether it has this process's other descriptors, as ``start`` tells.
  public static func startBound(
    _ program: String, _ arguments: [String], streams: [Int32] = [-1, -1, -1], endsBy signal: Int32,
    inherits: Bool = false, newSession: Bool = false, as name: String? = nil
  ) throws(SpawnError) -> ChildProcess {
    precondition(streams.count == 3, "a program has three streams")
    var list: [UnsafeMutablePointer<CChar>?] = ([name ?? program] + arguments).map { strdup($0) } + [nil]
    defer { list.forEach { free($0) } }
    let id = nb_spawn_bound(program, &list, streams, signal, inherits ? 1 : 0, newSession ? 1 : 0)
    guard id > 0 else { throw SpawnError(code: errno) }
    return ChildProcess(id: id)
  }

  /// POSIX_SPAWN_SETSID (spawn.h), which glibc shows to GNU programs only.
  private static let spawnSetSession: Int16 = 0x80

  private static func add(_ stream: Stream, to actions: inout posix_spawn_file_actions_t, as target: Int32) {
    switch stream {
    case .file(let path):
      posix_spawn_file_actions_addopen(&actions, target, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, target)
    case .nothing:
      posix_spawn_file_actions_addopen(&actions, target, "/dev/null", target == 0 ? O_RDONLY : O_WRONLY, 0)
    }
  }

  /// Waits for its end, once, and answers its status: 128 and the signal's number when one ended it.
  @discardableResult
  public func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 { if errno != EINTR { return 1 } }
    return Self.code(status)
  }

  /// Waits for the end of any child of this process, and answers whose it was; nil when there is none.
  public static func waitForAny() -> (id: Int32, status: Int32)? {
    var status: Int32 = 0
    while true {
      let id = waitpid(-1, &status, 0)
      if id > 0 { return (id, code(status)) }
      guard id < 0, errno == EINTR else { return nil }
    }
  }

  /// Sends it a signal.
  public func signal(_ number: Int32) { _ = kill(id, number) }

  private static func code(_ status: Int32) -> Int32 {
    status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }
}
