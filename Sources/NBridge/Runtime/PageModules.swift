// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeScript
internal import NBridgeSystem

/// The modules of a page: each file is one, whichever script asks for it (HTML, 8.1.4.3). Confined to the
/// engine's thread.
final class PageModules {
  private unowned let runtime: Runtime
  private let program: ModuleProgram
  private let page: ModuleRequest.Entry
  private let folder: String
  /// Puts a function where scripts find it and nobody sees it.
  private let hide: JSValue
  private var scripts = 0
  /// The modules as scripts of the runtime have them; nil as long as no script asks for one.
  private var made: JSHandle?

  /// - Parameter hide: of a name and a value.
  init(_ runtime: Runtime, _ path: String, hide: JSValue) {
    (self.runtime, self.hide) = (runtime, hide)
    let full = ProgramFiles.absolute(path)
    folder = DisplayPath.folder(of: full)
    page = .text("", folder: folder, name: String(full.afterLastSlash))
    program = ModuleProgram(runtime, ModuleFinder(runtime.options, main: page, in: runtime.container))
  }

  /// A function that evaluates a module, and what it needs, and answers a promise or nothing.
  func main(_ graph: ModuleGraph, _ finder: ModuleFinder) throws(JSException) -> JSValue {
    try program.main(graph, finder, in: shared())
  }

  private func shared() throws(JSException) -> JSValue {
    if let made { return made.value }
    let value = try program.make()
    made = JSHandle(value, in: runtime.context)
    return value
  }

  /// A script, or the code of an attribute, whose calls of `import` are found from where its text comes from
  /// (HTML, 8.1.4.2): from the page, or from a file of its own.
  func linked(_ source: ScriptSource, isFile: Bool) throws(JSException) -> ScriptSource {
    let name = Self.name(scripts)
    guard let text = CommonJSText.withImportCalls(source.text, named: name) else { return source }
    scripts += 1
    let path = isFile ? ProgramFiles.absolute(source.url) : folder + "/" + source.url.afterLastSlash
    let module = ModuleGraph.Module(kind: .module, path: path, url: source.url, source: "")
    let importer = try program.importer(for: module, in: shared())
    try runtime.context.call(hide, runtime.context.make(name), importer)
    return ScriptSource(url: source.url, text: text)
  }

  /// What stands for `import` in one of the scripts: as long, so that columns stay.
  private static func name(_ number: Int) -> String {
    let digits = String(number, radix: 36)
    return "\u{1C3}" + String(repeating: "_", count: max(0, 5 - digits.utf8.count)) + digits
  }
}
