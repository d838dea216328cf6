// SPDX-License-Identifier: MIT

/// Keys as they are written in files: SubjectPublicKeyInfo (RFC 5280, 4.1.2.7) and PrivateKeyInfo (RFC 5208),
/// both in DER.
extension AsymmetricKey {
  /// - Throws: ``CryptoFault/data(_:)`` for what is no public key of the family, or has bytes behind it.
  package static func read(spki: CryptoBytes, _ family: KeyFamily) throws(CryptoFault) -> AsymmetricKey {
    let library = try LibKeys.opened()
    var at: UnsafePointer<UInt8>? = spki.start
    guard let pointer = library.readSPKI(nil, &at, spki.count) else { throw noKey(family, library) }
    let key = try AsymmetricKey(pointer, family, isPrivate: false, library)
    guard at == spki.start + spki.count else { throw behind }
    return try key.checkedAsRead()
  }

  /// - Throws: ``CryptoFault/data(_:)`` for what is no private key of the family, or has bytes behind it.
  package static func read(pkcs8: CryptoBytes, _ family: KeyFamily) throws(CryptoFault) -> AsymmetricKey {
    let library = try LibKeys.opened()
    var at: UnsafePointer<UInt8>? = pkcs8.start
    guard let info = library.readPKCS8(nil, &at, pkcs8.count) else { throw noKey(family, library) }
    defer { library.freePKCS8(info) }
    guard at == pkcs8.start + pkcs8.count else { throw behind }
    guard let pointer = library.keyOfPKCS8(info) else { throw noKey(family, library) }
    let key = try AsymmetricKey(pointer, family, isPrivate: true, library)
    return try key.checkedAsRead()
  }

  private static var behind: CryptoFault { .data("there are bytes behind the key") }

  private func checkedAsRead() throws(CryptoFault) -> AsymmetricKey {
    if family == .rsa {
      try checkRSA()
      return self
    }
    guard family.group != nil else { return self }
    guard isSound() else { throw Self.noKey(family, library) }
    return try withWholePoint()
  }

  package func spki() throws(CryptoFault) -> CryptoBytes {
    try written { library.writeSPKI(pointer, $0) }
  }

  package func pkcs8() throws(CryptoFault) -> CryptoBytes {
    let info = library.pkcs8OfKey(pointer)
    defer { library.freePKCS8(info) }
    return try written { library.writePKCS8(info, $0) }
  }

  /// Asks twice: for the length, and for the bytes.
  private func written(_ write: (LibKeys.Writer?) -> Int32) throws(CryptoFault) -> CryptoBytes {
    let size = write(nil)
    guard size > 0 else { throw unwritable }
    return try CryptoBytes(capacity: Int(size)) { (room) throws(CryptoFault) in
      var at = LibDigests.start(of: room)
      guard write(&at) == size else { throw unwritable }
      return Int(size)
    }
  }

  private var unwritable: CryptoFault {
    library.clearErrors()
    return .operation("OpenSSL does not write the key")
  }
}
