// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// A private key in OpenSSL's hands, which wipes it when it is freed.
///
/// Any thread may use it: OpenSSL changes a key only while it is made (openssl-threads(7)).
final class PrivateKey: @unchecked Sendable {  // what it points to is not changed after `init`
  /// OpenSSL's numbers of kinds of keys (openssl/obj_mac.h).
  enum Kind: Int32 {
    case x25519 = 1034
    case ed25519 = 1087
  }

  let pointer: LibCrypto.Key
  let publicKey: [UInt8]
  private let library: LibCrypto

  /// - Parameter secret: 32 bytes, as RFC 7748 and RFC 8032 call a private key; wiped here.
  init(_ kind: Kind, _ secret: consuming [UInt8], _ library: LibCrypto) throws {
    self.library = library
    let pointer = library.newPrivateKey(kind.rawValue, nil, secret, secret.count)
    secret.withUnsafeMutableBytes { library.cleanse($0.baseAddress, $0.count) }
    guard let pointer else { throw Self.failure }
    var publicKey = [UInt8](repeating: 0, count: 32), size = 32
    guard library.getPublicKey(pointer, &publicKey, &size) == 1, size == 32 else {
      library.freeKey(pointer)
      throw Self.failure
    }
    (self.pointer, self.publicKey) = (pointer, publicKey)
  }

  private static var failure: BridgeError {
    BridgeError(.unavailable, "OpenSSL can't make a key; a mode or a configuration of it may forbid that")
  }

  deinit { library.freeKey(pointer) }
}

extension LibCrypto {
  /// Calls `body` with a peer's public key; answers nil for bytes that are none.
  func withPublicKey<R>(_ kind: PrivateKey.Kind, _ bytes: [UInt8], _ body: (Key) -> R?) -> R? {
    guard let key = newPublicKey(kind.rawValue, nil, bytes, bytes.count) else {
      clearErrors()
      return nil
    }
    defer { freeKey(key) }
    return body(key)
  }
}
