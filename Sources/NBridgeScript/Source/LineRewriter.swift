// SPDX-License-Identifier: MIT

/// Makes of what was typed at a prompt a script that keeps its names.
///
/// Each entry is a script of its own, so what it declares at its top has to outlive it and must be declarable
/// again: such names become properties of the global object. An entry that awaits runs inside of an async
/// function, where declarations become assignments. Inside of brackets nothing is changed but a `var` that
/// belongs to the whole entry.
package struct LineRewriter {
  /// The script that runs for an entry.
  package struct Result {
    package var text: String
    /// Whether ``text`` gives a promise of a list with the value, or an empty one.
    package var isAsync: Bool
    /// The names that it declares: properties of the global object from now on.
    package var names: [String]
    /// The names among them that can't be assigned to when the entry is over.
    package var constants: [String]
    /// What was put in, for reports.
    package var insertions: [AwaitMarker.Insertion]

    package init(
      text: String, isAsync: Bool, names: [String], constants: [String], insertions: [AwaitMarker.Insertion]
    ) {
      self.text = text
      self.isAsync = isAsync
      self.names = names
      self.constants = constants
      self.insertions = insertions
    }
  }

  /// The function that stands for `import` at a prompt.
  package static let importer = "\u{1C3}import"
  /// The function that an entry asks whether it may go on.
  package static let gate = "\u{1C3}gate"
  /// The function that makes of what an entry loops over what ends when it is stopped.
  package static let stream = "\u{1C3}stream"

  private let bytes: [UInt8]
  /// What stands for `import` here.
  private let importer: String
  package private(set) var tokens: [JSLexer.Token] = []
  package private(set) var texts: [String] = []
  /// How many brackets are open before each token.
  private(set) var depths: [Int] = []

  /// - Parameter folder: where imports start from; nil for the current one.
  package init(_ source: String, folder: String? = nil) {
    bytes = Array(source.utf8)
    importer = folder.map { "\(Self.importer).from(\(ValueText.quoted($0)))" } ?? Self.importer
    var lexer = JSLexer(source)
    var depth = 0
    while true {
      let token = lexer.next()
      let text = lexer.text(token)
      let closes = [")", "]", "}"].contains(text) && token.kind == .punctuator
      if closes || token.kind == .template && text.hasPrefix("}") { depth -= 1 }
      tokens.append(token)
      texts.append(text)
      depths.append(depth)
      // A few ends more: looking at the tokens behind one is then safe.
      if token.kind == .end {
        if tokens.count(where: { $0.kind == .end }) > Self.ends { break }
        continue
      }
      let opens = ["(", "[", "{"].contains(text) && token.kind == .punctuator
      if opens || token.kind == .template && text.hasSuffix("${") { depth += 1 }
    }
  }

  private static let ends = 4
  /// The first of the ends.
  package var last: Int { tokens.count - 1 - Self.ends }

  // MARK: - The two forms

  /// The entry as a script in the global scope.
  package func script() -> Result {
    var edits = Edits(bytes)
    var names: [String] = []
    var constants: [String] = []
    for index in statements {
      let earlier = names.count
      switch texts[index] {
      case "let", "const":
        guard declaredNames(after: index, into: &names) else { continue }
        if texts[index] == "const" { constants += names.suffix(from: earlier) }
        edits.replace(tokens[index].range, with: texts[index] == "let" ? "var" : "var  ")
        emptyBareNames(after: index, &edits)
      case "var": _ = declaredNames(after: index, into: &names)
      case "class": rewriteClass(index, "var ", &edits, &names)
      case "function", "async": functionName(index).map { names.append($0) }
      default: break
      }
    }
    replaceImportCalls(&edits)
    return Result(
      text: edits.text, isAsync: false, names: names, constants: constants, insertions: edits.insertions)
  }

  /// The entry as an async function's body, which may await and import.
  ///
  /// - Parameters:
  ///   - entry: its number: before each `await` of its top it asks ``gate`` whether it was stopped; nil where
  ///     nothing stops it.
  ///   - awaitsValue: whether the last one's value is awaited, too.
  ///   - parses: whether a text is a script, as the engine's parser says.
  package func asyncFunction(_ entry: Int?, awaitsValue: Bool = false, _ parses: (String) -> Bool) -> Result {
    let gated = asyncFunction(gates: entry, awaitsValue, parses)
    return parses(gated.text) ? gated : asyncFunction(gates: nil, awaitsValue, parses)
  }

  private func asyncFunction(gates entry: Int?, _ awaitsValue: Bool, _ parses: (String) -> Bool) -> Result {
    var edits = Edits(bytes)
    var names: [String] = []
    var constants: [String] = []
    var hoisted = ""
    rewriteInnerVariables(&edits, &names)
    for index in statements {
      let earlier = names.count
      switch texts[index] {
      case "let", "const", "var":
        rewriteDeclaration(index, &edits, &names)
        if texts[index] == "const" { constants += names.suffix(from: earlier) }
      case "class": rewriteClass(index, "", &edits, &names)
      case "function", "async":
        guard let name = functionName(index) else { continue }
        names.append(name)
        hoisted += "globalThis.\(name)=\(name);"
      case "import": rewriteImport(index, &edits, &names)
      default: break
      }
    }
    replaceImportCalls(&edits)
    if let start = valueStart(parses) {
      edits.insert(awaitsValue ? "return[await(" : "return[(", at: start)
      edits.insert(")]", at: valueEnd)
    }
    if let entry { insertGates(entry, &edits) }
    edits.insert("(async()=>{\(hoisted)", at: 0, isFirst: true)
    edits.insert("\nreturn[]})()", at: bytes.count)
    return Result(
      text: edits.text, isAsync: true, names: names, constants: constants, insertions: edits.insertions)
  }

  /// A stopped entry waits for ever at its next `await`: nothing could catch that. So does a loop over a
  /// stream, which is closed.
  private func insertGates(_ entry: Int, _ edits: inout Edits) {
    for place in AwaitMarker.places(String(decoding: bytes, as: UTF8.self)) {
      edits.insert("!await \(Self.gate)(\(entry))?0:", at: place)
    }
    for index in 0..<last where texts[index] == "for" && texts[index + 1] == "await" && depths[index] == 0 {
      let close = (index + 2..<last).first { texts[$0] == ")" && depths[$0] == depths[index] }
      let of = (index + 2..<last).last {
        texts[$0] == "of" && depths[$0] == depths[index] + 1 && $0 < close ?? 0
      }
      guard let close, let of else { continue }
      edits.insert("\(Self.stream)(\(entry),(", at: tokens[of + 1].range.lowerBound)
      edits.insert("))", at: tokens[close - 1].range.upperBound)
    }
  }

  /// The entry as it is, in an async function, imports blanked out: for the parser's word on it.
  package var wrapped: Result {
    var edits = Edits(Array(textWithoutImports(before: bytes.count).utf8))
    edits.insert("(async()=>{", at: 0)
    edits.insert("\n})()", at: bytes.count)
    return Result(text: edits.text, isAsync: true, names: [], constants: [], insertions: edits.insertions)
  }

  /// Whether it exports more than declarations, or asks for its own place: then only a module can hold it.
  package var mustBeModule: Bool {
    statements.contains { texts[$0] == "export" && !Self.declarations.contains(texts[$0 + 1]) }
      || texts.indices.contains { texts[$0] == "import" && texts[min($0 + 1, last)] == "." }
  }

  /// The text with spaces for `export` before declarations: at a prompt every name is there for all.
  package static func withoutExports(_ text: String) -> String {
    guard text.contains("export") else { return text }
    let rewriter = LineRewriter(text)
    var bytes = rewriter.bytes
    for index in rewriter.statements where rewriter.texts[index] == "export" {
      guard declarations.contains(rewriter.texts[index + 1]), rewriter.texts[index + 2] != "{" else {
        continue
      }
      for place in rewriter.tokens[index].range { bytes[place] = 0x20 }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let declarations: Set<String> = [
    "const", "let", "var", "function", "class", "async", "interface", "enum", "abstract", "namespace", "type",
  ]

  /// Whether it imports at its top, which only the async form can.
  package var hasImports: Bool {
    statements.contains { texts[$0] == "import" && !["(", "."].contains(texts[$0 + 1]) }
  }

  // MARK: - Statements

  /// The tokens at which statements of the top begin.
  package var statements: [Int] {
    tokens.indices.filter { depths[$0] == 0 && tokens[$0].kind != .end && startsStatement($0) }
  }

  private func startsStatement(_ index: Int) -> Bool {
    guard index > 0 else { return true }
    if texts[index - 1] == ";" || texts[index - 1] == "}" && tokens[index - 1].kind == .punctuator {
      return true
    }
    return tokens[index].startsLine && endsOperand(index - 1) && !continues(index)
  }

  /// Whether a value can end with the token, so that a line end behind it may end the statement (ECMA-262,
  /// 12.10).
  private func endsOperand(_ index: Int) -> Bool {
    switch tokens[index].kind {
    case .word: !Self.operatorWords.contains(texts[index])
    case .number, .string, .regex: true
    case .template: !texts[index].hasSuffix("${")
    case .punctuator: [")", "]", "}", "++", "--", ";"].contains(texts[index])
    case .end: true
    }
  }

  /// Whether the token, first on its line, goes on with the statement above.
  private func continues(_ index: Int) -> Bool {
    switch tokens[index].kind {
    case .punctuator: !["{", "++", "--", "!", "~"].contains(texts[index]) || isUnequal(index)
    case .template: true
    case .word: ["in", "instanceof", "of", "else", "catch", "finally"].contains(texts[index])
    case .number, .string, .regex, .end: false
    }
  }

  /// `!=`, which the lexer gives in two.
  private func isUnequal(_ index: Int) -> Bool {
    texts[index] == "!" && texts[index + 1] == "="
      && tokens[index].range.upperBound == tokens[index + 1].range.lowerBound
  }

  private static let operatorWords: Set<String> = [
    "typeof", "void", "delete", "new", "in", "of", "instanceof", "await", "return", "throw", "const", "let",
    "var",
    "class", "extends", "import", "from", "as", "async", "function", "else", "do",
  ]

  /// The token behind the statement that begins at `start`.
  package func end(of start: Int) -> Int {
    let depth = depths[start]
    var index = start + 1
    while tokens[index].kind != .end {
      if texts[start] == "import", texts[index] == "from" {
        index += 1
        continue
      }
      if depths[index] < depth || depths[index] == depth && texts[index] == ";" { return index }
      if depths[index] == depth, tokens[index].startsLine, endsOperand(index - 1), !continues(index) {
        return index
      }
      index += 1
    }
    return index
  }

  // MARK: - Imports

  /// `import d, {a as b} from "s"` becomes `({default:d,a:b}=await importer("s"));`.
  private func rewriteImport(_ index: Int, _ edits: inout Edits, _ names: inout [String]) {
    guard !["(", "."].contains(texts[index + 1]) else { return }
    let last = end(of: index)
    guard let name = specifier(index, last) else { return }
    // Types leave nothing behind.
    if texts[index + 1] == "type", texts[index + 2] != "from" || texts[index + 3] == "from" {
      return edits.replace(tokens[index].range.lowerBound..<tokens[last - 1].range.upperBound, with: "void 0")
    }
    var attributes = ""
    if let open = (name..<last).first(where: { texts[$0] == "{" }) {
      attributes =
        ",{with:"
        + String(
          decoding: bytes[tokens[open].range.lowerBound..<tokens[last - 1].range.upperBound], as: UTF8.self)
        + "}"
    }
    var members: [String] = []
    var wanted: [String] = []
    var at = index + 1
    while at < name, texts[at] != "from" || at + 1 != name {
      if texts[at] == "*", texts[at + 1] == "as" {
        names.append(texts[at + 2])
        members.append("\u{0}\(texts[at + 2])")
        at += 3
      } else if isTypeModifier(at, behind: index) {
        // Types leave nothing behind.
        at += texts[at + 2] == "as" ? 4 : 2
      } else if tokens[at].kind == .word || tokens[at].kind == .string {
        let isRenamed = texts[at + 1] == "as"
        let local = isRenamed ? texts[at + 2] : texts[at]
        let member = depths[at] == 0 ? "default" : texts[at]
        members.append("\(member):\(local)")
        wanted.append(tokens[at].kind == .string ? member : "\"\(member)\"")
        names.append(local)
        at += isRenamed ? 3 : 1
      } else {
        at += 1
      }
    }
    let list =
      wanted.isEmpty ? "" : (attributes.isEmpty ? ",undefined" : "") + ",[\(wanted.joined(separator: ","))]"
    let call = "await \(importer)(\(texts[name])\(attributes)\(list))"
    let space = members.first { $0.hasPrefix("\u{0}") }?.dropFirst()
    let picked = members.filter { !$0.hasPrefix("\u{0}") }.joined(separator: ",")
    var text = space.map { "\($0)=\(call);" } ?? ""
    if !picked.isEmpty { text += "({\(picked)}=\(space.map(String.init) ?? call));" }
    if members.isEmpty { text = call + ";" }
    // Beside as many spaces: so every place in it is the statement's own.
    let range = tokens[index].range.lowerBound..<tokens[last - 1].range.upperBound
    edits.insert("void 0;" + text, at: range.lowerBound)
    edits.replace(range, with: String(decoding: bytes[range].map { $0 == 0x0A ? 0x0A : 0x20 }, as: UTF8.self))
  }

  /// Whether a `type` stands before a name in an import's list (TypeScript 4.5); one may also be the name.
  private func isTypeModifier(_ at: Int, behind index: Int) -> Bool {
    texts[at] == "type" && depths[at] > depths[index] && tokens[at + 1].kind == .word
      && (texts[at + 1] != "as" || [",", "}", "as"].contains(texts[at + 2]))
  }

  /// The string that names the module: the first thing behind `import`, or what follows `from`.
  private func specifier(_ index: Int, _ last: Int) -> Int? {
    if tokens[index + 1].kind == .string { return index + 1 }
    return (index + 1..<last).first { texts[$0] == "from" && tokens[$0 + 1].kind == .string }.map { $0 + 1 }
  }

  private func replaceImportCalls(_ edits: inout Edits) {
    for index in 0..<last where texts[index] == "import" && texts[index + 1] == "(" {
      guard index == 0 || texts[index - 1] != ".", !isMethod(index) else { continue }
      edits.replace(tokens[index].range, with: importer)
    }
  }

  /// Whether a body follows the parentheses: a method that is called so.
  private func isMethod(_ index: Int) -> Bool {
    let close = (index + 2..<last).first { depths[$0] == depths[index] && texts[$0] == ")" }
    return close.map { texts[$0 + 1] == "{" } ?? false
  }

  // MARK: - The value

  /// Where the last statement begins, when it is an expression: the engine's parser says whether what stands
  /// before it is whole.
  private func valueStart(_ parses: (String) -> Bool) -> Int? {
    guard last > 0 else { return nil }
    for index in statements.reversed().prefix(16) {
      let start = tokens[index].range.lowerBound
      guard start < valueEnd else { continue }
      let before = "(async()=>{\(textWithoutImports(before: start))\n})"
      let after = String(decoding: bytes[start..<valueEnd], as: UTF8.self)
      // These parse as expressions too, but declare.
      let declares = texts[index] == "class" || functionName(index) != nil
      if !declares, parses("(async()=>(\(after)\n))") {
        if parses(before) { return start }
      } else if parses(before) {
        return nil
      }
    }
    return nil
  }

  /// A beginning of the text that the engine can parse as a function's body: spaces stand for its imports.
  private func textWithoutImports(before end: Int) -> String {
    var text = Array(bytes[..<end])
    for index in statements where texts[index] == "import" && !["(", "."].contains(texts[index + 1]) {
      let importEnd = min(end, tokens[self.end(of: index) - 1].range.upperBound)
      var at = tokens[index].range.lowerBound
      while at < importEnd {
        if text[at] != 0x0A { text[at] = 0x20 }
        at += 1
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Where it ends: before the semicolons and comments behind it.
  private var valueEnd: Int {
    tokens[..<last].last { $0.kind != .punctuator || bytes[$0.range.lowerBound] != 0x3B }?.range.upperBound
      ?? 0
  }
}
