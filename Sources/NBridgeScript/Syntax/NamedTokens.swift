// SPDX-License-Identifier: MIT

/// The tokens of a script, and which functions and names are where.
final class NamedTokens {
  let tokens: [TokenList.Item]
  /// The index behind each bracket's partner, by the opening one, and the other way round.
  let ends: [Int: Int]
  let starts: [Int: Int]
  /// Bodies of functions, as indices of their braces, in the order in which they begin.
  private var bodies: [Range<Int>] = []

  /// Longer texts, in bytes, are not looked through.
  static let limit = 4 << 20
  init(_ text: String) {
    let list = TokenList(text)
    (tokens, ends) = (list.items, list.ends)
    starts = Dictionary(ends.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    for index in tokens.indices {
      if self.text(index) == "{", isBody(index) {
        bodies.append(index..<(ends[index] ?? tokens.count))
      } else if self.text(index) == "=>", self.text(index + 1) != "{" {
        // A function without braces is its value, and its parameters.
        let start = index == 0 ? 0 : starts[index] ?? index - 1
        bodies.append(start..<max(index + 1, declaratorEnd(index + 1)))
      }
    }
    bodies.sort { $0.lowerBound < $1.lowerBound }
  }

  /// Where a name may be used so, in the function that the engine tells a place of; in bytes of UTF-8, as
  /// `told`, in the order of the text. Several where the text does not say which of them ran.
  ///
  /// - Returns: nothing where the engine's place is right, or nothing is sure.
  func offsets(of fault: NameFault, behind told: Int) -> [Int] {
    let place = tokens.firstIndex { $0.range.upperBound > told } ?? tokens.count
    let found =
      switch fault {
      case .destructured: patterns(around: place)
      case .iterated, .spread: iterated(behind: place, isSpread: fault == .spread)
      case .assignment, .early: uses(of: fault, around: place)
      }
    return found.map { tokens[$0].range.lowerBound }
  }

  /// The word at a place, in bytes of UTF-8.
  func word(at offset: Int) -> String? { tokens.first { $0.range.lowerBound == offset }?.text }

  private func uses(of fault: NameFault, around place: Int) -> [Int] {
    let (body, own) = function(around: place)
    let declared = declarations(own)
    let uses = own.filter { index in
      guard tokens[index].kind == .word, !isMember(index),
        let known = declaration(of: index, among: declared[tokens[index].text] ?? [], body)
      else { return false }
      return fault == .assignment
        ? known.isConstant && isAssigned(index) : index < known.end && !isKey(index)
    }
    let zone = Zone(self, around: place, body, own)
    let possible = uses.filter { index in
      // What is assigned is worked out before.
      zone.reaches(index, at: fault == .assignment ? max(index, declaratorEnd(index + 1) - 1) : index)
    }
    if fault == .assignment, isMemberAssignment(around: place, in: body) {
      // A property that can't be written is told where it is; a constant behind it may be meant as well.
      let behind = possible.filter { $0 > place }
      return behind.isEmpty ? [] : [place] + behind
    }
    // In a loop the text goes round.
    return possible.isEmpty && uses.count == 1 ? uses : possible
  }

  /// The patterns around the place, in the same function, which may have been given nothing.
  private func patterns(around place: Int) -> [Int] {
    let (body, own) = function(around: place)
    // Where nothing has a place the engine tells the function, for its parameters as well.
    guard startedBody(place) == nil || !hasPatterns(parametersRange(of: body)) else { return [] }
    let patterns = own.filter { isPattern($0) && !isInPattern($0, own) }
    let zone = Zone(self, around: place, body, own)
    var around: Int?
    let ofParameters =
      zone.isFirst && startedBody(place) == nil ? outerPatterns(parametersRange(of: body)) : []
    let possible =
      ofParameters
      + patterns.filter { start in
        let value = max(start, declaratorEnd((ends[start] ?? start) + 1) - 1)
        if (start...value).contains(place) { around = start }
        return !(start...value).contains(place) && zone.reaches(start, at: value)
      }
    // Of what is worked out to be taken apart the engine knows the place.
    guard let around else { return possible }
    let before = possible.filter { $0 < around }
    return before.isEmpty ? [] : before + [around]
  }

  /// The patterns in parameters that are no part of another one.
  private func outerPatterns(_ range: Range<Int>) -> [Int] {
    var found: [Int] = []
    var index = range.lowerBound + 1
    while index < range.upperBound {
      let isOne = ["{", "["].contains(text(index)) && ["(", ","].contains(text(index - 1))
      if isOne { found.append(index) }
      index = ["{", "[", "("].contains(text(index)) ? ends[index] ?? index + 1 : index + 1
    }
    return found
  }

  /// Whether a pattern is part of a greater one, which is told then.
  private func isInPattern(_ index: Int, _ own: [Int]) -> Bool {
    own.contains { outer in
      outer < index && (ends[outer] ?? 0) > index && ["{", "["].contains(text(outer)) && isPattern(outer)
    }
  }

  /// Where a fault may be of which the engine tells a place: behind it, up to what the engine would have told
  /// itself; and before it, where nothing is that has one.
  struct Zone {
    /// What the engine has a place of, and when that is over: a call when its arguments are worked out.
    private let loud: [(index: Int, over: Int)]
    private let place: Int
    /// Behind the expression that the place begins.
    private let end: Int
    /// Whether nothing before it has a place.
    let isFirst: Bool

    init(_ names: NamedTokens, around place: Int, _ body: Range<Int>, _ own: [Int]) {
      self.place = place
      end = names.expressionEnd(place)
      loud = own.compactMap { index in
        if names.isMember(index) { return (index, index) }
        guard names.text(index) == "(", index > 0, names.tokens[index - 1].kind == .word,
          !names.isStatementWord(index - 1)
        else { return nil }
        return (index, (names.ends[index] ?? index + 1) - 1)
      }
      // The engine tells the function's first where none comes before.
      isFirst = !loud.contains { $0.over < place - 1 && $0.index < place - 1 }
    }

    /// Whether nothing comes between the place and what happens at a time, at a token.
    func reaches(_ index: Int, at time: Int) -> Bool {
      if time >= place { return !loud.contains { $0.index >= end && $0.over < time } }
      return isFirst && !loud.contains { $0.over < time }
    }
  }

  /// Behind a name with its members and calls, from a place in it on.
  private func expressionEnd(_ place: Int) -> Int {
    var index = place
    if tokens.indices.contains(index), tokens[index].kind == .word { index += 1 }
    while index < tokens.count {
      if ["(", "["].contains(text(index)), let end = ends[index] {
        index = end
      } else if text(index) == "." {
        index += 2
      } else {
        return max(index, place + 2)
      }
    }
    return index
  }

  /// The declaration that a name stands for: of those whose scope it is in, the innermost.
  private func declaration(of index: Int, among known: [Declaration], _ body: Range<Int>) -> Declaration? {
    guard !known.contains(where: { $0.index == index }) else { return nil }
    let found = known.filter { $0.scope.contains(index) }.min { $0.scope.count < $1.scope.count }
    if found == nil || found?.scope == body, parameters(of: body).contains(text(index)) { return nil }
    return found
  }

  /// Whether a bracket begins what takes a value apart: `{ a } =`, `[a] =`, or either before `of`.
  func isPattern(_ index: Int) -> Bool {
    guard ["{", "["].contains(text(index)), let end = ends[index] else { return false }
    let isAssigned = text(end) == "=" && isAssignment(end)
    guard isAssigned || text(end) == "of" else { return false }
    // Else it is a property's name.
    let before = index > 0 ? tokens[index - 1] : nil
    let isValue =
      before.map { $0.kind == .word && !isStatementWord(index - 1) || [")", "]"].contains($0.text) } ?? false
    return text(index) == "{" || !isValue || tokens[index].startsLine
  }

  func isStatementWord(_ index: Int) -> Bool {
    ["const", "let", "var", "if", "for", "while", "switch", "catch", "return", "of", "in", "else", "do"]
      .contains(text(index))
  }

  /// Behind the statement that a token is in, or its part: at a semicolon, or a line that begins.
  func statementEnd(_ place: Int, in body: Range<Int>) -> Int {
    var index = place
    while index < min(body.upperBound, tokens.count) {
      if text(index) == ";" || (index > place && tokens[index].startsLine) { return index }
      index = ends[index] ?? index + 1
    }
    return index
  }

  // MARK: - Functions

  func text(_ index: Int) -> String { tokens.indices.contains(index) ? tokens[index].text : "" }

  func isMember(_ index: Int) -> Bool {
    // `...` is three signs.
    text(index - 1) == "." && text(index - 2) != "." && text(index) != "."
  }

  /// The innermost function around a token, without those in it: its range, and its tokens. The engine's
  /// place of one in which nothing has run is its beginning.
  func function(around place: Int) -> (Range<Int>, [Int]) {
    let start = startedBody(place)
    let body =
      start ?? bodies.last { $0.contains(place) || $0.upperBound == place } ?? 0..<tokens.count
    var own: [Int] = []
    var index = body.lowerBound
    var inner = bodies.drop { $0.lowerBound <= body.lowerBound }
    if body == 0..<tokens.count { inner = bodies[...] }
    while index < body.upperBound {
      if let next = inner.first, next.lowerBound == index {
        index = next.upperBound
        inner = inner.drop { $0.lowerBound < index }
      } else {
        own.append(index)
        index += 1
      }
    }
    return (body, own)
  }

  /// The body of a function that begins with a token; nil for none.
  func startedBody(_ place: Int) -> Range<Int>? {
    var index = place
    while ["function", "async", "*", "get", "set"].contains(text(index)) { index += 1 }
    if tokens.indices.contains(index), tokens[index].kind == .word, text(index + 1) == "(" { index += 1 }
    guard text(index) == "(", let end = ends[index] else { return nil }
    let brace = text(end) == "=>" ? end + 1 : end
    return bodies.first { $0.lowerBound == brace }
  }

  /// Whether a brace opens a function's body.
  private func isBody(_ brace: Int) -> Bool {
    if text(brace - 1) == "=>" { return true }
    guard text(brace - 1) == ")", let open = starts[brace] else { return false }
    return !["if", "for", "while", "switch", "catch", "with", "await"].contains(text(open - 1))
  }

  // MARK: - Declarations

  struct Declaration {
    let index: Int
    /// Behind its value: it can be read from there on.
    let end: Int
    let isConstant: Bool
    /// Where its name stands for it.
    let scope: Range<Int>
  }

  /// The names that these tokens declare, each with all its places.
  func declarations(_ own: [Int]) -> [String: [Declaration]] {
    var found: [String: [Declaration]] = [:]
    for index in own where tokens[index].kind == .word && !isMember(index) {
      switch tokens[index].text {
      case "const", "let", "var", "using": addDeclarators(behind: index, &found)
      case "class", "function":
        let name = text(index + 1) == "*" ? index + 2 : index + 1
        guard tokens.indices.contains(name), tokens[name].kind == .word else { continue }
        // A function can be read at any time.
        let end = text(index) == "class" ? classEnd(name) : 0
        found[tokens[name].text, default: []].append(
          Declaration(index: name, end: end, isConstant: false, scope: block(around: index)))
      case "catch" where text(index + 1) == "(":
        // Its parameter is another variable.
        for name in index + 1..<(ends[index + 1] ?? index + 1) where tokens[name].kind == .word {
          let close = ends[index + 1] ?? index + 1
          found[tokens[name].text, default: []].append(
            Declaration(index: name, end: 0, isConstant: false, scope: index..<(ends[close] ?? close)))
        }
      default: break
      }
    }
    return found
  }

  private func addDeclarators(behind word: Int, _ found: inout [String: [Declaration]]) {
    let isConstant = text(word) == "const" || text(word) == "using"
    let scope = text(word) == "var" ? 0..<tokens.count : block(around: word)
    var index = word + 1
    while index < tokens.count {
      let target = index..<("[{".contains(text(index)) ? ends[index] ?? index + 1 : index + 1)
      let end = declaratorEnd(target.upperBound)
      for name in target where tokens[name].kind == .word {
        let last = text(word) == "var" ? 0 : end
        found[tokens[name].text, default: []].append(
          Declaration(index: name, end: last, isConstant: isConstant, scope: scope))
      }
      guard text(end) == "," else { return }
      index = end + 1
    }
  }

  /// Behind a class that has a name.
  private func classEnd(_ name: Int) -> Int {
    var index = name
    while index < tokens.count, text(index) != "{" { index = ends[index] ?? index + 1 }
    return ends[index] ?? name
  }

  /// The block, or the loop, that a declaration is in.
  private func block(around word: Int) -> Range<Int> {
    var at = word - 1
    while at >= 0 {
      if ["{", "("].contains(text(at)), let end = ends[at], end > word {
        // Of a loop's head: with what the loop does.
        return at..<(text(at) == "(" ? ends[end] ?? statementEnd(end, in: 0..<tokens.count) : end)
      }
      at = (starts[at + 1] ?? at) - 1
    }
    return 0..<tokens.count
  }

  /// Behind a declarator's value: at the comma before the next one, or where the declaration is over.
  func declaratorEnd(_ start: Int) -> Int {
    var index = start
    while tokens.indices.contains(index) {
      if [",", ";", ")", "]", "}", "of", "in"].contains(text(index)) { return index }
      // A line that begins with a name, where nothing is left open, is another statement.
      if index > start, tokens[index].startsLine, tokens[index].kind == .word,
        tokens[index - 1].kind != .punctuator || [")", "]", "}"].contains(text(index - 1))
      {
        return index
      }
      index = ends[index] ?? index + 1
    }
    return index
  }

  // MARK: - Uses

  /// Whether a name is assigned to here.
  private func isAssigned(_ index: Int) -> Bool {
    if text(index - 1) == "(", ["of", "in"].contains(text(index + 1)), loop(around: index + 1) != nil {
      return true
    }
    return isAssignment(index + 1) || ["++", "--"].contains(text(index - 1))
  }

  /// Whether a name is an object's key, or a label.
  private func isKey(_ index: Int) -> Bool {
    text(index + 1) == ":" && ["{", ",", ";", "}"].contains(text(index - 1))
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
    if sign.hasPrefix("++") || sign.hasPrefix("--") { return true }
    guard sign.hasSuffix("="), !["<=", ">=", "!="].contains(sign) else { return false }
    // Else it compares.
    return text(index) != "=" || tokens[index].range.lowerBound != tokens[index - 1].range.upperBound
  }

  /// Whether the place is in a statement that assigns to a property: then the engine is right.
  private func isMemberAssignment(around place: Int, in body: Range<Int>) -> Bool {
    var start = place
    while start > body.lowerBound, ![";", "{", "}"].contains(text(start - 1)),
      !tokens[min(start, tokens.count - 1)].startsLine
    {
      start -= 1
    }
    var isTarget = false
    var index = start
    while index < min(body.upperBound, tokens.count), text(index) != ";" {
      if index > place, tokens[index].startsLine { break }
      if isMember(index) || text(index) == "]" {
        if isAssignment(index + 1) || ["of", "in"].contains(text(index + 1)) { return true }
        isTarget = isTarget || ["}", "]", ","].contains(text(index + 1))
      }
      // A pattern that is assigned to.
      if isTarget, ["}", "]"].contains(text(index)), isAssignment(index + 1) { return true }
      index += 1
    }
    return false
  }
}
