// SPDX-License-Identifier: MIT

/// How a pair of keys signs.
package enum SignatureScheme: Sendable {
  /// RSASSA-PKCS1-v1_5 (RFC 8017, 8.2).
  case pkcs1(HashFunction)
  /// RSA-PSS (RFC 8017, 8.1), with so many bytes of salt.
  case pss(HashFunction, salt: Int)
  /// ECDSA (FIPS 186-5, 6), the two numbers side by side.
  case ecdsa(HashFunction)
  /// Ed25519 (RFC 8032).
  case ed25519
  /// Ed448 without a context (RFC 8032).
  case ed448

  fileprivate var hash: HashFunction? {
    switch self {
    case .pkcs1(let hash), .pss(let hash, _), .ecdsa(let hash): hash
    case .ed25519, .ed448: nil
    }
  }

  fileprivate var parameters: OpenSSLParameters {
    var parameters = OpenSSLParameters()
    switch self {
    case .pkcs1: parameters.add("pad-mode", text: "pkcs1")
    case .pss(_, let salt):
      parameters.add("pad-mode", text: "pss")
      parameters.add("saltlen", signed: salt)
    case .ecdsa, .ed25519, .ed448: break
    }
    return parameters
  }
}

extension AsymmetricKey {
  package func sign(_ scheme: SignatureScheme, _ message: CryptoBytes) throws(CryptoFault) -> CryptoBytes {
    let library = try LibKeyOperations.opened()
    let context = library.newDigest()
    defer { library.freeDigest(context) }
    let failed = "the key does not sign; it may be too short for the hash and the salt"
    try begin(library.beginSigning, scheme, context, library)
    var size = 0
    // For Ed25519 and Ed448 this is asked before the message is there, and told by the key.
    guard library.sign(context, nil, &size, message.start, message.count) == 1 else {
      throw library.failure(failed)
    }
    let signature = try CryptoBytes(capacity: size) { (room) throws(CryptoFault) in
      let made = library.sign(
        context, LibDigests.start(of: room), &size, message.start, message.count)
      guard made == 1 else { throw library.failure(failed) }
      return size
    }
    guard case .ecdsa = scheme else { return signature }
    guard let plain = DERSignature.plain(signature.array, size: family.size) else {
      throw .operation("OpenSSL gave a signature that is none")
    }
    return CryptoBytes(plain)
  }

  /// False for what is no signature.
  package func isSigned(_ scheme: SignatureScheme, _ message: CryptoBytes, _ signature: CryptoBytes)
    throws(CryptoFault) -> Bool
  {
    var given = signature
    switch scheme {
    case .ecdsa:
      guard signature.count == 2 * family.size else { return false }
      given = CryptoBytes(DERSignature.der(signature.array))
    case .ed25519:
      // Small keys and points would make a signature good for many messages.
      guard signature.count == 64, !SmallPoint.isOne(signature.array.prefix(32)),
        try !SmallPoint.isOne(publicBytes().array)
      else { return false }
    case .ed448: guard signature.count == 2 * family.size else { return false }
    case .pkcs1, .pss: break
    }
    let library = try LibKeyOperations.opened()
    let context = library.newDigest()
    defer { library.freeDigest(context) }
    try begin(library.beginVerifying, scheme, context, library)
    let isGood = withExtendedLifetime(given) {
      library.verify(context, given.start, given.count, message.start, message.count) == 1
    }
    if !isGood { library.clearErrors() }
    return isGood
  }

  private func begin(
    _ function: LibKeyOperations.Begin, _ scheme: SignatureScheme, _ context: LibKeyOperations.Context?,
    _ library: LibKeyOperations
  ) throws(CryptoFault) {
    let parameters = scheme.parameters
    let begun = parameters.withList { list in
      function(context, nil, scheme.hash?.name.utf8Start, nil, nil, pointer, list)
    }
    guard begun == 1 else { throw library.failure("OpenSSL can't use the key so") }
  }
}

/// The two numbers of a signature by ECDSA as OpenSSL writes them, a SEQUENCE of two INTEGERs (RFC 3279,
/// 2.2.3), and side by side.
enum DERSignature {
  static func der(_ plain: [UInt8]) -> [UInt8] {
    let half = plain.count / 2
    let numbers = integer(plain.prefix(half)) + integer(plain.suffix(half))
    return [0x30] + length(numbers.count) + numbers
  }

  private static func integer(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var digits = Array(bytes.drop { $0 == 0 })
    if digits.isEmpty || digits[0] & 0x80 != 0 { digits.insert(0, at: 0) }
    return [0x02] + length(digits.count) + digits
  }

  /// Two numbers of 66 bytes make more than one byte can tell.
  private static func length(_ count: Int) -> [UInt8] {
    count < 0x80 ? [UInt8(count)] : [0x81, UInt8(truncatingIfNeeded: count)]
  }

  /// nil for what OpenSSL would not write.
  static func plain(_ der: [UInt8], size: Int) -> [UInt8]? {
    var rest = der[...]
    guard rest.popFirst() == 0x30, let length = takeLength(&rest), length == rest.count,
      let first = takeInteger(&rest, size), let second = takeInteger(&rest, size), rest.isEmpty
    else { return nil }
    return first + second
  }

  private static func takeLength(_ rest: inout ArraySlice<UInt8>) -> Int? {
    guard let first = rest.popFirst() else { return nil }
    if first < 0x80 { return Int(first) }
    return first == 0x81 ? rest.popFirst().map(Int.init) : nil
  }

  private static func takeInteger(_ rest: inout ArraySlice<UInt8>, _ size: Int) -> [UInt8]? {
    guard rest.popFirst() == 0x02, let length = takeLength(&rest), length <= rest.count else { return nil }
    let digits = rest.prefix(length).drop { $0 == 0 }
    rest = rest.dropFirst(length)
    guard digits.count <= size else { return nil }
    return [UInt8](repeating: 0, count: size - digits.count) + digits
  }
}

/// Points of edwards25519 that a small number of steps leads to the neutral one. The draft of Web
/// Cryptography takes none of them for a key or for a signature's point.
enum SmallPoint {
  /// The y of each, the lowest byte first, without the bit for the sign of x; and those that stand for the
  /// same y past the field's prime.
  private static let all: [[UInt8]] = [
    bytes(first: 0x00, 0x00, last: 0x00), bytes(first: 0x01, 0x00, last: 0x00),
    bytes(first: 0xEC, 0xFF, last: 0x7F), bytes(first: 0xED, 0xFF, last: 0x7F),
    bytes(first: 0xEE, 0xFF, last: 0x7F), ofOrderEight, fieldMinus(ofOrderEight),
  ]

  private static func bytes(first: UInt8, _ middle: UInt8, last: UInt8) -> [UInt8] {
    [first] + [UInt8](repeating: middle, count: 30) + [last]
  }

  private static let ofOrderEight: [UInt8] = [
    0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
    0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
  ]

  /// 2^255 - 19 less a number.
  private static func fieldMinus(_ number: [UInt8]) -> [UInt8] {
    let field = bytes(first: 0xED, 0xFF, last: 0x7F)
    var borrow = 0
    return zip(field, number).map { high, low in
      let digit = Int(high) - Int(low) - borrow
      borrow = digit < 0 ? 1 : 0
      return UInt8(truncatingIfNeeded: digit)
    }
  }

  static func isOne(_ point: some Collection<UInt8>) -> Bool {
    var y = Array(point)
    guard y.count == 32 else { return false }
    y[31] &= 0x7F
    return all.contains(y)
  }
}
