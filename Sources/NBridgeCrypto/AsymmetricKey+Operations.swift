// SPDX-License-Identifier: MIT

/// What pairs of keys are for.
extension AsymmetricKey {
  /// OAEP (RFC 8017, 7.1), with the hash for its mask, too.
  package func oaep(isEncrypting: Bool, _ hash: HashFunction, label: CryptoBytes?, _ data: CryptoBytes)
    throws(CryptoFault) -> CryptoBytes
  {
    var parameters = OpenSSLParameters()
    parameters.add("pad-mode", text: "oaep")
    parameters.add("digest", text: hash.name)
    parameters.add("mgf1-digest", text: hash.name)
    if let label, label.count > 0 { parameters.add("oaep-label", octets: label.bytes) }
    return try crypted(isEncrypting: isEncrypting, parameters, data)
  }

  /// RSA alone, for a check of a key.
  func plain(isEncrypting: Bool, _ data: CryptoBytes) throws(CryptoFault) -> CryptoBytes {
    var parameters = OpenSSLParameters()
    parameters.add("pad-mode", text: "none")
    return try crypted(isEncrypting: isEncrypting, parameters, data)
  }

  private func crypted(isEncrypting: Bool, _ parameters: borrowing OpenSSLParameters, _ data: CryptoBytes)
    throws(CryptoFault) -> CryptoBytes
  {
    let library = try LibKeyOperations.opened()
    let context = library.newContext(nil, pointer, nil)
    defer { library.freeContext(context) }
    let begin = isEncrypting ? library.beginEncrypting : library.beginDecrypting
    let step = isEncrypting ? library.encrypt : library.decrypt
    var size = 0
    guard parameters.withList({ begin(context, $0) }) == 1,
      step(context, nil, &size, data.start, data.count) == 1, size >= 0
    else { throw library.failure(Self.uncryptable) }
    return try CryptoBytes(capacity: size) { (room) throws(CryptoFault) in
      guard step(context, LibDigests.start(of: room), &size, data.start, data.count) == 1 else {
        throw library.failure(Self.uncryptable)
      }
      return size
    }
  }

  private static let uncryptable =
    "the message is too long for the key, or the key is another one than it was encrypted for"

  /// The secret in common with the owner of another key (SEC 1, 3.3.1; RFC 7748, 6.1).
  ///
  /// - Throws: ``CryptoFault/operation(_:)`` for a key with which every peer would have the same secret.
  package func secret(with other: AsymmetricKey) throws(CryptoFault) -> CryptoBytes {
    let library = try LibKeyOperations.opened()
    let context = library.newContext(nil, pointer, nil)
    defer { library.freeContext(context) }
    guard library.beginAgreeing(context) == 1, library.setPeer(context, other.pointer) == 1 else {
      throw library.failure("the keys make no secret")
    }
    return try CryptoBytes(capacity: family.size) { (room) throws(CryptoFault) in
      var size = room.count
      guard library.agree(context, LibDigests.start(of: room), &size) == 1 else {
        throw library.failure("the keys make no secret")
      }
      return size
    }
  }
}
