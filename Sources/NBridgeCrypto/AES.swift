// SPDX-License-Identifier: MIT

/// AES (FIPS 197) in the modes of Web Cryptography. Keys have 16, 24 or 32 bytes.
package enum AES {
  package enum Direction: Sendable {
    case encrypting, decrypting
  }

  private static let block = 16

  /// CBC with PKCS #7 padding (RFC 2315, 10.3); the initial value has 16 bytes.
  package static func cbc(
    _ direction: Direction, key: CryptoBytes, initial: CryptoBytes, _ data: CryptoBytes
  ) throws(CryptoFault) -> CryptoBytes {
    guard initial.count == block else { throw .operation("AES-CBC needs 16 bytes of initial value") }
    let run = try CipherRun("CBC", key: key, isEncrypting: direction == .encrypting)
    try run.begin(key, initial)
    return try whole(run, data, more: block)
  }

  /// Key wrap (RFC 3394).
  package static func keyWrap(
    _ direction: Direction, key: CryptoBytes, _ data: CryptoBytes
  ) throws(CryptoFault) -> CryptoBytes {
    guard data.count % 8 == 0, data.count >= (direction == .encrypting ? 16 : 24) else {
      throw .operation("AES-KW takes multiples of 8 bytes, at least 16 of a key, and not \(data.count)")
    }
    let run = try CipherRun("WRAP", key: key, isEncrypting: direction == .encrypting)
    try run.begin(key, nil)
    return try whole(run, data, more: block)
  }

  private static func whole(_ run: borrowing CipherRun, _ data: CryptoBytes, more: Int) throws(CryptoFault)
    -> CryptoBytes
  {
    try CryptoBytes(capacity: data.count + more) { (room) throws(CryptoFault) in
      guard let to = LibDigests.start(of: room) else { return 0 }
      let count = try run.update(data.start, data.count, into: to)
      return count + (try run.finish(into: to + count))
    }
  }

  /// GCM (SP 800-38D): the tag, of so many bytes, stands behind what is encrypted.
  package static func gcm(
    _ direction: Direction, key: CryptoBytes, initial: CryptoBytes, additional: CryptoBytes?, tag: Int,
    _ data: CryptoBytes
  ) throws(CryptoFault) -> CryptoBytes {
    let isEncrypting = direction == .encrypting
    guard isEncrypting || data.count >= tag else {
      throw .operation("AES-GCM: \(data.count) bytes are too few: the tag alone has \(tag)")
    }
    let run = try CipherRun("GCM", key: key, isEncrypting: isEncrypting)
    try run.control(setInitialSize, initial.count, nil)
    try run.begin(key, initial)
    if let additional { try run.authenticate(additional) }
    let count = isEncrypting ? data.count : data.count - tag
    return try CryptoBytes(capacity: count + tag) { (room) throws(CryptoFault) in
      guard let to = LibDigests.start(of: room) else { return 0 }
      var made = try run.update(data.start, count, into: to)
      if !isEncrypting { try run.control(setTag, tag, UnsafeMutableRawPointer(data.room + count)) }
      made += try run.finish(into: to + made)
      if !isEncrypting { return made }
      try run.control(getTag, tag, UnsafeMutableRawPointer(to + made))
      return made + tag
    }
  }

  /// EVP_CTRL_AEAD_SET_IVLEN, _GET_TAG and _SET_TAG (openssl/evp.h).
  private static let (setInitialSize, getTag, setTag): (Int32, Int32, Int32) = (0x9, 0x10, 0x11)

  /// CTR (SP 800-38A), both ways. The last `bits` of the counter count the blocks, and no block is counted
  /// twice; those before them stay as they are.
  package static func ctr(
    key: CryptoBytes, counter: CryptoBytes, bits: Int, _ data: CryptoBytes
  ) throws(CryptoFault) -> CryptoBytes {
    guard counter.count == block, 1...128 ~= bits else {
      throw .operation("AES-CTR needs a counter of 16 bytes, 1 to 128 bits of which count")
    }
    let blocks = (data.count + block - 1) / block
    let left = blocksLeft(counter, bits)
    if bits < 63, blocks > 1 << bits {
      throw .operation("AES-CTR: \(data.count) bytes have more blocks than \(bits) bits can count")
    }
    let first = left.map { min(data.count, $0 * block) } ?? data.count
    return try CryptoBytes(capacity: data.count) { (room) throws(CryptoFault) in
      guard let to = LibDigests.start(of: room), data.count > 0 else { return 0 }
      try count(key, counter, data.start, first, to)
      if first < data.count {
        try count(key, wrapped(counter, bits), data.start + first, data.count - first, to + first)
      }
      return data.count
    }
  }

  private static func count(
    _ key: CryptoBytes, _ counter: CryptoBytes, _ from: LibCiphers.Bytes, _ size: Int, _ to: LibCiphers.Room
  ) throws(CryptoFault) {
    let run = try CipherRun("CTR", key: key, isEncrypting: true)
    try run.begin(key, counter)
    guard try run.update(from, size, into: to) == size else { throw run.failure(CipherRun.failed) }
  }

  /// How many blocks there are before the counter wraps around; nil for more than there is memory.
  private static func blocksLeft(_ counter: CryptoBytes, _ bits: Int) -> Int? {
    var low: UInt64 = 0
    for byte in counter.bytes.suffix(8) { low = low << 8 | UInt64(byte) }
    let (high, mask) = countingMask(bits)
    // Ones in all the upper bits that count, or it is far from its end.
    var upper: UInt64 = 0
    for byte in counter.bytes.prefix(8) { upper = upper << 8 | UInt64(byte) }
    guard upper & high == high else { return nil }
    let rest = mask - low & mask  // blocks behind the one that comes first
    return rest >= 1 << 58 ? nil : Int(rest) + 1
  }

  /// The bits that count, of the first and of the last eight bytes.
  private static func countingMask(_ bits: Int) -> (UInt64, UInt64) {
    bits >= 64 ? (bits == 128 ? .max : (1 << (bits - 64)) - 1, .max) : (0, (1 << bits) - 1)
  }

  /// The counter with zeros in the bits that count.
  private static func wrapped(_ counter: CryptoBytes, _ bits: Int) -> CryptoBytes {
    let (high, low) = countingMask(bits)
    return CryptoBytes(capacity: block) { room in
      for index in 0..<block {
        let mask = UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(8 * (7 - index % 8)))
        room[index] = counter.bytes[index] & ~mask
      }
      return block
    }
  }
}
