// SPDX-License-Identifier: MIT

import LoggerPlugin
import NBridgePlugin
import TestSupport
import Testing

@testable import NBridgeLogs

/// Which records a filter lets through.
@Suite struct LogFilterUnitTests {
  static let record =
    #"{"seq":7,"pid":42,"time":"2026-11-22T10:00:00.000Z","level":"warning","service":"db","message":"#
    + #""Connection refused by host","at":"main.js:3","function":"connect","user":"Ada","path":"#
    + #""/api/v1","count":3,"note":"two words"}"#

  private func matches(_ filter: String, _ record: String = record, rank: Int = 4) throws -> Bool {
    try Line.matches(LogFilter(filter) { $0 == 1 ? "chat" : nil }, record, rank: rank)
  }

  static let filters: [(String, Bool)] = [
    ("", true), ("   ", true), ("connection", true), ("CONNECTION", true), ("refused host", true),
    ("refused nowhere", false),
    ("-nowhere", true), ("-refused", false), ("connection -nowhere", true), ("\"refused by\"", true),
    ("\"by refused\"", false), ("\"refused by", true), ("\"\"", true), ("-\"refused by\"", false),
    ("-\"by refused\"", true), ("-", false), ("\"-nowhere\"", false), ("db", true), ("main.js:3", false),
    ("\"main.js:3\"", true), ("Ada", true), ("seq", false), ("42", false),
    // Patterns.
    ("/conn.*refused/", true), ("/^db Conn/", true), ("/refused$/", false), ("-/nothing/", true),
    ("-/conn.*ref/", false),
    ("/ref", true), ("/a b/", false), ("/by host/", true), ("/", true), ("//", true),
    ("/CONN[A-Z]+ION/", true),
    // Levels.
    ("level:warning", true), ("level=warn", true), ("level>=info", true), ("level>warning", false),
    ("level<error", true),
    ("level<=warning", true), ("level>=error", false), ("-level:warning", false), ("-level:error", true),
    ("level:WARNING", true), ("level>=info level<=notice", false),
    // Fields.
    ("service:db", true), ("service=DB", true), ("service:d", false), ("service:d*", true),
    ("user:ada", true),
    ("user:*", true), ("nobody:*", false), ("-nobody:x", true), ("-user:ada", false), ("path:/api/*", true),
    ("path:/api", false), ("count:3", true), ("count:3.0", false), ("note:\"two words\"", true),
    ("note:two", false),
    ("source:chat", true), ("app:chat", true), ("source:other", false), ("at:main.js:3", true),
    ("function:connect", true),
    ("pid:42", true), ("message:\"connection refused by host\"", true), ("message:connection*", true),
    ("user:", false),
  ]

  @Test(arguments: filters)
  func filtersLetThrough(_ filter: String, _ expected: Bool) throws {
    #expect(try matches(filter) == expected)
  }

  @Test(arguments: [
    ("/(/", "'/(/'"), ("level:loud", "'loud' is no level; they are trace, debug"),
    ("level>=", "'' is no level"),
    ("-/[/", "'/[/'"),
  ])
  func whatIsNoFilterSaysWhy(_ filter: String, _ text: String) {
    let error = #expect(throws: BridgeError.self) { try LogFilter(filter) }
    #expect(
      error?.code == .invalidParameter && error?.message.contains(text) == true, "\(error?.message ?? "")"
    )
  }

  /// Other programs' JSON has escapes for what is beyond ASCII: the filter looks at what they mean.
  static let escapes: [(String, String, Bool)] = [
    (#"{"message":"Zo\u00eb \/ \u0041"}"#, "zoë", true), (#"{"message":"Zo\u00eb"}"#, "Zoë", true),
    (#"{"message":"a\/b"}"#, "a/b", true), (#"{"message":"a\"b"}"#, "\"a\"", true),
    (#"{"message":"a\\b"}"#, #"a\b"#, true),
    (#"{"message":"a\nb"}"#, "nb", false), (#"{"user":"Zo\u00eb"}"#, "user:ZOË", true),
    (#"{"message":"naïve"}"#, "naïve", true), (#"{"message":"日本語"}"#, "本", true),
  ]

  @Test(arguments: escapes)
  func escapesAreRead(_ record: String, _ filter: String, _ expected: Bool) throws {
    #expect(try matches(filter, record) == expected)
  }

  @Test(arguments: [
    ("user:Ada-7 x", ["Ada", "7"]), ("user:ada*", []), ("-user:ada", []), ("source:chat app:chat", []),
    ("text /re/", []),
    ("level:error", []), ("user:\"a b\"", ["a", "b"]), ("user:Zoë city:Bern", ["Bern"]),
    ("path:/api/v1", ["api", "v1"]),
  ])
  func theIndexIsAskedForWholeWordsOnly(_ filter: String, _ words: [String]) throws {
    #expect(try LogFilter(filter).words == words)
  }

  static let levels: [(String, [Int])] = [
    ("", [0, 1, 2, 3, 4, 5, 6]), ("level>=warning", [4, 5, 6]), ("level<info", [0, 1]),
    ("-level:info", [0, 1, 3, 4, 5, 6]),
    ("level>debug level<error", [2, 3, 4]), ("level>=fatal", [6]), ("level>critical", []),
    ("x y", [0, 1, 2, 3, 4, 5, 6]),
  ]

  @Test(arguments: levels)
  func levelsAreKnownWithoutReading(_ filter: String, _ ranks: [Int]) throws {
    let filter = try LogFilter(filter)
    #expect(filter.ranks.indices.filter { filter.ranks[$0] } == ranks)
    for rank in 0..<7 {
      #expect(
        Line.matches(filter, Line.record("x y", rank), rank: rank) == ranks.contains(rank)
      )
    }
  }

  /// The quick look at a page never hides a record that the close one would find.
  @Test(arguments: 0..<60)
  func theQuickLookHidesNothing(_ seed: Int) throws {
    var dice = SeededGenerator(seed: seed)
    let words = ["time", "out", "x", "db", "naïve", "\\u00e9", "a/b", "\\\"", "Level", "7", ":"]
    let filters = [
      "time", "OUT", "é", "naïve", "a/b", "-x", "db", "\"e o\"", "7", "/t.me/", "level>=info", "user:x",
    ]
    let filter = try LogFilter("\(dice.pick(filters)) \(dice.pick(filters))")
    var page: [UInt8] = [], isAny = false
    for _ in 0..<6 {
      let record = Line.record(dice.text(of: words + [" "], count: 5), dice.below(7), #","user":"x""#)
      StoredLine.append(1, 2, record.utf8, to: &page)
      isAny = isAny || Line.matches(filter, record)
    }
    let mayMatch = page.withUnsafeBufferPointer { filter.mayMatch($0) }
    #expect(mayMatch || !isAny, "seed \(seed): '\(filter.text)'")
  }

  @Test func aLineThatIsNoneIsNotShown() throws {
    for line in ["", "x", "1", "1\t", "1\t9{}", "\t2{}", "99999999999\t2{}"] {
      #expect(try !Array(line.utf8).withUnsafeBufferPointer { try LogFilter("").matches($0) }, "'\(line)'")
    }
  }

  @Test func whatIsNoJSONIsAMessage() throws {
    #expect(try matches("/^ plain/", "plain text") && matches("text", "plain text"))
    #expect(try matches("\u{2400}", "{\"message\":\"a\\u0000b\"}") == false)
    #expect(try matches("/a.b/", "{\"message\":\"a\\u0000b\"}"))
  }
}
