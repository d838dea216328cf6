// SPDX-License-Identifier: MIT

/// A public key, or a private one with its public half, in OpenSSL's hands, which wipes it when it is freed.
///
/// Any thread may use it: OpenSSL changes a key only while it is made (openssl-threads(7)).
package final class AsymmetricKey: @unchecked Sendable {  // what it points to is not changed after `init`
  package let family: KeyFamily
  package let isPrivate: Bool
  let pointer: LibKeys.Key
  let library: LibKeys

  /// Takes a key over; it is freed at once where it is none of its family.
  init(_ pointer: LibKeys.Key, _ family: KeyFamily, isPrivate: Bool, _ library: LibKeys)
    throws(CryptoFault)
  {
    (self.pointer, self.family, self.isPrivate, self.library) = (pointer, family, isPrivate, library)
    guard library.isA(pointer, family.name.utf8Start) == 1, isOfCurve else {
      throw Self.noKey(family, library)
    }
  }

  deinit { library.free(pointer) }

  static func noKey(_ family: KeyFamily, _ library: LibKeys) -> CryptoFault {
    library.clearErrors()
    return .data("this is no key of \(family.rawValue)")
  }

  /// Whether the curve is the one of the family, told by its name: parameters of one's own may be weak.
  private var isOfCurve: Bool {
    guard let group = family.group else { return true }
    return text("group") == "\(group)" && text("encoding") == "named_curve"
  }

  private func text(_ name: StaticString) -> String? {
    var room = [UInt8](repeating: 0, count: 64)
    let found = room.withUnsafeMutableBytes { memory in
      get(name, OpenSSLParameter.text, memory)
    }
    guard let found, found < room.count else { return nil }
    return String(decoding: room[..<found], as: UTF8.self)
  }

  /// Asks OpenSSL for one value; answers how many bytes it wrote.
  func get(_ name: StaticString, _ kind: UInt32, _ room: UnsafeMutableRawBufferPointer) -> Int? {
    var list = [
      OpenSSLParameter(name: name.utf8Start, kind: kind, data: room.baseAddress, size: room.count),
      OpenSSLParameter(),
    ]
    let isFound = list.withUnsafeMutableBytes { library.getParameters(pointer, $0.baseAddress) } == 1
    if !isFound { library.clearErrors() }
    return isFound && 0...room.count ~= list[0].written ? list[0].written : nil
  }

  /// Whether its numbers belong together.
  func isSound() -> Bool {
    let context = library.newContextOf(nil, pointer, nil)
    defer { library.freeContext(context) }
    let isSound = (isPrivate ? library.check(context) : library.checkPublic(context)) == 1
    if !isSound { library.clearErrors() }
    return isSound
  }
}

// MARK: - Making keys

extension CryptoBytes {
  /// Of a number whose highest byte is the first.
  fileprivate var bits: Int {
    guard let first = bytes.firstIndex(where: { $0 != 0 }) else { return 0 }
    return (bytes.count - first) * 8 - bytes[first].leadingZeroBitCount
  }
}

extension AsymmetricKey {
  /// - Parameter exponent: the public one, its highest byte first.
  /// - Throws: ``CryptoFault/operation(_:)`` for a length or an exponent that makes no key.
  package static func generateRSA(bits: Int, exponent: CryptoBytes) throws(CryptoFault) -> AsymmetricKey {
    // OpenSSL makes keys of these, and then verifies nothing with them: of more than 3,072 bits the exponent
    // has 64 (OPENSSL_RSA_MAX_PUBEXP_BITS), of others fewer than the modulus.
    guard exponent.bits <= (bits > 3072 ? 64 : bits - 1) else {
      throw .operation("no key of \(bits) bits is used with a public exponent of \(exponent.bits)")
    }
    var parameters = OpenSSLParameters()
    parameters.add("bits", size: bits)
    parameters.add("e", number: exponent.bytes)
    return try generate(.rsa, parameters)
  }

  /// A pair of a curve.
  package static func generate(_ curve: KeyFamily) throws(CryptoFault) -> AsymmetricKey {
    var parameters = OpenSSLParameters()
    if let group = curve.group { parameters.add("group", text: group) }
    return try generate(curve, parameters)
  }

  private static func generate(_ family: KeyFamily, _ parameters: borrowing OpenSSLParameters)
    throws(CryptoFault) -> AsymmetricKey
  {
    let library = try LibKeys.opened()
    let context = library.newContext(nil, family.name.utf8Start, nil)
    defer { library.freeContext(context) }
    var made: LibKeys.Key?
    guard library.beginGenerating(context) == 1,
      parameters.withList({ library.setParameters(context, $0) }) == 1,
      library.generate(context, &made) == 1, let made
    else {
      library.clearErrors()
      throw .operation("OpenSSL makes no key of \(family.rawValue) with these parameters")
    }
    return try AsymmetricKey(made, family, isPrivate: true, library)
  }

  /// A key of its numbers.
  static func make(_ family: KeyFamily, isPrivate: Bool, _ parameters: borrowing OpenSSLParameters)
    throws(CryptoFault) -> AsymmetricKey
  {
    let library = try LibKeys.opened()
    let context = library.newContext(nil, family.name.utf8Start, nil)
    defer { library.freeContext(context) }
    var made: LibKeys.Key?
    guard library.beginData(context) == 1,
      parameters.withList({ list in
        library.fromData(context, &made, isPrivate ? pairOfKeys : publicKey, list)
      }) == 1, let made
    else { throw noKey(family, library) }
    return try AsymmetricKey(made, family, isPrivate: isPrivate, library)
  }

  /// EVP_PKEY_PUBLIC_KEY and EVP_PKEY_KEYPAIR (openssl/evp.h).
  private static let (publicKey, pairOfKeys): (Int32, Int32) = (0x86, 0x87)
}
