// SPDX-License-Identifier: MIT

package import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// What is written down of an evaluation.
struct AuditEntry: Sendable {
  var app: String
  var policy: AuthPolicy
  var outcome: String
  var factor: AuthFactor?
  var method: AuthMethod?
  var isReused = false
  /// Whether the entry must outlive a power cut: a person's decision must.
  var isDurable = false
}

/// When something happened.
struct AuditTime: Sendable {
  /// For people: any administrator may set that clock.
  var text: String
  /// Seconds since the machine's start: no user can set them.
  var sinceStart: Int

  static var now: AuditTime {
    AuditTime(text: WallTime.now(), sinceStart: SystemAuthClock().sinceStart / 1000)
  }
}

/// Failures, lock and audit log, shared by all of a user's programs. Any thread.
///
/// Files that do not fit together in a way that ``AuditTail`` knows were changed by another program: the
/// store tells of it, writes it down, and locks biometrics until a passcode is given.
package final class AuthStore: Sendable {
  struct State: Sendable {
    var files: AuthFiles?
    /// The lockout file as it was read last, what it says, and the key that vouches for it.
    var bytes: [UInt8] = []
    var known: LockoutState?
    var key: AuditKey?
    /// Files that were not there when they were opened, until that was told.
    var missing: [String] = []
    /// Lines that outcomes are counted for, by where they begin.
    var counted: [Int: AuditLine] = [:]
  }

  private let shared: SharedFolders
  let note: @Sendable (String) -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - shared: the folders of what the user's apps share.
  ///   - note: tells the person who runs the program.
  package init(_ shared: SharedFolders, note: @escaping @Sendable (String) -> Void) {
    (self.shared, self.note) = (shared, note)
  }

  static func folder(_ shared: SharedFolders) -> String { shared.data + "/auth" }
  package static func logPath(_ shared: SharedFolders) -> String { folder(shared) + "/" + AuthFiles.logName }
  static func keyPath(_ shared: SharedFolders) -> String { shared.state + "/" + AuthFiles.keyName }

  /// The number of failures that locks.
  package static let maxFailures = LockoutState.maxFailures

  /// How many failures there were, and whether they lock.
  ///
  /// - Throws: `io_error`.
  package func counted() throws -> (failures: Int, isLocked: Bool) {
    let state = try current()
    return (state.failures, state.locked)
  }

  /// What is counted now. That a name leads to another file, or that only the key is another, is seen with
  /// the next ``record(_:_:)``.
  ///
  /// - Throws: `io_error`.
  func current() throws -> LockoutState {
    let known = try state.withLock { state -> LockoutState? in
      // No process wrote since the last look.
      guard let files = state.files, try files.isLockout(state.bytes) else { return nil }
      return state.known
    }
    return try known ?? withFiles { files, state in try files.locked { try look(files, &state) } }
  }

  /// Writes down the result of an evaluation and counts it. `decide` gets what was counted until then.
  /// Answers the entry that was written, and what is counted now.
  ///
  /// - Throws: `io_error`, and nothing is counted then.
  func record(_ time: AuditTime, _ decide: (LockoutState) -> AuditEntry) throws -> (AuditEntry, LockoutState)
  {
    try withFiles { files, state in
      try files.locked {
        let counted = try look(files, &state)
        let entry = decide(counted)
        var line = AuditLine(time: time.text, app: entry.app, event: AuditLine.evaluation)
        (line.policy, line.outcome, line.factor, line.method) =
          (entry.policy, entry.outcome, entry.factor, entry.method)
        line.reused = entry.isReused ? true : nil
        line = counted.told(line, time, state.counted)
        if let next = counted.counting(line, time, state.counted) {
          return (entry, try write([], next, files, &state, time))
        }
        let lines = counted.repetitions(before: line, time, state.counted) + [line]
        let base = lines.count > 1 || !counted.hasRoom(time) ? counted.withoutTallies : counted
        return (entry, try write(lines, base, files, &state, time, isDurable: entry.isDurable))
      }
    }
  }

  /// Writes down that something was found; counts nothing.
  ///
  /// - Throws: `io_error`.
  func report(_ found: String, app: String) throws {
    let time = AuditTime.now
    try withFiles { files, state in
      try files.locked {
        let counted = try look(files, &state)
        var line = AuditLine(time: time.text, app: app, event: AuditLine.tampering)
        line.found = found
        let lines = counted.repetitions(before: line, time, state.counted) + [line]
        _ = try write(lines, counted.withoutTallies, files, &state, time, isDurable: true)
      }
    }
  }

  /// Lets go of the files, which are on the disk then.
  func close() { state.withLock { $0 = State() } }

  private func withFiles<R: Sendable>(_ body: (AuthFiles, inout State) throws -> R) throws -> R {
    try state.withLock { state in
      if let files = state.files, !files.areCurrent {
        // Everything that was known of the old files has to be learnt from the new ones.
        (state.files, state.counted) = (nil, [:])
      }
      if state.files == nil {
        let files = try AuthFiles(shared)
        (state.files, state.missing) = (files, files.missing)
      }
      guard let files = state.files else { throw BridgeError(.ioError, "the audit log is closed") }
      return try body(files, &state)
    }
  }
}
