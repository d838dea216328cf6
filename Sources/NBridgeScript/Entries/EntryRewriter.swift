// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Makes a script of what a person enters at a prompt: an object where a block could stand, names that
/// outlive the entry, `await` and `import` at the top, types.
package struct EntryRewriter<Parser: ScriptParser> {
  private let parser: Parser
  /// Where relative imports start from; nil for the working folder.
  private let folder: String?
  /// Tells the entry from others.
  private let number: Int?

  package init(_ parser: Parser, folder: String?, number: Int?) {
    (self.parser, self.folder, self.number) = (parser, folder, number)
  }

  /// The script that an entry is run as.
  package func script(_ entry: String) -> LineRewriter.Result {
    let given = LineRewriter.withoutExports(entry)
    let text = LoweredText.script(given, name: "").map(\.text).flatMap { parses($0) ? $0 : nil } ?? given
    if isObject(text) {
      let text = "(" + text + "\n)"
      if !needsAsync(text) {
        var line = LineRewriter(text, folder: folder).script()
        line.insertions.insert(AwaitMarker.Insertion(line: 1, column: 1, length: 1), at: 0)
        return line
      }
      return LineRewriter(text, folder: folder).asyncFunction(number, parses)
    }
    if TypeStripper.callsWithTypes(text), let stripped = try? TypeStripper.strip(text),
      let line = rewritten(stripped)
    {
      return line
    }
    if let line = rewritten(text) { return line }
    if let stripped = try? TypeStripper.strip(text), let line = rewritten(stripped) { return line }
    return whatIsWrong(text)
  }

  /// The async function that an entry is run as by an engine that tells no script's value: a promise of a
  /// list with what the last value came to, or of an empty one. nil for what does not parse.
  package func function(_ entry: String) -> LineRewriter.Result? {
    let given = LineRewriter.withoutExports(entry)
    let lowered = LoweredText.script(given, name: "").map(\.text).flatMap { parses($0) ? $0 : nil } ?? given
    let text = isObject(lowered) ? "(" + lowered + "\n)" : lowered
    let stripped = try? TypeStripper.strip(text)
    let forms = TypeStripper.callsWithTypes(text) ? [stripped, text] : [text, stripped]
    for case let form? in forms {
      let line = LineRewriter(form, folder: folder).asyncFunction(nil, awaitsValue: true, parses)
      // One that closes the function, and goes on behind it, is no expression.
      if isExpression(line.text) { return line }
    }
    return nil
  }

  /// An entry that can't be run in any form, as it shows best what is wrong with it: what awaits or imports
  /// in the function in which that may stand.
  private func whatIsWrong(_ text: String) -> LineRewriter.Result {
    let rewriter = LineRewriter(text)
    let wrapped = rewriter.wrapped
    if rewriter.hasImports || text.utf8.containsText("await"), !parses(wrapped.text) { return wrapped }
    return LineRewriter.Result(text: text, isAsync: false, names: [], constants: [], insertions: [])
  }

  private func rewritten(_ text: String) -> LineRewriter.Result? {
    let rewriter = LineRewriter(text, folder: folder)
    if !rewriter.hasImports, !needsAsync(text) {
      let line = rewriter.script()
      if parses(line.text) { return line }
    }
    guard rewriter.hasImports || text.utf8.containsText("await") else { return nil }
    let line = rewriter.asyncFunction(number, parses)
    return parses(line.text) ? line : nil
  }

  /// Whether `await` stands outside of all functions: then it can't stand in a class's static block.
  private func needsAsync(_ text: String) -> Bool {
    text.utf8.containsText("await") && !parses("class _ { static {\n\(LineRewriter(text).script().text)\n} }")
  }

  private func parses(_ text: String) -> Bool { parser.parses(text) }

  /// An entry that begins with a brace is an object when it can be one.
  package func isObject(_ text: String) -> Bool { startsWithBrace(text) && isExpression(text) }

  /// Whether a value is all that it is.
  package func isExpression(_ text: String) -> Bool { parses("(async()=>(\(text)\n))") }

  package func startsWithBrace(_ text: String) -> Bool {
    text.utf8.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x09 } == 0x7B
  }
}

extension PreparedScript {
  /// An entry of a prompt, whose text was rewritten already.
  package init(entry line: LineRewriter.Result) {
    self.init(text: line.text, isAsync: line.isAsync, insertions: line.insertions)
  }
}
