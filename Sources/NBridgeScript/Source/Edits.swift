// SPDX-License-Identifier: MIT

/// Changes of a text, made all at once, in order of place.
struct Edits {
  private let bytes: [UInt8]
  private var list: [(range: Range<Int>, text: String, order: Int)] = []

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func replace(_ range: Range<Int>, with text: String) { list.append((range, text, list.count)) }

  mutating func insert(_ text: String, at place: Int, isFirst: Bool = false) {
    list.append((place..<place, text, isFirst ? -1 : list.count))
  }

  /// What is inserted before a word stands there before what replaces it.
  private var sorted: [(range: Range<Int>, text: String, order: Int)] {
    list.sorted {
      ($0.range.lowerBound, $0.range.isEmpty ? 0 : 1, $0.order)
        < ($1.range.lowerBound, $1.range.isEmpty ? 0 : 1, $1.order)
    }
  }

  var original: String { String(decoding: bytes, as: UTF8.self) }

  var text: String { made.text }

  /// The text, and what of it stayed: where it begins, where it began, how long it is.
  var made: (text: String, runs: [(at: Int, from: Int, count: Int)]) {
    var made: [UInt8] = []
    var runs: [(at: Int, from: Int, count: Int)] = []
    var copied = 0
    func keep(to end: Int) {
      if end > copied { runs.append((made.count, copied, end - copied)) }
      made += bytes[copied..<end]
    }
    for edit in sorted where edit.range.lowerBound >= copied {
      keep(to: edit.range.lowerBound)
      made += edit.text.utf8
      copied = edit.range.upperBound
    }
    keep(to: bytes.count)
    return (String(decoding: made, as: UTF8.self), runs)
  }

  /// How much longer each line became, and where.
  var insertions: [AwaitMarker.Insertion] {
    var found: [AwaitMarker.Insertion] = []
    var (line, column, seen) = (1, 1, 0)
    for edit in sorted {
      while seen < edit.range.lowerBound {
        if bytes.endsLine(at: seen) { (line, column) = (line + 1, 1) } else { column += units(bytes[seen]) }
        seen += 1
      }
      let old = String(decoding: bytes[edit.range], as: UTF8.self)
      let length = edit.text.utf16.count - old.utf16.count
      guard length > 0, !old.utf8.contains(0x0A), !edit.text.utf8.contains(0x0A) else { continue }
      found.append(AwaitMarker.Insertion(line: line, column: column, length: length))
    }
    return found
  }

  /// How many UTF-16 units begin with a byte of UTF-8.
  private func units(_ byte: UInt8) -> Int { byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1 }
}
