// SPDX-License-Identifier: MIT

extension JSContext {
  /// The column that a syntax error stands in, which the engine does not tell: found by parsing beginnings of its line.
  ///
  /// - Returns: 1-based, in UTF-16 units; nil when `error` has no line in `source`, or the text is longer than a million
  ///   bytes, since each of the ten parses or so takes as long as the text is.
  public func syntaxErrorColumn(_ error: JSException, in source: String) -> Int? {
    guard let line = error.line, source.utf8.count <= 1 << 20 else { return nil }
    guard let place = Self.place(ofLine: line, in: source) else { return nil }
    let before = source[..<place.lowerBound]
    let units = Array(source[place].utf16)
    let kind = Self.kind(of: error.message)
    if kind == "Unexpected end of script" { return units.count + 1 }
    func fails(_ count: Int) -> Bool {
      let part = before + String(decoding: units[..<count], as: UTF16.self)
      guard let found = syntaxError(in: String(part), url: "") else { return false }
      return found.line == line && Self.kind(of: found.message) == kind
    }
    guard !units.isEmpty, !fails(0), fails(units.count) else { return nil }
    var (good, bad) = (0, units.count)
    while bad - good > 1 {
      let middle = (good + bad) / 2
      if fails(middle) { bad = middle } else { good = middle }
    }
    return bad - Self.tokenLength(error.message, endingAt: units[..<bad]) + 1
  }

  /// A line without its end, as JavaScript's lines end (ECMA-262, 12.3): with a line feed, a carriage return or
  /// both, or with one of Unicode's separators. A `String` takes the first two together for one character, which is
  /// no line feed.
  private static func place(ofLine number: Int, in source: String) -> Range<String.Index>? {
    let scalars = source.unicodeScalars
    var start = scalars.startIndex
    for _ in 1..<max(1, number) {
      guard let end = scalars[start...].firstIndex(where: isEnd) else { return nil }
      start = scalars.index(after: end)
      let isFirstOfTwo = scalars[end] == "\r" && start < scalars.endIndex && scalars[start] == "\n"
      if isFirstOfTwo { start = scalars.index(after: start) }
    }
    return start..<(scalars[start...].firstIndex(where: isEnd) ?? scalars.endIndex)
  }

  private static func isEnd(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\n" || scalar == "\r" || scalar == "\u{2028}" || scalar == "\u{2029}"
  }

  /// The message without the token that it quotes, which a beginning of the line may cut.
  private static func kind(of message: String) -> Substring { message.prefix { $0 != "'" } }

  /// A keyword is one only when it is whole: then the beginning ends behind it, else behind its first unit.
  private static func tokenLength(_ message: String, endingAt units: ArraySlice<UInt16>) -> Int {
    let parts = message.split(separator: "'", omittingEmptySubsequences: false)
    let token = parts.count > 1 ? Array(parts[1].utf16) : []
    return token.count > 1 && units.suffix(token.count).elementsEqual(token) ? token.count : 1
  }
}
