// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeBuiltins
internal import NBridgeScript
internal import NBridgeSystem

extension Runtime {
  /// Runs a page's scripts in order, each once the page is read so far, tells it that it is loaded, then
  /// makes the calls.
  func startPage(_ path: String, calls: [String]) throws {
    let page = try HTMLPage(text: ScriptFile.read(path), path: path)
    host.noteProgramFiles([path] + page.scripts.compactMap { $0.file == nil ? nil : try? $0.source().url })
    sourceRegistry.note(page: page.source)
    // Its modules have its name without a folder.
    sourceRegistry.note(page: ScriptSource(url: String(path.afterLastSlash), text: page.source.text))
    let (document, modules) = try open(page)
    try runScripts(page, document, modules)
    try attemptScript(page) { try context.call(document["loaded"]) }
    guard ending == nil else { return }
    try makeCalls(page, calls, document)
  }

  /// A document with nothing in it, for a file of tests that pages run, too.
  func openEmptyDocument(for path: String) throws {
    let (document, _) = try open(HTMLPage(text: "<!doctype html><title>Tests</title>", path: path))
    for step in ["readOn", "read", "loaded"] { try context.call(document[step]) }
  }

  /// Makes the document, nothing of which has been read.
  private func open(_ page: HTMLPage) throws -> (document: JSValue, modules: PageModules) {
    let modules = PageModules(self, page.path, hide: try builtins.load("page")["hide"])
    pageModules = modules
    let document = try builtins.load("document")
    let url = FileURL.text(DisplayPath(folder: ScriptFile.currentFolder).absolute(page.path))
    try context.call(
      document["open"], context.make(page.pieces), context.make(url), documentHost(page.path).value)
    return (document, modules)
  }

  /// What the document asks of the program.
  private func documentHost(_ path: String) -> HostObject {
    let host = HostObject(context)
    // `compile(code, place)`: the function that the code of an attribute is.
    host.function("compile") { [unowned self] frame throws(JSException) in
      try compile(ScriptSource(url: path + (frame[1].string ?? ""), text: frame[0].string ?? ""))
    }
    host.function("warn") { [output = options.output] frame throws(JSException) in
      output.writeError("nbridge: \(frame[0].string ?? "")\n")
      return frame.undefined
    }
    return host
  }

  /// A script sees what stands before it. Modules, and scripts that are deferred, run when the page is read,
  /// in their order (HTML, 4.12.1).
  private func runScripts(_ page: HTMLPage, _ document: JSValue, _ modules: PageModules) throws {
    var deferred: [Int] = []
    while ending == nil {
      let number = try context.call(document["readOn"]).integer
      guard page.scripts.indices.contains(number) else { break }
      let script = page.scripts[number]
      if script.isDeferred {
        deferred.append(number)
      } else {
        try attemptScript(page) { try runScript(script, modules) }
      }
    }
    try attemptScript(page) { try context.call(document["read"]) }
    for number in deferred {
      let script = page.scripts[number]
      try attemptScript(page) {
        try context.call(document["begin"], context.make(Double(script.isModule ? -1 : number)))
        if script.isModule { try runModule(script, modules) } else { try runScript(script, modules) }
      }
    }
  }

  /// Runs a script; one that fails is told at once, and the next one has its turn, as in a browser.
  private func attemptScript(_ page: HTMLPage, _ script: () throws -> Void) throws {
    guard ending == nil else { return }
    do {
      try script()
      runUntilSettled()
    } catch let error as JSException { fail(error) } catch let error as BundleError {
      state.hasToldFailure = true
      options.output.writeError(
        error.quoting(page.source).report(asJSON: options.reportsAsJSON, colours: options.output.errorColours)
      )
    } catch {
      // A file that can't be read.
      state.hasToldFailure = true
      options.output.writeError("nbridge: \(error)\n")
    }
    goOn()
  }

  /// Tells what failed, and goes on.
  private func goOn() {
    guard case .failed(let exception, let unhandled) = ending else { return }
    state.hasToldFailure = true
    ending = nil
    tell(exception, unhandled: unhandled)
  }

  private func runScript(_ script: HTMLPage.Script, _ modules: PageModules) throws {
    let source = try script.source()
    if script.file != nil {
      _ = try ModuleScope(bundle: options.bundle, options.permissions, sealed: host.sealed).read(source.url)
    }
    let linked = try modules.linked(source, isFile: script.file != nil)
    // Reports find a script of the page's own in the page.
    if script.file != nil || !script.isPlaced { sourceRegistry.note(linked, madeOf: source, map: nil) }
    try start(linked)
  }

  private func runModule(_ script: HTMLPage.Script, _ modules: PageModules) throws {
    let shown = try script.source().url
    if script.file != nil {
      _ = try ModuleScope(bundle: options.bundle, options.permissions, sealed: host.sealed).read(shown)
    }
    try startModules(ProgramFiles.moduleEntry(script), of: modules)
  }

  private func makeCalls(_ page: HTMLPage, _ calls: [String], _ document: JSValue) throws {
    if calls.isEmpty {
      let count = try context.call(document["findButtons"]).integer
      for button in 0..<count {
        attempt { () throws(JSException) in
          try context.call(document["press"], context.make(Double(button)))
        }
      }
      return
    }
    for name in calls where ending == nil {
      guard Self.isName(name) else { throw ScriptFileError("'\(name)' is no function name") }
      let found = try context.evaluate("typeof \(name) === 'function'", url: "--call").bool
      guard found else { throw ScriptFileError("the page '\(page.path)' has no function '\(name)' to call") }
      let call = ScriptSource(url: "--call \(name)", text: "\(name)()")
      attempt { () throws(JSException) in try start(call) }
    }
  }

  /// Runs a handler, and tells its failure at once: the next one has its turn, as where a person clicks.
  private func attempt(_ handler: () throws(JSException) -> Void) {
    guard ending == nil else { return }
    do throws(JSException) { try handler() } catch { fail(error) }
    settleTurn()
    goOn()
  }

  /// The code of an attribute, as `onclick`, as a function.
  private func compile(_ handler: ScriptSource) throws(JSException) -> JSValue {
    let linked = try pageModules?.linked(handler, isFile: false) ?? handler
    sourceRegistry.note(linked, madeOf: handler, map: nil)
    let source = lowered(linked)
    guard let plan = PreparedScript(handler: source, by: context) else {
      let plan = PreparedScript(brokenHandler: source, by: context)
      sourceRegistry.add(source, plan)
      throw context.placed(
        context.syntaxError(in: plan.text, url: source.url)
          ?? JSException(name: "SyntaxError", message: "this is no body of a function"), in: plan, source)
    }
    sourceRegistry.add(source, plan)
    if plan.text.utf8.containsText("WebAssembly") { try holdForWebAssembly() }
    builtins.placeGlobals(mentionedIn: plan.text)
    return try context.evaluate(plan.text, url: source.url)
  }

  /// Lets a script that awaits at its top finish before the next one runs.
  private func runUntilSettled() {
    if replayer != nil { replay() }
    while ending == nil, replayer == nil, state.mains.contains(where: { !$0.isSettled }), loop.isAlive {
      loop.turn()
    }
    tape?.settled()
  }

  /// Lets what a handler started come to an answer before the next one fires, as a person who clicks would.
  private func settleTurn() {
    if replayer != nil { replay() }
    let deadline = loop.clock.now + 2_000_000
    while ending == nil, replayer == nil, session.calls.open.contains(where: { $0.watch == nil }),
      loop.clock.now < deadline
    {
      loop.turn()
    }
    session.flush()
    tape?.settled()
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x24, 0x2E: true
        default: false
        }
      }
  }
}
