// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// How the audit log's end, the lockout state and the key fit together. Only looks.
///
/// A record is written in this order: lines behind the log, the lockout state, the key. A process that ends
/// in between leaves one of a few states, which tell the next process what is to be done; no program leaves
/// any other state.
enum AuditTail {
  /// They fit; the lockout state may be one record ahead of the key.
  case sound(LockoutState, AuditKey)
  /// The log is a record ahead.
  case ahead(LockoutState, AuditKey)
  /// Behind the log's end stand bytes that did not become a record: no caller was told of them.
  case torn(LockoutState, AuditKey)
  /// No app has authenticated yet; the key may be there.
  case empty(AuditKey?)
  /// Another program than ours wrote to the files. With the state, if that is to be believed.
  case foreign(String, LockoutState?)

  /// The files as they were at one moment.
  struct Files {
    var lockout: [UInt8]
    var key: [UInt8]
    var size: Int
    /// Reads a part of the log.
    var log: (_ start: Int, _ end: Int) throws -> [UInt8]
  }

  /// - Parameter now: since when outcomes are counted that a killed process wrote, in seconds since the
  ///   machine's start.
  /// - Throws: `io_error`.
  static func look(_ files: Files, now: Int) throws -> AuditTail {
    let isEmpty = files.lockout.isEmpty && files.size == 0
    guard let key = AuditKey(files.key) else {
      if !files.key.isEmpty { return .foreign("the key was changed", nil) }
      if isEmpty { return .empty(nil) }
      return .foreign(LockoutState.isOld(files.lockout) ? takenOver : "the key was taken away", nil)
    }
    if isEmpty {
      return key.generation == 0 ? .empty(key) : .foreign("audit log and lockout state were taken away", nil)
    }
    guard let found = LockoutState(files.lockout) else {
      return .foreign("'\(AuthFiles.lockoutName)' was changed", nil)
    }
    switch found.generation - key.generation {
    case 0: return try sealed(found, key, files, now)
    case 1: return try sealed(found, key.next, files, now)
    case ..<0: return .foreign("'\(AuthFiles.lockoutName)' was set back", nil)
    default: return .foreign("the key was set back", nil)
    }
  }

  /// The report on a log that no key vouched for yet.
  private static let takenOver =
    "audit log and lockout state of an earlier version were taken over, whose key nobody has"

  private static func sealed(_ found: LockoutState, _ key: AuditKey, _ files: Files, _ now: Int) throws
    -> AuditTail
  {
    guard found.isSealed(files.lockout, by: key) else {
      return .foreign("'\(AuthFiles.lockoutName)' was changed", nil)
    }
    guard files.size >= found.size else { return .foreign("the audit log's end was cut off", found) }
    guard try fits(found, files) else {
      return .foreign("the audit log's end and '\(AuthFiles.lockoutName)' don't fit together", found)
    }
    return files.size == found.size ? .sound(found, key) : try behind(found, key, files, now)
  }

  /// Whether the log's last line is the one that the state tells of.
  private static func fits(_ found: LockoutState, _ files: Files) throws -> Bool {
    guard found.seq > 0 else { return true }
    // The last line, and the one before, whose hash is in it.
    let tail = try files.log(max(0, found.size - 2 * AuditLine.longest), found.size)
    let start = tail.dropLast().lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let text = tail[start...].dropLast()
    guard let last = AuditLine(text), last.hash == found.hash, last.seq == found.seq,
      last.locked == found.locked
    else { return false }
    return AuditLine.isSound(text, hash: last.hash, after: AuditLine.lastHash(tail[..<start]))
      // It may have been found that no line stands before this one.
      || last.event == AuditLine.tampering && !AuditLine.endsLog(tail[..<start])
  }

  /// Looks at what stands behind the end: at most one record, vouched for by the next key, or the beginning
  /// of one.
  private static func behind(_ found: LockoutState, _ key: AuditKey, _ files: Files, _ now: Int) throws
    -> AuditTail
  {
    let problem = AuditTail.foreign("something was written behind the audit log", found)
    guard files.size - found.size <= AuditLine.longest * (LockoutState.maxTallies + 1) else {
      return problem
    }
    let rest = try files.log(found.size, files.size)
    var (next, at, isWhole) = (found, rest.startIndex, false)
    while let end = rest[at...].firstIndex(of: 0x0A) {
      let text = rest[at..<end]
      guard !isWhole, let line = AuditLine(text), line.seq == next.seq + 1,
        line.isVouchedFor(text, after: next.hash, by: key.next),
        AuditLine.isSound(text, hash: line.hash, after: next.hash)
      else { return problem }
      next.take(line, at: found.size + at, now: now)
      guard next.locked == line.locked else { return problem }
      (isWhole, at) = (line.event != AuditLine.repetition, end + 1)
    }
    guard isWhole else { return rest.count - at <= AuditLine.longest ? .torn(found, key) : problem }
    guard at == rest.endIndex else { return problem }
    (next.generation, next.size) = (key.generation + 1, files.size)
    return .ahead(next, key.next)
  }
}
