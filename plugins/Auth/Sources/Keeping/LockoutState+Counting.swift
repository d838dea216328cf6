// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Equal outcomes are counted instead of written: a line the first time, then a number in the lockout state,
/// and after a minute, or before something that matters more, a line that tells the number.
extension LockoutState {
  /// In seconds.
  static let longestCount = 60

  /// The same state, with nothing counted for lines.
  var withoutTallies: LockoutState {
    var state = self
    state.tallies = []
    return state
  }

  /// Whether the counting of repeated outcomes can go on. A machine that was started again counts anew.
  private func isOpen(_ time: AuditTime) -> Bool { since...(since + Self.longestCount) ~= time.sinceStart }

  /// Whether one more kind of outcome can be counted.
  func hasRoom(_ time: AuditTime) -> Bool {
    tallies.isEmpty || isOpen(time) && tallies.count < Self.maxTallies
  }

  /// So many kinds of outcomes that let no person in and count nothing are told apart: the others of one app,
  /// twelve kinds of successes and four of failures, have room beside them.
  private static let maxPlain = 15

  /// A line as it is told: where too many kinds of what matters less came within the minute, without what
  /// makes it one of its own.
  func told(_ line: AuditLine, _ time: AuditTime, _ lines: [Int: AuditLine]) -> AuditLine {
    guard line.canBeCounted, line.isPlain, isOpen(time) else { return line }
    let known = tallies.compactMap { lines[$0.at] }.filter(\.isPlain)
    guard known.count >= Self.maxPlain, !known.contains(where: { $0.kind == line.kind }) else { return line }
    return line.asOther
  }

  /// The state after an outcome that an earlier line told already; nil when it needs a line: it is new, it
  /// locks, it unlocks, or a person decided.
  func counting(_ line: AuditLine, _ time: AuditTime, _ lines: [Int: AuditLine]) -> LockoutState? {
    guard line.canBeCounted, isOpen(time),
      let index = tallies.firstIndex(where: { lines[$0.at]?.kind == line.kind })
    else { return nil }
    var next = self
    if line.reused != true { next.count(line.outcome ?? "", line.factor) }
    guard next.locked == locked else { return nil }
    next.tallies[index].times += 1
    return next
  }

  /// Lines that tell how often it was, which come before `line`; none when it can be counted beside the
  /// others.
  func repetitions(before line: AuditLine, _ time: AuditTime, _ lines: [Int: AuditLine]) -> [AuditLine] {
    var next = self
    if line.reused != true { next.count(line.outcome ?? "", line.factor) }
    if line.canBeCounted, next.locked == locked, hasRoom(time) { return [] }
    return repetitions(lines, time.text)
  }

  /// The outcomes that are counted and told by no line yet, as lines.
  func repetitions(_ lines: [Int: AuditLine], _ time: String) -> [AuditLine] {
    tallies.compactMap { $0.times > 0 ? lines[$0.at]?.repetition($0.times, time: time) : nil }
  }

  /// A line as it comes next, and its text.
  func line(_ line: AuditLine, _ key: AuditKey) throws -> (AuditLine, [UInt8]) {
    var (line, next) = (line, self)
    line.seq = seq + 1
    next.take(line, at: size, now: since)
    (line.failures, line.locked) = (next.failures, next.locked)
    let (bytes, hash) = try line.text(after: self.hash, key: key)
    line.hash = hash
    return (line, bytes)
  }
}
