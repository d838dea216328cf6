// SPDX-License-Identifier: MIT

internal import Synchronization

/// Keys for simulations: what they make looks like signatures and codes, is checked as those are and differs
/// as those do, costs next to nothing and is the same for the same seed. Nothing of it is secret: a peer that
/// knows a public key can sign with it.
final class SimulatedKeys: PeerKeys {
  let publicKey: PublicKey
  private let numbers: Mutex<SeededRandom>

  init(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    publicKey = Self.octets { random.next() }
    numbers = Mutex(random)
  }

  func sign(_ message: [UInt8]) -> [UInt8] { Self.signature(message, publicKey) }

  func isSigned(_ message: [UInt8], by key: PublicKey, _ signature: [UInt8]) -> Bool {
    signature == Self.signature(message, key)
  }

  private static func signature(_ message: [UInt8], _ key: PublicKey) -> [UInt8] {
    let hash = mix(message, from: key.withBytes { mix($0, from: 1) })
    return octets(of: hash).bytes + octets(of: ~hash).bytes
  }

  func hash(_ bytes: UnsafeRawBufferPointer) -> Octets32 { Self.octets(of: Self.mix(bytes, from: 2)) }

  func code(_ key: Secret, _ message: [UInt8]) -> AuthenticationCode {
    let low = Self.mix(message, from: key.withBytes { Self.mix($0, from: 3) })
    return AuthenticationCode(high: ~low &* 0x9E37_79B9_7F4A_7C15, low: low)
  }

  func random() -> Octets32 { numbers.withLock { random in Self.octets { random.next() } } }

  func makeAgreement() -> any PeerAgreement { Agreement(publicKey: random()) }

  private struct Agreement: PeerAgreement {
    let publicKey: PublicKey

    func secret(with other: PublicKey) -> Secret? {
      let own = publicKey.withBytes { SimulatedKeys.mix($0, from: 4) }
      return SimulatedKeys.octets(of: own &+ other.withBytes { SimulatedKeys.mix($0, from: 4) })
    }
  }

  // MARK: - Mixing

  private static func octets(_ next: () -> UInt64) -> Octets32 {
    var bytes: [UInt8] = []
    for _ in 0..<4 { withUnsafeBytes(of: next().littleEndian) { bytes += $0 } }
    return Octets32(bytes) ?? Octets32()
  }

  private static func octets(of seed: UInt64) -> Octets32 {
    var random = SeededRandom(seed: seed)
    return octets { random.next() }
  }

  private static func mix(_ bytes: [UInt8], from seed: UInt64) -> UInt64 {
    bytes.withUnsafeBytes { mix($0, from: seed) }
  }

  /// A word at a time, each by the finalizer of SplitMix64.
  private static func mix(_ bytes: UnsafeRawBufferPointer, from seed: UInt64) -> UInt64 {
    var sum = seed ^ UInt64(bytes.count) &* 0x9E37_79B9_7F4A_7C15, at = 0
    while at + 8 <= bytes.count {
      sum = step(sum ^ bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      at += 8
    }
    var rest: UInt64 = 0
    for byte in bytes[at...] { rest = rest << 8 | UInt64(byte) }
    return step(sum ^ rest)
  }

  private static func step(_ number: UInt64) -> UInt64 {
    var random = SeededRandom(seed: number)
    return random.next()
  }
}
