// SPDX-License-Identifier: MIT

/// Reads modules: each file once, as what its name or its importer's attributes say.
struct ModuleReader {
  /// A module, and what it says to others.
  struct Record {
    var module: ModuleGraph.Module
    var syntax = ModuleSyntax()
    /// Whether names that it gives on may be those of types, which no longer are.
    var hadTypes = false
  }

  /// By what esbuild calls them.
  private(set) var modules: [String: Record] = [:]
  /// The files that were read, as they were then.
  var fingerprint = Fingerprint()
  /// What is wrong with texts that esbuild did not see.
  private(set) var problems: [LocatedProblem] = []

  /// Whether modules that calls of `import` and `require` name are read, too.
  var followsCalls = true
  /// Scripts of which esbuild sees only what they ask for.
  var opaque: Set<String> = []

  private let request: ModuleRequest
  private let paths: DisplayPath
  private var packages: PackageFinder

  init(_ request: ModuleRequest, _ paths: DisplayPath) {
    (self.request, self.paths) = (request, paths)
    packages = PackageFinder(request.scope)
  }

  /// What esbuild is to read instead: of a module its skeleton. Throws `ScriptFileError` for what can't be
  /// read, and `BundleError` when esbuild is gone.
  mutating func read(_ path: String, _ loader: String, id: String, isEntry: Bool, _ esbuild: EsbuildSession)
    throws -> (bytes: [UInt8], loader: String)
  {
    let bytes = try request.scope.read(path)
    fingerprint.add(path, bytes)
    switch loader {
    case "json", "text":
      var text = try ScriptFile.text(bytes, "'\(path)'")
      guard loader == "json" else {
        keep(id, .text, path, text)
        return ([], "text")
      }
      if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
      keep(id, id.hasPrefix("json:") ? .jsonModule : .json, path, text)
      return (Array(text.utf8), "json")
    case "binary":
      keep(id, .bytes, path, Base64.encode(bytes))
      return ([], "text")
    default:
      let text = try ScriptFile.text(bytes, "'\(path)'")
      return try script(text, path, loader, id: id, isEntry: isEntry, esbuild)
    }
  }

  /// A module of the runtime, whose frames no report shows.
  mutating func keep(builtin name: String, _ text: String) {
    fingerprint.add(builtin: "node:" + name, text)
    let url = StackFrame.internalScheme + "node/" + name
    modules[ModuleHooks.id(ModuleHooks.builtin, name)] = Record(
      module: .init(kind: .commonJS, path: "node:" + name, url: url, source: text))
  }

  /// Notes a file as one of the program's.
  mutating func note(_ path: String) {
    guard let bytes = try? request.scope.read(path) else { return }
    fingerprint.add(path, bytes)
  }

  /// Notes what stood behind the path in the name that asked for a module.
  mutating func note(suffix: String, of id: String) { modules[id]?.module.suffix = suffix }

  private mutating func keep(_ id: String, _ kind: ModuleGraph.Module.Kind, _ path: String, _ text: String) {
    modules[id] = Record(module: .init(kind: kind, path: path, url: paths.shown(path), source: text))
  }

  /// A text of JavaScript or TypeScript.
  mutating func script(
    _ text: String, _ path: String, _ loader: String, id: String, url: String? = nil, isEntry: Bool,
    _ esbuild: EsbuildSession
  ) throws -> (bytes: [UInt8], loader: String) {
    let authored = ScriptSource(url: url ?? paths.shown(path), text: text)
    var module = ModuleGraph.Module(
      kind: .module, path: path, url: authored.url, source: authored.text)
    let isTyped = loader.hasPrefix("ts")
    let newer = NewerSyntax.replaced(
      in: authored.text, takesDecorators: !(isTyped && wantsOlderDecorators(path)))
    if loader != "js" {
      let given = newer?.text ?? authored.text
      let readable = isTyped ? TypeParameters.withoutConst(given) : given
      let marked = String(decoding: ImportScan(readable).prepared(readable), as: UTF8.self)
      let answer = try esbuild.transform(
        marked, loader: loader, file: path, settings: compilerOptions(around: path))
      let errors = answer["errors"].array.map { BundleError.Problem($0, paths) }
      guard errors.isEmpty, let code = answer.text("code") else {
        for error in errors { add(error.before(newer, in: authored), id) }
        return ([], "js")
      }
      if let place = OlderDecorators.first(in: authored.text, madeInto: code), !wantsOlderDecorators(path) {
        add(.decorator(at: place, in: authored), id)
        return ([], "js")
      }
      (module.source, module.map, module.authored) = (code, answer.text("map"), authored.text)
      if let newer {
        let lowered = LoweredText(code, map: module.map, newer, name: path, isModule: true)
        (module.source, module.map) = (lowered.text, lowered.map)
      }
    } else if let newer {
      let lowered = LoweredText(newer, name: path, isModule: true)
      (module.source, module.map, module.authored) = (lowered.text, lowered.map, authored.text)
    } else if authored.text.utf8.containsText("sourceMappingURL=") {
      module.map = map(namedIn: authored.text, path)
    }
    module.source = ProcessEnvironment.replaced(module.source)
    if path.contains("/node_modules/") {
      let own = module.source
      module.source = withNodeGlobals(own)
      // What stands around it has frames, which no author wrote.
      if module.map == nil, module.source != own { module.authored = module.authored ?? authored.text }
    }
    let syntax = ModuleParser.parse(
      module.source, ownsRequire: ImportScan.ownsRequire(module.source))
    let kind = ModuleKind(path, module.source, syntax, isTyped: isTyped, isEntry: isEntry)
    guard kind == .module else {
      module.kind = .commonJS
      module.text = CommonJSText.withImportCalls(module.source)
      modules[id] = Record(module: module)
      guard followsCalls || isEntry && request.isLookup else { return ([], "js") }
      if opaque.contains(id) || CommonJSText.isOnlyForScripts(module.source) {
        return (ModuleSkeleton.text(module.source, syntax, withCalls: true), "js")
      }
      return (ImportScan(module.source).prepared(module.source), "js")
    }
    finish(&module, syntax)
    if syntax.isTooDeep {
      let message = "brackets and functions stand too deep in each other here for this to be a module"
      add(.init(message: message, file: module.url, line: 1, column: 1), id)
    } else if let problem = problem(in: module.source, syntax) {
      for error in try explain(problem, module, path, esbuild) { add(error, id) }
    } else if let unknown = syntax.requests.compactMap(\.unknown).first {
      add(Self.problem(of: unknown, in: module), id)
    }
    modules[id] = Record(module: module, syntax: syntax, hadTypes: isTyped)
    return (ModuleSkeleton.text(module.source, syntax, withCalls: followsCalls), "js")
  }

  private mutating func add(_ problem: BundleError.Problem, _ id: String) {
    problems.append(LocatedProblem(module: id, problem))
  }

  /// Whether a module that was read may call `import`, or `require`, with a name.
  var hasCalls: Bool {
    modules.values.contains { record in
      record.module.kind == .commonJS || record.syntax.requests.contains { $0.kind != .declaration }
    }
  }

  /// Whether a module asks for a name by a declaration, and so can't do without.
  func needs(_ asked: AskedName) -> Bool {
    modules[asked.module]?.syntax.requests.contains { $0.kind == .declaration && $0.specifier == asked.name }
      ?? false
  }

  /// A problem in what esbuild saw of a module, as its author sees it.
  ///
  /// - Parameter column: in bytes, from 0.
  func authored(_ problem: BundleError.Problem, _ id: String, column: Int) -> BundleError.Problem {
    guard let record = modules[id], record.module.kind == .module else { return problem }
    var problem = problem
    let text = record.module.source
    if let call = ModuleSkeleton.call(text, record.syntax, line: problem.line, column: column) {
      let place = TextPlace(call.literal.lowerBound, in: text)
      (problem.line, problem.column) = (place.line, place.column)
      problem.lineText = record.module.scriptSource.line(place.line).map(String.init) ?? ""
    }
    return authored(problem, in: record.module)
  }

  private func authored(_ problem: BundleError.Problem, in module: ModuleGraph.Module)
    -> BundleError.Problem
  {
    let registry = SourceRegistry()
    module.note(in: registry, PreparedScript(untouched: module.scriptSource))
    guard
      let frame = StackFrame("@\(module.url):\(problem.line):\(problem.column)").flatMap(registry.authored)
    else { return problem }
    var problem = problem
    (problem.file, problem.line, problem.column) = (frame.url, frame.line, frame.column)
    problem.lineText = registry.line(frame.url, frame.line).map(String.init) ?? problem.lineText
    return problem
  }

  private func withNodeGlobals(_ text: String) -> String {
    String(decoding: ImportScan(text, findsGlobals: true).withNodeGlobals(Array(text.utf8)), as: UTF8.self)
  }

  private mutating func finish(_ module: inout ModuleGraph.Module, _ syntax: ModuleSyntax) {
    module.take(ModuleText(module.source, syntax, readsStacks: module.isAuthored))
    module.awaits = syntax.usesAwait
    module.usesMeta = !syntax.metas.isEmpty
    module.usesRequire =
      syntax.references.contains { $0.name == "require" }
      && !syntax.imports.contains { $0.local == "require" }
    module.isNodeModule = isForNode(module.path)
  }

  /// Whether a module gets what is CommonJS as Node gives it: its name says that it is for Node, or its
  /// package does.
  private mutating func isForNode(_ path: String) -> Bool {
    if path.hasSuffix(".mjs") || path.hasSuffix(".mts") { return true }
    guard path.hasSuffix(".js") || path.hasSuffix(".jsx") else { return false }
    return packages.isModule(around: DisplayPath.folder(of: path), &fingerprint)
  }

  /// What is wrong with a text. The engine's parser takes some that are wrong, and two that are right it
  /// does not.
  private func problem(in text: String, _ syntax: ModuleSyntax) -> ModuleRequest.SyntaxProblem? {
    if let problem = engineProblem(in: text, syntax) { return problem }
    guard let fault = syntax.fault else { return nil }
    let place = TextPlace(fault.range.lowerBound, in: text)
    return .init(message: fault.message, line: place.line, column: place.column)
  }

  /// The engine wants `with` on the line of the name that it belongs to, and a module's own name as it is,
  /// without escapes; the language does not (ECMA-262, 16.2.2).
  private func engineProblem(in text: String, _ syntax: ModuleSyntax) -> ModuleRequest.SyntaxProblem? {
    guard let problem = request.problem(text) else { return nil }
    var bytes = Array(text.utf8)
    let line = UInt8(ascii: "\n")
    for clause in syntax.requests.map({ $0.literal.upperBound..<$0.end }) where bytes[clause].contains(line) {
      for index in clause where bytes[index] != line { bytes[index] = UInt8(ascii: " ") }
    }
    for name in syntax.escapedNames {
      let plain = Array(name.text.utf8)
      for (offset, index) in name.range.enumerated() {
        bytes[index] = offset < plain.count ? plain[offset] : UInt8(ascii: " ")
      }
    }
    let joined = String(decoding: bytes, as: UTF8.self)
    return joined == text ? problem : request.problem(joined)
  }

  private static func problem(of unknown: TokenList.Item, in module: ModuleGraph.Module)
    -> BundleError.Problem
  {
    let place = TextPlace(unknown.range.lowerBound, in: module.source)
    var problem = BundleError.Problem(
      message: "There is no import attribute '\(unknown.name)'; there is 'type', for json, text and bytes.",
      file: module.url, line: place.line, column: place.column)
    problem.lineText = module.scriptSource.line(place.line).map(String.init) ?? ""
    problem.isSyntax = true
    return problem
  }

  /// The engine does not take the text for a module: esbuild says best why, unless it finds nothing.
  private func explain(
    _ found: ModuleRequest.SyntaxProblem, _ module: ModuleGraph.Module, _ path: String,
    _ esbuild: EsbuildSession
  ) throws(BundleError) -> [BundleError.Problem] {
    let answer = try esbuild.transform(module.source, loader: "js", file: path, settings: nil)
    var errors = answer["errors"].array.map { BundleError.Problem($0, paths) }
    if errors.isEmpty {
      var problem = BundleError.Problem(
        message: found.message, file: module.url, line: found.line, column: found.column)
      problem.lineText = module.scriptSource.line(found.line).map(String.init) ?? ""
      errors = [problem]
    }
    for index in errors.indices { errors[index].isSyntax = true }
    return errors.map { module.map == nil || $0.file == nil ? $0 : authored($0, in: module) }
  }

  /// The settings of the project that a file belongs to, as they stand.
  private func settings(around path: String) -> (file: String, text: String)? {
    var at = DisplayPath.folder(of: path)
    while true {
      let file = at == "/" ? "/tsconfig.json" : at + "/tsconfig.json"
      if ScriptFile.isFile(file), let bytes = try? request.scope.read(file) {
        return (file, String(decoding: bytes, as: UTF8.self))
      }
      guard at != "/", at != "." else { return nil }
      at = DisplayPath.folder(of: at)
    }
  }

  /// The settings as one text, with what those give that they extend: esbuild is given no file that it could
  /// read.
  private func compilerOptions(around path: String) -> String? {
    guard let (file, text) = settings(around: path) else { return nil }
    guard text.utf8.containsText("\"extends\"") else { return text }
    return CompilerOptions.merged(file, text, read: readSettings)
  }

  private func readSettings(_ file: String) -> String? {
    guard ScriptFile.isFile(file) else { return nil }
    return (try? request.scope.read(file)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether the project that a file belongs to has decorators run as TypeScript's older ones.
  private func wantsOlderDecorators(_ path: String) -> Bool {
    guard let (file, text) = settings(around: path) else { return false }
    return ProjectSettings.first(from: file, text, read: readSettings, OlderDecorators.areWanted) ?? false
  }

  /// The source map that a generated module names: in a data URL, or in a file that the program may read.
  private mutating func map(namedIn text: String, _ path: String) -> String? {
    guard let name = SourceMapName.find(in: text) else { return nil }
    if name.hasPrefix("data:") { return SourceMapName.decode(name) }
    guard !name.contains("://") else { return nil }
    let file = paths.absolute(
      name.hasPrefix("/") ? name : DisplayPath.folder(of: path) + "/" + name)
    guard let bytes = try? request.scope.read(file) else { return nil }
    fingerprint.add(file, bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension EsbuildValue {
  /// A member that is text, as a string or as bytes.
  func text(_ key: String) -> String? {
    self[key].string ?? self[key].bytes.map { String(decoding: $0, as: UTF8.self) }
  }
}
