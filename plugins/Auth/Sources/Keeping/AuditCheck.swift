// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Looks through an audit log line by line.
package struct AuditCheck: Sendable {
  /// Something that no program of ours did.
  package struct Problem: Sendable, Equatable {
    /// The line's place in the file, from 1; nil for the file as a whole.
    package let line: Int?
    package let text: String
  }

  package private(set) var problems: [Problem] = []
  package private(set) var count = 0
  /// The last line's number, hash and what it counted.
  private(set) var last: AuditLine?
  /// A key that was kept elsewhere: what later ones of it vouched for can't have been written since.
  private var key: AuditKey?
  private var hash = AuditLine.start
  private var place = 0
  /// The hash of a line up to which all is known; nil when it was found, or none was given.
  private var anchor: String?
  /// How many lines there are up to that one, and how many problems those lines have, which are not told.
  package private(set) var known = (lines: 0, problems: 0)
  /// Whether the last line fits behind the one before.
  package private(set) var endIsSound = true

  /// - Parameters:
  ///   - anchor: the hash of a line: only problems behind it are told, or that it is not there.
  ///   - key: as it was once; lines since then are checked by it.
  package init(after anchor: String? = nil, key: AuditKey? = nil) { (self.anchor, self.key) = (anchor, key) }

  /// Takes the next line, without its end; answers it when it is one.
  package mutating func take(_ bytes: ArraySlice<UInt8>) -> AuditLine? {
    place += 1
    guard let line = AuditLine(bytes) else {
      endIsSound = false
      problems.append(Problem(line: place, text: "is no line of the audit log"))
      return nil
    }
    count += 1
    endIsSound = AuditLine.isSound(bytes, hash: line.hash, after: hash)
    if !endIsSound {
      problems.append(
        Problem(line: place, text: "was changed, or what stood before it: its hash does not fit"))
    } else if line.seq != (last?.seq ?? 0) + 1 {
      problems.append(
        Problem(line: place, text: "has the number \(line.seq), expected \((last?.seq ?? 0) + 1)"))
    }
    if let problem = keyProblem(line, bytes) { problems.append(Problem(line: place, text: problem)) }
    if line.event == AuditLine.tampering {
      problems.append(Problem(line: place, text: "a program noticed: \(line.found ?? "tampering")"))
    }
    // The chain of hashes up to it is the one that was there then.
    if line.hash == anchor, endIsSound {
      known = (count, problems.count)
      (anchor, problems) = (nil, [])
    }
    (last, hash) = (line, line.hash)
    return line
  }

  /// The problem with a line's key; nil for none.
  private mutating func keyProblem(_ line: AuditLine, _ bytes: ArraySlice<UInt8>) -> String? {
    if let before = last?.key, line.key ?? 0 < before { return "has an earlier key than the line before it" }
    guard let known = key, let generation = line.key, generation > known.generation else { return nil }
    guard let then = known.later(generation), line.isVouchedFor(bytes, after: hash, by: then) else {
      return "was not written with the key of its time"
    }
    key = then
    return nil
  }

  /// Takes a text of whole lines; what stands behind the last line end is a problem.
  package mutating func take(all bytes: [UInt8], _ body: (AuditLine) -> Void = { _ in }) {
    var rest = bytes[...]
    while let end = rest.firstIndex(of: 0x0A) {
      if let line = take(rest[..<end]) { body(line) }
      rest = rest[(end + 1)...]
    }
    guard !rest.isEmpty else { return }
    endIsSound = false
    problems.append(Problem(line: place + 1, text: "is not whole"))
  }

  /// Compares the end with what lockout state and key say of it.
  mutating func compare(_ tail: AuditTail) {
    switch tail {
    case .foreign(let problem, let state):
      add("and '\(AuthFiles.lockoutName)': \(problem)")
      if let state { compare(state) }
    case .sound(let state, _), .torn(let state, _), .ahead(let state, _): compare(state)
    case .empty: break
    }
  }

  private mutating func compare(_ state: LockoutState) {
    if state.seq > 0, last == nil {
      add("is empty, \(state.seq) lines were written")
    } else if let last, state.seq == last.seq, state.hash != last.hash {
      add("ends with another line than was written")
    } else if let last, last.seq < state.seq {
      add("ends with line number \(last.seq), \(state.seq) were written")
    }
  }

  /// All lines were taken.
  mutating func finish() {
    if let anchor { add("has no line with the hash \(anchor): it was written anew, or cut off before it") }
  }

  mutating func add(_ text: String) {
    endIsSound = false
    problems.append(Problem(line: nil, text: text))
  }
}
