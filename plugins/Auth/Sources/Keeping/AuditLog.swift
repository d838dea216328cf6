// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// The audit log as a whole, for people who look into it.
package struct AuditLog {
  package let path: String
  package var problems: [AuditCheck.Problem]
  package var count = 0
  /// What stands up to the line that was given, and is not told.
  package var known = (lines: 0, problems: 0)
  /// Whether what comes behind the last line can be checked from there.
  package var endIsSound = false
  /// Kept somewhere else, it tells later whether the log was written anew from the start.
  package var lastHash = AuditLine.start

  private static let piece = 1 << 20

  /// Reads it from the start, piece by piece; `body` gets each line.
  ///
  /// - Parameter anchor: the hash of a line, kept from an earlier look: problems before it are not told.
  /// - Throws: `io_error`.
  package static func read(_ data: String, after anchor: String? = nil, _ body: (AuditLine) -> Void) throws
    -> AuditLog
  {
    let path = AuthStore.logPath(data)
    var check = AuditCheck(after: anchor)
    guard access(AuthStore.folder(data), F_OK) == 0 else {
      check.finish()
      return AuditLog(path: path, problems: check.problems)
    }
    // Whoever only looks makes nothing: the next evaluation has to find that something is missing.
    let missing = AuthFiles.names.filter { access(AuthStore.folder(data) + "/" + $0, F_OK) != 0 }
    guard missing.isEmpty else {
      let problems = missing.map {
        AuditCheck.Problem(line: nil, text: "has lost '\($0)': it was taken away")
      }
      return AuditLog(path: path, problems: problems)
    }
    let files = try AuthFiles(data)
    // Both as they were at one moment.
    let (bytes, size) = try files.locked { (try files.readLockout(), files.logSize) }
    var (rest, at): ([UInt8], Int) = ([], 0)
    while at < size {
      let more = try files.readLog(from: at, to: min(size, at + piece))
      guard !more.isEmpty else { break }
      at += more.count
      rest += more
      let end = rest.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      check.take(all: Array(rest[..<end]), body)
      rest.removeFirst(end)
      // What never ends is no line, and there may be terabytes of it.
      if rest.count > AuditLine.longest { break }
    }
    check.take(all: rest, body)
    check.finish()
    if let state = LockoutState(bytes) {
      check.compare(state, size: size)
    } else if size > 0 || !bytes.isEmpty {
      check.add("can't be compared with '\(AuthFiles.lockoutName)', which was changed")
    }
    return AuditLog(
      path: path, problems: check.problems, count: check.count, known: check.known,
      endIsSound: check.endIsSound,
      lastHash: check.last?.hash ?? AuditLine.start)
  }
}

extension AuditLine {
  /// As it is kept, with its end.
  package var json: String {
    ((try? Value(encoding: self).text).map { String(decoding: $0, as: UTF8.self) } ?? "") + "\n"
  }

  /// For people, without an end; what stands in the file may be anything.
  package var shown: String {
    var text = "\(time)  \(app)  "
    if event == Self.evaluation {
      text += "\(policy?.rawValue ?? "?")  \(outcome ?? "?")"
      if let factor { text += " by \(factor.rawValue)" }
      if let method { text += " (\(method.rawValue))" }
      if reused == true { text += ", an earlier one once more" }
    } else {
      text += "\(event): \(found ?? "")"
    }
    if failures > 0 { text += "  failures: \(failures)" }
    return text + (locked ? "  locked" : "")
  }
}
