// SPDX-License-Identifier: MIT

/// A call whose last argument, a literal, is kept in the source: where that stands, or is to stand. Before it
/// an object may stand that is written out.
package struct LiteralCall: Equatable {
  /// What reports call the file.
  package let url: String
  /// The file's text as it was loaded, without a byte-order mark.
  package let text: String
  /// The literal; empty, before the closing parenthesis, where the call has none. In bytes of UTF-8.
  package let argument: Range<Int>
  /// What is to stand between the argument before it and a literal that is new.
  package let separator: String
  /// What is blank at the beginning of the call's line.
  package let indentation: String
}

/// Why the place of a call is not known.
package struct LiteralCallError: Error {
  package let reason: String
  init(_ reason: String) { self.reason = reason }
}

extension SourceRegistry {
  /// The call of a method that the innermost frame of a stack stands in which is an author's.
  ///
  /// The engine's place is exact in the text that it was given. Of a generated text, as one of TypeScript,
  /// the author's call is the one of the same rank: a generator that takes types off leaves every call in
  /// its turn.
  package func literalCall(of name: String, in stack: String) throws(LiteralCallError) -> LiteralCall {
    guard let frame = StackFrame.userFrames(stack).first, let loaded = loaded(frame) else {
      throw LiteralCallError("it is not called from a file")
    }
    let calls = MethodCalls(of: name, in: loaded.source.text)
    guard let rank = calls.rank(line: frame.line, column: loaded.column) else {
      throw LiteralCallError(
        "\(frame.url):\(frame.line) calls it by another way than as expect(value).\(name)()")
    }
    guard let place = authored(frame), place.url == loaded.source.url else {
      throw LiteralCallError("'\(frame.url)' was made of another file by a generator")
    }
    let text = authoredSource(of: frame.url)?.text ?? loaded.source.text
    let written = text.utf8.elementsEqual(loaded.source.text.utf8) ? calls : MethodCalls(of: name, in: text)
    guard written.calls.count == calls.calls.count else {
      throw LiteralCallError("the calls of '\(frame.url)' are not those of the text that it was made into")
    }
    guard let argument = written.calls[rank].argument else {
      throw LiteralCallError(
        "\(place.url):\(place.line) gives it something else than one text that stands there as a literal")
    }
    return LiteralCall(
      url: place.url, text: text, argument: argument, separator: written.calls[rank].separator,
      indentation: MethodCalls.indentation(of: written.calls[rank].name.lowerBound, in: text))
  }
}

/// The calls of a method that a text holds, in their order.
private struct MethodCalls {
  struct Call {
    /// The method's name, in bytes.
    let name: Range<Int>
    let parenthesis: Int
    /// Where its only argument stands, or the one behind an object; nil for one that is no literal, and for
    /// several.
    let argument: Range<Int>?
    let separator: String
  }

  private typealias Item = (kind: JSLexer.Kind, text: String, range: Range<Int>)

  private(set) var calls: [Call] = []
  private let bytes: [UInt8]

  init(of name: String, in text: String) {
    bytes = Array(text.utf8)
    var lexer = JSLexer(text)
    var items: [Item] = []
    while true {
      let token = lexer.next()
      if token.kind == .end { break }
      items.append((token.kind, lexer.text(token), token.range))
    }
    for index in items.indices.dropFirst().dropLast() where items[index].kind == .word {
      guard items[index].text == name, items[index - 1].text == ".", items[index + 1].text == "(" else {
        continue
      }
      let (argument, separator) = Self.argument(items[(index + 2)...])
      calls.append(
        Call(
          name: items[index].range, parenthesis: items[index + 1].range.lowerBound, argument: argument,
          separator: separator))
    }
  }

  /// The literal's place, and what is to stand before one that is new.
  private static func argument(_ items: ArraySlice<Item>) -> (Range<Int>?, separator: String) {
    guard items.first?.kind == .punctuator, items.first?.text == "{" else { return (literal(items), "") }
    let rest = behindObject(items)
    guard rest.first?.text == "," else { return (rest.first?.text == ")" ? literal(rest) : nil, ", ") }
    return (literal(rest.dropFirst()), "")
  }

  /// What stands behind an object that is written out.
  private static func behindObject(_ items: ArraySlice<Item>) -> ArraySlice<Item> {
    var depth = 0
    for index in items.indices {
      let (kind, text, _) = items[index]
      switch kind {
      case .punctuator where ["{", "(", "["].contains(text): depth += 1
      case .punctuator where ["}", ")", "]"].contains(text): depth -= 1
      case .template: depth += (text.hasSuffix("${") ? 1 : 0) - (text.hasPrefix("}") ? 1 : 0)
      default: break
      }
      if depth == 0 { return items[(index + 1)...] }
    }
    return []
  }

  private static func literal(_ items: ArraySlice<Item>) -> Range<Int>? {
    guard let first = items.first else { return nil }
    if first.kind == .punctuator, first.text == ")" {
      return first.range.lowerBound..<first.range.lowerBound
    }
    // A template with `${` in it is several tokens.
    guard first.kind == .string || first.kind == .template && first.text.hasSuffix("`") else { return nil }
    let rest = items.dropFirst().prefix(2).map(\.text)
    return rest.first == ")" || rest == [",", ")"] ? first.range : nil
  }

  /// Which of them the engine means by a place: it tells where the method's name ends.
  func rank(line: Int, column: Int) -> Int? {
    guard let start = offset(ofLine: line) else { return nil }
    var (at, left) = (start, column - 1)
    while at < bytes.count, left > 0 {
      left -= bytes[at] & 0xC0 == 0x80 ? 0 : bytes[at] >= 0xF0 ? 2 : 1
      at += 1
    }
    while at < bytes.count, bytes[at] & 0xC0 == 0x80 { at += 1 }
    return calls.firstIndex { $0.name.upperBound == at || $0.parenthesis == at }
  }

  private func offset(ofLine line: Int) -> Int? {
    var left = line - 1
    guard left > 0 else { return 0 }
    for index in bytes.indices where bytes.endsLine(at: index) {
      left -= 1
      if left == 0 { return index + 1 }
    }
    return nil
  }

  /// What is blank at the beginning of the line that a place is in.
  static func indentation(of place: Int, in text: String) -> String {
    let bytes = Array(text.utf8.prefix(place))
    let start = (bytes.lastIndex { $0 == 0x0A || $0 == 0x0D } ?? -1) + 1
    return String(decoding: bytes[start...].prefix { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
  }
}
