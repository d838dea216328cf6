// SPDX-License-Identifier: MIT

/// A pair of keys that signs (Ed25519, RFC 8032). Any thread may use it.
package struct SigningKey: Sendable {
  private let key: PrivateKey
  private let crypto: Crypto

  /// In bytes.
  package static let signatureSize = 64

  /// - Parameter secret: 32 random bytes.
  /// - Throws: ``BridgeError/Code/unavailable`` where OpenSSL makes none.
  package init(_ crypto: Crypto, secret: consuming [UInt8] = Crypto.random(32)) throws {
    self.crypto = crypto
    key = try PrivateKey(.ed25519, secret, crypto.library)
  }

  /// 32 bytes.
  package var publicKey: [UInt8] { key.publicKey }

  /// Sixty-four bytes; only the owner of the key can make them.
  package func sign(_ message: [UInt8]) -> [UInt8] {
    let library = crypto.library
    let context = library.newDigest()
    defer { library.freeDigest(context) }
    var signature = [UInt8](repeating: 0, count: Self.signatureSize)
    var size = signature.count
    // It fails without memory only; what is sent then is no signature, and no receiver takes it for one.
    if library.signInit(context, nil, nil, nil, key.pointer) != 1
      || library.sign(context, &signature, &size, message, message.count) != 1
    {
      library.clearErrors()
    }
    return signature
  }
}

extension Crypto {
  /// Whether a message was signed by the owner of the key (Ed25519). False for bytes that are no key or no
  /// signature.
  package func isSigned(_ message: [UInt8], by publicKey: [UInt8], _ signature: [UInt8]) -> Bool {
    library.withPublicKey(.ed25519, publicKey) { key in
      let context = library.newDigest()
      defer { library.freeDigest(context) }
      let isGood =
        library.verifyInit(context, nil, nil, nil, key) == 1
        && library.verify(context, signature, signature.count, message, message.count) == 1
      if !isGood { library.clearErrors() }
      return isGood
    } ?? false
  }
}
