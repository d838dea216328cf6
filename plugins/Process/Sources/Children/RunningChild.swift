// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// A child: what scripts see of it, on any thread, and what the thread of children does for it.
final class RunningChild: HandleObject {
  static let handle = HandleType("child", "A program that the script started.")

  /// Why it is being ended.
  enum Stop: Sendable {
    case cancelled
    case timeLimit
    case outputLimit
  }

  let plan: ChildPlan
  let input = ChildInput()
  let output: ByteSource
  let errors: ByteSource
  /// It runs, or could not be started.
  let started = Notice()
  /// It has ended, and what is gathered of its outputs is there.
  let finished = Notice()

  private struct Shared {
    var id: Int32?
    var failure: BridgeError?
    var ending: GroupedChild.Ending?
    var stop: Stop?
  }

  private let shared = Mutex(Shared())
  /// Only the thread of children touches it.
  nonisolated(unsafe) var process: ChildProcessState?  // of that thread alone

  /// So much is read ahead of a script that reads.
  private static let ahead = 1 << 18

  /// All of the program's, which end it.
  private weak let children: Children?

  init(_ plan: ChildPlan, of children: Children, wake: @escaping @Sendable () -> Void) {
    self.plan = plan
    self.children = children
    func source(_ name: String, _ use: StartOptions.Output) -> ByteSource {
      ByteSource(
        "the child's \(name)", ahead: use == .collect ? plan.outputLimit + 1 : Self.ahead, wake: wake)
    }
    output = source("stdout", plan.options.output)
    errors = source("stderr", plan.options.errors)
  }

  // MARK: - Scripts

  /// Ends it, if it still runs: nobody is left who wants something of it.
  func close() {
    children?.cancel(self)
    children?.forget(self)
  }

  /// An output of it.
  func source(_ isErrors: Bool?) -> ByteSource { isErrors == true ? errors : output }

  /// Its process id, once it was started.
  func id() throws -> Int32 {
    try shared.withLock { shared in
      if let failure = shared.failure { throw failure }
      guard let id = shared.id else { throw BridgeError(.cancelled, "the child was not started") }
      return id
    }
  }

  /// The same; nil before, and where it could not be started.
  var number: Int32? { shared.withLock(\.id) }

  /// How it ended.
  func result(asText: Bool) throws -> ChildResult {
    let (ending, stop) = try shared.withLock { shared in
      if let failure = shared.failure { throw failure }
      return (shared.ending, shared.stop)
    }
    let name = plan.program.path.text
    switch stop {
    case .timeLimit:
      throw BridgeError(
        .timeout, "'\(name)' ran longer than \(plan.timeLimit ?? 0) ms, its timeLimit; it was ended")
    case .outputLimit:
      throw BridgeError(
        .tooLarge,
        """
        '\(name)' wrote more than \(plan.outputLimit) bytes, its outputLimit, to one of its outputs; it was \
        ended. Give a higher one, or read it piece by piece, with spawn
        """)
    default: break
    }
    guard let ending else { throw BridgeError(.cancelled, "'\(name)' was ended before it was waited for") }
    return ChildResult(
      status: ending.status, signal: ending.signalName,
      output: try gathered(output, plan.options.output, asText), errors: try told(asText))
  }

  private func gathered(
    _ source: ByteSource, _ use: StartOptions.Output, _ asText: Bool
  ) throws -> TakenWhole {
    guard use == .collect else { return TakenWhole() }
    return try source.takeAll(TakeOptions(used: 0, text: asText))
  }

  /// What it says for people: bytes that are no text don't keep the rest from them.
  private func told(_ asText: Bool) throws -> TakenWhole {
    let whole = try gathered(errors, plan.options.errors, false)
    guard asText, let bytes = whole.bytes else { return whole }
    return TakenWhole(text: bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
  }

  // MARK: - The thread of children

  func begin(_ id: Int32) {
    shared.withLock { $0.id = id }
    started.happen()
  }

  func fail(_ error: BridgeError) {
    shared.withLock { $0.failure = error }
    output.end()
    errors.end()
    started.happen()
    finished.happen()
  }

  /// Notes why it is being ended; the first reason counts. False when it is ended already.
  func note(_ stop: Stop) -> Bool {
    shared.withLock { shared in
      guard shared.ending == nil, shared.stop == nil else { return false }
      shared.stop = stop
      return true
    }
  }

  func end(_ ending: GroupedChild.Ending) { shared.withLock { $0.ending = ending } }

  var isStopped: Bool { shared.withLock { $0.stop != nil } }
  var hasEnded: Bool { shared.withLock { $0.ending != nil } }
}

extension GroupedChild.Ending {
  fileprivate var status: Int? { if case .status(let number) = self { Int(number) } else { nil } }

  fileprivate var signalName: String? {
    guard case .signal(let number) = self else { return nil }
    return SignalNumber.name(of: number)
  }
}

/// The names of signals.
enum SignalNumber {
  private static let names: [(String, Int32)] = [
    ("SIGHUP", SIGHUP), ("SIGINT", SIGINT), ("SIGQUIT", SIGQUIT), ("SIGILL", SIGILL), ("SIGTRAP", SIGTRAP),
    ("SIGABRT", SIGABRT), ("SIGBUS", SIGBUS), ("SIGFPE", SIGFPE), ("SIGKILL", SIGKILL), ("SIGUSR1", SIGUSR1),
    ("SIGSEGV", SIGSEGV), ("SIGUSR2", SIGUSR2), ("SIGPIPE", SIGPIPE), ("SIGALRM", SIGALRM),
    ("SIGTERM", SIGTERM), ("SIGCHLD", SIGCHLD), ("SIGCONT", SIGCONT), ("SIGSTOP", SIGSTOP),
    ("SIGTSTP", SIGTSTP), ("SIGTTIN", SIGTTIN), ("SIGTTOU", SIGTTOU), ("SIGURG", SIGURG),
    ("SIGXCPU", SIGXCPU), ("SIGXFSZ", SIGXFSZ), ("SIGVTALRM", SIGVTALRM), ("SIGPROF", SIGPROF),
    ("SIGWINCH", SIGWINCH), ("SIGIO", SIGIO), ("SIGSYS", SIGSYS),
  ]

  static func name(of number: Int32) -> String {
    names.first { $0.1 == number }?.0 ?? "SIG\(number)"
  }

  static func number(of name: String) throws -> Int32 {
    guard let found = names.first(where: { $0.0 == name }) else {
      let hint = NearestName.hint(for: name, among: names.map(\.0))
      throw BridgeError(.invalidParameter, "the signal must be a name as 'SIGTERM', not '\(name)'\(hint)")
    }
    return found.1
  }
}
