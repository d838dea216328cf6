// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeScript

extension JSContext: ScriptParser {
  package func parses(_ text: String) -> Bool { syntaxError(in: text, url: "") == nil }

  package func syntaxError(in text: String) -> ScriptSyntaxError? {
    guard let error = syntaxError(in: text, url: "") else { return nil }
    return ScriptSyntaxError(line: error.line ?? 1, column: syntaxErrorColumn(error, in: text))
  }

  /// A syntax error of the planned script itself, with its column; every other error as it is.
  func placed(_ error: JSException, in plan: PreparedScript, _ source: ScriptSource) -> JSException {
    guard error.name == "SyntaxError", error.column == nil, error.url == source.url else { return error }
    var error = error
    let problem = { (text: String) in self.syntaxError(in: text, url: "")?.message }
    if let line = error.line, let fault = SyntaxFault(in: plan.text, line: line, problem: problem) {
      (error.line, error.column) = (fault.line, fault.column)
    } else {
      error.column = syntaxErrorColumn(error, in: plan.text)
    }
    if let number = error.line, let column = error.column, let line = source.line(number),
      let advice = MisplacedSyntax.advice(for: line, column: plan.column(line: number, column: column))
    {
      error.message = advice
    }
    return error
  }
}
