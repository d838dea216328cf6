// SPDX-License-Identifier: MIT

internal import NBridgeCrypto
internal import Synchronization

/// A session's keys, by OpenSSL: made with it, wiped with it, stored nowhere.
struct SessionKeys: PeerKeys {
  private let crypto: Crypto
  private let signing: SigningKey
  private let numbers: KeyNumbers
  private let verified: VerifiedSignatures
  let publicKey: PublicKey

  /// - Parameter numbers: the kernel's randomness, or numbers that repeat, for a simulation.
  /// - Throws: `unavailable` where OpenSSL 3 is not installed.
  init(_ numbers: KeyNumbers, _ verified: VerifiedSignatures) throws {
    crypto = try Crypto()
    signing = try SigningKey(crypto, secret: numbers.bytes())
    (self.numbers, self.verified) = (numbers, verified)
    publicKey = Octets32(signing.publicKey) ?? Octets32()
  }

  func sign(_ message: [UInt8]) -> [UInt8] { signing.sign(message) }

  func isSigned(_ message: [UInt8], by key: PublicKey, _ signature: [UInt8]) -> Bool {
    let mark = hash(key.bytes + signature + message)
    if verified.contains(mark) { return true }
    guard crypto.isSigned(message, by: key.bytes, signature) else { return false }
    verified.add(mark)
    return true
  }

  func hash(_ bytes: UnsafeRawBufferPointer) -> Octets32 { Octets32(crypto.sha256(bytes)) ?? Octets32() }

  func code(_ key: Secret, _ message: [UInt8]) -> AuthenticationCode {
    let whole = key.withBytes { key in message.withUnsafeBytes { crypto.hmac(key: key, $0) } }
    return whole.withUnsafeBytes { bytes in
      AuthenticationCode(
        high: bytes.loadUnaligned(as: UInt64.self),
        low: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
  }

  func random() -> Octets32 { numbers.next() }

  func makeAgreement() -> any PeerAgreement { Agreement(try? AgreementKey(crypto, secret: numbers.bytes())) }

  /// Where OpenSSL makes no key, which takes a want of memory, no peer has a secret in common with this one.
  private struct Agreement: PeerAgreement {
    private let key: AgreementKey?
    let publicKey: PublicKey

    init(_ key: AgreementKey?) {
      self.key = key
      publicKey = key.flatMap { Octets32($0.publicKey) } ?? Octets32()
    }

    func secret(with other: PublicKey) -> Secret? { key?.secret(with: other.bytes).flatMap { Octets32($0) } }
  }
}

/// From where keys, tokens and challenges come.
final class KeyNumbers: Sendable {
  private let seeded: Mutex<SeededRandom?>

  /// - Parameter seed: for a simulation that is to repeat; nil for random numbers of the kernel, which no
  ///   other process can guess.
  init(seed: UInt64?) { seeded = Mutex(seed.map { SeededRandom(seed: $0) }) }

  func next() -> Octets32 { Octets32(bytes()) ?? Octets32() }

  /// 32 bytes; a caller that makes a key of them wipes them.
  func bytes() -> [UInt8] {
    seeded.withLock { seeded -> [UInt8] in
      guard var numbers = seeded else { return Crypto.random(32) }
      defer { seeded = numbers }
      return (0..<4).flatMap { _ in withUnsafeBytes(of: numbers.next().littleEndian) { Array($0) } }
    }
  }
}

/// The signatures that were checked and are good, by their hash: peers of one program hear the same records
/// and announcements, each of which is checked once.
final class VerifiedSignatures: Sendable {
  /// A type of its own: a lock on a set looks for its members' conformances at every start.
  private struct Marks {
    var all: Set<Octets32> = []
  }
  private let marks = Mutex(Marks())
  private static let maximum = 4096

  func contains(_ mark: Octets32) -> Bool { marks.withLock { $0.all.contains(mark) } }

  func add(_ mark: Octets32) {
    marks.withLock { marks in
      if marks.all.count >= Self.maximum { marks.all.removeAll(keepingCapacity: true) }
      marks.all.insert(mark)
    }
  }
}
