// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// A line of the audit log: one JSON object, whose last member is the hash of the line before it and of what stands in
/// front of that member. So no line can be changed, taken out or put in without all that follow.
///
/// ```
/// {"seq":7,"time":"2026-11-22T10:41:22.004Z","app":"com.example.vault","pid":4711,"event":"evaluation",
///  "policy":"biometrics","outcome":"success","factor":"biometrics","method":"stub","failures":0,"locked":false,"hash":"…"}
/// ```
package struct AuditLine: Codable, Sendable, Equatable {
  static let success = "success"
  static let evaluation = "evaluation"
  /// Something was found that no program of ours did.
  static let tampering = "tampering"
  /// What the first line's hash begins with.
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
  /// Whether an earlier success counted once more.
  package var reused: Bool?
  /// What was found, of an event that is no evaluation.
  package var found: String?
  package var failures: Int
  package var locked: Bool
  package var hash: String

  /// More than a disk holds; what counts on stays far from overflowing.
  static let mostLines = 1 << 53
  /// In bytes: an app's name is the only part that varies much.
  static let longest = 4096

  // MARK: - As text

  private static let hashStart = Array(",\"hash\":\"".utf8)
  private static let hashEnd = Array("\"}".utf8)
  private static let hashMember = hashStart.count + 64 + hashEnd.count

  /// The line's text behind a line with hash `last`, with its end, and its own hash.
  func text(after last: String) throws -> (bytes: [UInt8], hash: String) {
    var line = self
    line.hash = Self.start
    let whole = try Value(encoding: line).text
    var bytes = Array(whole.dropLast(Self.hashMember))
    let hash = SHA256.hex(Array(last.utf8), bytes)
    bytes += Self.hashStart
    bytes += hash.utf8
    bytes += Self.hashEnd
    bytes.append(0x0A)
    return (bytes, hash)
  }

  /// Reads a line without its end; nil for what is none.
  package init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count > Self.hashMember, bytes.count < Self.longest,
      bytes.suffix(Self.hashMember).starts(with: Self.hashStart),
      let line = try? Value(text: Array(bytes)).decode(AuditLine.self),
      1...Self.mostLines ~= line.seq, 0...LockoutState.mostFailures ~= line.failures
    else { return nil }
    self = line
  }

  /// Whether a line's text and its hash fit behind a line with hash `last`.
  static func isSound(_ bytes: ArraySlice<UInt8>, hash: String, after last: String) -> Bool {
    SHA256.hex(Array(last.utf8), Array(bytes.dropLast(hashMember))) == hash
  }

  /// The hash that the last of some whole lines ends with, whatever else it is; a log that begins has the first one.
  static func lastHash(_ lines: ArraySlice<UInt8>) -> String {
    guard lines.count > hashMember else { return start }
    return String(decoding: lines.dropLast(hashEnd.count + 1).suffix(64), as: UTF8.self)
  }

  /// Whether the last of some whole lines is one of a log.
  static func endsLog(_ lines: ArraySlice<UInt8>) -> Bool {
    let start = lines.dropLast().lastIndex(of: 0x0A).map { $0 + 1 } ?? lines.startIndex
    return AuditLine(lines[start...].dropLast()) != nil
  }

  init(
    seq: Int, time: String, app: String, event: String, failures: Int = 0, locked: Bool = false
  ) {
    (self.seq, self.time, self.app, self.event) = (seq, time, app, event)
    (self.failures, self.locked, pid, hash) = (failures, locked, Int(getpid()), "")
  }
}
