// SPDX-License-Identifier: MIT

/// Thirty-two bytes, as keys, hashes, secrets and challenges have.
struct Octets32: Hashable, Sendable {
  private var words: SIMD4<UInt64>

  /// All zero.
  init() { words = .zero }

  /// Nil for another number of bytes.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    words = bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
  }

  /// As they stand in frames.
  func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { withUnsafeBytes(of: words, body) }

  var bytes: [UInt8] { withBytes { Array($0) } }
}

/// Who somebody is: the half of a pair of keys that all may know.
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
