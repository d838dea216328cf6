// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// What all of a user's programs know of failures, and where the audit log ends: a file of one line, written in place.
///
/// Five failures of biometrics lock them until a passcode is given (Apple's `LAError.biometryLockout`). Nothing of it
/// depends on a clock.
struct LockoutState: Codable, Sendable, Equatable {
  static let mostFailures = 5
  /// The size of the file.
  static let fileSize = 512

  var version = 1
  var failures = 0
  var locked = false
  /// How often they were locked; what succeeded before the last time does not count again.
  var locks = 0
  /// The number of the audit log's last line, the log's size, and that line's hash.
  var seq = 0
  var size = 0
  var hash = AuditLine.start
  /// Makes domain states of this user unlike others'.
  var salt: String

  /// Counts what happened.
  mutating func count(_ outcome: String, _ factor: AuthFactor?) {
    switch (outcome, factor) {
    case (AuditLine.success, .passcode): (failures, locked) = (0, false)
    case (AuditLine.success, _): failures = 0
    case (AuthCode.authenticationFailed.rawValue, .biometrics):
      failures = min(failures + 1, Self.mostFailures)
      if failures == Self.mostFailures { lock() }
    default: break
    }
  }

  /// Counts what a line of the log says.
  mutating func count(_ line: AuditLine) {
    switch line.event {
    // Its writer locked, or only told of something.
    case AuditLine.tampering: if line.locked { lock() }
    case AuditLine.evaluation where line.reused != true: count(line.outcome ?? "", line.factor)
    default: break
    }
  }

  mutating func lock() {
    if !locked { locks += 1 }
    (failures, locked) = (Self.mostFailures, true)
  }

  /// Whether its numbers are such as programs write.
  private var isSensible: Bool {
    let numbers = 0...AuditLine.mostLines
    return version == 1 && numbers ~= seq && numbers ~= size && numbers ~= locks
      && 0...Self.mostFailures ~= failures && hash.utf8.count == 64 && salt.utf8.count == 32
  }

  /// The file's bytes.
  func bytes() throws -> [UInt8] {
    let text = try Value(encoding: self).text
    var bytes = text.dropLast() + Array(",\"check\":\"\(Self.check(text))\"}".utf8)
    guard bytes.count < Self.fileSize else { throw BridgeError(.ioError, "the lockout state is too large") }
    bytes += [UInt8](repeating: 0x20, count: Self.fileSize - 1 - bytes.count) + [0x0A]
    return Array(bytes)
  }

  /// Reads them; nil when they are not what ``bytes()`` makes.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.fileSize, let end = bytes.lastIndex(of: UInt8(ascii: "}")) else { return nil }
    let text = Value(text: Array(bytes[...end]))
    guard let state = try? text.decode(LockoutState.self), state.isSensible,
      let made = try? state.bytes(), made == bytes
    else { return nil }
    self = state
  }

  init(salt: String) { self.salt = salt }

  private static func check(_ text: [UInt8]) -> String { String(SHA256.hex(text).prefix(16)) }
}
