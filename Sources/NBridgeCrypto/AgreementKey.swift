// SPDX-License-Identifier: MIT

/// A pair of keys by which two peers that know each other's public key have a secret in common (X25519, RFC
/// 7748). Any thread may use it.
package struct AgreementKey: Sendable {
  private let key: PrivateKey
  private let crypto: Crypto

  /// - Parameter secret: 32 random bytes.
  /// - Throws: ``BridgeError/Code/unavailable`` where OpenSSL makes none.
  package init(_ crypto: Crypto, secret: consuming [UInt8] = Crypto.random(32)) throws {
    self.crypto = crypto
    key = try PrivateKey(.x25519, secret, crypto.library)
  }

  /// 32 bytes.
  package var publicKey: [UInt8] { key.publicKey }

  /// The secret in common with the owner of the other key, 32 bytes, to be hashed before it is used; nil for
  /// bytes that are no key, or one with which every peer would have the same secret (RFC 7748, 6.1).
  package func secret(with other: [UInt8]) -> [UInt8]? {
    let library = crypto.library
    return library.withPublicKey(.x25519, other) { other in
      let context = library.newDerivation(key.pointer, nil)
      defer { library.freeDerivation(context) }
      var secret = [UInt8](repeating: 0, count: 32), size = 32
      let isMade =
        library.deriveInit(context) == 1 && library.setPeer(context, other) == 1
        && library.derive(context, &secret, &size) == 1 && size == 32
      if !isMade { library.clearErrors() }
      return isMade ? secret : nil
    }
  }
}
