// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeCrypto
internal import Synchronization

/// An operation of the native half: what it takes of a call, behind the function that is called at its end.
struct SubtleOperation: Sendable {
  /// nil where the call gives something else than is taken: a fault of our own script's.
  let prepare: @Sendable (borrowing JSCallFrame) -> SubtleJob?
  /// The argument whose length decides whether a thread is worth it; nil where it always is.
  private let small: Int?

  /// Less takes no longer than to wake a thread.
  private static let smallest = 16 << 10

  init(small: Int? = nil, _ prepare: @escaping @Sendable (borrowing JSCallFrame) -> SubtleJob?) {
    (self.small, self.prepare) = (small, prepare)
  }

  func isSmall(_ frame: borrowing JSCallFrame) -> Bool {
    guard let small, let bytes = frame.bytes(small) else { return false }
    return bytes.count < Self.smallest
  }
}

/// What scripts have of bytes. A large message can be let go of before the engine collects the box.
final class BytesBox: Sendable {
  private let held: Mutex<CryptoBytes?>
  /// Of bytes that are read while they are written.
  let level: FillLevel?

  init(_ bytes: CryptoBytes, _ level: FillLevel? = nil) {
    held = Mutex(bytes)
    self.level = level
  }

  /// An engine that ends in the middle of writing takes its boxes with it.
  deinit { level?.end() }

  var bytes: CryptoBytes? { held.withLock { $0 } }
  func drop() { held.withLock { $0 = nil } }
}

// What is secret of a key goes to other engines of the program as it is: no script sees it on its way.
extension BytesBox: ParcelThing {
  package var shared: any ParcelThing { bytes.map { BytesBox($0) } ?? self }
}

extension AsymmetricKey: ParcelThing {
  package var shared: any ParcelThing { self }
}

extension JSCallFrame {
  func bytes(_ index: Int) -> CryptoBytes? { self[index].boxed(BytesBox.self)?.bytes }
  func level(_ index: Int) -> FillLevel? { self[index].boxed(BytesBox.self)?.level }
  func key(_ index: Int) -> AsymmetricKey? { self[index].boxed(AsymmetricKey.self) }
  func hash(_ index: Int) -> HashFunction? { self[index].string.flatMap(HashFunction.init) }
  func family(_ index: Int) -> KeyFamily? { self[index].string.flatMap(KeyFamily.init) }

  /// All that come from an index on, up to the first that is undefined; nil where one of them is none.
  func allBytes(from first: Int) -> [CryptoBytes]? {
    var list: [CryptoBytes] = []
    for index in first..<max(first, count) {
      if self[index].isUndefined { break }
      guard let bytes = bytes(index) else { return nil }
      list.append(bytes)
    }
    return list
  }

  /// A scheme's name, the hash and the length of salt that it takes: three arguments.
  func scheme(_ index: Int) -> SignatureScheme? {
    let hash = hash(index + 1)
    switch (self[index].string, hash) {
    case ("pkcs1", let hash?): return .pkcs1(hash)
    case ("pss", let hash?): return .pss(hash, salt: self[index + 2].integer)
    case ("ecdsa", let hash?): return .ecdsa(hash)
    case ("ed25519", _): return .ed25519
    case ("ed448", _): return .ed448
    default: return nil
    }
  }

  /// Whether to encrypt.
  func direction(_ index: Int) -> AES.Direction { self[index].bool ? .encrypting : .decrypting }
}
