// SPDX-License-Identifier: MIT

/// The hash functions of Web Cryptography (FIPS 180-4), by its names.
package enum HashFunction: String, CaseIterable, Sendable {
  case sha1 = "SHA-1"
  case sha256 = "SHA-256"
  case sha384 = "SHA-384"
  case sha512 = "SHA-512"

  /// OpenSSL's name.
  var name: StaticString {
    switch self {
    case .sha1: "SHA1"
    case .sha256: "SHA256"
    case .sha384: "SHA384"
    case .sha512: "SHA512"
    }
  }

  /// How many bytes a digest has.
  package var size: Int {
    switch self {
    case .sha1: 20
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  package func digest(_ bytes: CryptoBytes) throws(CryptoFault) -> CryptoBytes {
    let library = try LibDigests.opened()
    return try CryptoBytes(capacity: size) { (room) throws(CryptoFault) in
      let method = try library.method(self)
      guard library.digest(bytes.start, bytes.count, LibDigests.start(of: room), nil, method, nil) == 1 else {
        throw library.failure("OpenSSL can't hash with \(rawValue)")
      }
      return size
    }
  }

  /// The same of bytes that another thread is still writing.
  package func digest(_ bytes: CryptoBytes, asTheyCome level: FillLevel) throws(CryptoFault) -> CryptoBytes {
    guard let running = try RunningDigest("\(name)") else { throw .operation("OpenSSL has no \(rawValue)") }
    var count = 0
    while count < bytes.count {
      let end = try level.wait(past: count)
      running.add(UnsafeRawBufferPointer(rebasing: bytes.bytes[count..<end]))
      count = end
    }
    return CryptoBytes(try running.finish(size: size))
  }

  /// The code of a message (HMAC, RFC 2104).
  package func code(key: CryptoBytes, _ message: CryptoBytes) throws(CryptoFault) -> CryptoBytes {
    let library = try LibDigests.opened()
    let method = try library.method(self)
    return try library.code(method, size, key, message)
  }

  /// Whether a code is that of a message, in a time that tells nothing of where they differ.
  package func isCode(_ code: CryptoBytes, key: CryptoBytes, _ message: CryptoBytes) throws(CryptoFault)
    -> Bool
  {
    let right = try self.code(key: key, message)
    let library = try LibDigests.opened()
    return withExtendedLifetime(right) {
      code.count == right.count && library.compare(code.start, right.start, right.count) == 0
    }
  }
}

extension LibDigests {
  func code(
    _ method: OpaquePointer, _ size: Int, _ key: CryptoBytes, _ message: CryptoBytes
  ) throws(CryptoFault) -> CryptoBytes {
    guard let keySize = Int32(exactly: key.count) else { throw .operation("the key is too long") }
    return try CryptoBytes(capacity: size) { (room) throws(CryptoFault) in
      let made = hmac(
        method, UnsafeRawPointer(key.start), keySize, message.start, message.count, Self.start(of: room), nil)
      guard made != nil else { throw failure("OpenSSL can't make a code (HMAC)") }
      return size
    }
  }

  static func start(of room: UnsafeMutableRawBufferPointer) -> UnsafeMutablePointer<UInt8>? {
    room.baseAddress?.assumingMemoryBound(to: UInt8.self)
  }
}
