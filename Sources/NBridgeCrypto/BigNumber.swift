// SPDX-License-Identifier: MIT

/// A number of a key in OpenSSL's hands, which wipes it when it goes. It has no sign.
final class BigNumber {
  private let pointer: LibNumbers.Number
  private let library: LibNumbers

  /// - Parameter bytes: the highest first.
  convenience init(_ bytes: CryptoBytes) throws(CryptoFault) {
    let library = try LibNumbers.opened()
    try self.init(library.read(bytes.start, Int32(clamping: bytes.count), nil), library)
  }

  private init(_ pointer: LibNumbers.Number?, _ library: LibNumbers) throws(CryptoFault) {
    guard let pointer else { throw Self.failure(library) }
    (self.pointer, self.library) = (pointer, library)
  }

  deinit { library.free(pointer) }

  private static func failure(_ library: LibNumbers) -> CryptoFault {
    library.clearErrors()
    return .operation("OpenSSL does not calculate with the numbers of the key")
  }

  /// What `calculate` writes to a new number.
  private func made(_ calculate: (LibNumbers.Number, LibNumbers.Context) -> Int32) throws(CryptoFault)
    -> BigNumber
  {
    let result = try BigNumber(library.new(), library)
    guard let context = library.newContext() else { throw Self.failure(library) }
    defer { library.freeContext(context) }
    guard calculate(result.pointer, context) == 1 else { throw Self.failure(library) }
    return result
  }

  func times(_ other: BigNumber) throws(CryptoFault) -> BigNumber {
    try made { library.multiply($0, pointer, other.pointer, $1) }
  }

  /// - Throws: for a divisor of 0, too.
  func rest(by divisor: BigNumber) throws(CryptoFault) -> BigNumber {
    try made { library.divide(nil, $0, pointer, divisor.pointer, $1) }
  }

  func isInverse(of other: BigNumber, modulo divisor: BigNumber) throws(CryptoFault) -> Bool {
    let rest = try times(other).rest(by: divisor)
    return library.isOne(rest.pointer) == 1
  }

  func equals(_ other: BigNumber) -> Bool { library.compare(pointer, other.pointer) == 0 }
  func isLess(than other: BigNumber) -> Bool { library.compare(pointer, other.pointer) < 0 }

  /// Less 1; of a number above 0.
  static func predecessor(_ bytes: CryptoBytes) throws(CryptoFault) -> BigNumber {
    let number = try BigNumber(bytes)
    guard number.library.subtractWord(number.pointer, 1) == 1 else { throw failure(number.library) }
    return number
  }
}

/// The numbers of a private key of RSA (RFC 8017, 3.2).
enum RSANumbers {
  /// Whether they say the same: OpenSSL uses those of the factors, and where these give something wrong, the
  /// others, without a word.
  ///
  /// - Parameter parts: n, e, d, p, q, dp, dq and qi.
  static func agree(_ parts: [CryptoBytes]) throws(CryptoFault) -> Bool {
    guard parts.count == 8 else { return false }
    let (modulus, open, secret) = (
      try BigNumber(parts[0]), try BigNumber(parts[1]), try BigNumber(parts[2])
    )
    let (first, second) = (try BigNumber(parts[3]), try BigNumber(parts[4]))
    let coefficient = try BigNumber(parts[7])
    for (factor, exponent) in [(parts[3], parts[5]), (parts[4], parts[6])] {
      let order = try BigNumber.predecessor(factor)
      guard try secret.rest(by: order).equals(BigNumber(exponent)),
        try open.isInverse(of: secret, modulo: order)
      else { return false }
    }
    guard try first.times(second).equals(modulus), coefficient.isLess(than: first) else { return false }
    return try coefficient.isInverse(of: second, modulo: first)
  }
}
