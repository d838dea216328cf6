// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin

/// How a program of modules is started: put together, or found in the cache, then run in a scope of its own.
extension Runtime {
  func startFile(_ path: String) throws {
    if !options.isClassic, ProgramFiles.isModule(path) { return try startBundle(.file(path), shown: path) }
    let source = ScriptSource(url: path, text: try ScriptFile.read(path))
    if !options.isClassic, ImportScan(source.text).usesModules {
      return try startBundle(.file(path), shown: path)
    }
    try start(source)
  }

  func startText(_ source: ScriptSource) throws {
    guard !options.isClassic, ImportScan(source.text).usesModules else { return try start(source) }
    let folder = ScriptFile.currentFolder
    try startBundle(.text(source.text, folder: folder, name: source.url), shown: source.url)
  }

  func startBundle(_ entry: BundleRequest.Entry, shown: String) throws {
    let bundle = try ProgramFiles.bundle(entry, options, container: container)
    let source = ScriptSource(url: "bundle of \(shown)", text: bundle.text)
    let plan = ScriptPlan(bundle: source)
    atlas.add(bundle: source, plan, map: bundle.map)
    try start(plan, source)
  }
}

extension Runtime {
  /// Runs a text and prints its value: of an expression what it settles to, of statements the last one's.
  func startPrinted(_ source: ScriptSource) throws {
    printResult = { [unowned self] value throws(JSException) in
      if !value.isUndefined { try context.call(load(.console)["console"]["log"], value) }
    }
    let plan = ScriptPlan(expression: source, in: context)
    guard let plan else { return try startText(source) }
    atlas.add(source, plan)
    try start(plan, source)
  }
}

/// The files that a program is made of.
public enum ProgramFiles {
  /// Whether a file's name says that it is a module or TypeScript.
  static func isModule(_ path: String) -> Bool {
    guard let ending = path.split(separator: "/").last?.split(separator: ".").last else { return false }
    return ["mjs", "ts", "mts", "cts", "tsx", "jsx"].contains(ending)
  }

  /// Looks whether the program at `path` can run, without running it. Throws ``BundleError`` or ``ScriptProblem``.
  public static func check(_ path: String, _ options: RuntimeOptions) throws {
    let container = try AppContainer.open(options.container, app: options.app)
    let text = try ScriptFile.read(path)
    if !options.isClassic, isModule(path) || ImportScan(text).usesModules {
      _ = try bundle(.file(path), options, container: container)
      return
    }
    let context = JSContext(in: JSVirtualMachine())
    let source = ScriptSource(url: path, text: text)
    let plan = options.isClassic ? ScriptPlan(untouched: source) : ScriptPlan(source, in: context)
    guard let error = context.syntaxError(in: plan.text, url: path) else { return }
    let atlas = SourceAtlas()
    atlas.add(source, plan)
    let report = ErrorReport(error, atlas: atlas, colours: options.output.errorColours)
    throw ScriptProblem(
      description: options.reportsAsJSON ? report.json(unhandled: false) : report.text(unhandled: false))
  }

  /// Every file of the program at `path`: what a change of means another run. Puts it together when it has modules.
  ///
  /// - Throws: ``BundleError`` for a program that can't be put together.
  public static func list(_ path: String, _ options: RuntimeOptions) throws -> [String] {
    let container = try AppContainer.open(options.container, app: options.app)
    let usesModules = try isModule(path) || ImportScan(ScriptFile.read(path)).usesModules
    guard usesModules, !options.isClassic else { return [path] }
    return try bundle(.file(path), options, container: container).inputs
  }

  static func bundle(_ entry: BundleRequest.Entry, _ options: RuntimeOptions, container: Container)
    throws(BundleError)
    -> Bundle
  {
    let folder = ScriptFile.currentFolder
    let paths = DisplayPath(folder: folder)
    let request = BundleRequest(
      entry: entry, imports: options.imports, importsFolder: paths.absolute(options.importsFolder),
      workingFolder: folder)
    let cache = BundleCache(folder: container.caches + "/modules")
    if let found = cache.find(request) { return found }
    if case .file(let path) = entry {
      do { _ = try ScriptFile.bytes(path) } catch { throw BundleError(error.description) }
    }
    let made = try Bundler.bundle(request)
    cache.keep(made, for: request)
    return made
  }
}

/// A script that can't run, as its report.
public struct ScriptProblem: Error, CustomStringConvertible {
  /// The report, with its line end.
  public let description: String
}
