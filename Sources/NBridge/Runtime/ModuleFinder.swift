// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeBuiltins
internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem

/// Finds the modules of a program: in the cache when nothing of them has changed, else on disk.
struct ModuleFinder {
  private let options: RuntimeOptions
  private let main: ModuleRequest.Entry
  private let container: Container
  /// Which files the modules may be.
  let scope: ModuleScope
  private let folder = ScriptFile.currentFolder
  private let probe = SyntaxProbe()
  /// Whether the program's own module, a text, is TypeScript.
  private var isTyped = false

  /// - Parameter main: the program's own module, whose folder's files it may have.
  init(_ options: RuntimeOptions, main: ModuleRequest.Entry) {
    self.init(options, main: main, in: AppContainer.open(options.container, app: options.app))
  }

  init(
    _ options: RuntimeOptions, main: ModuleRequest.Entry, in container: Container, isTyped: Bool = false
  ) {
    (self.options, self.main, self.container) = (options, main, container)
    self.isTyped = isTyped
    scope = ModuleScope(
      bundle: options.bundle, options.permissions, sealed: options.sealed(container),
      entry: options.worker == nil ? main : options.worker?.programFile.map(ModuleRequest.Entry.file))
  }

  /// Whether the program's own module is a text, and no file.
  var isOfText: Bool { if case .text = main { true } else { false } }

  /// The program's modules.
  func program() throws(BundleError) -> ModuleGraph { try modules(from: main) }

  /// Begins to find them, where that takes a process: it starts while the engine does.
  func prepare() { ModuleCache(folder: container.modules).prepare(request(main)) }

  /// Whether it can be put together, and what is wrong with modules that only its calls of `import` name.
  func check() throws(BundleError) -> (graph: ModuleGraph, problemsOfCalls: [BundleError.Problem]) {
    let request = request(main)
    try demandEntry(request)
    let found = try ModuleLoader.check(request)
    ModuleCache(folder: container.modules).keep(found.graph, for: request)
    return found
  }

  /// The modules that another one leads to, as the program's.
  func modules(from entry: ModuleRequest.Entry) throws(BundleError) -> ModuleGraph {
    let request = request(entry)
    if let found = ModuleCache(folder: container.modules).find(request) { return found }
    return try load(request)
  }

  /// Where the one name leads that a text asks for: a path, or the name of a module of the runtime.
  func path(from entry: ModuleRequest.Entry) throws(BundleError) -> String {
    try ModuleLoader.path(request(entry))
  }

  private func load(_ request: ModuleRequest) throws(BundleError) -> ModuleGraph {
    try demandEntry(request)
    let made = try ModuleLoader.load(request)
    ModuleCache(folder: container.modules).keep(made, for: request)
    return made
  }

  private func demandEntry(_ request: ModuleRequest) throws(BundleError) {
    guard case .file(let path) = request.entry else { return }
    do { _ = try ScriptFile.bytes(path) } catch { throw BundleError(error.description) }
  }

  private var nodeTexts: NodeTexts {
    let script =
      switch main {
      case .file(let path): DisplayPath(folder: folder).absolute(path)
      case .text(_, let folder, let name): folder + "/" + name
      }
    return NodeTexts(script: script, workingFolder: folder, appFolder: scope.appFolder.text)
  }

  private static func problem(_ text: String, _ probe: SyntaxProbe) -> ModuleRequest.SyntaxProblem? {
    probe.problem(in: text, as: .module).map { .init(message: $0.message, line: $0.line, column: $0.column) }
  }

  private static func isFunctionBody(_ text: String, _ probe: SyntaxProbe) -> Bool {
    probe.problem(in: "(function(exports,require,module,__filename,__dirname){\(text)\n})", as: .script)
      == nil
  }

  private func request(_ entry: ModuleRequest.Entry) -> ModuleRequest {
    var request = ModuleRequest(
      entry: entry, imports: options.imports,
      importsFolder: DisplayPath(folder: folder).absolute(options.importsFolder),
      scope: scope, workingFolder: folder, problem: { [probe] in Self.problem($0, probe) },
      isFunctionBody: { [probe] in Self.isFunctionBody($0, probe) },
      builtins: nodeTexts.text)
    request.isTyped = isTyped && entry == main
    request.isLookup = entry != main
    return request
  }
}
