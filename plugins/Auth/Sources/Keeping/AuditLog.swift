// SPDX-License-Identifier: MIT

internal import Glibc
package import NBridgePlugin
internal import NBridgeSystem

/// The audit log as a whole, for people who look into it.
package struct AuditLog {
  package let path: String
  package var problems: [AuditCheck.Problem]
  package var count = 0
  /// The number of lines up to the given one, and of their problems, which are not told.
  package var known = (lines: 0, problems: 0)
  /// Whether lines that come behind the last one can be checked from there.
  package var endIsSound = false
  /// The hash of the last line. Kept somewhere else, it tells later whether the log was written anew from the
  /// start.
  package var lastHash = AuditLine.start

  /// Outcomes that are counted and told by no line yet.
  package var standing: [AuditLine] = []

  private static let piece = 1 << 20

  /// What an earlier look at the log found, kept somewhere else.
  package struct Kept: Sendable {
    /// The hash of a line: problems before it are not told.
    package var hash: String?
    /// The key as it was then: since then no attacker can have written what it vouched for, only what came
    /// later.
    package var key: AuditKey?

    package init(hash: String? = nil, key: AuditKey? = nil) { (self.hash, self.key) = (hash, key) }
  }

  /// Reads it from the start, piece by piece; `body` gets each line. Makes and changes nothing: the next
  /// evaluation has to find what is missing.
  ///
  /// - Throws: `io_error`.
  package static func read(_ shared: SharedFolders, kept: Kept = Kept(), _ body: (AuditLine) -> Void) throws
    -> AuditLog
  {
    let path = AuthStore.logPath(shared)
    var check = AuditCheck(after: kept.hash, key: kept.key)
    let places =
      AuthFiles.names.map { (name: $0, path: AuthStore.folder(shared) + "/" + $0) }
      + [(name: AuthFiles.keyName, path: AuthStore.keyPath(shared))]
    // What can't be looked at is not missing.
    let missing: [(name: String, path: String)]
    do { missing = try places.filter { try !NamePresence.isTaken($0.path) } } catch let error as SystemError {
      throw BridgeError(error)
    }
    guard missing.count < places.count else {
      check.finish()
      return AuditLog(path: path, problems: check.problems)
    }
    guard missing.isEmpty else {
      let problems = missing.map {
        AuditCheck.Problem(line: nil, text: "has lost '\($0.name)': it was taken away")
      }
      return AuditLog(path: path, problems: problems)
    }
    let files = try AuthFiles(shared)
    // All as they were at one moment.
    let tail: AuditTail
    var size: Int
    (tail, size) = try files.locked { (try AuditTail.look(try files.look(), now: 0), files.logSize) }
    // Behind the state may stand what a killed process did not bring to its end.
    if case .torn(let state, _) = tail { size = state.size }
    try read(files, size, &check, body)
    check.finish()
    check.compare(tail)
    var log = AuditLog(path: path, problems: check.problems, count: check.count, known: check.known)
    (log.endIsSound, log.lastHash) = (check.endIsSound, check.last?.hash ?? AuditLine.start)
    if case .sound(let state, _) = tail, let lines = try AuthStore.lines(of: state, [:], files) {
      log.standing = state.repetitions(lines, WallTime.now())
    }
    return log
  }

  private static func read(
    _ files: AuthFiles, _ size: Int, _ check: inout AuditCheck, _ body: (AuditLine) -> Void
  ) throws {
    var (rest, at): ([UInt8], Int) = ([], 0)
    while at < size {
      let more = try files.readLog(from: at, to: min(size, at + piece))
      guard !more.isEmpty else { break }
      at += more.count
      rest += more
      let end = rest.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      check.take(all: Array(rest[..<end]), body)
      rest.removeFirst(end)
      // Text that never ends is no line, and there may be terabytes of it.
      if rest.count > AuditLine.longest { break }
    }
    check.take(all: rest, body)
  }
}

extension AuditLine {
  /// As it is kept, with its end.
  package var json: String {
    ((try? Value(encoding: self).text).map { String(decoding: $0, as: UTF8.self) } ?? "") + "\n"
  }

  /// The line for people, without an end; the file may hold anything.
  package var shown: String {
    var text = "\(time)  \(app)  "
    if event == Self.evaluation || event == Self.repetition {
      text += "\(policy?.rawValue ?? "?")  \(outcome ?? "?")"
      if let factor { text += " by \(factor.rawValue)" }
      if let method { text += " (\(method.rawValue))" }
      if reused == true { text += ", an earlier one once more" }
      if let repeated { text += ", \(repeated) times more" }
    } else {
      text += "\(event): \(found ?? "")"
    }
    if failures > 0 { text += "  failures: \(failures)" }
    return text + (locked ? "  locked" : "")
  }
}
