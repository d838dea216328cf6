// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import NBridgeScript

/// From a generated script's lines and columns back to the author's (ECMA-426).
@Suite struct SourceMapTests {
  /// One segment: a generated column, and where it comes from.
  struct Segment: Equatable {
    var column: Int
    /// Source, line and column from 0; nil for what has no author.
    var place: [Int]?
    var name: Int?
  }

  static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

  static func number(_ value: Int) -> String {
    var left = value < 0 ? (-value << 1) | 1 : value << 1
    var text = ""
    repeat {
      let digit = left & 31
      left >>= 5
      text.append(digits[left > 0 ? digit | 32 : digit])
    } while left > 0
    return text
  }

  static func mappings(_ lines: [[Segment]]) -> String {
    var last = [0, 0, 0, 0]
    return lines.map { line in
      var column = 0
      return line.map { segment in
        var text = number(segment.column - column)
        column = segment.column
        guard let place = segment.place else { return text }
        for index in 0..<3 {
          text += number(place[index] - last[index])
          last[index] = place[index]
        }
        if let name = segment.name {
          text += number(name - last[3])
          last[3] = name
        }
        return text
      }.joined(separator: ",")
    }.joined(separator: ";")
  }

  static func json(_ mappings: String, sources: Int = 3) -> String {
    let names = (0..<sources).map { "\"s\($0).ts\"" }.joined(separator: ",")
    return #"{"version":3,"sources":[\#(names)],"names":[],"mappings":"\#(mappings)"}"#
  }

  static func map(_ mappings: String) -> SourceMap? { SourceMap(json(mappings)) }

  @Test func severalSegmentsOfALineKeepTheirColumns() throws {
    let lines: [[Segment]] = [
      [
        .init(column: 0, place: [0, 0, 0]), .init(column: 4, place: [0, 0, 8]),
        .init(column: 10, place: [1, 2, 3]),
      ]
    ]
    let map = try #require(Self.map(Self.mappings(lines)))
    #expect(map.place(line: 1, column: 1) == .init(source: 0, line: 1, column: 1))
    #expect(map.place(line: 1, column: 4) == .init(source: 0, line: 1, column: 1))
    #expect(map.place(line: 1, column: 5) == .init(source: 0, line: 1, column: 9))
    #expect(map.place(line: 1, column: 11) == .init(source: 1, line: 3, column: 4))
    #expect(map.place(line: 1, column: 9999) == .init(source: 1, line: 3, column: 4))
  }

  /// A segment of one number says that what follows has no author, and its column counts for the next one.
  @Test func whatHasNoAuthorHasNoPlace() throws {
    let lines: [[Segment]] = [
      [
        .init(column: 0, place: [0, 0, 0]), .init(column: 5, place: nil), .init(column: 9, place: [0, 1, 0]),
        .init(column: 12, place: nil),
      ]
    ]
    let map = try #require(Self.map(Self.mappings(lines)))
    let places = [1, 5, 6, 9, 10, 12, 13, 20].map { map.place(line: 1, column: $0)?.line }
    #expect(places == [1, 1, nil, nil, 2, 2, nil, nil])
  }

  @Test func whatStandsBeforeTheFirstSegmentIsNobodys() throws {
    let map = try #require(Self.map(Self.mappings([[.init(column: 3, place: [0, 0, 0])], []])))
    #expect(map.place(line: 1, column: 3) == nil)
    #expect(map.place(line: 1, column: 4) != nil)
    #expect(map.place(line: 2, column: 1) == nil)
  }

  @Test(arguments: [0, -1, 3, Int.max, Int.min])
  func linesThatAreNotThereHaveNoPlace(_ line: Int) throws {
    let map = try #require(Self.map("AAAA;AACA"))
    #expect(map.place(line: line, column: 1) == nil)
  }

  @Test(arguments: [0, -5, Int.min + 1])
  func columnsBeforeTheFirstHaveNoPlace(_ column: Int) throws {
    #expect(try #require(Self.map("AAAA")).place(line: 1, column: column) == nil)
  }

  /// Columns of a line need not come in their order.
  @Test func aLineThatIsNotSortedIsFoundInAllTheSame() throws {
    let lines: [[Segment]] = [
      [
        .init(column: 8, place: [0, 8, 0]), .init(column: 2, place: [0, 2, 0]),
        .init(column: 5, place: [0, 5, 0]),
      ],
      [.init(column: 1, place: [0, 20, 0])],
    ]
    let map = try #require(Self.map(Self.mappings(lines)))
    #expect([2, 3, 6, 9].map { map.place(line: 1, column: $0)?.line } == [nil, 3, 6, 9])
    #expect(map.place(line: 2, column: 2)?.line == 21)
  }

  @Test(arguments: [
    "AA", "AAA", "AAAAAA", "!", "AAAA,!", "AAAA;!", "g", "AAAg", "AAAAg", "AAAA,g", "D", "DAAA",
    "ADAA", "AADA", "AAAD",
    "AGAA", "AAAA AAAA", "gggggggggA", "AAAA,A,!", "gggggggggggA",
  ])
  func whatIsMalformedIsNoMap(_ mappings: String) { #expect(Self.map(mappings) == nil, "\(mappings)") }

  @Test(arguments: ["", ";", ";;;", ",", "AAAA,", ",AAAA", "A", "A,AAAA", "AAAA;", "AAAA,,CAAA"])
  func whatIsEmptyInPlacesIsAMap(_ mappings: String) { #expect(Self.map(mappings) != nil, "\(mappings)") }

  @Test(arguments: [
    "", "{}", "[]", "null", "{\"version\":3}", #"{"version":2,"sources":[],"mappings":""}"#,
    #"{"version":3,"sources":"a","mappings":""}"#, #"{"version":3,"sections":[]}"#, "{\"version\":3,",
    #"{"version":3,"sources":[],"mappings":5}"#,
  ])
  func whatIsNoDocumentIsNoMap(_ json: String) { #expect(SourceMap(json) == nil, "\(json)") }

  @Test(arguments: [
    (nil, ["a.ts", "b/c.ts", "?"]), ("", ["a.ts", "b/c.ts", "?"]),
    ("src", ["src/a.ts", "src/b/c.ts", "src/?"]),
    ("src/", ["src/a.ts", "src/b/c.ts", "src/?"]),
  ])
  func sourcesBeginAtTheRoot(_ root: String?, _ expected: [String]) throws {
    let member = root.map { #""sourceRoot":"\#($0)","# } ?? ""
    let map = try #require(
      SourceMap(
        #"{"version":3,\#(member)"sources":["a.ts","b/c.ts",null],"mappings":"","sourcesContent":["x",null]}"#
      ))
    #expect(map.sources == expected)
    #expect(map.contents == ["x", nil, nil])
  }

  /// A map made of any segments gives each place that a plain search gives.
  @Test(arguments: 0..<30)
  func anyMapAgreesWithASearchThroughItsSegments(_ seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    var lines: [[Segment]] = []
    for _ in 0..<random.number(1...8) {
      var columns = Set<Int>()
      for _ in 0..<random.number(0...10) { columns.insert(random.number(0...60)) }
      var line = columns.sorted().map { column in
        Segment(
          column: column,
          place: random.number(0...3) == 0
            ? nil
            : [
              random.number(0...2), random.number(0...500),
              random.number(0...90),
            ],
          name: random.number(0...4) == 0 ? random.number(0...9) : nil)
      }
      if random.number(0...3) == 0 { line.shuffle(using: &random) }
      lines.append(line)
    }
    let map = try #require(Self.map(Self.mappings(lines)))
    for (number, line) in lines.enumerated() {
      for column in 0...65 {
        let found = line.sorted { $0.column < $1.column }.last { $0.column <= column }
        let expected = found?.place.map { SourceMap.Place(source: $0[0], line: $0[1] + 1, column: $0[2] + 1) }
        #expect(
          map.place(line: number + 1, column: column + 1) == expected,
          "line \(number) column \(column)")
      }
    }
  }

  /// Each beginning of a map's text is a map or none, and asks for nothing outside of it.
  @Test func everyBeginningOfAMapIsHarmless() {
    let text = Self.mappings([
      [
        .init(column: 0, place: [0, 0, 0]), .init(column: 40, place: nil),
        .init(column: 90, place: [2, 700, 33], name: 5),
      ], [],
      [.init(column: 1000, place: [1, 3, 9])],
    ])
    for length in 0...text.count {
      guard let map = Self.map(String(text.prefix(length))) else { continue }
      for line in 0...4 { for column in [0, 1, 41, 91, 1001] { _ = map.place(line: line, column: column) } }
    }
  }

  @Test(arguments: 0..<10)
  func anyTextIsAMapOrNone(_ seed: Int) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let text = random.text(
        of: ["A", "C", "D", "g", "/", "+", ",", ";", "AAAA", "CAAC", "!", "9", "gB"],
        count: 0...20)
      _ = Self.map(text)?.place(line: random.number(0...5), column: random.number(0...99))
    }
  }
}
