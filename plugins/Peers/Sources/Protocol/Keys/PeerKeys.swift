// SPDX-License-Identifier: MIT

/// What a node does with keys. The node knows no cryptography: real sessions have OpenSSL's (`SessionKeys`),
/// simulated ones a stand-in that costs little and repeats with its seed (`SimulatedKeys`).
protocol PeerKeys: Sendable {
  /// The key by which others check what this peer signs, and from which its id is made.
  var publicKey: PublicKey { get }
  /// Sixty-four bytes.
  func sign(_ message: [UInt8]) -> [UInt8]
  func isSigned(_ message: [UInt8], by key: PublicKey, _ signature: [UInt8]) -> Bool
  /// Two messages with one hash can't be found.
  func hash(_ bytes: UnsafeRawBufferPointer) -> Octets32
  /// Only a holder of the key can make the code and check it.
  func code(_ key: Secret, _ message: [UInt8]) -> AuthenticationCode
  /// No other peer can guess it.
  func random() -> Octets32
  func makeAgreement() -> any PeerAgreement
}

/// A pair of keys by which two peers have a secret in common.
protocol PeerAgreement: Sendable {
  var publicKey: PublicKey { get }
  /// The secret that both sides get alike; nil for a key that is none.
  func secret(with other: PublicKey) -> Secret?
}

extension PeerKeys {
  func hash(_ bytes: [UInt8]) -> Octets32 { bytes.withUnsafeBytes { hash($0) } }

  /// The id of the holder of a key: the first 128 bits of the key's hash. An attacker can't find a second key
  /// for an id that is there: that takes 2^128 tries. Two keys of one id are found in 2^64, and an attacker
  /// that makes both of them gains nothing.
  func id(of key: PublicKey) -> PeerID {
    hash(key.bytes).withBytes { hash in
      PeerID(
        high: UInt64(bigEndian: hash.loadUnaligned(as: UInt64.self)),
        low: UInt64(bigEndian: hash.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
  }
}

/// What is signed or hashed begins with what it is for, so that one thing can't be shown for another.
enum Label: String {
  case proof = "nBridge peers 2: proof of a link"
  case membership = "nBridge peers 2: proof of membership"
  case record = "nBridge peers 2: member's record"
  case pair = "nBridge peers 2: key of two members"
  case data = "nBridge peers 2: data"
  case acknowledgement = "nBridge peers 2: acknowledgement"
  case advertisement = "nBridge peers 2: advertisement"
}

/// Writes what is signed or hashed: everything has a fixed size or its length before it, so that no two
/// things read alike.
struct LabelledBytes {
  private(set) var bytes: [UInt8]

  init(_ label: Label, capacity: Int = 256) {
    bytes = []
    bytes.reserveCapacity(capacity)
    bytes += label.rawValue.utf8
    bytes.append(0)
  }

  mutating func put<T: FixedWidthInteger>(_ number: T) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func put(_ id: PeerID) {
    put(id.high)
    put(id.low)
  }

  mutating func put(_ octets: Octets32) { octets.withBytes { bytes.append(contentsOf: $0) } }

  mutating func put(_ blob: some Collection<UInt8>) {
    put(UInt32(blob.count))
    bytes += blob
  }

  mutating func put(_ text: String) { put(text.utf8) }

  /// Behind everything else: its end is the end.
  mutating func end(with rest: some Collection<UInt8>) { bytes += rest }
}
