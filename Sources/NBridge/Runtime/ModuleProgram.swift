// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeBuiltins
internal import NBridgePlugin
internal import NBridgeScript

/// The modules of a program in the engine: each is a script of its own, linked and evaluated by `modules.js`.
/// Confined to the engine's thread.
struct ModuleProgram {
  private let graph: ModuleGraph
  private let context: JSContext
  private let builtins: Builtins
  private let sourceRegistry: SourceRegistry

  init(
    _ graph: ModuleGraph, _ context: JSContext, _ builtins: Builtins, _ sourceRegistry: SourceRegistry
  ) {
    (self.graph, self.context, self.builtins) = (graph, context, builtins)
    self.sourceRegistry = sourceRegistry
  }

  /// What `modules.js` knows of a module.
  private struct Links: Encodable {
    var kind: ModuleGraph.Module.Kind
    var needs: [Int]
    var imports: [ModuleGraph.Import]
    var names: [ModuleGraph.Export]
    var calls: [String: Int]
    var awaits: Bool
    var usesMeta: Bool
    var usesRequire: Bool
    var isNodeModule: Bool

    init(_ module: ModuleGraph.Module) {
      (kind, needs, imports, names) = (module.kind, module.needs, module.imports, module.names)
      (calls, awaits, usesMeta) = (module.calls, module.awaits, module.usesMeta)
      (usesRequire, isNodeModule) = (module.usesRequire, module.isNodeModule)
    }
  }

  /// A function that evaluates the program's own module, and answers a promise.
  func main() throws(JSException) -> JSValue {
    let library = try builtins.load("modules")
    let compile = JSFunction.make(in: context) { [self] frame throws(JSException) in
      guard let module = module(frame[0]) else { return frame.undefined }
      return try compiled(module)
    }
    let path = JSFunction.make(in: context) { [self] frame throws(JSException) in
      frame.make(module(frame[0])?.path ?? "")
    }
    let url = JSFunction.make(in: context) { [self] frame throws(JSException) in
      let module = module(frame[0])
      return frame.make((frame[1].bool ? module?.fileURL : module?.url) ?? "")
    }
    let program = try context.call(library["program"], compile, path, url)
    guard let links = try? Value(encoding: graph.modules.map(Links.init)) else { return program }
    try context.call(program["extend"], context.make(String(decoding: links.text, as: UTF8.self)))
    return program["main"]
  }

  private func module(_ index: JSValue) -> ModuleGraph.Module? {
    let index = index.integer
    return graph.modules.indices.contains(index) ? graph.modules[index] : nil
  }

  /// A function, or of what is no script its text.
  private func compiled(_ module: ModuleGraph.Module) throws(JSException) -> JSValue {
    guard module.kind == .module || module.kind == .commonJS else { return context.make(module.source) }
    let plan = module.prepared
    let source = module.scriptSource
    module.note(in: sourceRegistry, plan)
    builtins.placeGlobals(mentionedIn: module.source)
    do { return try context.evaluate(plan.text, url: source.url) } catch {
      throw context.placed(error, in: plan, source)
    }
  }
}
