// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin
internal import NBridgeScript

/// `import` at a prompt: a module is put together when it is asked for, so that its name may be made at run
/// time. An unchanged one is the same module the next time.
extension InteractiveSession {
  func addImporter() throws(JSException) {
    var made: [String: (sources: [String], main: JSHandle)] = [:]
    let load = JSFunction.make(in: runtime.context) { [unowned self] frame throws(JSException) in
      let (name, type, folder) = (frame[0].string ?? "", frame[1].string, frame[2].string)
      let (graph, finder) = try putTogether(name, type, from: folder ?? ScriptFile.currentFolder)
      let key = "\(folder ?? "")\n\(name)\n\(type ?? "")"
      let sources = graph.modules.map(\.source)
      if let known = made[key], known.sources == sources { return known.main.value }
      runtime.host.noteProgramFiles(graph.inputs)
      let main = try ModuleProgram(runtime, finder).main(graph)
      made[key] = (sources, JSHandle(main, in: runtime.context))
      return main
    }
    let make = try runtime.context.evaluate(Self.importer, url: StackFrame.internalScheme + "import")
    let importer = try runtime.context.call(make, load)
    runtime.context.setGlobal(LineRewriter.importer, importer)
    let gate = JSFunction.make(in: runtime.context) { [unowned self] frame throws(JSException) in
      guard isStopped(frame[0].integer) else { return runtime.context.make(true) }
      return try runtime.context.evaluate("new Promise(() => {})", url: StackFrame.internalScheme + "gate")
    }
    let expose = try runtime.context.evaluate(
      "((name, value) => { Object.defineProperty(globalThis, name, { value }) })",
      url: StackFrame.internalScheme + "gate")
    try runtime.context.call(expose, runtime.context.make(LineRewriter.gate), gate)
    if let stream = helpers?.value["stream"] {
      try runtime.context.call(expose, runtime.context.make(LineRewriter.stream), stream)
    }
    let hide = "Object.defineProperty(globalThis, \"\(LineRewriter.importer)\", { enumerable: false })"
    try runtime.context.evaluate(hide, url: StackFrame.internalScheme + "import")
  }

  /// The options with what the prompt allows by now.
  private var permittedOptions: RuntimeOptions {
    var options = runtime.options
    options.permissions = runtime.permissions
    return options
  }

  private static let importer = """
    ((load) => {
      const known = new WeakMap();
      const run = async (main) => {
        const marker = {};
        await main(marker);
        const namespace = { __proto__: null, ...marker.namespace };
        return Object.freeze(Object.defineProperty(namespace, Symbol.toStringTag, { value: "Module" }));
      };
      const from = (folder) => async (name, options, wanted) => {
        const main = load(`${name}`, options?.with?.type, folder);
        if (!known.has(main)) known.set(main, run(main));
        const module = await known.get(main);
        for (const member of wanted ?? []) {
          if (!(member in module)) throw new SyntaxError(`'${name}' has no export '${member}'`);
        }
        return module;
      };
      return Object.assign(from(), { from });
    })
    """

  private func putTogether(_ name: String, _ type: String?, from folder: String) throws(JSException)
    -> (ModuleGraph, ModuleFinder)
  {
    let quoted = ValueText.quoted(name)
    let attributes = type.map { " with { type: \(ValueText.quoted($0)) }" } ?? ""
    let text =
      "import * as namespace from \(quoted)\(attributes); \(AwaitMarker.variable).namespace = namespace;"
    let entry = ModuleRequest.Entry.text(text, folder: folder, name: "input")
    let finder = ModuleFinder(permittedOptions, main: entry, in: runtime.container)
    do throws(BundleError) { return (try finder.program(), finder) } catch {
      throw JSException(message: error.problems.first?.message ?? error.description)
    }
  }
}

extension InteractiveSession {
  /// The entry that runs a file: its own text, whose names stay; for what only a module can hold, what makes
  /// its exports names.
  ///
  /// - Throws: `ScriptFileError` for a file that can't be read.
  package func entry(loading path: String) throws -> String {
    let text = try ScriptFile.read(path)
    let needsLoader = [".json", ".jsx", ".tsx"].contains { path.hasSuffix($0) }
    guard needsLoader || LineRewriter(text).mustBeModule else {
      return ScriptSource(url: path, text: text).text
    }
    let full = ValueText.quoted(ProgramFiles.absolute(path))
    return "void Object.assign(globalThis, { ...await import(\(full)) })"
  }
}
