// SPDX-License-Identifier: MIT

import Foundation
import NBridgePlugin
import TestSupport
import Testing

@testable import LoggerPlugin

/// Records of whatever texts, through all that is made of them.
@Suite struct RecordPropertyTests {
  static func line(_ chunk: LogChunk) -> [UInt8] { Array(chunk.bytes.dropLast()) }

  @Test func whateverIsLoggedIsReadAsItWas() throws {
    for seed in 0..<400 as Range<UInt64> {
      var dice = SeededGenerator(seed: seed)
      let fields = [dice.trouble(8): dice.trouble(20), "n": "1"]
      let record = LogRecord(
        level: LogLevel.allCases[dice.number(0..<7)], service: dice.trouble(10), message: dice.trouble(60),
        fields: try JSONSerialization.data(withJSONObject: fields).map(\.self), place: dice.trouble(12))
      let chunk = try Chunks.of([record], first: dice.number(1..<100_000))
      #expect(chunk.lines.count == 1 && chunk.bytes.count { $0 == 0x0A } == 1, "seed \(seed)")
      let view = RecordView(Self.line(chunk))
      #expect(view.message == record.message && view.service == record.service && view.place == record.place)
      #expect(view.level == record.level && view.number == chunk.first && view.pid == 7)
      for (name, value) in fields { #expect(view.field(name) == value, "seed \(seed)") }
      // Other readers of JSON read it, too.
      let object = try JSONSerialization.jsonObject(with: Data(Self.line(chunk))) as? [String: Any]
      // Foundation's reader leaves U+FEFF out.
      let plain = { (text: String?) in text?.unicodeScalars.filter { $0 != "\u{FEFF}" }.map(\.value) }
      #expect(plain(object?["message"] as? String) == plain(record.message), "seed \(seed)")
    }
  }

  @Test func noFormatBreaksItsLine() throws {
    for seed in 0..<400 as Range<UInt64> {
      var dice = SeededGenerator(seed: seed)
      var object: [String: Any] = [dice.trouble(8): dice.trouble(20)]
      object[dice.trouble(3)] = 1
      let fields = try JSONSerialization.data(withJSONObject: object)
      let record = LogRecord(
        level: .info, service: dice.trouble(10), message: dice.trouble(60), fields: Array(fields),
        place: dice.trouble(12))
      let line = Self.line(try Chunks.of([record]))
      for format in RecordFormat.allCases {
        let text = line.withUnsafeBufferPointer { format.text($0) }
        if format != .pretty { #expect(!text.utf8.contains(0x0A), "seed \(seed), \(format)") }
        guard format != .json else { continue }
        // A terminal obeys nothing of it.
        let bad = text.unicodeScalars.filter {
          $0 != "\n" && ($0.properties.generalCategory == .control || $0.properties.isBidiControl)
        }
        #expect(bad.isEmpty, "seed \(seed), \(format): \(bad.map(\.value))")
      }
    }
  }

  /// Takes `key=value` pairs apart as others do: a value in quotes, or up to the next space.
  static func pairs(_ text: String) -> [(String, String)]? {
    var pairs: [(String, String)] = [], rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let key = String(decoding: rest[..<equals], as: UTF8.self)
      guard !key.isEmpty, !key.utf8.contains(where: { $0 == 0x20 || $0 == 0x22 }) else { return nil }
      rest = rest[(equals + 1)...]
      var end = rest.startIndex
      if rest.first == 0x22 {
        end += 1
        while end < rest.endIndex, rest[end] != 0x22 { end += rest[end] == 0x5C ? 2 : 1 }
        guard end < rest.endIndex else { return nil }
        end += 1
      } else {
        while end < rest.endIndex, rest[end] != 0x20 { end += 1 }
      }
      pairs.append((key, String(decoding: rest[..<end], as: UTF8.self)))
      guard end == rest.endIndex || rest[end] == 0x20 else { return nil }
      rest = end == rest.endIndex ? [] : rest[(end + 1)...]
    }
    return pairs
  }

  @Test func pairsCanBeTakenApartWhateverIsInThem() throws {
    for seed in 0..<600 as Range<UInt64> {
      var dice = SeededGenerator(seed: seed)
      let name = dice.trouble(4), value = dice.trouble(12)
      let record = LogRecord(
        level: .info, service: dice.trouble(6), message: dice.trouble(30),
        fields: Array(try JSONSerialization.data(withJSONObject: [name: value])))
      let text = Self.line(try Chunks.of([record])).withUnsafeBufferPointer { RecordFormat.logfmt.text($0) }
      let pairs = Self.pairs(text)
      #expect(pairs != nil, "seed \(seed): \(text)")
      #expect(pairs?.last?.1.isEmpty == false, "seed \(seed): \(text)")
      #expect(pairs?.count == (record.service.isEmpty ? 4 : 5), "seed \(seed): \(text)")
    }
  }

  @Test(arguments: [
    ("", "_=1"), ("a b", "a_b=1"), ("a=b", "a_b=1"), ("\"", "_=1"), ("=\u{301}", "_\u{301}=1"),
    ("\u{200B}", "<U+200B>=1"),
    ("\u{3000}", "_=1"), ("é", "é=1"),
  ])
  func aFieldsNameIsOneWord(_ name: String, _ expected: String) throws {
    let record = LogRecord(
      level: .info, service: "", message: "m",
      fields: Array(try JSONSerialization.data(withJSONObject: [name: 1])))
    let text = Self.line(try Chunks.of([record])).withUnsafeBufferPointer { RecordFormat.logfmt.text($0) }
    #expect(text.hasSuffix(" msg=m \(expected)"), "\(text)")
  }

  // MARK: - Walking through JSON

  @Test func noiseIsWalkedThroughWithoutHarm() {
    let letters = Array(#"{}[]",:\u0aé1 nulltrue-"#.utf8)
    for seed in 0..<5000 as Range<UInt64> {
      var dice = SeededGenerator(seed: seed)
      let bytes = (0..<dice.number(0..<40)).map { _ in dice.pick(letters) }
      let view = RecordView(bytes)
      #expect(view.level == .info || !bytes.isEmpty)
      bytes.withUnsafeBufferPointer { text in
        var cursor = JSONCursor(text)
        if let range = cursor.value() {
          #expect(range.upperBound <= text.count && cursor.at <= text.count + 1)
        }
        var string = JSONCursor(text)
        if let range = string.string() { _ = string.unescaped(range) }
      }
    }
  }

  @Test(arguments: [
    (#""a""#, "a"), (#""""#, ""), (#""\n\t\r\b\f\/\\\"""#, "\n\t\r\u{8}\u{C}/\\\""),
    (#""\u0041\u00e9""#, "Aé"),
    (#""\ud83e\udd86""#, "🦆"), (#""\ud83e""#, "\u{FFFD}"), (#""\udd86\ud83e""#, "\u{FFFD}\u{FFFD}"),
    (#""\ud83e\u0041""#, "\u{FFFD}A"), (#""\u00""#, "\u{FFFD}00"), (#""\uzzzz""#, "\u{FFFD}zzzz"),
    (#""\u0000""#, "\0"), (#""\q""#, "q"),
  ])
  func aStringsEscapesAreResolved(_ json: String, _ text: String) { #expect(RecordView.plain(json) == text) }

  @Test func aJSONTextThatIsWrittenIsReadBack() throws {
    for seed in 0..<500 as Range<UInt64> {
      var dice = SeededGenerator(seed: seed)
      let text = dice.trouble(50)
      var bytes: [UInt8] = []
      JSONText.append(text, to: &bytes)
      #expect(RecordView.plain(String(decoding: bytes, as: UTF8.self)) == text)
      let read = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed) as? String
      let plain = { (text: String?) in text?.unicodeScalars.filter { $0 != "\u{FEFF}" }.map(\.value) }
      #expect(plain(read) == plain(text), "seed \(seed)")
    }
  }

  // MARK: - Looking for texts

  @Test func aNeedleIsFoundWhereThePlainSearchFindsIt() {
    for seed in 0..<3000 as Range<UInt64> {
      var dice = SeededGenerator(seed: seed)
      let letters = Array("aAbB:\"é[{@`\u{0}".utf8)
      let text = (0..<dice.number(0..<150)).map { _ in dice.pick(letters) }
      let needle = (0..<dice.number(1..<5)).map { _ in letters[dice.number(0..<8)] }
      guard let name = String(validating: needle, as: UTF8.self) else { continue }
      let fold = { (byte: UInt8) in 0x41...0x5A ~= byte ? byte + 32 : byte }
      let folded = name.utf8.map(fold)
      let start = dice.number(0..<(text.count + 1))
      let expected =
        text.count >= folded.count
        ? (start..<max(start, text.count - folded.count + 1)).first { at in
          (0..<folded.count).allSatisfy { fold(text[at + $0]) == folded[$0] }
        } : nil
      text.withUnsafeBufferPointer {
        #expect(FoldedNeedle(name).find(in: $0, from: start) == expected, "seed \(seed)")
      }
      let plain =
        text.count >= needle.count
        ? (0...(text.count - needle.count)).first { at in
          (0..<needle.count).allSatisfy { text[at + $0] == needle[$0] }
        }
        : nil
      text.withUnsafeBufferPointer { #expect(ByteSearch.find(needle, in: $0) == plain, "seed \(seed)") }
    }
    [UInt8]("abc".utf8).withUnsafeBufferPointer {
      #expect(FoldedNeedle("").find(in: $0, from: 2) == 2 && ByteSearch.find([], in: $0) == nil)
      #expect(Newline.find(in: $0) == nil)
    }
  }

  // MARK: - Chunks

  @Test func linesWithoutALevelAreNoRecords() throws {
    let chunk = try Chunks.of(
      Array("2\"a\":1}\n\nx\"b\":1}\n7\"c\":1}\n6\"d\":1}\n /\n0\"e\":1}".utf8), first: 41)
    #expect(chunk.lines.map(\.rank) == [2, 6, 0] && chunk.first == 41 && chunk.next == 44)
    #expect(String(decoding: chunk.bytes, as: UTF8.self).numbers == [41, 42, 43])
    var builder = ChunkBuilder(first: 1, pid: 1)
    try [UInt8]("\n\nabc\n".utf8).withUnsafeBufferPointer { builder.add($0, try Redactor(RedactionRules())) }
    #expect(builder.finish() == nil)
  }

  @Test func aPartOfAChunkHoldsWhatMattersEnough() throws {
    for seed in 0..<200 as Range<UInt64> {
      var dice = SeededGenerator(seed: seed)
      let levels = (0..<dice.number(1..<12)).map { _ in LogLevel.allCases[dice.number(0..<7)] }
      let chunk = try Chunks.of(levels.map { LogRecord(level: $0, service: "s", message: "m") }, first: 10)
      for level in LogLevel.allCases {
        let wanted = levels.indices.filter { levels[$0] >= level }.map { 10 + $0 }
        #expect(String(decoding: chunk.bytes(atLeast: level), as: UTF8.self).numbers == wanted)
        let part = chunk.part(atLeast: level)
        #expect((part == nil) == wanted.isEmpty, "seed \(seed)")
        #expect(part.map { String(decoding: $0.bytes, as: UTF8.self).numbers } ?? [] == wanted)
        if let part, let last = wanted.last {
          #expect(part.next > last && part.next <= chunk.next && part.first == chunk.first)
        }
        var told: [Int] = []
        chunk.forEach(atLeast: level) { told.append(RecordView($1).number ?? 0) }
        #expect(told == wanted)
      }
    }
  }

  @Test(arguments: [
    ("warn", LogLevel.warning), ("WARN", .warning), ("err", .error), ("fault", .error), ("fatal", .critical),
    ("emergency", .critical), ("verbose", .trace), ("log", .info), ("Notice", .notice), ("", nil),
    ("loud", nil),
    ("info ", nil),
  ])
  func levelsHaveOtherNames(_ name: String, _ level: LogLevel?) { #expect(LogLevel(named: name) == level) }

  @Test func settingsOfASinkHaveLimits() throws {
    for (name, isGood) in [
      ("app.log", true), ("a b", true), ("漢.log", true), (String(repeating: "n", count: 200), true),
      (String(repeating: "n", count: 201), false), ("", false), (".hidden", false), ("..", false),
      ("a/b", false),
      ("/etc/passwd", false), ("../up", false), ("a\nb", false), ("a\0", false), ("a\u{7F}", false),
    ] {
      var sink = SinkSettings(.file)
      sink.name = name
      #expect(((try? sink.check()) != nil) == isGood, "\(name)")
    }
    for (change, isGood) in [
      ({ $0.maximumSize = 4096 }, true), ({ $0.maximumSize = 4095 }, false),
      ({ $0.maximumSize = 1 << 41 }, false),
      ({ $0.maximumAge = 0 }, false), ({ $0.maximumAge = .max }, false), ({ $0.keep = 0 }, true),
      ({ $0.keep = -1 }, false),
      ({ $0.keep = 1001 }, false), ({ $0.sync = 0 }, false), ({ $0.limit = 1 }, false),
      ({ $0.limit = 1 << 16 }, true),
    ] as [((inout SinkSettings) -> Void, Bool)] {
      var sink = SinkSettings(.file)
      change(&sink)
      #expect(((try? sink.check()) != nil) == isGood, "\(sink)")
    }
    #expect(
      SinkSettings.Kind.allCases.map { SinkSettings($0).minLevel } == [.info, .trace, .trace, .info, .info])
  }
}
