// SPDX-License-Identifier: MIT

/// A program of modules, linked: its modules, and which name of each stands for which of another's.
package struct ModuleGraph: Sendable {
  /// One module.
  package struct Module: Sendable {
    package enum Kind: String, Sendable {
      /// A function for ``ModuleText``.
      case module
      /// The text of a function's body.
      case commonJS
      case json
      /// JSON that was asked for by its type: its value is its only export (ECMA-262, 16.2.1.8.2).
      case jsonModule
      case text
      /// In base 64.
      case bytes
    }

    package var kind: Kind
    /// In full; of a text that is no file, its folder and its name.
    package var path: String
    /// What stood behind the path in the name that asked for it, as `?v=1`: another instance of the same
    /// file.
    package var suffix = ""
    /// What reports and stack lines call it.
    package var url: String
    /// What its author wrote, types taken off.
    package var source: String
    /// What the engine evaluates; empty when that is ``source``.
    package var text = ""
    /// What the engine's text has more, as line, column and length by turns.
    package var insertions: [Int] = []
    /// The source map from ``source`` to what its author wrote; nil when that is the same.
    package var map: String?
    /// What its author wrote, where ``source`` is not that and the map does not bring it.
    package var authored: String?
    /// Whether it awaits outside of functions.
    package var awaits = false
    /// Whether other modules may call its functions before it runs: see ``ModuleCircles``.
    package var isCalledEarly = false
    package var usesMeta = false
    /// Whether it calls a `require` that it does not bring.
    package var usesRequire = false
    /// Whether `import x` of a CommonJS module gives all that it exports, as Node does it, or its `default`
    /// if it says that it was a module once.
    package var isNodeModule = false
    /// Modules that are evaluated before it, in their order.
    package var needs: [Int] = []
    package var imports: [Import] = []
    /// CommonJS modules whose names it gives on: those are known when they have run.
    package var stars: [Int] = []
    /// All names that its namespace has.
    package var names: [Export] = []
    /// The modules that its calls of `import` and `require` name.
    package var calls: [String: Int] = [:]

    package init(kind: Kind, path: String, url: String, source: String) {
      (self.kind, self.path, self.url, self.source) = (kind, path, url, source)
    }
  }

  /// A name and what it stands for: an export, or a whole namespace.
  package struct Import: Sendable {
    package var local: String
    package var module: Int
    /// The export's name; nil for the namespace.
    package var name: String?
  }

  /// A name of a namespace.
  package struct Export: Sendable {
    package var exported: String
    package var module: Int
    /// The name in the module that gives it; nil for the namespace.
    package var name: String?
  }

  /// The program's own module is the first.
  package var modules: [Module] = []
  /// What it was made of.
  var fingerprint = Fingerprint()

  /// The files that it is made of, in full.
  package var inputs: [String] { fingerprint.files.sorted() }
}

extension ModuleGraph.Module {
  /// What its author wrote, types taken off, for reports.
  package var scriptSource: ScriptSource { ScriptSource(url: url, text: source) }

  /// Tells a registry where reports find the author's lines.
  package func note(in registry: SourceRegistry, _ plan: PreparedScript) {
    registry.add(scriptSource, plan, map: map, authored: authored)
  }

  /// Whether its author is the program's: no package, and nothing of the runtime.
  var isAuthored: Bool { !path.hasPrefix("node:") && !path.utf8.containsText("/node_modules/") }

  mutating func take(_ made: ModuleText) {
    text = made.text
    insertions = made.insertions.flatMap { [$0.line, $0.column, $0.length] }
  }

  /// Has it give its exports before it runs.
  mutating func linkEarly(_ syntax: ModuleSyntax) {
    guard kind == .module else { return }
    isCalledEarly = true
    take(ModuleText(source, syntax, isCalledEarly: true, readsStacks: isAuthored))
  }

  /// The same for one whose syntax is no longer there.
  package mutating func linkEarly() {
    linkEarly(ModuleParser.parse(source, ownsRequire: ImportScan.ownsRequire(source)))
  }

  /// What stands around the text of a CommonJS module.
  static func commonJSFrame(of text: String) -> (head: String, tail: String) {
    let head = "(function(exports,require,module,__filename,__dirname,\(CommonJSText.load)){"
    let name = NewerNames.outerScope
    guard text.utf8.containsText("\u{1C3}U.add(") else { return (head, "})") }
    return (head + Lowering.head(name), Lowering.tail(name, isAsync: false) + "})")
  }

  /// What the engine is given: an expression that is a function.
  package var prepared: PreparedScript {
    guard kind == .module else {
      let text = text.isEmpty ? source : text
      let (head, tail) = Self.commonJSFrame(of: text)
      let first = AwaitMarker.Insertion(line: 1, column: 1, length: head.utf16.count)
      let made = isAuthored ? StackReads.rewritten(text) : nil
      return PreparedScript(
        text: head + (made?.text ?? text) + "\n" + tail, isAsync: false,
        insertions: [first] + (made?.insertions ?? []))
    }
    let numbers = insertions
    let list = stride(from: 0, to: numbers.count - 2, by: 3).map {
      AwaitMarker.Insertion(line: numbers[$0], column: numbers[$0 + 1], length: numbers[$0 + 2])
    }
    return PreparedScript(text: text, isAsync: false, insertions: list)
  }
}

extension ModuleGraph.Module {
  /// Where it imports a name, in what the engine evaluates.
  package func place(ofImport local: String) -> (line: Int, column: Int) {
    let syntax = ModuleParser.parse(source, ownsRequire: ImportScan.ownsRequire(source))
    let offset = syntax.imports.first { $0.local == local }?.range.lowerBound ?? 0
    let place = TextPlace(offset, in: source)
    return (place.line, prepared.engineColumn(line: place.line, column: place.column))
  }

  /// Puts the places of a longer list for those of its graph.
  package mutating func move(to places: [Int]) {
    needs = needs.map { places[$0] }
    stars = stars.map { places[$0] }
    for index in imports.indices { imports[index].module = places[imports[index].module] }
    for index in names.indices { names[index].module = places[names[index].module] }
    calls = calls.mapValues { places[$0] }
  }

  /// What it is in a program: one text may be there as several things, and several times.
  package var key: String { "\(kind.rawValue) \(path)\(suffix)" }

  /// Its place as a `file:` URL.
  package var fileURL: String { FileURL.text(path) + suffix }
}
