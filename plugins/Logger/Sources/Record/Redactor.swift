// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin

/// The rules for data that must not get into logs.
struct RedactionRules: Codable, Sendable {
  /// Fields whose names contain one of these, in whatever case, lose their values.
  var keys: [String]?
  /// Regular expressions (PCRE): what they find in messages and in fields' strings is replaced.
  var patterns: [String]?

  static let defaultKeys = ["password", "token", "secret", "authorization"]
}

/// Takes secrets out of records before anything else sees them.
final class Redactor: @unchecked Sendable {
  // Sendable because nothing of it changes; GRegex may be used by several threads (GLib, "Regex").
  private let keys: [[UInt8]]
  private let patterns: [OpaquePointer]
  private let firstLetters: [Bool]
  private let needles: [FoldedNeedle]
  private static let mark = "[redacted]"

  /// - Throws: `invalid_parameter` for a pattern that is none.
  init(_ rules: RedactionRules) throws {
    keys = Self.variants(of: rules.keys ?? RedactionRules.defaultKeys)
    needles = keys.map { FoldedNeedle(String(decoding: $0, as: UTF8.self)) }
    var letters = [Bool](repeating: false, count: 256)
    for key in keys {
      letters[Int(key[0])] = true
      letters[Int(Self.upper(key[0]))] = true
    }
    firstLetters = letters
    patterns = try (rules.patterns ?? []).map { pattern in
      var problem: UnsafeMutablePointer<GError>?
      guard let regex = g_regex_new(pattern, G_REGEX_OPTIMIZE, GRegexMatchFlags(rawValue: 0), &problem) else {
        let reason =
          problem.flatMap { $0.pointee.message }.map { String(cString: $0) } ?? "no regular expression"
        g_clear_error(&problem)
        throw BridgeError(.invalidParameter, "redact.patterns: '\(pattern)': \(reason)")
      }
      return regex
    }
  }

  /// Lines are searched with the case of ASCII letters folded: names of others are looked for in each case
  /// that they may have.
  private static func variants(of keys: [String]) -> [[UInt8]] {
    var variants: Set<[UInt8]> = []
    for key in keys where !key.isEmpty {
      for text in [
        key, key.lowercased(), key.uppercased(),
        String(key.prefix(1)).uppercased() + key.dropFirst().lowercased(),
      ] {
        variants.insert(text.utf8.map(lower))
      }
    }
    return variants.sorted { $0.lexicographicallyPrecedes($1) }
  }

  deinit { for pattern in patterns { g_regex_unref(pattern) } }

  private static func upper(_ byte: UInt8) -> UInt8 { 0x61...0x7A ~= byte ? byte - 0x20 : byte }
  private static func lower(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte + 0x20 : byte }

  /// Whether any of many lines may have a part that has to go: a quick look at all of them.
  func mayTouch(_ lines: UnsafeBufferPointer<UInt8>) -> Bool {
    !patterns.isEmpty || needles.contains { $0.isIn(lines) }
  }

  /// The line without what must not be in it; nil when nothing of that is.
  func redacted(_ line: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard !patterns.isEmpty || mentions(line) else { return nil }
    var cursor = JSONCursor(line)
    var result: [UInt8] = []
    result.reserveCapacity(line.count + 16)
    guard rewrite(&cursor, &result, isOwn: true) else { return withheld(line) }
    return line.elementsEqual(result) ? nil : result
  }

  /// A line that can't be read to its end may hold a secret anywhere: only its beginning stays.
  private func withheld(_ line: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var cursor = JSONCursor(line), result = [UInt8(ascii: "{")]
    _ = cursor.members { cursor, key in
      guard !cursor.matches(key, "message"), !cursor.matches(key, "fields"), let value = cursor.value()
      else { return false }
      result.append(UInt8(ascii: "\""))
      result += cursor.text[key]
      result += [UInt8(ascii: "\""), UInt8(ascii: ":")]
      result += cursor.text[value]
      result.append(UInt8(ascii: ","))
      return true
    }
    return result + Array("\"message\":\"\(Self.mark)\"}".utf8)
  }

  /// A quick look: does one of the keys stand anywhere?
  private func mentions(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    firstLetters.withUnsafeBufferPointer { letters in
      for at in 0..<line.count where letters[Int(line[at])] {
        for key in keys where matches(key, line, at) { return true }
      }
      return false
    }
  }

  private func matches(_ key: [UInt8], _ line: UnsafeBufferPointer<UInt8>, _ at: Int) -> Bool {
    guard at + key.count <= line.count else { return false }
    for index in 0..<key.count where Self.lower(line[at + index]) != key[index] { return false }
    return true
  }

  /// Copies a value; answers false for what is no JSON. The members of the record itself keep their names.
  private func rewrite(
    _ cursor: inout JSONCursor, _ result: inout [UInt8], isOwn: Bool, depth: Int = 0
  ) -> Bool {
    guard let first = cursor.peek(), depth < JSONCursor.deepest else { return false }
    switch first {
    case UInt8(ascii: "{"): return rewriteMembers(&cursor, &result, isOwn, depth)
    case UInt8(ascii: "["):
      var isFirst = true
      result.append(first)
      let isWhole = cursor.elements { cursor in
        if !isFirst { result.append(UInt8(ascii: ",")) }
        isFirst = false
        return rewrite(&cursor, &result, isOwn: false, depth: depth + 1)
      }
      result.append(UInt8(ascii: "]"))
      return isWhole
    default:
      guard let value = cursor.value() else { return false }
      if first == UInt8(ascii: "\""), !patterns.isEmpty {
        let text = cursor.unescaped((value.lowerBound + 1)..<(value.upperBound - 1))
        if let replaced = replaced(text) {
          JSONText.append(replaced, to: &result)
          return true
        }
      }
      result += cursor.text[value]
      return true
    }
  }

  private func rewriteMembers(
    _ cursor: inout JSONCursor, _ result: inout [UInt8], _ isOwn: Bool, _ depth: Int
  ) -> Bool {
    var isFirst = true
    result.append(UInt8(ascii: "{"))
    let isWhole = cursor.members { cursor, key in
      if !isFirst { result.append(UInt8(ascii: ",")) }
      isFirst = false
      result.append(UInt8(ascii: "\""))
      result += cursor.text[key]
      result += [UInt8(ascii: "\""), UInt8(ascii: ":")]
      if isOwn, !cursor.matches(key, "message"), !cursor.matches(key, "fields") {
        guard let value = cursor.value() else { return false }
        result += cursor.text[value]
        return true
      }
      if !isOwn, isSecret(UnsafeBufferPointer(rebasing: cursor.text[key])) {
        JSONText.append(Self.mark, to: &result)
        return cursor.value() != nil
      }
      return rewrite(&cursor, &result, isOwn: false, depth: depth + 1)
    }
    result.append(UInt8(ascii: "}"))
    return isWhole
  }

  private func isSecret(_ key: UnsafeBufferPointer<UInt8>) -> Bool { mentions(key) }

  /// A text with what the patterns find replaced; nil when they find nothing.
  private func replaced(_ text: String) -> String? {
    // GLib's texts end at the first NUL.
    var text = text.replacing("\0", with: "\u{2400}"), isChanged = false
    for pattern in patterns {
      var problem: UnsafeMutablePointer<GError>?
      let isMatch =
        g_regex_match_full(pattern, text, -1, 0, GRegexMatchFlags(rawValue: 0), nil, &problem) != 0
      defer { g_clear_error(&problem) }
      // A pattern that gives up may have missed a secret.
      if problem != nil { return Self.mark }
      guard isMatch else { continue }
      guard
        let made = g_regex_replace_literal(
          pattern, text, -1, 0, Self.mark, GRegexMatchFlags(rawValue: 0), nil)
      else { return Self.mark }
      text = String(cString: made)
      g_free(made)
      isChanged = true
    }
    return isChanged ? text : nil
  }
}
