// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem

/// How a program of modules is started: found and linked, or taken from the cache,
/// then evaluated.
extension Runtime {
  func startFile(_ path: String) throws {
    host.noteProgramFiles([path])
    if !options.isClassic, ProgramFiles.isModule(path) { return try startModules(.file(path)) }
    let text = try ScriptFile.read(path)
    if ProgramFiles.isStream(path) { return try startText(ScriptSource(url: "stdin", text: text)) }
    let source = ScriptSource(url: path, text: text)
    if !options.isClassic, ImportScan(source.text).usesModules {
      return try startModules(.file(path))
    }
    try start(source)
  }

  func startText(_ source: ScriptSource) throws {
    guard !options.isClassic, ImportScan(source.text).usesModules else {
      return try start(try withoutTypes(source))
    }
    let folder = ScriptFile.currentFolder
    try startModules(.text(source.text, folder: folder, name: source.url), isTyped: hasTypes(source))
  }

  /// - Parameters:
  ///   - printed: what a text was made of to print its value.
  ///   - page: the modules of the page that it is one of.
  func startModules(
    _ entry: ModuleRequest.Entry, isTyped: Bool = false, printed: PrintedModule? = nil,
    of page: PageModules? = nil
  ) throws {
    let finder = ModuleFinder(options, main: entry, in: container, isTyped: isTyped)
    var graph = try finder.program()
    if let printed { printed.note(in: &graph.modules[0]) }
    let inputs = graph.inputs.compactMap { RealPath($0) }
    host.noteProgramFiles(inputs)
    for path in inputs where !finder.scope.isOwn(path) {
      reporter.needs("import:" + path.text)
    }
    if graph.modules.contains(where: { $0.source.utf8.containsText("WebAssembly") }) {
      try holdForWebAssembly()
    }
    self.entry = graph.modules.first?.url
    let main = try page?.main(graph, finder) ?? ModuleProgram(self, finder).main(graph)
    try state.follow(main, url: graph.modules.first?.url ?? "", marker: context.makeObject()) {
      [unowned state] value, failed throws(JSException) in
      if failed { state.report(value) } else { try state.printResult?(value) }
    }
  }
}

extension Runtime {
  /// Runs a text and prints its value: of an expression what it settles to, of statements the last one's.
  func startPrinted(_ source: ScriptSource) throws {
    if !options.isClassic, ImportScan(source.text).usesModules { return try startPrintedModule(source) }
    state.printResult = { [unowned self] value throws(JSException) in try printSettled(value, source.url) }
    let given = source
    let source = lowered(given)
    let callsWithTypes = options.takesTypes && TypeStripper.callsWithTypes(source.text)
    if !callsWithTypes, let plan = PreparedScript(expression: source, by: context) {
      sourceRegistry.add(source, plan)
      return try start(plan, source)
    }
    let script = try withoutTypes(given)
    guard let plan = awaitingStatements(script) else { return try startText(script) }
    // A list of the value, or an empty one.
    let print = state.printResult
    state.printResult = { value throws(JSException) in
      if value["length"].number > 0 { try print?(value["0"]) }
    }
    sourceRegistry.add(script, plan)
    try start(plan, script)
  }

  /// The same for a module: the value of its last statement, where that is an expression.
  private func startPrintedModule(_ source: ScriptSource) throws {
    let probe = SyntaxProbe()
    let printed = PrintedModule(source.text) {
      probe.look(at: LoweredText.parsable($0), as: .module) == .complete
    }
    guard let printed else {
      guard !hasTypes(source) else {
        throw ScriptFileError(
          "the value of a module with types can't be printed; print it in the module, with console.log")
      }
      return try startText(source)
    }
    let print = JSFunction.make(in: context) { [unowned self] frame throws(JSException) in
      try printSettled(frame[0], source.url)
      return frame.undefined
    }
    context.setGlobal(PrintedModule.function, print)
    let folder = ScriptFile.currentFolder
    try startModules(.text(printed.text, folder: folder, name: source.url), printed: printed)
  }

  /// Prints a value, of a promise what it settles to.
  private func printSettled(_ value: JSValue, _ url: String) throws(JSException) {
    guard JSPromisePeek(context)?.look(at: value) != nil else { return try printValue(value) }
    // What is followed is a function that answers a promise.
    let promise = JSHandle(value, in: context)
    let main = JSFunction.make(in: context) { _ throws(JSException) in promise.value }
    try state.follow(main, url: url, marker: context.makeObject()) {
      [unowned self] value, failed throws(JSException) in
      if failed { state.report(value) } else { try printValue(value) }
    }
  }

  private func printValue(_ value: JSValue) throws(JSException) {
    if !value.isUndefined { try context.call(builtins.load("console")["console"]["log"], value) }
  }

  /// Statements that await at their top, with the last one's value; nil for others.
  private func awaitingStatements(_ source: ScriptSource) -> PreparedScript? {
    guard source.text.utf8.containsText("await"), PreparedScript(source, by: context).isAsync
    else { return nil }
    let line = LineRewriter(source.text).asyncFunction(nil, awaitsValue: true) {
      context.syntaxError(in: $0, url: "") == nil
    }
    // Without the call behind it: the caller that follows the promise calls the function.
    let plan = PreparedScript(text: String(line.text.dropLast(2)), isAsync: true, insertions: line.insertions)
    return context.syntaxError(in: plan.text, url: source.url) == nil ? plan : nil
  }
}
