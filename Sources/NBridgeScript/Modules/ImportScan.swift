// SPDX-License-Identifier: MIT

/// What a text says about modules, found without parsing it: whether it is one, and what esbuild 0.17 can't
/// read.
package struct ImportScan {
  /// Whether it imports or exports, or names what a CommonJS file has.
  package private(set) var usesModules = false
  /// From a specifier's closing quote to the end of its attributes, with the type that they give.
  private var attributes: [(range: Range<Int>, type: String)] = []

  /// What is put behind a specifier for the type that its attributes gave.
  static let typeMark = "?as="

  /// - Parameter findsGlobals: whether it is looked for Node's globals, too, which a text may name without a
  ///   word of modules.
  package init(_ text: String, findsGlobals: Bool = false) {
    guard
      findsGlobals || text.utf8.containsText("import") || text.utf8.containsText("export")
        || text.utf8.containsText("require") || text.utf8.containsText("__")
    else { return }
    var tokens = Tokens(text)
    while let token = tokens.next() { look(at: token, &tokens) }
    if ownsRequire { requires = false }
    usesModules = usesModules || requires || usesOwnNames && !ownsNames
  }

  /// Whether it imports or exports by statements, which CommonJS does not have.
  private var isModule = false
  /// The globals of Node that it names.
  private var nodeGlobals = NodeGlobals()
  /// Whether names are being declared or imported.
  private var isDeclaring = false
  private var requires = false
  /// Whether it names `module.exports`, `exports`, `__filename` or `__dirname`; and whether it declares one.
  private var (usesOwnNames, ownsNames) = (false, false)
  /// Whether a text brings a `require` of its own.
  static func ownsRequire(_ text: String) -> Bool {
    text.utf8.containsText("require") && ImportScan(text).ownsRequire
  }

  /// Whether the text brings a `require` of its own, as bundles do.
  private var ownsRequire = false

  private mutating func look(at token: Tokens.Item, _ tokens: inout Tokens) {
    let isString = token.kind == .string
    if isString || [".", "?."].contains(tokens.previous) {
      nodeGlobals.ask(for: isString ? token.string : token.text)
    }
    guard token.kind == .word, tokens.previous != "." else {
      if isDeclaring, token.kind == .string || ["=", ";", "("].contains(token.text) { isDeclaring = false }
      return
    }
    switch token.text {
    case "import": lookAtImport(token, &tokens)
    case "export":
      guard let next = tokens.peek(), next.kind == .word || next.text == "{" || next.text == "*" else {
        return
      }
      usesModules = true
      isModule = true
    case "from":
      isDeclaring = false
      lookAtAttributes(&tokens)
    case "require": lookAtRequire(&tokens)
    case "module", "exports", "__filename", "__dirname": lookAtOwnName(token, &tokens)
    case "const", "let", "var", "function", "class": isDeclaring = true
    case let name where NodeGlobals.all.contains(name):
      nodeGlobals.add(name, declared: isDeclaring || tokens.isAssignment())
    default: break
    }
  }

  private mutating func lookAtImport(_ token: Tokens.Item, _ tokens: inout Tokens) {
    guard let next = tokens.peek() else { return }
    switch (next.kind, next.text) {
    case (_, "."):
      _ = tokens.next()
      guard let meta = tokens.peek(), meta.text == "meta" else { return }
      usesModules = true
    case (_, "("):
      usesModules = true
      _ = tokens.next()
      lookAtDynamicImport(&tokens)
    case (.string, _):
      usesModules = true
      isModule = true
      lookAtAttributes(&tokens)
    case (.word, _), (_, "{"), (_, "*"):
      usesModules = true
      isModule = true
      isDeclaring = true
    default: break
    }
  }

  /// `"specifier" with { type: "json" }`, from before the specifier on.
  private mutating func lookAtAttributes(_ tokens: inout Tokens) {
    guard let specifier = tokens.peek(), specifier.kind == .string else { return }
    _ = tokens.next()
    // `assert` was the word of a draft, and had to stand on the same line.
    guard let word = tokens.peek(), word.text == "with" || (word.text == "assert" && !word.startsLine) else {
      return
    }
    _ = tokens.next()
    guard tokens.peek()?.text == "{" else { return }
    let (type, end) = tokens.typeBefore("}")
    keep(specifier, end, type ?? "?")
  }

  /// `import("specifier", { with: { type: "json" } })`, from behind the parenthesis on.
  private mutating func lookAtDynamicImport(_ tokens: inout Tokens) {
    guard let specifier = tokens.peek(), specifier.kind == .string else { return }
    _ = tokens.next()
    guard let comma = tokens.peek(), comma.text == "," else { return }
    let (type, end) = tokens.typeBefore(")")
    if let type { keep(specifier, end - 1, type) }
  }

  /// Notes a type for a specifier; not for one whose string or attributes don't end, which esbuild will say.
  private mutating func keep(_ specifier: Tokens.Item, _ end: Int, _ type: String) {
    guard specifier.isClosed, end > specifier.range.upperBound else { return }
    attributes.append((specifier.range.upperBound - 1..<end, type))
  }

  private mutating func lookAtRequire(_ tokens: inout Tokens) {
    if tokens.previous == "function" { ownsRequire = true }
    guard let next = tokens.peek() else { return }
    if [",", ")", "="].contains(next.text) { ownsRequire = true }
    if next.text == "." {
      _ = tokens.next()
      if let member = tokens.peek(), ["main", "resolve", "cache"].contains(member.text) { requires = true }
      return
    }
    guard next.text == "(" else { return }
    _ = tokens.next()
    if tokens.peek()?.kind == .string { requires = true }
  }

  /// A name that each CommonJS file has; a script may have one of its own by it.
  private mutating func lookAtOwnName(_ name: Tokens.Item, _ tokens: inout Tokens) {
    let (previous, next) = (tokens.previous, tokens.peek()?.text)
    // Of several in a row the second, too.
    if isDeclaring || previous == "," && next == "=" {
      ownsNames = true
      return
    }
    // A key of an object, and whoever asks first.
    if next == ":" || previous == "typeof" { return }
    switch name.text {
    case "module":
      guard tokens.peek()?.text == "." else { return }
      _ = tokens.next()
      if tokens.peek()?.text == "exports" { usesOwnNames = true }
    case "exports": if let next = tokens.peek(), [".", "["].contains(next.text) { usesOwnNames = true }
    default: usesOwnNames = true
    }
  }

  /// The text as esbuild reads it: attributes marked in their specifier. Lines and columns stay.
  func prepared(_ text: String) -> [UInt8] {
    var bytes = Array(text.utf8)
    for (range, type) in attributes {
      let quote = bytes[range.lowerBound]
      Self.put(Array((Self.typeMark + type).utf8) + [quote], into: &bytes, range)
    }
    return bytes
  }

  /// A package's text with those of Node's globals that it names.
  func withNodeGlobals(_ bytes: [UInt8]) -> [UInt8] {
    isModule ? nodeGlobals.around(module: bytes) : nodeGlobals.around(script: bytes)
  }

  /// Writes `text` over the start of `range`, then the line ends that were in it, then spaces; what would not
  /// fit is cut.
  private static func put(_ text: [UInt8], into bytes: inout [UInt8], _ range: Range<Int>) {
    let lines = bytes[range].filter { $0 == 0x0A }
    let kept = Array(text.filter { $0 != 0x0A }.prefix(range.count - lines.count)) + lines
    for (offset, index) in range.enumerated() { bytes[index] = offset < kept.count ? kept[offset] : 0x20 }
  }
}

/// Tokens with a look ahead of one.
private struct Tokens {
  struct Item {
    let kind: JSLexer.Kind
    let text: String
    let range: Range<Int>
    let startsLine: Bool
    /// Whether a string literal ends with the quote that it starts with.
    var isClosed: Bool { text.utf8.count >= 2 && text.utf8.first == text.utf8.last }
    /// A string literal's text; escapes are left as they are.
    var string: String { String(text.dropFirst().dropLast()) }
  }

  private var lexer: JSLexer
  private var ahead: Item?
  /// The text of the token before the last that ``next()`` gave.
  private(set) var previous = ""
  private var last = ""

  init(_ text: String) { lexer = JSLexer(text) }

  mutating func peek() -> Item? {
    if ahead == nil { ahead = read() }
    return ahead
  }

  mutating func next() -> Item? {
    let item = peek()
    ahead = nil
    previous = last
    last = item?.text ?? ""
    return item
  }

  /// Whether `=` comes next, which is neither `==` nor `=>`.
  mutating func isAssignment() -> Bool {
    guard let first = peek(), first.text == "=" else { return false }
    var rest = lexer
    let token = rest.next()
    guard token.kind != .end, token.range.lowerBound == first.range.upperBound else { return true }
    return !["=", ">"].contains(rest.text(token).prefix(1))
  }

  private mutating func read() -> Item? {
    let token = lexer.next()
    guard token.kind != .end else { return nil }
    return Item(kind: token.kind, text: lexer.text(token), range: token.range, startsLine: token.startsLine)
  }

  /// The string behind `type:` before the closing bracket that ends the group, and where that one ends.
  mutating func typeBefore(_ close: String) -> (type: String?, end: Int) {
    var type: String?
    var depth = close == ")" ? 1 : 0
    var end = 0
    while let token = next() {
      end = token.range.upperBound
      switch token.text {
      case "{", "(", "[": depth += 1
      case "}", ")", "]":
        depth -= 1
        if depth == 0 { return (type, end) }
      case "type", "\"type\"", "'type'":
        guard peek()?.text == ":" else { continue }
        _ = next()
        if let value = peek(), value.kind == .string, value.isClosed { type = value.string }
      default: break
      }
    }
    return (nil, 0)  // it does not end
  }
}
