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
