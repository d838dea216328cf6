// SPDX-License-Identifier: MIT

/// Finds the bytes that matter in a JSON string, eight at a time in an ordinary register.
///
/// Swift's SIMD masks compile to calls here; these few operations on a word don't (Mycroft's test, see
/// Warren, Hacker's Delight, 6-1).
enum ByteScan {
  /// The offset of the first `"`, `\` or control character from `start` on, or `end`.
  @inline(__always)
  static func special(in base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
    var at = start
    while at + 8 <= end {
      let word = UInt64(littleEndian: UnsafeRawPointer(base + at).loadUnaligned(as: UInt64.self))
      let found =
        (zeroBytes(word ^ 0x2222_2222_2222_2222) | zeroBytes(word ^ 0x5C5C_5C5C_5C5C_5C5C)
          | (word &- 0x2020_2020_2020_2020) & ~word) & 0x8080_8080_8080_8080
      if found != 0 { return at + found.trailingZeroBitCount / 8 }
      at += 8
    }
    while at < end, base[at] >= 0x20, base[at] != 0x22, base[at] != 0x5C { at += 1 }
    return at
  }

  /// The high bit of each byte that is zero; above the first one, of some others too.
  @inline(__always)
  private static func zeroBytes(_ word: UInt64) -> UInt64 { (word &- 0x0101_0101_0101_0101) & ~word }
}
