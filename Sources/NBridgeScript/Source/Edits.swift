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

  private var sorted: [(range: Range<Int>, text: String, order: Int)] {
    list.sorted { ($0.range.lowerBound, $0.order) < ($1.range.lowerBound, $1.order) }
  }

  var text: String {
    var made: [UInt8] = []
    var copied = 0
    for edit in sorted where edit.range.lowerBound >= copied {
      made += bytes[copied..<edit.range.lowerBound]
      made += edit.text.utf8
      copied = edit.range.upperBound
    }
    return String(decoding: made + bytes[copied...], as: UTF8.self)
  }

  /// How much longer each line became, and where.
  var insertions: [AwaitMarker.Insertion] {
    var found: [AwaitMarker.Insertion] = []
    var (line, lineStart, seen) = (1, 0, 0)
    for edit in sorted {
      while seen < edit.range.lowerBound {
        if bytes.endsLine(at: seen) { (line, lineStart) = (line + 1, seen + 1) }
        seen += 1
      }
      let old = String(decoding: bytes[edit.range], as: UTF8.self)
      let length = edit.text.utf16.count - old.utf16.count
      guard length > 0, !old.contains("\n"), !edit.text.contains("\n") else { continue }
      let column = String(decoding: bytes[lineStart..<edit.range.lowerBound], as: UTF8.self).utf16.count + 1
      found.append(AwaitMarker.Insertion(line: line, column: column, length: length))
    }
    return found
  }
}
