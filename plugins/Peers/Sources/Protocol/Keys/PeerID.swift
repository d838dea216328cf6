// SPDX-License-Identifier: MIT

/// The identity of a session to all other peers: 128 bits of its public key's hash (``PeerKeys/id(of:)``),
/// made with the session and never used again.
struct PeerID: Hashable, Sendable, Comparable, CustomStringConvertible {
  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) {
    (self.high, self.low) = (high, low)
  }

  /// Reads 32 hexadecimal digits, as ``description`` writes them; nil for anything else.
  init?(_ text: some StringProtocol) {
    guard text.utf8.count == 32, text.utf8.allSatisfy({ Self.isDigit($0) }),
      let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.dropFirst(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
  }

  var description: String { Self.digits(high) + Self.digits(low) }

  private static func digits(_ number: UInt64) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }

  static func < (left: PeerID, right: PeerID) -> Bool { (left.high, left.low) < (right.high, right.low) }

  /// The bits are a hash already: half of them is enough.
  func hash(into hasher: inout Hasher) { hasher.combine(low) }
}
