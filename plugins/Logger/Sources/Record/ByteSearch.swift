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

/// A text that is looked for whatever case its ASCII letters have; 32 bytes at once.
package struct FoldedNeedle: Sendable {
  private typealias Block = SIMD32<UInt8>

  private let bytes: [UInt8]
  /// The two rarest letters of the needle, by how often letters stand in English text: where both are, it may
  /// stand.
  private let pivots: (Int, Int)

  package init(_ text: String) {
    let bytes = text.utf8.map(Self.fold)
    let common = Array("\" :,etaoinsrhldcum0123456789".utf8)
    let worth = { (place: Int) in common.firstIndex(of: bytes[place]) ?? 99 }
    let rarest = bytes.indices.sorted { worth($0) > worth($1) }
    pivots = (rarest.first ?? 0, rarest.dropFirst().first ?? rarest.first ?? 0)
    self.bytes = bytes
  }

  static func fold(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }

  package func isIn(_ text: UnsafeBufferPointer<UInt8>) -> Bool { find(in: text, from: 0) != nil }

  /// The first place from `start` on.
  package func find(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard !bytes.isEmpty else { return start }
    guard text.count - start >= bytes.count, let base = text.baseAddress else { return nil }
    let last = text.count - bytes.count
    let (first, second) = (letter(pivots.0), letter(pivots.1))
    let reach = max(pivots.0, pivots.1) + Block.scalarCount
    var at = start
    while at + reach <= text.count {
      let place = UnsafeRawPointer(base + at)
      let one = (place + pivots.0).loadUnaligned(as: Block.self)
      let other = (place + pivots.1).loadUnaligned(as: Block.self)
      let hits =
        ((one .== first.low) .| (one .== first.high)) .& ((other .== second.low) .| (other .== second.high))
      if Self.isAny(hits) {
        for lane in 0..<Block.scalarCount where hits[lane] && at + lane <= last && stands(in: text, at + lane)
        {
          return at + lane
        }
      }
      at += Block.scalarCount
    }
    while at <= last {
      if stands(in: text, at) { return at }
      at += 1
    }
    return nil
  }

  /// A letter of the needle in both cases. (To fold the text would be shorter, but `|` of 32 bytes is no
  /// instruction in Swift 6.2: a hundred times slower.)
  private func letter(_ place: Int) -> (low: Block, high: Block) {
    let isLetter = 0x61...0x7A ~= bytes[place]
    return (Block(repeating: bytes[place]), Block(repeating: isLetter ? bytes[place] & 0xDF : bytes[place]))
  }

  /// The general `any` looks for the least lane, which old processors have no instruction for.
  private static func isAny(_ mask: SIMDMask<Block.MaskStorage>) -> Bool {
    let words = unsafeBitCast(mask, to: SIMD4<UInt64>.self)
    return words[0] | words[1] | words[2] | words[3] != 0
  }

  private func stands(in text: UnsafeBufferPointer<UInt8>, _ at: Int) -> Bool {
    for index in 0..<bytes.count where Self.fold(text[at + index]) != bytes[index] { return false }
    return true
  }
}
