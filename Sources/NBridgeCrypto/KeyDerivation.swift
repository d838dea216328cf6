// SPDX-License-Identifier: MIT

/// Keys made of secrets.
package enum KeyDerivation {
  /// HKDF (RFC 5869): at most 255 digests long.
  package static func hkdf(
    _ hash: HashFunction, key: CryptoBytes, salt: CryptoBytes, info: CryptoBytes, count: Int
  ) throws(CryptoFault) -> CryptoBytes {
    guard count <= 255 * hash.size else {
      throw .operation("HKDF with \(hash.rawValue) gives at most \(255 * hash.size) bytes, not \(count)")
    }
    // A salt that is none stands for zeros (2.2), as an empty key of HMAC does by itself.
    let secret = try hash.code(key: salt, key)
    return try CryptoBytes(capacity: count) { (room) throws(CryptoFault) in
      var last = CryptoBytes(count: 0)
      var (at, number) = (0, UInt8(1))
      while at < count {
        last = try hash.code(key: secret, step(last, info, number))
        let size = min(last.count, count - at)
        last.copy(first: size, to: UnsafeMutableRawBufferPointer(rebasing: room[at..<at + size]))
        at += size
        // 255 steps are the most, and behind the last of them no other follows.
        number &+= 1
      }
      return count
    }
  }

  /// What one step of HKDF hashes: the last digest, the information, and which step it is.
  private static func step(_ last: CryptoBytes, _ info: CryptoBytes, _ number: UInt8) -> CryptoBytes {
    CryptoBytes(capacity: last.count + info.count + 1) { room in
      room.copyMemory(from: last.bytes)
      UnsafeMutableRawBufferPointer(rebasing: room[last.count...]).copyMemory(from: info.bytes)
      room[last.count + info.count] = number
      return room.count
    }
  }

  /// PBKDF2 with HMAC (RFC 8018, 5.2).
  package static func pbkdf2(
    _ hash: HashFunction, password: CryptoBytes, salt: CryptoBytes, iterations: Int, count: Int
  ) throws(CryptoFault) -> CryptoBytes {
    let library = try LibDigests.opened()
    let method = try library.method(hash)
    guard let passwordSize = Int32(exactly: password.count), let saltSize = Int32(exactly: salt.count),
      let times = Int32(exactly: iterations), times > 0, let size = Int32(exactly: count)
    else { throw .operation("PBKDF2: \(iterations) iterations, or \(count) bytes, are out of its range") }
    return try CryptoBytes(capacity: count) { (room) throws(CryptoFault) in
      if size == 0 { return 0 }
      let made = library.pbkdf2(
        password.start, passwordSize, salt.start, saltSize, times, method, size, LibDigests.start(of: room))
      guard made == 1 else { throw library.failure("OpenSSL can't derive a key (PBKDF2)") }
      return count
    }
  }
}
