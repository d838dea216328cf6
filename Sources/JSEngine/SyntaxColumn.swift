// SPDX-License-Identifier: MIT

extension JSContext {
  /// The column that a syntax error stands in, which the engine does not tell: found by parsing beginnings of
  /// its line.
  ///
  /// - Returns: 1-based, in UTF-16 units; nil when `error` has no line in `source`, or the text is longer
  ///   than a million bytes, since each of the ten parses or so takes as long as the text is.
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

  /// A line without its end, which is a line feed, a carriage return, or both (ECMA-262, 12.3): a `String` takes both together
  /// for one character, which is no line feed.
  private static func place(ofLine number: Int, in source: String) -> Range<String.Index>? {
    let bytes = source.utf8
    var start = bytes.startIndex
    for _ in 1..<max(1, number) {
      guard let end = bytes[start...].firstIndex(where: isEnd) else { return nil }
      start = bytes.index(after: end)
      if bytes[end] == 0x0D, start < bytes.endIndex, bytes[start] == 0x0A {
        start = bytes.index(after: start)
      }
    }
    return start..<(bytes[start...].firstIndex(where: isEnd) ?? bytes.endIndex)
  }

  private static func isEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  /// The message without the token that it quotes, which a beginning of the line may cut.
  private static func kind(of message: String) -> Substring { message.prefix { $0 != "'" } }

  /// A keyword is one only when it is whole: then the beginning ends behind it, else behind its first unit.
  private static func tokenLength(_ message: String, endingAt units: ArraySlice<UInt16>) -> Int {
    let parts = message.split(separator: "'", omittingEmptySubsequences: false)
    let token = parts.count > 1 ? Array(parts[1].utf16) : []
    return token.count > 1 && units.suffix(token.count).elementsEqual(token) ? token.count : 1
  }
}
