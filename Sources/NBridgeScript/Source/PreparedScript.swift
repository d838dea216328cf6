// SPDX-License-Identifier: MIT

/// How a script is run: as it is in the global scope, or inside an async function because it awaits at its
/// top.
///
/// The engine has no `await` for scripts. A script without one keeps its globals (`var`, functions) as every
/// browser has them; one with it is wrapped on its first line, so that lines stay what they are.
package struct PreparedScript: Sendable {
  /// What the engine evaluates.
  package let text: String
  /// Whether ``text`` evaluates to an async function of a marker object, instead of running at once.
  package let isAsync: Bool
  /// What was put into the text: reports subtract it from columns.
  package let insertions: [AwaitMarker.Insertion]

  /// Decides how `source` is run. Parses it up to three times when it has the word `await`, else not at all.
  package init(_ source: ScriptSource, by parser: some ScriptParser) {
    guard source.text.utf8.containsText("await") else {
      self.init(plain: source.text)
      return
    }
    // In a class's static block, `await` is an error outside of nested async functions: a parse that succeeds
    // proves that no await stands at the top.
    let probe = "class _ { static {\n\(source.text)\n} }"
    if parser.parses(probe) {
      self.init(plain: source.text)
      return
    }
    if let refused = Self.returning(source.text, by: parser) {
      self.init(text: refused, isAsync: false, insertions: [])
      return
    }
    let marked = AwaitMarker.mark(source.text)
    for (body, insertions) in [marked, (source.text, [])] {
      if EnclosedText.isBody(body, behind: Self.prefix, before: "})", by: parser) {
        let first = AwaitMarker.Insertion(line: 1, column: 1, length: Self.prefix.utf16.count)
        self.init(
          text: Self.prefix + body + "\n})", isAsync: true, insertions: [first] + insertions)
        return
      }
    }
    self.init(broken: source, by: parser)
  }

  private init(plain text: String) {
    let made = StackReads.rewritten(text)
    self.init(text: made?.text ?? text, isAsync: false, insertions: made?.insertions ?? [])
  }

  /// A text that the engine refuses for a `return` outside of functions: the function that is put around the
  /// script would take it. In a static block it may stand no more than in a script, and a parse of the rest
  /// proves that nothing else is wrong. Nil for a script without one.
  private static func returning(_ text: String, by parser: some ScriptParser) -> String? {
    guard text.utf8.containsText("return"), let (plain, thrown) = AwaitMarker.returning(text) else {
      return nil
    }
    let parses = { (body: String) in parser.parses("class _ { static {\n\(body)\n} }") }
    return parses(thrown) && !parses(plain) ? plain : nil
  }

  /// A script that parses neither way: the way that gets further meets the author's error, and not one about
  /// `await`.
  private init(broken source: ScriptSource, by parser: some ScriptParser) {
    let plain = PreparedScript(untouched: source)
    // Without its end, so that a text that ends too early is seen to.
    let wrapped = PreparedScript(
      text: Self.prefix + source.text, isAsync: true,
      insertions: [AwaitMarker.Insertion(line: 1, column: 1, length: Self.prefix.utf16.count)])
    let (first, second) = (plain.errorPlace(by: parser), wrapped.errorPlace(by: parser))
    // One that parses without its end closed the function that was put around it.
    self = second == (.max, .max) || first >= second ? plain : wrapped
  }

  /// Where a script that does not parse goes wrong, in the author's columns.
  private func errorPlace(by parser: some ScriptParser) -> (line: Int, column: Int) {
    guard let error = parser.syntaxError(in: text) else { return (.max, .max) }
    return (error.line, column(line: error.line, column: error.column ?? .max))
  }

  /// A text that is one expression, whose value, awaited, is the result; nil when it is none.
  package init?(expression source: ScriptSource, by parser: some ScriptParser) {
    let prefix = "(async()=>("
    let isOne = EnclosedText.isExpression(source.text, behind: "(async()=>", before: ")", by: parser)
    guard isOne else { return nil }
    self.init(
      text: prefix + source.text + "\n))", isAsync: true,
      insertions: [AwaitMarker.Insertion(line: 1, column: 1, length: prefix.utf16.count)])
  }

  /// The code of a page's attribute: the body of a function of `event` (HTML, 8.1.8.1), to which ``text``
  /// evaluates; nil for code that is none. It may await, too.
  package init?(handler source: ScriptSource, by parser: some ScriptParser) {
    for prefix in Self.handlerPrefixes {
      guard EnclosedText.isBody(source.text, behind: prefix, before: "})", by: parser) else { continue }
      self.init(handler: source, behind: prefix)
      return
    }
    return nil
  }

  /// What the engine says best of such code that is no function's body; it parses in no way, and never runs.
  package init(brokenHandler source: ScriptSource, by parser: some ScriptParser) {
    let script = PreparedScript(source, by: parser)
    // A script may declare `event`, which the function has already.
    self =
      parser.parses(script.text) ? PreparedScript(handler: source, behind: Self.handlerPrefixes[0]) : script
  }

  private init(handler source: ScriptSource, behind prefix: String) {
    self.init(
      text: prefix + source.text + "\n})", isAsync: false,
      insertions: [AwaitMarker.Insertion(line: 1, column: 1, length: prefix.utf16.count)])
  }

  private static let handlerPrefixes = ["(function(event){", "(async function(event){"]

  /// A script for the global scope, whatever it holds.
  package init(untouched source: ScriptSource) {
    self.init(text: source.text, isAsync: false, insertions: [])
  }

  package init(text: String, isAsync: Bool, insertions: [AwaitMarker.Insertion]) {
    self.text = text
    self.isAsync = isAsync
    self.insertions = insertions
  }

  /// The same, stopping for a debugger where the author's part begins.
  package func stoppingAtBegin(_ source: ScriptSource) -> PreparedScript {
    // What stands before a directive takes its meaning.
    let stop = (Self.isStrict(source.text) ? "\"use strict\";" : "") + Self.stop
    let head = insertions.first.flatMap { $0.line == 1 && $0.column == 1 ? $0.length : nil } ?? 0
    let units = Array(text.utf16)
    let made = String(decoding: units[..<head] + Array(stop.utf16) + units[head...], as: UTF16.self)
    let first = AwaitMarker.Insertion(line: 1, column: 1, length: head + stop.utf16.count)
    return PreparedScript(
      text: made, isAsync: isAsync, insertions: [first] + insertions.dropFirst(head > 0 ? 1 : 0))
  }

  private static let stop = "debugger;"

  /// Whether it begins with the directive (ECMA-262, 11.2.1).
  private static func isStrict(_ text: String) -> Bool {
    var lexer = JSLexer(text)
    let first = lexer.next()
    let word = lexer.text(first)
    return first.kind == .string && word.dropFirst().dropLast() == "use strict"
  }

  private static let prefix = "(async(\(AwaitMarker.variable))=>{"

  /// Whether an engine's position lies in what was put before the whole script.
  func isHead(line: Int, column: Int) -> Bool {
    guard let first = insertions.first, first.line == 1, first.column == 1 else { return false }
    return line == 1 && column > 0 && column <= first.length
  }

  /// The author's column of a position that the engine gave.
  package func column(line: Int, column: Int) -> Int {
    var shift = 0
    for insertion in insertions where insertion.line == line && column - shift > insertion.column {
      shift += min(insertion.length, column - shift - insertion.column)
    }
    return max(1, column - shift)
  }

  /// The engine's column of an author's: the first that leads back to it.
  func engineColumn(line: Int, column: Int) -> Int {
    let before = insertions.filter { $0.line == line && $0.column <= column }
    return before.reduce(column) { $0 + $1.length }
  }
}
