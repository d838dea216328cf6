// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin
internal import NBridgeScript

/// TypeScript in programs from memory, whose name does not say what they are.
extension Runtime {
  /// A script as JavaScript: one that parses is it already, and costs nothing more.
  ///
  /// - Throws: ``BundleError`` for TypeScript that has a problem of its own. What is neither comes back as it
  ///   is: the engine says best what is wrong with it.
  func withoutTypes(_ source: ScriptSource) throws(BundleError) -> ScriptSource {
    guard options.takesTypes, !options.isClassic else { return lowered(source) }
    let script = lowered(source)
    let problem = problem(in: script)
    guard problem != nil || TypeStripper.callsWithTypes(source.text) else { return script }
    do {
      let stripped = try TypeStripper.strip(source.text, name: source.url)
      let made = ScriptSource(url: source.url, text: stripped.code)
      guard self.problem(in: made) == nil else { return script }
      sourceRegistry.note(made, madeOf: source, map: stripped.map)
      return made
    } catch {
      // Without esbuild, or where it stumbles no later than the engine, the text is broken JavaScript.
      guard let problem, error.isBehind(line: problem.line, column: problem.column) else { return script }
      throw error
    }
  }

  /// A script with what the engine can run in the place of newer syntax.
  func lowered(_ source: ScriptSource) -> ScriptSource {
    guard let lowered = LoweredText.script(source.text, name: source.url) else { return source }
    let made = ScriptSource(url: source.url, text: lowered.text)
    sourceRegistry.note(made, madeOf: source, map: lowered.map)
    return made
  }

  /// Whether a text with imports needs its types taken off.
  func hasTypes(_ source: ScriptSource) -> Bool {
    guard options.takesTypes, !options.isClassic else { return false }
    return SyntaxProbe().look(at: LoweredText.parsable(source.text), as: .module) != .complete
      || TypeStripper.callsWithTypes(source.text)
  }

  /// Where a script does not parse, in its author's columns; nil for one that does.
  private func problem(in source: ScriptSource) -> (line: Int, column: Int)? {
    let plan = PreparedScript(source, by: context)
    guard let error = context.syntaxError(in: plan.text, url: source.url) else { return nil }
    let placed = context.placed(error, in: plan, source)
    let line = placed.line ?? 1
    return (line, plan.column(line: line, column: placed.column ?? 1))
  }
}
