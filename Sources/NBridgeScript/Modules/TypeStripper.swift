// SPDX-License-Identifier: MIT

/// Takes the types off a piece of TypeScript, with esbuild. Nothing is checked or put together.
package enum TypeStripper {
  /// The JavaScript of `text`. Imports stay, used or not. Throws ``BundleError``.
  package static func strip(_ text: String) throws(BundleError) -> String {
    let newer = NewerSyntax.replaced(in: text)
    let source = ScriptSource(url: "", text: text)
    let made = try code(try transform(newer?.text ?? text), of: source, DisplayPath(folder: "/"), newer)
    return newer.map { LoweredText(made, map: nil, $0, name: "", isModule: false).text } ?? made
  }

  /// The same, and the source map that leads back.
  ///
  /// - Parameter name: what problems and the map call the text.
  package static func strip(
    _ text: String, name: String
  ) throws(BundleError) -> (code: String, map: String?) {
    let newer = NewerSyntax.replaced(in: text)
    let answer = try transform(newer?.text ?? text, ["--sourcemap=external", "--sourcefile=\(name)"])
    let paths = DisplayPath(folder: ScriptFile.currentFolder)
    let made = try code(answer, of: ScriptSource(url: name, text: text), paths, newer)
    guard let newer else { return (made, answer.text("map")) }
    let lowered = LoweredText(made, map: answer.text("map"), newer, name: name, isModule: false)
    return (lowered.text, lowered.map)
  }

  private static func code(
    _ answer: EsbuildValue, of source: ScriptSource, _ paths: DisplayPath, _ newer: EditedText?
  ) throws(BundleError) -> String {
    let errors = answer["errors"].array
    guard errors.isEmpty else {
      throw BundleError(errors.map { BundleError.Problem($0, paths).before(newer, in: source) })
    }
    guard let code = answer.text("code") else { throw BundleError("esbuild gave no code") }
    // What is no file belongs to no project that could ask for the older ones.
    if let place = OlderDecorators.first(in: source.text, madeInto: code) {
      throw BundleError([.decorator(at: place, in: source)])
    }
    return code
  }

  /// Whether a name is called with types in angle brackets, as far as tokens tell: `f<T>(x)` is JavaScript
  /// too, two comparisons, but no author means that.
  package static func callsWithTypes(_ text: String) -> Bool {
    guard text.utf8.containsText(">(") else { return false }
    let tokens = ScriptTokens(text).map { $0 }
    for (index, token) in tokens.enumerated()
    where token.text == "<" && index > 0 && tokens[index - 1].kind == .word {
      let inside = tokens[(index + 1)...].prefix {
        $0.kind == .word || [",", "[", "]", "|", ".", "<"].contains($0.text)
      }
      let end = inside.endIndex
      if !inside.isEmpty, end + 1 < tokens.count, tokens[end].text == ">", tokens[end + 1].text == "(" {
        return true
      }
    }
    return false
  }

  /// Whether `text` is the beginning of TypeScript, wrong only because it ends.
  package static func endsTooEarly(_ text: String) -> Bool {
    guard let answer = try? transform(NewerSyntax.replaced(in: text)?.text ?? text) else { return false }
    let errors = answer["errors"].array.compactMap { $0["text"].string }
    return !errors.isEmpty && errors.allSatisfy { $0.contains("end of file") }
  }

  private static func transform(_ text: String, _ more: [String] = []) throws(BundleError) -> EsbuildValue {
    let flags = [
      "--loader=ts", "--target=es2022", "--charset=utf8", "--log-level=silent", "--log-limit=0",
      #"""
      --tsconfig-raw={"compilerOptions":{"preserveValueImports":true,"importsNotUsedAsValues":"preserve"}}
      """#,
    ]
    let request: [String: EsbuildValue] = [
      "command": .string("transform"), "flags": .array((flags + more).map { .string($0) }),
      "inputFS": .bool(false), "input": .bytes(Array(TypeParameters.withoutConst(text).utf8)),
    ]
    let esbuild = try EsbuildProcess.start()
    try esbuild.send(EsbuildPacket(id: 0, isRequest: true, value: .object(request)))
    return try esbuild.receive().value
  }
}
