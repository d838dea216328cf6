// SPDX-License-Identifier: MIT

/// A script's text with what the engine can run in the place of `using`, `accessor` and decorators.
package struct LoweredText {
  package let text: String
  /// The source map that leads back to what its author wrote.
  package let map: String

  /// The word of a text by which it is known to need `language.js`.
  package static let libraryWord = NewerNames.libraryWord

  /// A script of its own; nil for one without newer syntax.
  package static func script(_ text: String, name: String) -> LoweredText? {
    NewerSyntax.replaced(in: text).map { LoweredText($0, name: name, isModule: false) }
  }

  /// A text for questions about its syntax alone, as whether it is whole.
  package static func parsable(_ text: String) -> String { NewerSyntax.replaced(in: text)?.text ?? text }

  /// JavaScript.
  init(_ newer: EditedText, name: String, isModule: Bool) {
    let lowered = Self.lowered(newer.text, isModule: isModule)
    var places = TextPlaces(newer.original)
    (text, map) = (
      lowered.text,
      SourceMapText.make(of: lowered, name: name) { places.place(newer.place(of: $0)) }
    )
  }

  /// What esbuild made of TypeScript.
  ///
  /// - Parameter map: what leads back to the text that esbuild was given.
  init(_ code: String, map: String?, _ newer: EditedText, name: String, isModule: Bool) {
    let lowered = Self.lowered(code, isModule: isModule)
    var (places, made) = (TextPlaces(newer.original), TextPlaces(code))
    let given = TextPlaces(newer.text)
    let back = map.flatMap(SourceMap.init)
    let text = SourceMapText.make(of: lowered, name: name) { offset in
      let place = made.place(offset)
      guard let found = back?.place(line: place.line, column: place.column) else { return nil }
      return places.place(newer.place(of: given.offset(line: found.line, column: found.column)))
    }
    (self.text, self.map) = (lowered.text, text)
  }

  private static func lowered(_ text: String, isModule: Bool) -> EditedText {
    let lowering = ModuleParser.lower(text)
    var edits = Edits(Array(text.utf8))
    if !isModule, let outer = lowering.blocks.first ?? nil, let name = outer.name {
      edits.insert(Lowering.head(name), at: outer.inner)
    }
    for (range, text, isFirst) in lowering.list {
      if range.isEmpty {
        edits.insert(text, at: range.lowerBound, isFirst: isFirst)
      } else {
        edits.replace(range, with: text)
      }
    }
    if !isModule, let outer = lowering.blocks.first ?? nil, let name = outer.name {
      edits.insert("\n" + Lowering.tail(name, isAsync: outer.isAsync), at: text.utf8.count)
    }
    return EditedText(edits)
  }
}

extension ModuleParser {
  /// What stands for newer syntax, as ``NewerSyntax`` wrote it.
  static func lower(_ text: String) -> Lowering {
    var parser = ModuleParser(TokenList(text), names: [])
    parser.lowering = Lowering()
    let inner = parser.behindFirstDirectives
    parser.lowering?.blocks = [Lowering.Block(inner: inner)]
    while !parser.tokens.isAtEnd { parser.progress { $0.statement(isTop: true) } }
    return parser.lowering ?? Lowering()
  }
}
