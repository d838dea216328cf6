// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Hashes and codes by OpenSSL. Any thread may use it.
package struct Crypto: Sendable {
  let library: LibCrypto

  /// - Throws: ``BridgeError/Code/unavailable`` where OpenSSL 3 is not installed, with what to install, or
  ///   does not hash.
  package init() throws {
    library = try LibCrypto.opened()
    var room = [UInt8](repeating: 0, count: 32)
    guard library.sha256([], 0, &room) != nil else {
      throw BridgeError(.unavailable, "OpenSSL has no SHA-256; its configuration may forbid it")
    }
  }

  /// SHA-256 (FIPS 180-4): 32 bytes.
  package func sha256(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    made { room in library.sha256(Self.start(of: bytes), bytes.count, room) }
  }

  /// HMAC with SHA-256 (RFC 2104): 32 bytes.
  package func hmac(key: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    // OpenSSL takes no key at all for one that is missing, and an empty one for a key.
    let empty: StaticString = ""
    return made { room in
      library.hmac(
        library.digest, key.baseAddress ?? UnsafeRawPointer(empty.utf8Start), Int32(key.count),
        Self.start(of: bytes), bytes.count, room, nil)
    }
  }

  /// Whether two are the same, in a time that tells nothing of where they differ.
  package func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.count == other.count && library.compare(one, other, one.count) == 0
  }

  private func made(_ make: (UnsafeMutablePointer<UInt8>?) -> UnsafeMutablePointer<UInt8>?) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { room, count in
      // No caller may go on with a hash that is none. What has been made once fails for want of memory only.
      guard make(room.baseAddress) != nil else { fatalError("OpenSSL can't hash") }
      count = 32
    }
  }

  static func start(of bytes: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
    bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
  }

  /// Random bytes of the kernel's.
  package static func random(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in generator.next() }
  }
}
