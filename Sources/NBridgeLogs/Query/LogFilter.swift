// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import LoggerPlugin
internal import NBridgePlugin

/// Which records are shown: `service:app level>=warn timeout /conn.*refused/ -noise "two words" user:ada`.
///
/// All parts must hold; `-` before one turns it round. A text stands anywhere in what is shown of a record,
/// whatever the case of its letters.
package final class LogFilter: @unchecked Sendable {
  // Sendable because nothing of it changes, and GRegex may be used by several threads.
  private enum Test {
    case text(FoldedNeedle, isPlain: Bool)
    case pattern(OpaquePointer)
    case ranks(Range<Int>)
    case field(String, String)
  }

  private let tests: [(test: Test, isTurned: Bool)]
  /// What was typed.
  let text: String
  /// The levels that can match, by what is said of them alone.
  let ranks: [Bool]
  /// Sources by their numbers, for `source:`.
  private let names: (Int) -> String?

  /// - Throws: `invalid_parameter` for a pattern or a level that is none.
  package init(_ text: String, sources names: @escaping (Int) -> String? = { _ in nil }) throws {
    self.text = text
    self.names = names
    tests = try Self.words(text).map { word in
      let isTurned = word.isPlain && word.text.hasPrefix("-") && word.text.count > 1
      return (try Self.test(isTurned ? String(word.text.dropFirst()) : word.text, word.isPlain), isTurned)
    }
    var ranks = [Bool](repeating: true, count: 7)
    for (test, isTurned) in tests {
      guard case .ranks(let range) = test else { continue }
      for rank in ranks.indices where range.contains(rank) == isTurned { ranks[rank] = false }
    }
    self.ranks = ranks
  }

  deinit { for case (.pattern(let regex), _) in tests { g_regex_unref(regex) } }

  var isEmpty: Bool { tests.isEmpty }

  /// Whole words that must stand in each record, for an index of words.
  var words: [String] {
    tests.compactMap { test, isTurned -> [String]? in
      guard !isTurned, case .field(let name, let value) = test, !value.hasSuffix("*"), name != "source",
        name != "app"
      else { return nil }
      return value.split { !$0.isLetter && !$0.isNumber }.map(String.init)
      // What is beyond ASCII may stand in the raw text as an escape.
    }.flatMap(\.self).filter { $0.utf8.allSatisfy { $0 < 0x80 } }
  }

  // MARK: - Reading

  private static func words(_ text: String) -> [(text: String, isPlain: Bool)] {
    var words: [(String, Bool)] = [], word = "", quote: Character?, isPlain = true
    let end = {
      if !word.isEmpty { words.append((word, isPlain)) }
      (word, isPlain) = ("", true)
    }
    for character in text {
      if let open = quote {
        if character == open {
          if open == "/" { word.append(character) }
          quote = nil
        } else {
          word.append(character)
        }
      } else if character == "\"" {
        quote = "\""
        if word.isEmpty { isPlain = false }
      } else if character == "/", word.isEmpty || word == "-" {
        quote = "/"
        word.append(character)
      } else if character.isWhitespace {
        end()
      } else {
        word.append(character)
      }
    }
    end()
    return words
  }

  private static func test(_ word: String, _ isPlain: Bool) throws -> Test {
    guard isPlain else { return needle(word) }
    if word.hasPrefix("/"), word.count > 1 { return try pattern(word) }
    for sign in [">=", "<=", "=", ":", ">", "<"] {
      guard let place = word.firstRange(of: sign), place.lowerBound > word.startIndex else { continue }
      let (name, value) = (String(word[..<place.lowerBound]), String(word[place.upperBound...]))
      if name == "level" { return .ranks(try levels(sign, value)) }
      let isName = name.allSatisfy { $0.isLetter || $0.isNumber || "._-".contains($0) }
      guard sign == ":" || sign == "=", isName, !value.isEmpty else { continue }
      return .field(name, value)
    }
    return needle(word)
  }

  private static func needle(_ text: String) -> Test {
    // Other JSON may have escapes for what is beyond ASCII, and for `/`: there the raw text says nothing.
    let isPlain = text.utf8.allSatisfy { 0x20..<0x7F ~= $0 && $0 != 0x22 && $0 != 0x5C && $0 != 0x2F }
    return .text(FoldedNeedle(text), isPlain: isPlain)
  }

  private static func pattern(_ word: String) throws -> Test {
    let source = String(word.dropFirst().hasSuffix("/") ? word.dropFirst().dropLast() : word.dropFirst())
    var problem: UnsafeMutablePointer<GError>?
    let flags = GRegexCompileFlags(rawValue: G_REGEX_CASELESS.rawValue | G_REGEX_OPTIMIZE.rawValue)
    guard let regex = g_regex_new(source, flags, GRegexMatchFlags(rawValue: 0), &problem) else {
      let reason =
        problem.flatMap { $0.pointee.message }.map { String(cString: $0) } ?? "no regular expression"
      g_clear_error(&problem)
      throw BridgeError(.invalidParameter, "'/\(source)/': \(reason)")
    }
    return .pattern(regex)
  }

  private static func levels(_ sign: String, _ value: String) throws -> Range<Int> {
    guard let level = LogLevel(named: value) else {
      throw BridgeError(
        .invalidParameter,
        "'\(value)' is no level; they are \(LogLevel.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    switch sign {
    case ">=": return level.rank..<7
    case ">": return (level.rank + 1)..<7
    case "<=": return 0..<(level.rank + 1)
    case "<": return 0..<level.rank
    default: return level.rank..<(level.rank + 1)
    }
  }

  // MARK: - Matching

  /// Whether any of some lines may match: a quick look at all of them.
  func mayMatch(_ lines: UnsafeBufferPointer<UInt8>) -> Bool {
    for case (.text(let needle, true), false) in tests where !needle.isIn(lines) { return false }
    return true
  }

  /// Whether a record is shown.
  package func matches(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let stored = StoredLine(line), ranks[stored.rank] else { return false }
    var view: RecordView?, shown: String?
    for (test, isTurned) in tests {
      if case .ranks = test { continue }
      // What does not stand in the raw text can't stand in what is shown of it.
      if case .text(let needle, true) = test, !needle.isIn(stored.json) {
        if isTurned { continue }
        return false
      }
      let record = view ?? RecordView(stored.json)
      view = record
      let text = shown ?? Self.shown(record)
      shown = text
      if holds(test, stored, record, text) == isTurned { return false }
    }
    return true
  }

  /// What people see of a record.
  static func shown(_ record: RecordView) -> String {
    var text = record.service + " " + record.message
    for (name, value) in record.fields { text += " \(name)=\(RecordView.plain(value))" }
    return text + " " + record.place + " " + record.function
  }

  private func holds(_ test: Test, _ stored: StoredLine, _ record: RecordView, _ shown: String) -> Bool {
    switch test {
    case .ranks(let range): return range.contains(stored.rank)
    case .text(let needle, _):
      var shown = shown
      return shown.withUTF8 { needle.isIn($0) }
    case .pattern(let regex):
      return g_regex_match(regex, shown.replacing("\0", with: "\u{2400}"), GRegexMatchFlags(rawValue: 0), nil)
        != 0
    case .field(let name, let value):
      return field(name, stored, record).map { Self.isSame($0, value) } ?? false
    }
  }

  private func field(_ name: String, _ stored: StoredLine, _ record: RecordView) -> String? {
    switch name {
    case "service": record.service
    case "source", "app": names(stored.source)
    case "at": record.place
    case "function": record.function
    case "message": record.message
    case "pid": record.pid.map(String.init)
    default: record.field(name)
    }
  }

  /// A value that ends with `*` is a beginning.
  private static func isSame(_ text: String, _ wanted: String) -> Bool {
    let (text, wanted) = (text.lowercased(), wanted.lowercased())
    return wanted.hasSuffix("*") ? text.hasPrefix(wanted.dropLast()) : text == wanted
  }
}
