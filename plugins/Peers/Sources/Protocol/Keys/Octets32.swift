// SPDX-License-Identifier: MIT

/// Thirty-two bytes, as keys, hashes, secrets and challenges have.
struct Octets32: Hashable, Sendable {
  private var first: UInt64 = 0
  private var second: UInt64 = 0
  private var third: UInt64 = 0
  private var fourth: UInt64 = 0

  /// All zero.
  init() {}

  /// Nil for another number of bytes.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    withUnsafeMutableBytes(of: &self) { $0.copyBytes(from: bytes) }
  }

  /// As they stand in frames.
  func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { withUnsafeBytes(of: self, body) }

  var bytes: [UInt8] { withBytes { Array($0) } }
}

/// The public half of a peer's pair of keys, which identifies the peer.
typealias PublicKey = Octets32

/// Made for one link, so that what was proven on another proves nothing on it.
typealias Challenge = Octets32

/// Known to members only.
typealias Secret = Octets32

/// A keyed hash, cut to 128 bits, as RFC 2104 lets one (section 5).
struct AuthenticationCode: Sendable {
  var high: UInt64 = 0
  var low: UInt64 = 0

  /// In a time that tells nothing of where they differ.
  func matches(_ other: AuthenticationCode) -> Bool { (high ^ other.high) | (low ^ other.low) == 0 }
}
