// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// A line of the audit log: one JSON object, whose last member is the hash of the line before it and of the
/// text in front of that member. So no line can be changed, taken out or put in without changing all that
/// follow. The member before the hash is a code for the same text, made with the ``AuditKey`` of that moment.
///
/// ```
/// {"seq":7,"time":"2026-11-22T10:41:22.004Z","app":"com.example.vault","pid":4711,"event":"evaluation",
///  "policy":"biometrics","outcome":"success","factor":"biometrics","method":"stub","failures":0,
///  "locked":false,"key":12,"code":"…","hash":"…"}
/// ```
package struct AuditLine: Codable, Sendable, Equatable {
  static let success = "success"
  /// The outcome of a line for outcomes that are told together, because there were too many: they let nobody
  /// in.
  static let other = "other"
  static let evaluation = "evaluation"
  /// An outcome that happened ``repeated`` times more, as an earlier line tells it.
  static let repetition = "repetition"
  /// Something was found that no program of ours did.
  static let tampering = "tampering"
  /// The text that the first line's hash begins with.
  static let start = String(repeating: "0", count: 64)

  package var seq: Int
  package var time: String
  package var app: String
  package var pid: Int
  package var event: String
  package var policy: AuthPolicy?
  /// `success` or the code.
  package var outcome: String?
  package var factor: AuthFactor?
  package var method: AuthMethod?
  /// Whether an earlier success was used once more.
  package var reused: Bool?
  /// How many times more the outcome happened; of a repetition.
  package var repeated: Int?
  /// What was found; of an event that is no evaluation.
  package var found: String? { didSet { found = found.map { Self.cut($0) } } }
  package var failures: Int
  package var locked: Bool
  /// Which key vouches for it, and its code; nil in a line of an earlier version.
  package var key: Int?
  package var code: String?
  package var hash: String

  /// More than a disk holds; what counts on stays far from overflowing.
  static let maxLines = 1 << 53
  /// In bytes: an app's name is the only part that varies much.
  static let longest = 4096

  /// As much of a text as a line has room for, whatever its characters take: so many bytes, and six times
  /// that when all are escaped.
  private static func cut(_ text: String, to most: Int = 256) -> String {
    guard text.utf8.count > most else { return text }
    var cut = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars {
      count += UTF8.width(scalar)
      guard count <= most else { break }
      cut.append(scalar)
    }
    return String(cut)
  }

  // MARK: - As text

  private static let hashStart = Array(",\"hash\":\"".utf8)
  private static let codeStart = Array(",\"code\":\"".utf8)
  private static let hashEnd = Array("\"}".utf8)
  private static let hashMember = hashStart.count + 64 + hashEnd.count
  /// Half of a code: 128 bits.
  private static let codeDigits = 32
  private static let codeMember = codeStart.count + codeDigits + 1

  /// Texts that fit together into a line that can be read, with all else that is in it. A line that was read
  /// may have longer ones: it had no code, or somebody else wrote it.
  private var withTextsCut: AuditLine {
    var line = self
    (line.app, line.found) = (Self.cut(app), found.map { Self.cut($0) })
    (line.time, line.event) = (Self.cut(time, to: 32), Self.cut(event, to: 32))
    line.outcome = outcome.map { Self.cut($0, to: 32) }
    return line
  }

  /// The line's text behind a line with hash `last`, with its end, and its own hash.
  func text(after last: String, key: AuditKey) throws -> (bytes: [UInt8], hash: String) {
    var line = withTextsCut
    (line.key, line.code, line.hash) = (key.generation, nil, Self.start)
    var bytes = Array(try Value(encoding: line).text.dropLast(Self.hashMember))
    let code = Self.code(bytes, after: last, key)
    bytes += Self.codeStart + Array(code.utf8) + [UInt8(ascii: "\"")]
    let hash = SHA256.hex(Array(last.utf8), bytes)
    bytes += Self.hashStart
    bytes += hash.utf8
    bytes += Self.hashEnd
    bytes.append(0x0A)
    return (bytes, hash)
  }

  private static func code(_ text: [UInt8], after last: String, _ key: AuditKey) -> String {
    String(key.code("line", Array(last.utf8), text).prefix(codeDigits))
  }

  /// Whether the key made the code of a line, given without its end, that stands behind a line with hash
  /// `last`.
  func isVouchedFor(_ bytes: ArraySlice<UInt8>, after last: String, by key: AuditKey) -> Bool {
    guard self.key == key.generation, let code, bytes.count > Self.hashMember + Self.codeMember else {
      return false
    }
    let text = bytes.dropLast(Self.hashMember)
    guard text.suffix(Self.codeMember).starts(with: Self.codeStart) else { return false }
    let right = Self.code(Array(text.dropLast(Self.codeMember)), after: last, key)
    return SHA256.areEqual(Array(right.utf8), Array(code.utf8))
  }

  /// Reads a line without its end; nil for what is none.
  package init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count > Self.hashMember, bytes.count < Self.longest,
      bytes.suffix(Self.hashMember).starts(with: Self.hashStart),
      let line = try? Value(text: Array(bytes)).decode(AuditLine.self),
      1...Self.maxLines ~= line.seq, 0...LockoutState.maxFailures ~= line.failures,
      0...Self.maxLines ~= line.key ?? 0, 0...Self.maxLines ~= line.repeated ?? 0
    else { return nil }
    self = line
  }

  /// Whether a line's text and its hash fit behind a line with hash `last`.
  static func isSound(_ bytes: ArraySlice<UInt8>, hash: String, after last: String) -> Bool {
    SHA256.hex(Array(last.utf8), Array(bytes.dropLast(hashMember))) == hash
  }

  /// The hash that the last of some whole lines ends with, whatever else it is; a log that begins has the
  /// first one.
  static func lastHash(_ lines: ArraySlice<UInt8>) -> String {
    guard lines.count > hashMember else { return start }
    return String(decoding: lines.dropLast(hashEnd.count + 1).suffix(64), as: UTF8.self)
  }

  /// Whether the last of some whole lines is one of a log.
  static func endsLog(_ lines: ArraySlice<UInt8>) -> Bool {
    let start = lines.dropLast().lastIndex(of: 0x0A).map { $0 + 1 } ?? lines.startIndex
    return AuditLine(lines[start...].dropLast()) != nil
  }

  // MARK: - What is equal

  /// The facts that make outcomes equal: which app asked for what, and what came of it.
  struct Kind: Hashable, Sendable {
    var app: String
    var policy: AuthPolicy?
    var outcome: String?
    var factor: AuthFactor?
    var method: AuthMethod?
    var reused: Bool?
  }

  var kind: Kind {
    Kind(app: app, policy: policy, outcome: outcome, factor: factor, method: method, reused: reused)
  }

  /// Whether a script can bring the outcome about as often as it likes: then the next of its kind are
  /// counted. A decision of a person is a line each time.
  var canBeCounted: Bool { event == Self.evaluation && (method != .prompt || reused == true) }

  /// Whether the outcome lets no person in and counts no failure, whatever was counted before.
  var isPlain: Bool {
    outcome != Self.success && outcome != AuthCode.authenticationFailed.rawValue
  }

  /// The same line without the facts that make it one of its own kind.
  var asOther: AuditLine {
    var line = self
    (line.policy, line.factor, line.method, line.reused) = (nil, nil, nil, nil)
    line.outcome = Self.other
    return line
  }

  /// A line that says how often the outcome happened again.
  func repetition(_ times: Int, time: String) -> AuditLine {
    var line = self
    (line.event, line.repeated, line.time, line.pid) = (Self.repetition, times, time, Int(getpid()))
    return line
  }

  /// A line that is not written yet. A path in it may be as long as a line must not be.
  init(time: String, app: String, event: String) {
    (self.time, self.app, self.event) = (time, Self.cut(app), event)
    (seq, failures, locked, pid, hash) = (0, 0, false, Int(getpid()), "")
  }
}
