// SPDX-License-Identifier: MIT

internal import JSEngine

/// How a script is run: as it is in the global scope, or inside an async function because it awaits at its
/// top.
///
/// The engine has no `await` for scripts. A script without one keeps its globals (`var`, functions) as every
/// browser has them; one with it is wrapped on its first line, so that lines stay what they are.
struct PreparedScript {
  /// What the engine evaluates.
  let text: String
  /// Whether ``text`` evaluates to an async function of a marker object, instead of running at once.
  let isAsync: Bool
  /// What was put into the text: reports subtract it from columns.
  let insertions: [AwaitMarker.Insertion]

  /// Decides how `source` is run. Parses it up to three times when it has the word `await`, else not at all.
  init(_ source: ScriptSource, in context: JSContext) {
    guard source.text.utf8.containsText("await") else {
      self.init(text: source.text, isAsync: false, insertions: [])
      return
    }
    // In a class's static block, `await` is an error outside of nested async functions: a parse that succeeds
    // proves that no await stands at the top.
    let probe = "class _ { static {\n\(source.text)\n} }"
    if context.syntaxError(in: probe, url: source.url) == nil {
      self.init(text: source.text, isAsync: false, insertions: [])
      return
    }
    let marked = AwaitMarker.mark(source.text)
    for (body, insertions) in [marked, (source.text, [])] {
      let wrapped = Self.prefix + body + "\n})"
      if context.syntaxError(in: wrapped, url: source.url) == nil {
        let first = AwaitMarker.Insertion(line: 1, column: 1, length: Self.prefix.utf16.count)
        self.init(text: wrapped, isAsync: true, insertions: [first] + insertions)
        return
      }
    }
    self.init(broken: source, in: context)
  }

  /// A script that parses neither way: the way that gets further meets the author's error, and not one about
  /// `await`.
  private init(broken source: ScriptSource, in context: JSContext) {
    let plain = PreparedScript(untouched: source)
    // Without its end, so that a text that ends too early is seen to.
    let wrapped = PreparedScript(
      text: Self.prefix + source.text, isAsync: true,
      insertions: [AwaitMarker.Insertion(line: 1, column: 1, length: Self.prefix.utf16.count)])
    let (first, second) = (plain.errorPlace(in: context), wrapped.errorPlace(in: context))
    self =
      first.line > second.line || first == second || first.line == second.line && first.column > second.column
      ? plain : wrapped
  }

  /// Where a script that does not parse goes wrong, in the author's columns.
  private func errorPlace(in context: JSContext) -> (line: Int, column: Int) {
    guard let error = context.syntaxError(in: text, url: "") else { return (.max, .max) }
    let line = error.line ?? 1
    return (line, column(line: line, column: context.syntaxErrorColumn(error, in: text) ?? .max))
  }

  /// A text that is one expression, whose value, awaited, is the result; nil when it is none.
  init?(expression source: ScriptSource, in context: JSContext) {
    let prefix = "(async()=>("
    let text = prefix + source.text + "\n))"
    guard context.syntaxError(in: text, url: source.url) == nil else { return nil }
    self.init(
      text: text, isAsync: true,
      insertions: [AwaitMarker.Insertion(line: 1, column: 1, length: prefix.utf16.count)])
  }

  /// A script for the global scope, whatever it holds.
  init(untouched source: ScriptSource) { self.init(text: source.text, isAsync: false, insertions: []) }

  /// A bundle of modules: a scope of its own, strict, whether it awaits or not.
  init(bundle source: ScriptSource) {
    let marked = AwaitMarker.mark(source.text)
    let first = AwaitMarker.Insertion(line: 1, column: 1, length: Self.modulePrefix.utf16.count)
    self.init(
      text: Self.modulePrefix + marked.text + "\n})", isAsync: true, insertions: [first] + marked.insertions)
  }

  private static let modulePrefix = "(async(\(AwaitMarker.variable),require)=>{\"use strict\";"

  init(text: String, isAsync: Bool, insertions: [AwaitMarker.Insertion]) {
    self.text = text
    self.isAsync = isAsync
    self.insertions = insertions
  }

  private static let prefix = "(async(\(AwaitMarker.variable))=>{"

  /// The author's column of a position that the engine gave.
  func column(line: Int, column: Int) -> Int {
    var shift = 0
    for insertion in insertions where insertion.line == line && column - shift > insertion.column {
      shift += min(insertion.length, column - shift - insertion.column)
    }
    return max(1, column - shift)
  }
}

extension JSContext {
  /// A syntax error of the planned script itself, with its column; every other error as it is.
  func placed(_ error: JSException, in plan: PreparedScript, _ source: ScriptSource) -> JSException {
    guard error.name == "SyntaxError", error.column == nil, error.url == source.url else { return error }
    var error = error
    error.column = syntaxErrorColumn(error, in: plan.text)
    return error
  }
}
