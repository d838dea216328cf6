// SPDX-License-Identifier: MIT

/// Looks for a text in bytes.
package enum ByteSearch {
  /// The first place of some bytes.
  package static func find(_ needle: [UInt8], in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let first = needle.first, bytes.count >= needle.count else { return nil }
    return needle.withUnsafeBufferPointer { needle in
      for at in 0...(bytes.count - needle.count) where bytes[at] == first {
        if matches(needle, bytes, at) { return at }
      }
      return nil
    }
  }

  private static func matches(
    _ needle: UnsafeBufferPointer<UInt8>, _ bytes: UnsafeBufferPointer<UInt8>, _ at: Int
  )
    -> Bool
  {
    for index in 1..<max(1, needle.count) where bytes[at + index] != needle[index] { return false }
    return true
  }
}

/// A text that is looked for whatever case its ASCII letters have; sixteen bytes at once.
package struct FoldedNeedle: Sendable {
  private let bytes: [UInt8]
  /// The rarest letter of the needle, by how often it stands in English text, and where.
  private let pivot: Int

  package init(_ text: String) {
    let bytes = text.utf8.map(Self.fold)
    let common = Array("\" :,etaoinsrhldcum0123456789".utf8)
    let worth = { (byte: UInt8) in common.firstIndex(of: byte) ?? 99 }
    pivot = bytes.indices.max { worth(bytes[$0]) < worth(bytes[$1]) } ?? 0
    self.bytes = bytes
  }

  static func fold(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }

  package func isIn(_ text: UnsafeBufferPointer<UInt8>) -> Bool { find(in: text, from: 0) != nil }

  /// The first place from `start` on.
  package func find(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard !bytes.isEmpty else { return start }
    guard text.count - start >= bytes.count, let base = text.baseAddress else { return nil }
    let last = text.count - bytes.count
    let low = bytes[pivot]
    let isLetter = 0x61...0x7A ~= low
    let (lows, highs) = (SIMD16<UInt8>(repeating: low), SIMD16<UInt8>(repeating: isLetter ? low & 0xDF : low))
    var at = start
    while at <= last {
      if at + pivot + 16 <= text.count {
        let block = UnsafeRawPointer(base + at + pivot).loadUnaligned(as: SIMD16<UInt8>.self)
        let hits = (block .== lows) .| (block .== highs)
        if !any(hits) {
          at += 16
          continue
        }
        for lane in 0..<16 where hits[lane] && at + lane <= last && stands(in: text, at + lane) {
          return at + lane
        }
        at += 16
      } else {
        if stands(in: text, at) { return at }
        at += 1
      }
    }
    return nil
  }

  private func stands(in text: UnsafeBufferPointer<UInt8>, _ at: Int) -> Bool {
    for index in 0..<bytes.count where Self.fold(text[at + index]) != bytes[index] { return false }
    return true
  }
}
