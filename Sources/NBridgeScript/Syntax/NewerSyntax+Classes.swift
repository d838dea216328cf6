// SPDX-License-Identifier: MIT

/// Decorators and `accessor`, of classes and their members.
extension NewerSyntax {
  /// One decorator, where it was read.
  private struct Decorator {
    /// Its `@`.
    let sign: Range<Int>
    /// Where the object ends that it is a member of; nil for none, and for what is called.
    var receiver: Int?
    var end: Int
  }

  /// A member's words before its name.
  private struct Words {
    var isStatic = false
    var isAccessor = false
    /// Whether it is a method for `get`, `set`, `async` or `*`.
    var isMethod = false
    /// Whether it is TypeScript's, and no member when it runs.
    var isType = false
    /// Those that are types' alone.
    var blank: [Range<Int>] = []
    var statics: [Range<Int>] = []
    var accessors: [Range<Int>] = []
  }

  /// From the first sign on: what they decorate is known only behind them.
  mutating func decorators() {
    let kept = self
    let (words, isStatement) = (wordsBefore, startsStatement)
    var found: [Decorator] = []
    while tokens.sees("@"), let decorator = decorator() { found.append(decorator) }
    if !found.isEmpty {
      if isClass {
        note()
        return classes(found, words, isStatement: isStatement)
      }
      if isInClassBody, member(found) { return }
    }
    if retry(from: kept) { tokens.next() }
  }

  /// `@a.b.c(…)`, `@(…)`: from its sign to its end.
  private mutating func decorator() -> Decorator? {
    var decorator = Decorator(sign: tokens.next().range, end: 0)
    if tokens.sees("(") {
      group()
    } else if tokens.peek().kind == .word {
      tokens.next()
      while !tokens.isAtEnd {
        if tokens.sees("."), tokens.peek(1).kind == .word {
          decorator.receiver = tokens.previous.range.upperBound
          tokens.next()
          tokens.next()
        } else if tokens.sees("<") {
          types()
        } else if tokens.sees("(") {
          decorator.receiver = nil
          group()
        } else if tokens.sees("!"), tokens.sees(".", 1) || tokens.sees("(", 1) {
          tokens.next()
        } else {
          break
        }
      }
    } else {
      return nil
    }
    decorator.end = tokens.previous.range.upperBound
    return decorator
  }

  /// Type arguments of a call.
  private mutating func types() {
    var angles = 0
    repeat {
      if tokens.sees("<") { angles += 1 }
      if tokens.sees(">") { angles -= 1 }
      tokens.next()
    } while angles > 0 && !tokens.isAtEnd
  }

  /// The call that the decorators become, without its end.
  private mutating func begin(_ list: [Decorator], _ name: String, before: String = "") {
    for (index, decorator) in list.enumerated() {
      let first = index == 0 ? "\(before)\(name)(" : ","
      if let receiver = decorator.receiver {
        edits.replace(decorator.sign, with: "\(first)\(NewerNames.library).keep(")
        edits.insert(")", at: receiver)
        edits.insert(",\(NewerNames.library).kept()", at: decorator.end)
      } else {
        edits.replace(decorator.sign, with: first)
        edits.insert(",void 0", at: decorator.end)
      }
    }
  }

  // MARK: - Classes

  /// Whether a class comes, maybe behind `export`.
  private var isClass: Bool {
    var distance = 0
    if tokens.seesWord("export", distance) { distance += 1 }
    if tokens.seesWord("default", distance) { distance += 1 }
    if tokens.seesWord("abstract", distance), tokens.seesWord("class", distance + 1) { distance += 1 }
    return isClassHead(distance)
  }

  /// Whether decorators begin where a statement does, or behind `export` and `default`.
  private var startsStatement: Bool {
    let previous = tokens.previous
    switch previous.kind {
    case .end: return true
    case .punctuator:
      return [";", "{", "}"].contains(previous.text)
        || tokens.peek().startsLine && [")", "]"].contains(previous.text)
    case .word: return ["export", "default"].contains(previous.text) || tokens.peek().startsLine
    default: return tokens.peek().startsLine
    }
  }

  /// `export` and `default` that stand before the decorators go behind them.
  private mutating func classes(_ list: [Decorator], _ words: [TokenList.Item], isStatement: Bool) {
    for word in words { blank(word.range) }
    begin(list, NewerNames.classes)
    let moved = words.reversed().map { $0.text + " " }.joined()
    edits.insert(isStatement ? ");\(moved)" : ")in ", at: list.last?.end ?? 0)
  }

  private var wordsBefore: [TokenList.Item] {
    var words: [TokenList.Item] = []
    if tokens.seesWord("default", -1), tokens.seesWord("export", -2) { words.append(tokens.peek(-1)) }
    if tokens.seesWord("export", -1 - words.count) { words.append(tokens.peek(-1 - words.count)) }
    return words
  }

  private mutating func blank(_ range: Range<Int>) {
    edits.replace(range, with: String(repeating: " ", count: range.count))
  }

  // MARK: - Members

  private static let typeWords: Set<String> = [
    "public", "private", "protected", "override", "readonly", "abstract", "declare",
  ]

  /// `accessor name`, on one line, where a member begins.
  var isAccessor: Bool {
    let next = tokens.peek(1)
    let previous = tokens.previous
    guard !next.startsLine, !tokens.sees(".", -1) else { return false }
    let startsMember =
      tokens.peek().startsLine || previous.kind == .punctuator && [";", "{", "}"].contains(previous.text)
      || Self.typeWords.contains(previous.text) || previous.text == "static"
    guard startsMember else { return false }
    switch next.kind {
    case .word: return !["in", "instanceof"].contains(next.text)
    case .string, .number: return true
    default: return next.text == "["
    }
  }

  /// From the word `accessor` on, back to those before it.
  mutating func accessor() {
    while Self.typeWords.contains(tokens.previous.text) || tokens.previous.text == "static",
      tokens.previous.kind == .word
    {
      tokens.goBack()
    }
    if !member([]) { tokens.next() }
  }

  /// The member behind some decorators. Answers false, and changes nothing, where none may stand.
  private mutating func member(_ list: [Decorator]) -> Bool {
    let start = tokens.peek().range.lowerBound
    let kept = self
    let words = self.words()
    let key = tokens.peek()
    if list.isEmpty, words.isType {
      // A type's `accessor` is a property's type.
      for range in words.accessors { blank(range) }
      note()
      return true
    }
    guard !words.isType, key.kind != .punctuator || key.text == "[",
      key.text != "constructor" || words.isStatic,
      !(key.text == "static" && tokens.sees("{", 1))
    else {
      self = kept
      return false
    }
    note()
    let isComputed = tokens.sees("[")
    if !isComputed { tokens.next() }
    if words.isMethod || !words.isAccessor && !isComputed && isMethodBehindKey {
      begin(list, NewerNames.method, before: "static[")
      edits.insert(")](){} ", at: list.last?.end ?? start)
      return true
    }
    if isComputed, !words.isAccessor {
      let behind = tokens.behindBracket()
      if ["(", "<"].contains(behind.text) {
        begin(list, NewerNames.method, before: "static[")
        edits.insert(")](){} ", at: list.last?.end ?? start)
        return true
      }
    }
    field(list, words, key, start)
    return true
  }

  private var isMethodBehindKey: Bool {
    let distance = tokens.sees("?") || tokens.sees("!") ? 1 : 0
    return tokens.sees("(", distance) || tokens.sees("<", distance)
  }

  /// A field's key becomes a private name, which esbuild leaves where it is.
  private mutating func field(_ list: [Decorator], _ words: Words, _ key: TokenList.Item, _ start: Int) {
    let name = words.isAccessor ? NewerNames.accessor : NewerNames.field
    let comma = list.isEmpty ? "" : ","
    begin(list, name, before: "static[")
    let isComputed = tokens.sees("[")
    let isPrivate = key.text.hasPrefix("#")
    let literal =
      isPrivate || isComputed ? "" : comma + (key.kind == .word ? ValueText.quoted(key.text) : key.text)
    let end = isComputed ? "" : literal + ")](){} "
    // Before what is blanked at the same place.
    edits.insert((list.isEmpty ? "static[\(name)(" : "") + end, at: list.last?.end ?? start)
    for range in words.blank + words.accessors { blank(range) }
    count += 1
    let made = "#\(ModuleText.mark)\(count)"
    if isComputed {
      for range in words.statics { blank(range) }
      edits.replace(tokens.peek().range, with: comma)
      group()
      edits.replace(tokens.previous.range, with: ")](){} \(words.isStatic ? "static " : "")\(made)")
    } else if !isPrivate {
      edits.replace(key.range, with: made)
    }
    if tokens.sees("?") || tokens.sees("!") { blank(tokens.next().range) }
  }

  private mutating func words() -> Words {
    var words = Words()
    while tokens.peek().kind == .word, !endsWords {
      let token = tokens.next()
      switch token.text {
      case "static":
        words.isStatic = true
        words.statics.append(token.range)
      case "accessor":
        words.isAccessor = true
        words.accessors.append(token.range)
      case "get", "set", "async": words.isMethod = true
      default:
        if token.text == "abstract" || token.text == "declare" { words.isType = true }
        words.blank.append(token.range)
      }
    }
    if tokens.take("*") { words.isMethod = true }
    return words
  }

  /// Whether the word that comes is the member's name.
  private var endsWords: Bool {
    let word = tokens.peek().text
    guard Self.typeWords.contains(word) || ["static", "accessor", "get", "set", "async"].contains(word) else {
      return true
    }
    let next = tokens.peek(1)
    if next.kind == .end || ["accessor", "async"].contains(word) && next.startsLine { return true }
    return next.kind == .punctuator && !["[", "*"].contains(next.text)
  }
}
