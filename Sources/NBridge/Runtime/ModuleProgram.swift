// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeBuiltins
internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem

/// The modules of a program in the engine: each is a script of its own, linked and evaluated by `modules.js`.
/// Confined to the engine's thread.
final class ModuleProgram {
  private unowned let runtime: Runtime
  private let finder: ModuleFinder
  private var modules: [ModuleGraph.Module] = []
  /// What finds the names that each of them makes at run time.
  private var finders: [ModuleFinder] = []
  /// Where each stands in ``modules``, by its kind and path.
  private var indices: [String: Int] = [:]

  init(_ runtime: Runtime, _ finder: ModuleFinder) { (self.runtime, self.finder) = (runtime, finder) }

  private var context: JSContext { runtime.context }

  /// A function that evaluates the program's own module, and answers a promise.
  func main(_ graph: ModuleGraph) throws(JSException) -> JSValue {
    let program = try make()
    try context.call(program["extend"], links(add(graph.modules, finder)))
    return program["main"]
  }

  /// The same for one of several programs that share their modules.
  func main(_ graph: ModuleGraph, _ finder: ModuleFinder, in program: JSValue) throws(JSException)
    -> JSValue
  {
    var graph = graph
    // Two texts of one page have one path.
    if finder.isOfText { graph.modules[0].suffix = "#\(modules.count)" }
    let added = add(graph.modules, finder)
    if finder.isOfText, let place = added.places.first { modules[place].suffix = "" }
    try context.call(program["extend"], links(added))
    return try context.call(program["mainOf"], context.make(Double(added.places[0])))
  }

  /// What stands for `import` in a script that is no module: a function that finds names from the place of a
  /// module, which is none of the program's.
  func importer(for module: ModuleGraph.Module, in program: JSValue) throws(JSException) -> JSValue {
    var module = module
    module.suffix = "#\(modules.count)"
    let added = add([module], finder)
    try context.call(program["extend"], links(added))
    return try context.call(program["importer"], context.make(Double(added.places[0])), context.makeObject())
  }

  /// The modules as scripts of the runtime have them; what it answers keeps this object.
  func make() throws(JSException) -> JSValue {
    let library = try runtime.builtins.load("modules")
    // The engine's functions keep the program, and it ends with them.
    let compile = JSFunction.make(in: context) { [self] frame throws(JSException) in
      guard let module = module(frame[0]) else { return frame.undefined }
      return try compiled(frame[1].bool ? early(frame[0].integer) : module)
    }
    let more = JSFunction.make(in: context) { [self] frame throws(JSException) in
      let name = frame[0].string ?? ""
      return try name == "natives" ? makeNatives() : runtime.builtins.load(name)["make"]
    }
    return try context.call(library, compile, more)
  }

  /// Makes what few programs ask of the native side.
  private func makeNatives() -> JSValue {
    JSFunction.make(in: context) { [self] _ throws(JSException) in
      let natives = context.makeBareObject()
      add("pathOf", to: natives) { [self] frame throws(JSException) in
        frame.make(module(frame[0])?.path ?? "")
      }
      add("urlOf", to: natives) { [self] frame throws(JSException) in
        let module = module(frame[0])
        return frame.make((frame[1].bool ? module?.fileURL : module?.url) ?? "")
      }
      add("find", to: natives) { [self] frame throws(JSException) in
        guard let module = module(frame[0]), let name = frame[1].string else { return frame.undefined }
        let place = Place(module, isRequire: frame[3].bool, folder: frame[4].string)
        return try find(name, frame[2].string, from: place, finders[frame[0].integer])
      }
      add("resolve", to: natives) { [self] frame throws(JSException) in
        guard let module = module(frame[0]), let name = frame[1].string else { return frame.undefined }
        let place = Place(module, isRequire: frame[2].bool, folder: frame[3].string)
        return lead(of: name, from: place, finders[frame[0].integer])
      }
      add("importPlace", to: natives) { [self] frame throws(JSException) in
        guard let module = module(frame[0]), let name = frame[1].string else { return frame.undefined }
        let place = module.place(ofImport: name)
        return placeObject(module.url, line: place.line, column: place.column)
      }
      add("native", to: natives) { [self] _ throws(JSException) in makeNative() }
      return natives
    }
  }

  /// What Node's modules have of the runtime.
  private func makeNative() -> JSValue {
    let native = context.makeBareObject()
    add("bridge", to: native) { [unowned runtime] frame throws(JSException) in
      runtime.parts.bridge.callNow?.value ?? frame.undefined
    }
    add("atExit", to: native) { [unowned runtime] frame throws(JSException) in
      runtime.atExit = JSHandle(frame[0], in: runtime.context)
      return frame.undefined
    }
    add("whenIdle", to: native) { [unowned runtime] frame throws(JSException) in
      runtime.tellWhenIdle(JSHandle(frame[0], in: runtime.context))
      return frame.undefined
    }
    add("memory", to: native) { [unowned runtime] frame throws(JSException) in
      frame.make(runtime.memory(frame[0].string ?? ""))
    }
    add("architecture", to: native) { frame throws(JSException) in frame.make(Self.architecture) }
    add("restOf", to: native) { [unowned runtime] frame throws(JSException) in
      try runtime.context.call(runtime.builtins.load("iterators")["restOf"], frame[0])
    }
    add("digest", to: native) { [unowned runtime] frame throws(JSException) in
      try NodeDigest.make(frame[0].string ?? "", in: runtime.context)
    }
    addWorkers(to: native)
    addLooks(to: native)
    return native
  }

  /// The processor that this was built for, by Node's name; empty for one that has none here.
  private static var architecture: String {
    #if arch(x86_64)
      return "x64"
    #elseif arch(arm64)
      return "arm64"
    #else
      return ""
    #endif
  }

  /// What node:worker_threads has: how one is started, and what a worker was given.
  private func addWorkers(to native: JSValue) {
    add("workers", to: native) { [unowned runtime] _ throws(JSException) in
      try runtime.builtins.load("worker")["internals"]
    }
    add("ownWorker", to: native) { [unowned runtime] frame throws(JSException) in
      runtime.globals == nil ? frame.undefined : try runtime.builtins.load("workerscope")["internals"]
    }
    add("receiveNow", to: native) { [unowned runtime] frame throws(JSException) in
      try runtime.context.call(runtime.builtins.load("messaging")["internals"]["receiveNow"], frame[0])
    }
  }

  /// What Node's modules judge values with, which no script can change.
  private func addLooks(to native: JSValue) {
    let names = [
      "intact", "contents", "engineobjects", "settling", "timersources", "testasserts", "idl", "errors",
    ]
    for name in names {
      add(name, to: native) { [unowned runtime] _ throws(JSException) in try runtime.builtins.load(name) }
    }
    let peek = JSOrdinaryPeek(context)
    add("isOrdinary", to: native) { frame throws(JSException) in
      frame.make(peek?.isOrdinary(frame[0]) ?? false)
    }
  }

  private func add(
    _ name: String, to object: JSValue, _ body: @escaping JSFunction.Body
  ) { context.set(object, name, JSFunction.make(in: context, body)) }

  private func module(_ index: JSValue) -> ModuleGraph.Module? {
    let index = index.integer
    return modules.indices.contains(index) ? modules[index] : nil
  }

  /// The module as one that other modules may call before it runs, which may come out while the program runs.
  private func early(_ index: Int) -> ModuleGraph.Module {
    if !modules[index].isCalledEarly { modules[index].linkEarly() }
    return modules[index]
  }

  /// A function, or of what is no script its text.
  private func compiled(_ module: ModuleGraph.Module) throws(JSException) -> JSValue {
    guard module.kind == .module || module.kind == .commonJS else { return context.make(module.source) }
    if let counted = try counted(module) { return counted }
    let source = module.scriptSource
    let plan = runtime.stopping(module.prepared, source)
    module.note(in: runtime.sourceRegistry, plan)
    runtime.builtins.placeGlobals(mentionedIn: plan.text)
    do { return try context.evaluate(plan.text, url: source.url) } catch {
      var error = error
      // The engine gives it the column of the line of ours that asked for it.
      if error.name == "SyntaxError", error.url == source.url { error.column = nil }
      throw context.placed(error, in: plan, source)
    }
  }

  /// A function with counters in it; nil where nothing is to be counted. A text that the engine does not take
  /// with counters runs without, and is told.
  private func counted(_ module: ModuleGraph.Module) throws(JSException) -> JSValue? {
    guard let coverage = runtime.coverage, CountedModule.isWanted(module), module.path != entryPath else {
      return nil
    }
    guard let counted = CountedModule(module), runtime.context.parses(counted.plan.text) else {
      coverage.miss(module)
      return nil
    }
    runtime.builtins.placeGlobals(mentionedIn: counted.plan.text)
    let cells = coverage.add(counted)
    module.note(in: runtime.sourceRegistry, counted.plan)
    let make = try context.evaluate(counted.plan.text, url: module.url)
    return try context.call(make, context.makeInt32Array(over: cells))
  }

  /// The program's own file, which a worker may run, too: of tests it is the tests.
  private var entryPath: String? {
    runtime.options.worker == nil ? modules.first?.path : runtime.programFile.map(ProgramFiles.absolute)
  }

  // MARK: - Modules that come later

  /// Adds the modules that are not there yet; answers where each of the graph's stands.
  private func add(_ list: [ModuleGraph.Module], _ finder: ModuleFinder) -> (places: [Int], first: Int) {
    let first = modules.count
    var places: [Int] = []
    for module in list {
      let key = module.key
      let place = indices[key] ?? modules.count
      if place == modules.count {
        modules.append(module)
        finders.append(finder)
        indices[key] = place
      }
      places.append(place)
    }
    for index in first..<modules.count { modules[index].move(to: places) }
    return (places, first)
  }

  /// What `modules.js` is told of those from `first` on.
  private func links(_ added: (places: [Int], first: Int)) -> JSValue {
    context.make(ModuleLinksText(modules[added.first...]).text)
  }

  /// Where a name stands that is looked up while the program runs.
  private struct Place {
    let module: ModuleGraph.Module
    let isRequire: Bool
    let folder: String

    /// - Parameter folder: another than the module's own.
    init(_ module: ModuleGraph.Module, isRequire: Bool, folder: String?) {
      self.module = module
      self.isRequire = isRequire || module.kind == .commonJS
      self.folder = folder ?? DisplayPath.folder(of: module.path)
    }

    /// A module that asks for a name and does nothing else.
    func asks(for name: String, _ type: String? = nil) -> ModuleRequest.Entry {
      let quoted = ValueText.quoted(name)
      let attributes = type.map { " with { type: \(ValueText.quoted($0)) }" } ?? ""
      let text = isRequire ? "require(\(quoted))" : "import \(quoted)\(attributes)"
      return .text(text, folder: folder, name: module.url)
    }
  }

  /// The module that a name made at run time leads to: its place, and what the library is told of those that
  /// came with it.
  private func find(_ name: String, _ type: String?, from place: Place, _ finder: ModuleFinder)
    throws(JSException) -> JSValue
  {
    // Without a prototype, which a script may have changed.
    let result = context.makeBareObject()
    do throws(BundleError) {
      let graph = try finder.modules(from: place.asks(for: name, type))
      runtime.host.noteProgramFiles(graph.inputs)
      guard let target = graph.modules.first?.calls.values.first else {
        throw BundleError("'\(name)' leads to nothing that can be loaded")
      }
      var rest = graph
      rest.modules[0].path = "\(modules.count) " + rest.modules[0].path
      let added = add(rest.modules, finder)
      context.set(result, "links", links(added))
      context.set(result, "index", context.make(Double(added.places[target])))
    } catch {
      let problem = error.problems.first
      context.set(result, "problem", context.make(problem?.message ?? error.description))
      context.set(result, "isSyntax", context.make(problem?.isSyntax ?? false))
      if let code = problem?.packageCode { context.set(result, "code", context.make(code)) }
      if let problem, let file = problem.file, file != place.module.url { set(file, problem, on: result) }
    }
    return result
  }

  /// Tells where a problem is that stands in a text which does not run.
  private func set(_ file: String, _ problem: BundleError.Problem, on result: JSValue) {
    runtime.sourceRegistry.noteUnrun(file, line: problem.line, problem.lineText)
    context.set(result, "place", placeObject(file, line: problem.line, column: problem.column))
  }

  private func placeObject(_ file: String, line: Int, column: Int) -> JSValue {
    let place = context.makeBareObject()
    context.set(place, "sourceURL", context.make(file))
    context.set(place, "line", context.make(Double(line)))
    context.set(place, "column", context.make(Double(column)))
    return place
  }

  /// Where a name leads, for `require.resolve` a path and for `import.meta.resolve` a URL; nothing is read.
  private func lead(of name: String, from place: Place, _ finder: ModuleFinder) -> JSValue {
    let result = context.makeBareObject()
    let lead = ModuleLead(name, from: place.module, isRequire: place.isRequire) { () throws(BundleError) in
      try finder.path(from: place.asks(for: name))
    }
    context.set(result, "place", context.make(lead.place))
    if let problem = lead.problem {
      context.set(result, "problem", context.make(problem.message))
      context.set(result, "code", context.make(problem.code))
    }
    return result
  }
}

extension Runtime {
  /// How many bytes the process has in memory, as `rss`, or the engine, by its own names; how many
  /// microseconds of a processor the process has had, as `user` and `system`.
  fileprivate func memory(_ name: String) -> Double {
    parts.inputs.number(.machine) {
      switch name {
      case "rss": ResidentMemory.bytes
      case "user": ProcessorTime.user
      case "system": ProcessorTime.system
      default: context.memory(name)
      }
    }
  }
}
