// SPDX-License-Identifier: MIT

/// A text that was made of another by ``Edits``, and the way back.
struct EditedText {
  let original: String
  let text: String
  /// What stayed: where it begins in the text, where it began, and how long it is; in bytes of UTF-8.
  private let runs: [(at: Int, from: Int, count: Int)]

  init(_ edits: Edits) {
    original = edits.original
    (text, runs) = edits.made
  }

  /// Where a place of the text was; nil for what was put in.
  func exactPlace(of place: Int) -> Int? {
    guard let run = run(at: place), place < run.at + run.count else { return nil }
    return run.from + place - run.at
  }

  /// Where a place of the text was; of what was put in, what stands behind it.
  func place(of place: Int) -> Int {
    guard let run = run(at: place) else { return runs.first?.from ?? 0 }
    return run.from + min(run.count, place - run.at)
  }

  private func run(at place: Int) -> (at: Int, from: Int, count: Int)? {
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].at <= place { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? runs[low - 1] : nil
  }
}

/// Places of a text: bytes from 0, and lines and columns as reports have them.
struct TextPlaces {
  private let bytes: [UInt8]
  private var starts = [0]
  /// The place that was asked for last: most questions go on from there.
  private var last = (offset: 0, line: 1, column: 1)

  init(_ text: String) {
    bytes = Array(text.utf8)
    for index in bytes.indices where bytes.endsLine(at: index) { starts.append(index + 1) }
  }

  /// 1-based, columns in UTF-16 units.
  mutating func place(_ offset: Int) -> (line: Int, column: Int) {
    let nextLine = last.line < starts.count ? starts[last.line] : .max
    if offset >= last.offset, offset < nextLine {
      let column = last.column + units(last.offset..<offset)
      last = (offset, last.line, column)
      return (last.line, column)
    }
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle + 1 } else { high = middle }
    }
    last = (offset, low, 1 + units(starts[low - 1]..<offset))
    return (low, last.column)
  }

  private func units(_ range: Range<Int>) -> Int {
    bytes[min(range.lowerBound, bytes.count)..<min(range.upperBound, bytes.count)].reduce(0) {
      $0 + Self.units($1)
    }
  }

  func offset(line: Int, column: Int) -> Int {
    guard line >= 1, line <= starts.count else { return bytes.count }
    let end = line < starts.count ? starts[line] : bytes.count
    var (at, left) = (starts[line - 1], column - 1)
    while at < end, left > 0 {
      left -= Self.units(bytes[at])
      at += 1
    }
    while at < end, bytes[at] & 0xC0 == 0x80 { at += 1 }
    return at
  }

  /// How many UTF-16 units begin with a byte of UTF-8.
  private static func units(_ byte: UInt8) -> Int { byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1 }
}
