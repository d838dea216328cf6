// SPDX-License-Identifier: MIT

/// Keys of their numbers, and the numbers of keys, as JWK has them (RFC 7518, 6; RFC 8037).
extension AsymmetricKey {
  /// The names of OpenSSL for what a private key of RSA has, in the order of JWK's n, e, d, p, q, dp, dq, qi.
  private static let numbers: [StaticString] = [
    "n", "e", "d", "rsa-factor1", "rsa-factor2", "rsa-exponent1", "rsa-exponent2", "rsa-coefficient1",
  ]

  /// - Parameter parts: n and e; or n, e, d, p, q, dp, dq and qi.
  package static func makeRSA(_ parts: [CryptoBytes]) throws(CryptoFault) -> AsymmetricKey {
    guard parts.count == 2 || parts.count == numbers.count else {
      throw .data("a number of the key is missing")
    }
    var parameters = OpenSSLParameters()
    for (name, part) in zip(numbers, parts) { parameters.add(name, number: part.bytes) }
    let key = try make(.rsa, isPrivate: parts.count > 2, parameters)
    try key.checkRSA()
    return key
  }

  /// - Parameter parts: x and y; or x, y and d, each as long as the curve wants.
  package static func makePoint(_ curve: KeyFamily, _ parts: [CryptoBytes]) throws(CryptoFault)
    -> AsymmetricKey
  {
    guard 2...3 ~= parts.count, parts.allSatisfy({ $0.count == curve.size }) else {
      throw .data("each number of a key of \(curve.rawValue) has \(curve.size) bytes")
    }
    let point = CryptoBytes([4] + parts[0].array + parts[1].array)
    return try makePoint(curve, point, secret: parts.count == 3 ? parts[2] : nil)
  }

  /// A public key of its point, as SEC 1, 2.3.3 writes it: with both coordinates, or with one of them.
  package static func makePoint(_ curve: KeyFamily, point: CryptoBytes) throws(CryptoFault) -> AsymmetricKey {
    let isWhole = point.count == 1 + 2 * curve.size && point.bytes.first == 4
    let isShort = point.count == 1 + curve.size && (point.bytes.first == 2 || point.bytes.first == 3)
    guard isWhole || isShort else { throw .data("this is no point of \(curve.rawValue)") }
    return try makePoint(curve, point, secret: nil)
  }

  private static func makePoint(_ curve: KeyFamily, _ point: CryptoBytes, secret: CryptoBytes?)
    throws(CryptoFault) -> AsymmetricKey
  {
    guard let group = curve.group else { throw .data("\(curve.rawValue) has no points") }
    var parameters = OpenSSLParameters()
    parameters.add("group", text: group)
    parameters.add("pub", octets: point.bytes)
    if let secret { parameters.add("priv", number: secret.bytes) }
    let key = try make(curve, isPrivate: secret != nil, parameters)
    guard key.isSound() else { throw noKey(curve, key.library) }
    return key
  }

  /// A key of X25519 or Ed25519, 32 bytes, of X448, 56, or of Ed448, 57 (RFC 7748, RFC 8032).
  ///
  /// - Parameter expected: the public half that a private key must have.
  package static func makeRaw(
    _ curve: KeyFamily, _ bytes: CryptoBytes, isPrivate: Bool, expected: CryptoBytes? = nil
  ) throws(CryptoFault) -> AsymmetricKey {
    let library = try LibKeys.opened()
    guard bytes.count == curve.size, curve.group == nil else { throw noKey(curve, library) }
    let make = isPrivate ? library.newRawPrivate : library.newRawPublic
    guard let pointer = make(nil, curve.name.utf8Start, nil, bytes.start, bytes.count) else {
      throw noKey(curve, library)
    }
    let key = try AsymmetricKey(pointer, curve, isPrivate: isPrivate, library)
    if let expected, try key.publicBytes().array != expected.array {
      throw .data("the public half is not that of the private key")
    }
    return key
  }

  /// The same key. One that was read of a point with one coordinate would be written so, too.
  func withWholePoint() throws(CryptoFault) -> AsymmetricKey {
    let point = try publicBytes()
    if family.group == nil || point.count == 1 + 2 * family.size { return self }
    return try Self.makePoint(family, point, secret: isPrivate ? try number("priv", size: family.size) : nil)
  }

  // MARK: - What a key has

  /// The public half as bytes: a point with both coordinates, or what RFC 7748 and RFC 8032 call the key.
  package func publicBytes() throws(CryptoFault) -> CryptoBytes {
    if family.group != nil {
      return try CryptoBytes(capacity: 1 + 2 * family.size) { (room) throws(CryptoFault) in
        guard let count = get("pub", OpenSSLParameter.octets, room) else { throw unreadable }
        return count
      }
    }
    return try raw(library.rawPublic)
  }

  private func raw(_ read: (LibKeys.Key?, LibKeys.Room?, UnsafeMutablePointer<Int>?) -> Int32)
    throws(CryptoFault) -> CryptoBytes
  {
    try CryptoBytes(capacity: family.size) { (room) throws(CryptoFault) in
      var count = room.count
      guard read(pointer, LibDigests.start(of: room), &count) == 1 else { throw unreadable }
      return count
    }
  }

  private var unreadable: CryptoFault {
    library.clearErrors()
    return .operation("OpenSSL does not give what the key has")
  }

  /// What ``makeRSA(_:)``, ``makePoint(_:_:)`` and ``makeRaw(_:_:isPrivate:expected:)`` take: n and e; x and
  /// y; x; of a private key the rest, too, where it is asked for.
  package func parts(withPrivate: Bool) throws(CryptoFault) -> [CryptoBytes] {
    let isWhole = withPrivate && isPrivate
    if family == .rsa {
      var parts: [CryptoBytes] = []
      for name in Self.numbers.prefix(isWhole ? 8 : 2) { parts.append(try number(name)) }
      return parts
    }
    guard family.group != nil else {
      let secret = isWhole ? [try raw(library.rawPrivate)] : []
      return [try publicBytes()] + secret
    }
    let point = try publicBytes().array
    guard point.count == 1 + 2 * family.size else { throw unreadable }
    let (x, y) = (point.dropFirst().prefix(family.size), point.suffix(family.size))
    return [CryptoBytes(x), CryptoBytes(y)] + (isWhole ? [try number("priv", size: family.size)] : [])
  }

  /// A number's bytes, the highest first; as many as it needs, or `size`.
  private func number(_ name: StaticString, size: Int? = nil) throws(CryptoFault) -> CryptoBytes {
    let room = CryptoBytes(count: size ?? Self.largestNumber)
    guard let count = get(name, OpenSSLParameter.number, room.memory) else { throw unreadable }
    // OpenSSL writes it with the lowest byte first, and zeros behind its highest.
    var digits = count
    while size == nil, digits > 0, room.memory[digits - 1] == 0 { digits -= 1 }
    return room.reversed(first: digits)
  }

  /// In bytes: more than OpenSSL takes of a modulus.
  private static let largestNumber = 4096
}

extension AsymmetricKey {
  /// The shortest modulus of RSA that is taken, in bits. It protects nothing; the standard sets no limit.
  private static let shortestModulus = 256

  /// Whether a key of RSA is one: an odd modulus that is long enough, an odd exponent above 1 and below the
  /// modulus, and a private half whose numbers say the same and undo what the public one does. Whether the
  /// factors are prime is not asked: it takes a quarter of a second.
  func checkRSA() throws(CryptoFault) {
    // One whose numbers are too long to be read is none, either.
    guard let parts = try? parts(withPrivate: true) else { throw Self.noKey(.rsa, library) }
    let (modulus, exponent) = (parts[0].array, parts[1].array)
    guard let first = modulus.first, let lowest = modulus.last, let last = exponent.last,
      modulus.count * 8 - first.leadingZeroBitCount >= Self.shortestModulus, lowest & 1 == 1, last & 1 == 1,
      exponent.count > 1 || last > 1, exponent.count <= modulus.count,
      exponent.count < modulus.count || exponent.lexicographicallyPrecedes(modulus)
    else { throw Self.noKey(.rsa, library) }
    guard isPrivate else { return }
    guard (try? RSANumbers.agree(parts)) == true else { throw Self.noKey(.rsa, library) }
    let number = CryptoBytes([UInt8](repeating: 0, count: modulus.count - 1) + [2])
    guard let hidden = try? plain(isEncrypting: true, number),
      let shown = try? plain(isEncrypting: false, hidden), shown.array == number.array
    else { throw Self.noKey(.rsa, library) }
  }
}
