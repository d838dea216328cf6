// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeScript
internal import NBridgeSystem

extension Runtime {
  /// Runs a page's scripts in order, tells it that it is loaded, then makes the calls.
  func startPage(_ path: String, calls: [String]) throws {
    let page = try HTMLPage(text: ScriptFile.read(path), path: path)
    host.noteProgramFiles([path] + page.scripts.compactMap { $0.file == nil ? nil : try? $0.source().url })
    sourceRegistry.note(page: page.source)
    // Its modules have its name without a folder.
    sourceRegistry.note(page: ScriptSource(url: String(path.afterLastSlash), text: page.source.text))
    let library = try builtins.load("page")
    context.setGlobal("document", library["document"])
    let url = FileURL.text(DisplayPath(folder: ScriptFile.currentFolder).absolute(path))
    try context.call(builtins.load("location")["place"], context.make(url))
    for id in page.elementIDs { try context.call(library["addElement"], context.make(id)) }
    let modules = PageModules(self, path, hide: library["hide"])
    for script in page.scripts where !script.isModule {
      try attemptScript(page) { try runScript(script, modules) }
    }
    // Modules are deferred (HTML, 4.12.1): they run when the page is read, in their order.
    for script in page.scripts where script.isModule {
      try attemptScript(page) { try runModule(script, modules) }
    }
    try attemptScript(page) { try context.call(library["loaded"]) }
    guard ending == nil else { return }
    try makeCalls(page, calls, library, modules)
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
    if script.file != nil { sourceRegistry.note(linked, madeOf: source, map: nil) }
    try start(linked)
  }

  private func runModule(_ script: HTMLPage.Script, _ modules: PageModules) throws {
    let shown = try script.source().url
    if script.file != nil {
      _ = try ModuleScope(bundle: options.bundle, options.permissions, sealed: host.sealed).read(shown)
    }
    try startModules(ProgramFiles.moduleEntry(script), of: modules)
  }

  private func makeCalls(
    _ page: HTMLPage, _ calls: [String], _ library: JSValue, _ modules: PageModules
  ) throws {
    if calls.isEmpty {
      for (handler, id) in zip(page.clickHandlers, page.clickTargets) {
        attempt { () throws(JSException) in
          let linked = try modules.linked(handler, isFile: false)
          sourceRegistry.note(linked, madeOf: handler, map: nil)
          try click(linked, on: id, library)
        }
      }
      let elements = try context.call(library["elementIDs"])
      for index in 0..<elements["length"].integer {
        attempt { () throws(JSException) in try context.call(library["click"], elements["\(index)"]) }
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

  /// Runs the code of an `onclick`.
  ///
  /// - Parameter id: of its element; empty for none.
  private func click(_ handler: ScriptSource, on id: String, _ library: JSValue) throws(JSException) {
    let source = lowered(handler)
    entry = source.url
    guard let plan = PreparedScript(handler: source, by: context) else {
      // What is no function's body is told as the fault of a script.
      let plan = PreparedScript(brokenHandler: source, by: context)
      sourceRegistry.add(source, plan)
      return try start(plan, source)
    }
    sourceRegistry.add(source, plan)
    if plan.text.utf8.containsText("WebAssembly") { try holdForWebAssembly() }
    builtins.placeGlobals(mentionedIn: plan.text)
    try context.call(library["handle"], context.evaluate(plan.text, url: source.url), context.make(id))
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
