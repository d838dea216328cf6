// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// A source map, revision 3 (ECMA-426): from a generated script's lines and columns back to the author's.
struct SourceMap: Sendable {
  /// A place in the author's files; line and column 1-based.
  struct Place: Equatable, Sendable {
    let source: Int
    let line: Int
    let column: Int
  }

  fileprivate struct Segment: Sendable {
    let column: Int32
    /// -1 for what has no author.
    let source: Int32
    let line: Int32
    let sourceColumn: Int32
  }

  /// What the map calls the author's files.
  let sources: [String]
  /// Their texts, as far as the map brings them.
  let contents: [String?]
  private let segments: [Segment]
  /// Where each generated line's segments start, and one past the last.
  private let lines: [Int]

  private struct Document: Decodable {
    var version: Int
    var sourceRoot: String?
    var sources: [String?]
    var sourcesContent: [String?]?
    var mappings: String
  }

  /// Parses a map; nil for what is none. One whose places lie outside of its files is caught when they are
  /// looked up.
  init?(_ json: String) {
    guard let document = try? Value(text: Array(json.utf8)).decode(Document.self), document.version == 3,
      let (segments, lines) = Self.parse(document.mappings, sources: document.sources.count)
    else { return nil }
    let root = document.sourceRoot.map { $0.isEmpty || $0.hasSuffix("/") ? $0 : $0 + "/" } ?? ""
    sources = document.sources.map { root + ($0 ?? "?") }
    let given = document.sourcesContent ?? []
    contents = sources.indices.map { $0 < given.count ? given[$0] : nil }
    self.segments = segments
    self.lines = lines
  }

  private static func parse(_ mappings: String, sources: Int) -> ([Segment], [Int])? {
    var segments: [Segment] = []
    var lines = [0]
    var reader = SegmentReader(mappings)
    while true {
      var isSorted = true
      while reader.isAtNumber {
        guard let segment = reader.segment(sources: sources) else { return nil }
        if let last = segments.last, segments.count > lines[lines.count - 1], last.column > segment.column {
          isSorted = false
        }
        segments.append(segment)
        if !reader.skip(0x2C) { break }
      }
      if !isSorted { sort(&segments, from: lines[lines.count - 1]) }
      // A comma with nothing behind it stands for nothing.
      while reader.skip(0x2C) {}
      if reader.isAtNumber { continue }
      lines.append(segments.count)
      if !reader.skip(0x3B) { return reader.isAtEnd ? (segments, lines) : nil }
      reader.beginLine()
    }
  }

  /// A line's columns may go back and forth: equal ones stay in their order.
  private static func sort(_ segments: inout [Segment], from start: Int) {
    let sorted = segments[start...].enumerated().sorted {
      ($0.element.column, $0.offset) < ($1.element.column, $1.offset)
    }
    segments.replaceSubrange(start..., with: sorted.map(\.element))
  }

  /// The author's place of a generated one (1-based); nil where the generator put in something of its own.
  func place(line: Int, column: Int) -> Place? {
    guard let end = firstIndex(line: line, behind: column), end > lines[line - 1],
      segments[end - 1].source >= 0
    else { return nil }
    let segment = segments[end - 1]
    return Place(
      source: Int(segment.source), line: Int(segment.line) + 1, column: Int(segment.sourceColumn) + 1)
  }

  /// The column of a generated line, behind another one, from which on the map knows another place.
  func column(line: Int, behind column: Int) -> Int? {
    guard let index = firstIndex(line: line, behind: column), index < lines[line] else { return nil }
    return Int(segments[index].column) + 1
  }

  /// The first of a line's segments that begins behind a column; the line's end where none does.
  private func firstIndex(line: Int, behind column: Int) -> Int? {
    guard line >= 1, line < lines.count else { return nil }
    var low = lines[line - 1]
    var high = lines[line]
    while low < high {
      let middle = (low + high) / 2
      if Int(segments[middle].column) <= column - 1 { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The author's place of the first of a generated line's that has one, or of the lines before.
  func nearest(line: Int) -> Place? {
    guard line >= 1, !lines.isEmpty else { return nil }
    let end = lines[min(line, lines.count - 1)]
    guard let segment = segments[..<end].last(where: { $0.source >= 0 }) else { return nil }
    return Place(
      source: Int(segment.source), line: Int(segment.line) + 1, column: Int(segment.sourceColumn) + 1)
  }

  /// The first place that was made of a line of the first file, from a column on, or of the next line that
  /// something was made of; all 1-based.
  func generated(line: Int, column: Int) -> (line: Int, column: Int)? {
    var best: (segment: Segment, line: Int)?
    for generated in 1..<max(1, lines.count) {
      for segment in segments[lines[generated - 1]..<lines[generated]] where segment.source == 0 {
        let place = (Int(segment.line) + 1, Int(segment.sourceColumn) + 1)
        guard place >= (line, column) else { continue }
        if let found = best?.segment, (found.line, found.sourceColumn) <= (segment.line, segment.sourceColumn)
        {
          continue
        }
        best = (segment, generated)
      }
    }
    return best.map { ($0.line, Int($0.segment.column) + 1) }
  }
}

extension SourceMap.Segment {
  fileprivate init?(_ column: Int, _ source: Int, _ line: Int, _ sourceColumn: Int) {
    guard let column = Int32(exactly: column), let source = Int32(exactly: source),
      let line = Int32(exactly: line),
      let sourceColumn = Int32(exactly: sourceColumn), column >= 0, line >= 0, sourceColumn >= 0
    else { return nil }
    self.init(column: column, source: source, line: line, sourceColumn: sourceColumn)
  }
}

/// The segments of a map: all numbers but a line's columns go on from one line to the next.
private struct SegmentReader {
  private var reader: VLQReader
  private var (column, source, line, sourceColumn) = (0, 0, 0, 0)

  init(_ mappings: String) { reader = VLQReader(mappings) }

  var isAtEnd: Bool { reader.isAtEnd }
  var isAtNumber: Bool { reader.isAtNumber }

  mutating func skip(_ byte: UInt8) -> Bool { reader.skip(byte) }
  mutating func beginLine() { column = 0 }

  /// One, four or five numbers; nil for anything else, and for a place that can't be.
  mutating func segment(sources: Int) -> SourceMap.Segment? {
    guard let step = reader.number() else { return nil }
    column += step
    guard reader.isAtNumber else { return SourceMap.Segment(column, -1, 0, 0) }
    guard let sourceStep = reader.number(), let lineStep = reader.number(), let columnStep = reader.number()
    else { return nil }
    source += sourceStep
    line += lineStep
    sourceColumn += columnStep
    if reader.isAtNumber, reader.number() == nil { return nil }  // the name
    guard !reader.isAtNumber, (0..<sources).contains(source) else { return nil }
    return SourceMap.Segment(column, source, line, sourceColumn)
  }
}

/// Base 64 VLQ numbers: five bits a digit, the sign in the lowest bit of the first.
private struct VLQReader {
  private let bytes: [UInt8]
  private var at = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { at == bytes.count }
  var isAtNumber: Bool { at < bytes.count && Self.digit(bytes[at]) != nil }

  mutating func skip(_ byte: UInt8) -> Bool {
    guard at < bytes.count, bytes[at] == byte else { return false }
    at += 1
    return true
  }

  mutating func number() -> Int? {
    var value = 0
    var shift = 0
    while at < bytes.count, let digit = Self.digit(bytes[at]), shift < 40 {
      at += 1
      value |= (digit & 31) << shift
      if digit & 32 == 0 { return value & 1 == 0 ? value >> 1 : -(value >> 1) }
      shift += 5
    }
    return nil
  }

  private static func digit(_ byte: UInt8) -> Int? {
    switch byte {
    case 0x41...0x5A: Int(byte) - 0x41
    case 0x61...0x7A: Int(byte) - 0x61 + 26
    case 0x30...0x39: Int(byte) - 0x30 + 52
    case 0x2B: 62
    case 0x2F: 63
    default: nil
    }
  }
}
