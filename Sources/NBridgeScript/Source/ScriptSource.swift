// SPDX-License-Identifier: MIT

internal import Glibc

/// A script: what its author wrote, and what the engine is given.
package struct ScriptSource {
  /// What reports and stack lines call it: the path as the user gave it.
  package let url: String
  package let text: String

  /// The text with a byte-order mark and a `#!` line taken out, its lines kept.
  package init(url: String, text: String) {
    self.url = url
    var text = text
    if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
    if text.hasPrefix("#!") { text = "//" + text.dropFirst(2) }
    self.text = text
  }

  /// A line, 1-based, without its end; nil where there is none, also for a number that a script made up.
  package func line(_ number: Int) -> Substring? {
    guard number >= 1 else { return nil }
    let bytes = text.utf8
    var left = number - 1
    var start = bytes.startIndex
    while left > 0 {
      guard let end = bytes.lineEnd(from: start) else { return nil }
      start = end.upperBound
      left -= 1
    }
    let end = bytes.lineEnd(from: start)?.lowerBound ?? bytes.endIndex
    return text[start..<end]
  }
}

extension Collection<UInt8> {
  /// The next line end from a place on: a line feed, a carriage return, or both (ECMA-262, 12.3). To a
  /// `String`, both together are a character of their own, which is no line feed.
  func lineEnd(from start: Index) -> Range<Index>? {
    guard let end = self[start...].firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else { return nil }
    let next = index(after: end)
    let isPair = self[end] == 0x0D && next < endIndex && self[next] == 0x0A
    return end..<(isPair ? index(after: next) : next)
  }

  /// Whether a line ends with the byte at a place.
  func endsLine(at place: Index) -> Bool {
    guard self[place] != 0x0A else { return true }
    let next = index(after: place)
    return self[place] == 0x0D && (next == endIndex || self[next] != 0x0A)
  }
}

extension String.UTF8View {
  /// Whether an ASCII text occurs.
  package func containsText(_ text: StaticString) -> Bool {
    withContiguousStorageIfAvailable { Self.contains($0, text) }
      ?? Array(self).withUnsafeBufferPointer { Self.contains($0, text) }
  }

  private static func contains(_ bytes: UnsafeBufferPointer<UInt8>, _ text: StaticString) -> Bool {
    guard var at = bytes.baseAddress, text.utf8CodeUnitCount > 0 else { return false }
    let last = at + bytes.count - text.utf8CodeUnitCount
    while at <= last, let found = memchr(at, Int32(text.utf8Start.pointee), last - at + 1) {
      if memcmp(found, text.utf8Start, text.utf8CodeUnitCount) == 0 { return true }
      at = UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) + 1
    }
    return false
  }
}
