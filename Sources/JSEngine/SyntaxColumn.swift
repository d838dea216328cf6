// SPDX-License-Identifier: MIT

extension JSContext {
  /// The column that a syntax error stands in, which the engine does not tell: found by parsing beginnings of
  /// its line.
  ///
  /// - Returns: 1-based, in UTF-16 units; nil when `error` has no line in `source`, or the text is longer
  ///   than a million bytes, since each of the ten parses or so takes as long as the text is.
  public func syntaxErrorColumn(_ error: JSException, in source: String) -> Int? {
    guard let line = error.line, source.utf8.count <= 1 << 20 else { return nil }
    let lines = source.split(separator: "\n", maxSplits: line, omittingEmptySubsequences: false)
    guard line <= lines.count else { return nil }
    let before = source[..<lines[line - 1].startIndex]
    let units = Array(lines[line - 1].utf16)
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

  /// The message without the token that it quotes, which a beginning of the line may cut.
  private static func kind(of message: String) -> Substring { message.prefix { $0 != "'" } }

  /// A keyword is one only when it is whole: then the beginning ends behind it, else behind its first unit.
  private static func tokenLength(_ message: String, endingAt units: ArraySlice<UInt16>) -> Int {
    let parts = message.split(separator: "'", omittingEmptySubsequences: false)
    let token = parts.count > 1 ? Array(parts[1].utf16) : []
    return token.count > 1 && units.suffix(token.count).elementsEqual(token) ? token.count : 1
  }
}
