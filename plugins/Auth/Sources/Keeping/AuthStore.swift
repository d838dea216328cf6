// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// What is to be written down of an evaluation.
struct AuditEntry: Sendable {
  var app: String
  var policy: AuthPolicy
  var outcome: String
  var factor: AuthFactor?
  var method: AuthMethod?
  var isReused = false
  /// Whether it must outlive a power cut: what a person decided.
  var isDurable = false
}

/// Failures, lock and audit log, shared by all of a user's programs. Any thread.
///
/// The log's line is written before the lockout state; a process that ends in between leaves a line that the next one
/// takes over. Whatever else does not fit together was done by somebody else: it is told, written down, and locks
/// biometrics until a passcode is given.
package final class AuthStore: Sendable {
  private struct State: Sendable {
    var files: AuthFiles?
    /// The lockout file as it was read last, and what it says.
    var bytes: [UInt8] = []
    var known: LockoutState?
    /// Files that were not there when they were opened, until that was told.
    var missing: [String] = []
  }

  private let data: String
  private let note: @Sendable (String) -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - data: the folder of what the user's apps share.
  ///   - note: tells the person who runs the program.
  package init(data: String, note: @escaping @Sendable (String) -> Void) {
    (self.data, self.note) = (data, note)
  }

  static func folder(_ data: String) -> String { data + "/auth" }
  package static func logPath(_ data: String) -> String { folder(data) + "/" + AuthFiles.logName }

  /// So many failures lock.
  package static let mostFailures = LockoutState.mostFailures

  /// How many failures there were, and whether they lock.
  ///
  /// - Throws: `io_error`.
  package func counted() throws -> (failures: Int, isLocked: Bool) {
    let state = try current()
    return (state.failures, state.locked)
  }

  /// What is counted now. That a name leads to another file is seen with the next ``record(time:_:)``.
  ///
  /// - Throws: `io_error`.
  func current() throws -> LockoutState {
    let known = try state.withLock { state -> LockoutState? in
      // Nobody wrote since the last look.
      guard let files = state.files, try files.readLockout() == state.bytes else { return nil }
      return state.known
    }
    return try known ?? withFiles { files, state in try files.locked { try look(files, &state) } }
  }

  /// Writes down what came of an evaluation and counts it. `decide` gets what is counted until then. Answers what was
  /// written, and what is counted now.
  ///
  /// - Throws: `io_error`, and nothing is counted then.
  func record(time: String, _ decide: (LockoutState) -> AuditEntry) throws -> (AuditEntry, LockoutState) {
    try withFiles { files, state in
      try files.locked {
        var next = try look(files, &state)
        let entry = decide(next)
        // What counts once more was counted when it was asked.
        if !entry.isReused { next.count(entry.outcome, entry.factor) }
        var line = AuditLine(seq: next.seq + 1, time: time, app: entry.app, event: AuditLine.evaluation)
        (line.policy, line.outcome, line.factor, line.method) =
          (entry.policy, entry.outcome, entry.factor, entry.method)
        line.reused = entry.isReused ? true : nil
        return (entry, try write(line, next, files, &state, isDurable: entry.isDurable))
      }
    }
  }

  /// Writes down that something was found; counts nothing.
  ///
  /// - Throws: `io_error`.
  func report(_ found: String, app: String) throws {
    try withFiles { files, state in
      try files.locked {
        let counted = try look(files, &state)
        var line = AuditLine(
          seq: counted.seq + 1, time: WallTime.now(), app: app, event: AuditLine.tampering)
        line.found = found
        try write(line, counted, files, &state, isDurable: true)
      }
    }
  }

  /// Lets go of the files, which are on the disk then.
  func close() { state.withLock { $0 = State() } }

  // MARK: - Under the lock

  private func withFiles<R: Sendable>(_ body: (AuthFiles, inout State) throws -> R) throws -> R {
    try state.withLock { state in
      if let files = state.files, !files.areCurrent {
        // What was known of the old files is what the new ones have to say.
        state.files = nil
      }
      if state.files == nil {
        let files = try AuthFiles(data)
        (state.files, state.missing) = (files, files.missing)
      }
      guard let files = state.files else { throw BridgeError(.ioError, "the audit log is closed") }
      return try body(files, &state)
    }
  }

  @discardableResult
  private func write(
    _ line: AuditLine, _ counted: LockoutState, _ files: AuthFiles, _ state: inout State, isDurable: Bool,
    prefix: [UInt8] = []
  ) throws -> LockoutState {
    var (line, next) = (line, counted)
    (line.failures, line.locked) = (next.failures, next.locked)
    // A path in it may be as long as a line must not be.
    (line.app, line.found) = (String(line.app.prefix(256)), line.found.map { String($0.prefix(256)) })
    let (text, hash) = try line.text(after: next.hash)
    let size = files.logSize
    (next.seq, next.size, next.hash) = (line.seq, size + prefix.count + text.count, hash)
    let bytes = try next.bytes()
    try files.write(prefix + text, bytes, isDurable: isDurable)
    (state.bytes, state.known) = (bytes, next)
    return next
  }

  /// What is counted, once it is known that the files fit together.
  private func look(_ files: AuthFiles, _ state: inout State) throws -> LockoutState {
    let bytes = try files.readLockout(), size = files.logSize
    if let known = state.known, bytes == state.bytes, size == known.size { return known }
    var problem = state.missing.first.map { "'\($0)' was taken away" }
    guard let found = LockoutState(bytes) else {
      return try repair(problem ?? "'\(AuthFiles.lockoutName)' was changed", nil, files, &state)
    }
    if let known = state.known, found.seq < known.seq { problem = "'\(AuthFiles.lockoutName)' was set back" }
    if let problem { return try repair(problem, found, files, &state) }
    let (next, trouble) = try follow(found, files, size)
    if let trouble { return try repair(trouble, next, files, &state) }
    (state.bytes, state.known) = (bytes, next)
    return next
  }

  /// Compares the log's end with the state, and takes over the line that a process wrote behind it before it was killed.
  private func follow(_ found: LockoutState, _ files: AuthFiles, _ size: Int) throws -> (
    LockoutState, String?
  ) {
    guard size >= found.size else { return (found, "the audit log's end was cut off") }
    if found.seq > 0 {
      // The last line, and the one before, whose hash is in it.
      let tail = try files.readLog(from: max(0, found.size - 2 * AuditLine.longest), to: found.size)
      let start = tail.dropLast().lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      let text = tail[start...].dropLast()
      guard let last = AuditLine(text), last.hash == found.hash, last.seq == found.seq,
        last.failures == found.failures, last.locked == found.locked,
        AuditLine.isSound(text, hash: last.hash, after: AuditLine.lastHash(tail[..<start]))
          // What was found may be that no line stands before this one.
          || last.event == AuditLine.tampering && !AuditLine.endsLog(tail[..<start])
      else { return (found, "the audit log's end and '\(AuthFiles.lockoutName)' don't fit together") }
    }
    guard size > found.size else { return (found, nil) }
    let problem = "something was written behind the audit log"
    guard size - found.size <= AuditLine.longest else { return (found, problem) }
    let rest = try files.readLog(from: found.size, to: size)
    guard let end = rest.firstIndex(of: 0x0A) else {
      // Half a line: its writer was killed between two pages.
      try files.cutLog(to: found.size)
      return (found, nil)
    }
    guard end == rest.count - 1, let line = AuditLine(rest[..<end]), line.seq == found.seq + 1,
      AuditLine.isSound(rest[..<end], hash: line.hash, after: found.hash)
    else { return (found, problem) }
    var next = found
    next.count(line)
    guard next.failures == line.failures, next.locked == line.locked else { return (found, problem) }
    (next.seq, next.size, next.hash) = (line.seq, size, line.hash)
    return (next, nil)
  }

  /// Says and writes down what was found, and goes on behind it with biometrics locked.
  private func repair(_ found: String, _ counted: LockoutState?, _ files: AuthFiles, _ state: inout State)
    throws
    -> LockoutState
  {
    var next = counted ?? state.known ?? LockoutState(salt: RandomName.make())
    var check = AuditCheck()
    let size = files.logSize
    let text = try files.readLog(from: max(0, size - (1 << 20)), to: size)
    check.take(all: text)
    // The chain goes on from the last line that is there.
    next.hash = check.last?.hash ?? AuditLine.start
    next.lock()
    var line = AuditLine(
      seq: max(next.seq, check.last?.seq ?? 0) + 1, time: WallTime.now(), app: "nbridge",
      event: AuditLine.tampering)
    line.found = found
    files.cut()
    let isWhole = text.isEmpty || text.last == 0x0A
    try write(line, next, files, &state, isDurable: true, prefix: isWhole ? [] : [0x0A])
    state.missing = []
    note(
      "nbridge: auth: \(found), not by nBridge; biometrics are locked until a passcode is given (nbridge auth log --verify tells more)"
    )
    return state.known ?? next
  }
}
