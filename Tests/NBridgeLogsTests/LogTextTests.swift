// SPDX-License-Identifier: MIT

import Foundation
import LoggerPlugin
import NBridgeTerminal
import TestSupport
import Testing

@testable import NBridgeLogs

/// Times as people type them.
@Suite struct LogTimeUnitTests {
  /// 2026-11-22T10:00:00Z
  static let now = 1_795_341_600

  static let times: [(String, Int)] = [
    ("30s", now - 30), ("10m", now - 600), ("2h", now - 7200), ("3d", now - 259_200), ("0s", now),
    ("1.5h", now - 5400),
    ("2026-11-22T10:00:00Z", now), ("2026-11-22T10:00Z", now), ("2026-11-22 10:00:00Z", now),
    ("2026-11-22Z", now - 36_000), ("1970-01-01T00:00:01Z", 1), ("2024-02-29T00:00:00Z", 1_709_164_800),
    ("2026-11-22T9:5:07Z", now - 3293), ("2026-06-30T23:59:60Z", 1_782_864_000), ("10:00:30Z", now + 30),
    ("9999-12-31T23:59:59Z", 253_402_300_799),
  ]

  @Test(arguments: times)
  func timesAreRead(_ text: String, _ expected: Int) {
    #expect(LogTime.parse(text, now: Self.now) == expected)
  }

  @Test(arguments: [
    "", "x", "s", "-5m", "1e10d", "infs", "nans", "24:00", "10:60", "10:00:61", "10", "1:2:3:4", ":", "10:",
    "-1:00",
    "2026-13-01T00:00:00Z", "2026-00-01Z", "2026-11-32Z", "2026-02-30T00:00:00Z", "2025-02-29Z",
    "2026-04-31Z",
    "1969-12-31T00:00:00Z", "10000-01-01Z", "2026-11Z", "2026-11-22T", "2026-11-22T25:00", "2026-11-22Tnoon",
    "nan:00", "2026-11-22T10:00:00+01:00",
  ])
  func whatIsNoTimeIsNone(_ text: String) {
    #expect(LogTime.parse(text, now: Self.now) == nil)
  }

  /// Without a zone it is this place's time, whatever zone that is.
  @Test func timesOfThisPlaceAreReadAsTheSystemTellsThem() {
    for at in stride(from: Self.now, to: Self.now + 86_400 * 20, by: 40_000) {
      var (seconds, time) = (at, tm())
      localtime_r(&seconds, &time)
      let text = String(
        format: "%04d-%02d-%02dT%02d:%02d:%02d", time.tm_year + 1900, time.tm_mon + 1, time.tm_mday,
        time.tm_hour,
        time.tm_min, time.tm_sec)
      #expect(LogTime.parse(text, now: 0) == at)
      #expect(LogTime.parse(String(text.dropFirst(11)), now: at) == at)
    }
  }

  /// A clock of UTC is one of UTC's day, also where the day here is another.
  @Test func clocksOfUTCAreOfItsDay() {
    for at in stride(from: Self.now, to: Self.now + 86_400, by: 3600) {
      #expect(LogTime.parse("17:00Z", now: at) == at - at % 86_400 + 17 * 3600)
    }
  }

  @Test(arguments: [
    (nil, "2026-11-22T10:00:00.000Z", "+0.000"),
    ("2026-11-22T10:00:00.000Z", "2026-11-22T10:00:01.234Z", "+1.234"),
    ("2026-11-22T10:00:01.000Z", "2026-11-22T10:00:00.999Z", "-0.001"),
    ("x", "2026-11-22T10:00:00.000Z", "+0.000"),
    ("2026-11-22T23:59:59.999Z", "2026-11-23T00:00:00.000Z", "+0.001"),
    ("2026-11-22T10:00:00.000Z", "2026-11-22T11:00:00.050Z", "+3600.050"),
    ("2026-11-22T10:00:00.000Z", "", "+0.000"),
    ("2026-11-22T10:00:00Z", "2026-11-22T10:00:05Z", "+0.000"),
  ])
  func differencesAreTold(_ before: String?, _ after: String, _ text: String) {
    #expect(LogDelta.text(from: before, to: after) == text)
  }
}

/// Records as lines, in the store and for other programs.
@Suite struct StoredLineUnitTests {
  @Test(arguments: [
    ("1\t2{}", 1, 2, "{}"), ("0\t0", 0, 0, ""), ("9999999999\t6x", 9_999_999_999, 6, "x"),
    ("12\t3\t", 12, 3, "\t"),
    ("007\t1a\tb", 7, 1, "a\tb"),
  ])
  func linesAreTakenApart(_ line: String, _ source: Int, _ rank: Int, _ json: String) {
    Array(line.utf8).withUnsafeBufferPointer { line in
      let stored = StoredLine(line)
      #expect(stored?.source == source && stored?.rank == rank)
      #expect(stored.map { String(decoding: $0.json, as: UTF8.self) } == json)
    }
  }

  @Test(arguments: ["", "1", "1\t", "1 2{}", "\t2", "-1\t2{}", "1\t7{}", "1\tx", "12345678901\t2", "x"])
  func whatIsNoneIsNil(_ line: String) {
    #expect(Array(line.utf8).withUnsafeBufferPointer { StoredLine($0) == nil })
  }

  @Test(arguments: 0..<30)
  func whatIsPutInComesOut(_ seed: Int) {
    var dice = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    let records = (0..<dice.below(20)).map { _ in
      (dice.below(1_000_000), dice.below(7), dice.text(of: ["a", "\t", "é", "{}", "7"], count: dice.below(8)))
    }
    for (source, rank, json) in records { StoredLine.append(source, rank, json.utf8, to: &bytes) }
    var found: [(Int, Int, String)] = []
    bytes.withUnsafeBufferPointer { bytes in
      StoredLine.forEach(bytes) { line in
        guard let stored = StoredLine(line) else { return }
        found.append((stored.source, stored.rank, String(decoding: stored.json, as: UTF8.self)))
      }
    }
    #expect(found.map { "\($0)" } == records.map { "\($0)" })
  }

  private func json(_ record: [UInt8]) -> [UInt8] {
    (Array("1\t5".utf8) + record).withUnsafeBufferPointer { StoredLine($0).map { JSONLine.of($0) } ?? [] }
  }

  static let lines: [(String, String)] = [
    (#"{"a":1}"#, #"{"a":1}"#), (#"{"a":"\u001b"}"#, #"{"a":"\u001b"}"#),
    ("{\"a\":\"\u{1B}\"}", #"{"a":"\u001b"}"#),
    ("{\"a\":\"\u{9B}\u{7F}\"}", #"{"a":"\u009b\u007f"}"#), ("{\"a\":\"é日\"}", "{\"a\":\"é日\"}"),
    ("nonsense", #"{"level":"error","service":"socket","message":"nonsense"}"#),
    ("{\"a\":01}", #"{"level":"error","service":"socket","message":"{\"a\":01}"}"#),
    ("{\u{1B}", #"{"level":"error","service":"socket","message":"{\u001b"}"#),
    ("", #"{"level":"error","service":"socket","message":""}"#),
  ]

  @Test(arguments: lines)
  func linesForOtherProgramsAreJSON(_ record: String, _ expected: String) {
    #expect(String(decoding: json(Array(record.utf8)), as: UTF8.self) == expected)
  }

  @Test(arguments: 0..<80)
  func anyBytesBecomeJSONWithoutControlCharacters(_ seed: Int) {
    var dice = SeededGenerator(seed: seed)
    var bytes = Array(Line.record("text").utf8)
    for _ in 0..<dice.below(6) { bytes.insert(UInt8(dice.below(256)), at: dice.below(bytes.count)) }
    bytes.removeAll { $0 == 0x0A }
    let line = Data(json(bytes))
    #expect((try? JSONSerialization.jsonObject(with: line)) is [String: Any], "seed \(seed)")
    let text = String(decoding: line, as: UTF8.self)
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 || 0x7F..<0xA0 ~= $0.value }, "seed \(seed)")
  }
}

/// Records as rows of a screen.
@Suite struct LogRowUnitTests {
  private func made(_ json: String, rank: Int = 2, app: String = "chat") -> LogRow? {
    Line.stored(json, rank: rank).withUnsafeBufferPointer { line in
      StoredLine(line).map { LogRow($0, app: app) }
    }
  }

  private func plain(_ text: String) -> String { text.replacing(/\u{1B}\[[0-9;]*m/, with: "") }

  @Test func aRowHasTimeLevelSourceMessageAndFields() throws {
    let row = try #require(made(Line.record("it works", 4, #","user":"Ada","n":3,"at":"a.js:1""#), rank: 4))
    let text = plain(row.text(columns: 120, delta: nil, isSelected: false))
    #expect(text == "10:00:00.000 WARN  chat/db it works  user=Ada  n=3  (a.js:1)")
    #expect(plain(row.text(columns: 120, delta: "+0.001", isSelected: false)).hasPrefix("+0.001       WARN "))
    #expect(row.plain == "10:00:00.000 WARN  db it works  user=\"Ada\"  n=3  (a.js:1)")
  }

  @Test func aSelectedRowIsTurnedOverItsWholeWidth() throws {
    let text = try #require(made(Line.record("x"))).text(columns: 60, delta: nil, isSelected: true)
    #expect(text.hasPrefix("\u{1B}[7m") && text.hasSuffix("\u{1B}[0m") && TextWidth.of(plain(text)) == 60)
  }

  /// Rows never leave the screen, and nothing of a record steers it.
  @Test(arguments: 0..<80)
  func rowsFit(_ seed: Int) throws {
    var dice = SeededGenerator(seed: seed)
    let parts = [
      "a", "日本", "👍🏽", "\\n", "\\u001b[2J", "\\u009b", "é", " ", "\\t", "\\u202e", "word", "\\ud83d",
    ]
    let message = dice.text(of: parts, count: dice.below(60))
    let field = dice.text(of: parts, count: dice.below(20))
    let rank = dice.below(7)
    let row = try #require(
      made(Line.record(message, rank, #","f\#(field)":"\#(field)""#), rank: rank, app: "日本\u{1B}")
    )
    for columns in [1, 5, 13, 18, 19, 20, 40, 80, 200] {
      for isSelected in [false, true] {
        let text = row.text(columns: columns, delta: nil, isSelected: isSelected)
        #expect(TextWidth.of(plain(text)) <= columns, "seed \(seed), \(columns) columns")
        #expect(!plain(text).unicodeScalars.contains { $0.value < 0x20 || 0x7F..<0xA0 ~= $0.value })
      }
      for line in row.detail(columns: columns) {
        #expect(TextWidth.of(line) <= columns, "seed \(seed), \(columns) columns: \(line)")
        #expect(!line.unicodeScalars.contains { $0.value < 0x20 || 0x7F..<0xA0 ~= $0.value })
      }
    }
  }

  @Test func detailsTellEverything() throws {
    let json =
      #"{"seq":9,"pid":42,"time":"T","level":"error","service":"db","message":"one\ntwo","at":"a.js:1","#
      + #""function":"f","user":"Ada"}"#
    let lines = try #require(made(json, rank: 5)).detail(columns: 80)
    #expect(
      lines == [
        "time      T", "level     error", "source    chat", "service   db", "number    9", "process   42",
        "at        a.js:1 f", "", "one", "two", "", "user: Ada",
      ])
  }

  @Test func whatIsVeryLongIsCutBeforeItIsRead() throws {
    let row = try #require(made(Line.record(String(repeating: "x", count: 1 << 20))))
    #expect(TextWidth.of(plain(row.text(columns: 100, delta: nil, isSelected: false))) <= 100)
  }

  @Test(
    arguments: [
      ("日本", 3, "日"), ("abc", 2, "ab"), ("abc", 3, "abc"), ("", 0, ""), ("é", 1, "é"),
      ("e\u{301}e", 1, "e\u{301}"),
    ]
  )
  func textsAreCut(
    _ text: String, _ columns: Int, _ expected: String
  ) { #expect(text.cut(columns) == expected) }

  @Test(arguments: [("日", 4, "日  "), ("abc", 2, "abc"), ("", 2, "  ")])
  func textsArePadded(
    _ text: String, _ columns: Int, _ expected: String
  ) { #expect(text.padded(columns) == expected) }
}
