// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin
public import NBridgeScript
internal import NBridgeSystem

/// The files that a program is made of: a script, modules, a page with its scripts.
public enum ProgramFiles {
  /// Whether a file's name says that it is a module or TypeScript.
  static func isModule(_ path: String) -> Bool {
    guard let ending = path.split(separator: "/").last?.split(separator: ".").last else { return false }
    // A file may be called `a.ts?x`.
    let word = ending.prefix { $0 != "?" && $0 != "#" }
    return ["mjs", "cjs", "ts", "mts", "cts", "tsx", "jsx"].contains(word)
  }

  /// Whether a file's name says that it is a page.
  public static func isPage(_ path: String) -> Bool { path.hasSuffix(".html") || path.hasSuffix(".htm") }

  /// The full path of a file, `.` and `..` taken out.
  public static func absolute(_ path: String) -> String {
    DisplayPath(folder: ScriptFile.currentFolder).absolute(path)
  }

  /// Whether a path leads to what gives its text once, and from nowhere: a pipe, or what is handed over as a
  /// descriptor.
  static func isStream(_ path: String) -> Bool {
    let whole = absolute(path)
    return whole.hasPrefix("/dev/") || whole.hasPrefix("/proc/") || !ScriptFile.isPlainFile(path, upTo: .max)
  }

  /// What a script is really called, where links lead to it: what it imports is looked for from there, and
  /// when another module imports it, it is the same one.
  static func real(_ path: String) -> String {
    let given = absolute(path)
    // A stream that is handed over there is read on from where it is.
    if given.hasPrefix("/dev/") || given.hasPrefix("/proc/") { return path }
    guard let real = RealPath(path)?.string, !real.utf8.elementsEqual(given.utf8),
      ScriptFile.isPlainFile(real, upTo: .max)
    else { return path }
    return DisplayPath(folder: ScriptFile.currentFolder).shown(real)
  }

  /// Looks whether the program at `path` can run, without running it. Throws ``BundleError`` or
  /// ``ScriptProblem``.
  ///
  /// - Returns: what is wrong with modules that only calls of `import` name, each by itself: it may run
  ///   without.
  @discardableResult
  public static func check(_ path: String, _ options: RuntimeOptions) throws -> [BundleError] {
    var warnings: [BundleError] = []
    try parts(of: path, options) { part in
      switch part {
      case .script(let source, let page): try checkSyntax(source, options, of: page)
      case .inside(let source): try checkSyntax(source, options)
      case .handler(let source): try checkSyntax(source, options, isHandler: true)
      case .modules(let entry):
        let (graph, problems) = try ModuleFinder(options, main: entry).check()
        warnings += problems.map { BundleError([$0]) }
        for module in graph.modules { try checkCommonJS(module, options) }
      }
    }
    return warnings
  }

  /// Begins what a program of modules will need, before there is a runtime; of one that is none nothing. On
  /// the thread that will run it.
  public static func prepare(_ path: String, _ options: RuntimeOptions) {
    guard isModule(path), !options.isClassic, options.replay == nil else { return }
    ModuleFinder(options, main: .file(real(path))).prepare()
  }

  /// Every file of the program at `path`, in full: what a change of means another run.
  ///
  /// - Throws: ``BundleError`` for a program that can't be put together.
  public static func list(_ path: String, _ options: RuntimeOptions) throws -> [String] {
    var files: Set<String> = [absolute(path)]
    try parts(of: path, options) { part in
      switch part {
      case .script(let source, _): files.insert(absolute(source.url))
      case .inside, .handler: break  // It stands in the page.
      case .modules(let entry): files.formUnion(try ModuleFinder(options, main: entry).program().inputs)
      }
    }
    return files.sorted()
  }

  /// What is counted in a script when it runs: all of it 0 times, since none of it did.
  ///
  /// - Throws: ``BundleError`` for one that can't be put together.
  public static func coverageOfUnloaded(_ path: String, _ options: RuntimeOptions) throws -> [FileCoverage] {
    guard let module = try ModuleFinder(options, main: .file(path)).program().modules.first,
      CountedModule.isWanted(module)
    else { return [] }
    guard let counted = CountedModule(module) else {
      return [FileCoverage(file: module.url, isUncounted: true)]
    }
    return counted.coverage(Array(repeating: 0, count: counted.count))
  }

  private enum Part {
    /// `page`: that the script stands in.
    case script(ScriptSource, page: ScriptSource?)
    /// A page's that has places of its own.
    case inside(ScriptSource)
    case handler(ScriptSource)
    case modules(ModuleRequest.Entry)
  }

  /// What runs on its own: a page has several, all others one.
  private static func parts(
    of path: String, _ options: RuntimeOptions, _ body: (Part) throws -> Void
  ) throws {
    if isPage(path) {
      let page = try HTMLPage(text: ScriptFile.read(path), path: path)
      let scope = ModuleScope(
        bundle: options.bundle, options.permissions,
        sealed: options.sealed(AppContainer.open(options.container, app: options.app)))
      for script in page.scripts {
        if script.file != nil { _ = try scope.read(try script.source().url) }
        try body(part(script, of: page))
      }
      for handler in page.clickHandlers { try body(.handler(handler)) }
    } else {
      let path = real(path)
      let source = ScriptSource(url: path, text: try ScriptFile.read(path))
      let isModules = !options.isClassic && (isModule(path) || ImportScan(source.text).usesModules)
      let entry: ModuleRequest.Entry =
        isStream(path) ? .text(source.text, folder: ScriptFile.currentFolder, name: "stdin") : .file(path)
      try body(isModules ? .modules(entry) : .script(source, page: nil))
    }
  }

  private static func part(_ script: HTMLPage.Script, of page: HTMLPage) throws -> Part {
    if script.isModule { return .modules(try moduleEntry(script)) }
    let source = try script.source()
    if script.file != nil { return .script(source, page: nil) }
    return script.isPlaced ? .script(source, page: page.source) : .inside(source)
  }

  /// A page's module: a file, or a text that stands in the page.
  static func moduleEntry(_ script: HTMLPage.Script) throws -> ModuleRequest.Entry {
    let source = try script.source()
    if script.file != nil { return .file(source.url) }
    let page = absolute(source.url)
    let name = page.split(separator: "/").last.map(String.init) ?? "page"
    return .text(source.text, folder: DisplayPath.folder(of: page), name: name)
  }

  /// The author's own: the engine reads one when it is asked for, which a package's may never be.
  private static func checkCommonJS(_ module: ModuleGraph.Module, _ options: RuntimeOptions) throws {
    guard module.kind == .commonJS, !module.path.contains("/node_modules/") else { return }
    let context = JSContext(in: JSVirtualMachine())
    let plan = module.prepared
    guard let error = context.syntaxError(in: plan.text, url: module.url) else { return }
    let registry = SourceRegistry()
    module.note(in: registry, plan)
    throw problem(context.placed(error, in: plan, module.scriptSource), registry, options)
  }

  private static func problem(
    _ placed: JSException, _ registry: SourceRegistry, _ options: RuntimeOptions
  ) -> ScriptProblem {
    let report = ErrorReport(placed, sourceRegistry: registry, colours: options.output.errorColours)
    let place = placed.line.flatMap { line in
      StackFrame("@\(placed.url ?? ""):\(line):\(placed.column ?? 0)").flatMap(registry.authored)
    }
    return ScriptProblem(
      description: options.reportsAsJSON ? report.json(unhandled: false) : report.text(unhandled: false),
      place: place.map { "\($0.url):\($0.line):\($0.column)" })
  }

  private static func checkSyntax(
    _ given: ScriptSource, _ options: RuntimeOptions, of page: ScriptSource? = nil, isHandler: Bool = false
  ) throws {
    let context = JSContext(in: JSVirtualMachine())
    if isHandler, PreparedScript(handler: given, by: context) != nil { return }
    let sourceRegistry = SourceRegistry()
    let lowered = LoweredText.script(given.text, name: given.url)
    let source = lowered.map { ScriptSource(url: given.url, text: $0.text) } ?? given
    if let lowered { sourceRegistry.note(source, madeOf: given, map: lowered.map) }
    if let page { sourceRegistry.note(source, madeOf: page, map: nil) }
    let plan =
      isHandler
      ? PreparedScript(brokenHandler: source, by: context)
      : options.isClassic ? PreparedScript(untouched: source) : PreparedScript(source, by: context)
    guard let error = context.syntaxError(in: plan.text, url: source.url) else { return }
    sourceRegistry.add(source, plan)
    throw problem(context.placed(error, in: plan, source), sourceRegistry, options)
  }
}

/// A script that can't run, as its report.
public struct ScriptProblem: Error, CustomStringConvertible {
  /// The report, with its line end.
  public let description: String
  /// Where it is, as `file:line:column`; nil when nobody knows.
  package let place: String?
}
