// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin

/// How a program of modules is started: put together, or found in the cache, then run in a scope of its own.
extension Runtime {
  func startFile(_ path: String) throws {
    if !options.isClassic, ProgramFiles.isModule(path) { return try startBundle(.file(path), shown: path) }
    let source = ScriptSource(url: path, text: try ScriptFile.read(path))
    if !options.isClassic, ImportScan(source.text).usesModules { return try startBundle(.file(path), shown: path) }
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

/// The files that a program is made of.
public enum ProgramFiles {
  /// Whether a file's name says that it is a module or TypeScript.
  static func isModule(_ path: String) -> Bool {
    guard let ending = path.split(separator: "/").last?.split(separator: ".").last else { return false }
    return ["mjs", "ts", "mts", "cts", "tsx", "jsx"].contains(ending)
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

  static func bundle(_ entry: BundleRequest.Entry, _ options: RuntimeOptions, container: Container) throws(BundleError)
    -> Bundle
  {
    let folder = ScriptFile.currentFolder
    let paths = DisplayPath(folder: folder)
    let request = BundleRequest(
      entry: entry, imports: options.imports, importsFolder: paths.absolute(options.importsFolder), workingFolder: folder)
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
