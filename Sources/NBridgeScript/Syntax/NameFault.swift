// SPDX-License-Identifier: MIT

/// A name that is used as it may not be: a constant that is assigned to, or a variable that is read before
/// its declaration has run. For either the engine may tell the place of what ran before in the same function,
/// or none; the script's text says more.
enum NameFault {
  case assignment
  case early

  /// Nil for other errors, by the engine's words.
  init?(message: String) {
    switch message {
    case "Attempted to assign to readonly property.": self = .assignment
    case "Cannot access uninitialized variable.": self = .early
    default: return nil
    }
  }

  /// Longer texts, in bytes, are not looked through.
  private static let limit = 4 << 20

  /// Where such a name stands first, behind the place that the engine tells.
  ///
  /// - Parameters:
  ///   - told: in bytes of UTF-8, as the answer.
  /// - Returns: nil where that place is right, or no name is found.
  func offset(in text: String, behind told: Int) -> Int? {
    guard text.utf8.count <= Self.limit else { return nil }
    let names = NamedTokens(text)
    return self == .assignment ? names.assignment(behind: told) : names.early(behind: told)
  }
}

/// The tokens of a script, and which names it declares where.
private struct NamedTokens {
  private let tokens: [TokenList.Item]
  /// The index behind each bracket's partner, by the opening one, and the other way round.
  private let ends: [Int: Int]
  private let starts: [Int: Int]
  /// Where names are declared that can't be assigned to, and those that can't be read before.
  private var constants: Set<String> = []
  private var declared: [String: [Int]] = [:]

  init(_ text: String) {
    let list = TokenList(text)
    (tokens, ends) = (list.items, list.ends)
    starts = Dictionary(ends.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    for index in tokens.indices where tokens[index].kind == .word {
      guard ["const", "let", "class"].contains(tokens[index].text), !isMember(index) else { continue }
      noteDeclared(behind: index)
    }
  }

  private func text(_ index: Int) -> String { tokens.indices.contains(index) ? tokens[index].text : "" }

  private func isMember(_ index: Int) -> Bool { text(index - 1) == "." }

  /// The name that a declaration gives, or those of its pattern.
  private mutating func noteDeclared(behind word: Int) {
    var index = word + 1
    let last = "[{".contains(text(index)) ? ends[index] ?? index + 1 : index + 1
    while index < min(last, tokens.count) {
      if tokens[index].kind == .word {
        let name = tokens[index].text
        if text(word) == "const" { constants.insert(name) }
        declared[name, default: []].append(tokens[index].range.lowerBound)
      }
      index += 1
    }
  }

  // MARK: - Assignments

  func assignment(behind told: Int) -> Int? {
    let first = tokens.firstIndex { $0.range.upperBound > told } ?? tokens.count
    if isMemberAssignment(around: first) { return nil }
    var start = first
    // The engine's place may be the operator.
    if start > 0, isAssigned(start - 1) { start -= 1 }
    for index in start..<tokens.count where isAssigned(index) { return tokens[index].range.lowerBound }
    return nil
  }

  /// Whether a constant is assigned to here.
  private func isAssigned(_ index: Int) -> Bool {
    let token = tokens[index]
    guard token.kind == .word, constants.contains(token.text), !isMember(index),
      declared[token.text]?.contains(token.range.lowerBound) != true
    else { return false }
    return isAssignment(index + 1) || ["++", "--"].contains(text(index - 1))
  }

  /// Whether an operator that assigns stands here. The lexer gives the signs of one by one.
  private func isAssignment(_ index: Int) -> Bool {
    var (sign, index) = ("", index)
    while sign.count < 4, tokens.indices.contains(index), tokens[index].kind == .punctuator,
      sign.isEmpty || tokens[index].range.lowerBound == tokens[index - 1].range.upperBound
    {
      sign += text(index)
      index += 1
      if sign.hasSuffix("=") { break }
    }
    let comparisons = ["<=", ">=", "!="]
    if sign.hasPrefix("++") || sign.hasPrefix("--") { return true }
    guard sign.hasSuffix("="), !comparisons.contains(sign) else { return false }
    // Else it compares.
    return text(index) != "=" || tokens[index].range.lowerBound != tokens[index - 1].range.upperBound
  }

  /// Whether the place is that of a property that is assigned to: then the engine is right.
  private func isMemberAssignment(around first: Int) -> Bool {
    for index in max(0, first - 2)..<min(tokens.count, first + 3) {
      let isName = tokens[index].kind == .word && isMember(index)
      guard isName || text(index) == "]" else { continue }
      let isTarget = index < first && ["}", ",", "]"].contains(text(index + 1))
      if isTarget || isAssignment(index + 1) { return true }
    }
    return false
  }

  // MARK: - Early reads

  func early(behind told: Int) -> Int? {
    let first = tokens.firstIndex { $0.range.upperBound > told } ?? tokens.count
    for index in [first, first - 1] where isEarly(index, told) { return tokens[index].range.lowerBound }
    var index = first
    // The engine's place of a function in which nothing has run is its beginning.
    var isOwn = isFunctionStart(first)
    while index < tokens.count {
      if text(index) == "{", isBody(index), !isOwn, let end = ends[index] {
        index = end
        continue
      }
      if text(index) == "{", isBody(index) { isOwn = false }
      if isEarly(index, told) { return tokens[index].range.lowerBound }
      index += 1
    }
    return nil
  }

  /// Whether a name is read here that is declared behind the place where the engine was.
  private func isEarly(_ index: Int, _ told: Int) -> Bool {
    guard tokens.indices.contains(index), tokens[index].kind == .word, !isMember(index),
      let places = declared[tokens[index].text], !places.contains(tokens[index].range.lowerBound)
    else { return false }
    // A key of an object is none.
    if text(index + 1) == ":", ["{", ","].contains(text(index - 1)) { return false }
    return places.contains { $0 > told }
  }

  private func isFunctionStart(_ index: Int) -> Bool {
    if ["function", "async"].contains(text(index)) { return true }
    let open = text(index) == "(" ? index : index + 1
    guard text(open) == "(", let end = ends[open] else { return text(index + 1) == "=>" }
    return ["=>", "{"].contains(text(end))
  }

  /// Whether a brace opens a function's body.
  private func isBody(_ brace: Int) -> Bool {
    if text(brace - 1) == "=>" { return true }
    guard text(brace - 1) == ")", let open = starts[brace] else { return false }
    return !["if", "for", "while", "switch", "catch", "with", "await"].contains(text(open - 1))
  }
}

extension SourceRegistry {
  /// Gives the innermost of an error's frames the place of the name that its message is about.
  package func placeName(in frames: inout [StackFrame], _ message: String, _ stack: String) {
    guard let fault = NameFault(message: message) else { return placeMissingName(in: &frames, message) }
    guard let first = stack.split(separator: "\n").first.flatMap({ StackFrame(String($0)) }),
      !first.isInternal, let text = text(of: first.url)
    else { return }
    let told = authored(first)
    let behind = told.map { TextPlace.offset(line: $0.line, column: $0.column, in: text) } ?? 0
    guard let offset = fault.offset(in: text, behind: behind) else { return }
    var frame = told ?? first
    let place = TextPlace(offset, in: text)
    (frame.line, frame.column) = (place.line, place.column)
    if told != nil, frames.first?.url == frame.url { frames[0] = frame } else { frames.insert(frame, at: 0) }
  }
}
