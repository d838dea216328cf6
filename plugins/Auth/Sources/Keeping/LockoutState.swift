// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// What all of a user's programs know of failures, and where the audit log ends: a file of one line, written
/// in place, with a code of the ``AuditKey`` behind it.
///
/// Five failures of biometrics lock them until a passcode is given (Apple's `LAError.biometryLockout`).
/// Nothing of it depends on a clock.
struct LockoutState: Codable, Sendable, Equatable {
  /// How often an outcome that a line of the log tells happened once more.
  struct Tally: Codable, Sendable, Equatable {
    /// Where the line begins.
    var at: Int
    var times: Int
  }

  static let maxFailures = AuthCode.maxFailures
  /// The number of different outcomes that are counted at a time.
  static let maxTallies = 32
  /// The size of the file.
  static let fileSize = 2048
  /// The size of a file of version 1, which no key vouched for.
  private static let oldSize = 512

  var version = 2
  /// The generation of the key that vouches for it.
  var generation = 0
  var failures = 0
  var locked = false
  /// How often biometrics were locked; a success before the last lock can't be used again.
  var locks = 0
  /// The number of the audit log's last line, the log's size, and that line's hash.
  var seq = 0
  var size = 0
  var hash = AuditLine.start
  /// Makes domain states of this user unlike others'.
  var salt: String
  /// Since when it is counted, in seconds since the machine's start.
  var since = 0
  var tallies: [Tally] = []

  /// Counts what happened.
  mutating func count(_ outcome: String, _ factor: AuthFactor?) {
    switch (outcome, factor) {
    case (AuditLine.success, .passcode): (failures, locked) = (0, false)
    case (AuditLine.success, _): failures = 0
    case (AuthCode.authenticationFailed.rawValue, .biometrics):
      failures = min(failures + 1, Self.maxFailures)
      if failures == Self.maxFailures { lock() }
    default: break
    }
  }

  /// Counts what a line of the log says.
  private mutating func count(_ line: AuditLine) {
    switch line.event {
    // Its writer locked, or only told of something.
    case AuditLine.tampering: if line.locked { lock() }
    // A success that is used once more was counted when the person was asked.
    case AuditLine.evaluation where line.reused != true: count(line.outcome ?? "", line.factor)
    default: break
    }
  }

  /// Takes over a line that begins at `offset` of the log. The writer of a line does this, and so does a
  /// process that follows a killed one.
  mutating func take(_ line: AuditLine, at offset: Int, now: Int) {
    let wasLocked = locked
    count(line)
    (seq, hash) = (line.seq, line.hash)
    if line.canBeCounted, locked == wasLocked {
      if tallies.isEmpty { since = now }
      tallies.append(Tally(at: offset, times: 0))
    } else {
      // Behind what matters more everything is told anew.
      tallies = []
    }
  }

  mutating func lock() {
    if !locked { locks += 1 }
    (failures, locked) = (Self.maxFailures, true)
  }

  /// Whether its numbers are such as programs write.
  private var isSensible: Bool {
    let numbers = 0...AuditLine.maxLines
    return version == 2 && numbers ~= generation && numbers ~= seq && numbers ~= size && numbers ~= locks
      && numbers ~= since && 0...Self.maxFailures ~= failures && hash.utf8.count == 64
      && salt.utf8.count == 32
      && tallies.count <= Self.maxTallies
      && tallies.allSatisfy { 0..<max(1, size) ~= $0.at && 0..<AuditLine.maxLines ~= $0.times }
  }

  // MARK: - As a file

  /// The file's bytes, with the key's code.
  func bytes(sealedBy key: AuditKey) throws -> [UInt8] {
    let text = try Value(encoding: self).text
    var bytes = text.dropLast() + Array(",\"code\":\"\(key.code("lockout", Array(text)))\"}".utf8)
    guard bytes.count < Self.fileSize else { throw BridgeError(.ioError, "the lockout state is too large") }
    bytes += [UInt8](repeating: 0x20, count: Self.fileSize - 1 - bytes.count) + [0x0A]
    return Array(bytes)
  }

  /// Whether the bytes that it was read from were made by a program with the key.
  func isSealed(_ bytes: [UInt8], by key: AuditKey) -> Bool {
    generation == key.generation
      && ((try? self.bytes(sealedBy: key)).map { SHA256.areEqual($0, bytes) } ?? false)
  }

  /// Reads a state from bytes; nil for bytes that no program writes. ``isSealed(_:by:)`` tells whether one of
  /// ours wrote them.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.fileSize, let end = bytes.lastIndex(of: UInt8(ascii: "}")) else { return nil }
    guard let state = try? Value(text: Array(bytes[...end])).decode(LockoutState.self), state.isSensible
    else { return nil }
    self = state
  }

  init(salt: String) { self.salt = salt }

  /// Whether the bytes are of an earlier version, which had no key.
  static func isOld(_ bytes: [UInt8]) -> Bool {
    bytes.count == oldSize && bytes.starts(with: Array("{\"version\":1,".utf8))
  }
}
