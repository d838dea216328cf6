// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeRecording
internal import NBridgeScript

extension Runtime {
  /// Runs a program until nothing is left to do, and answers how it ended. Errors are reported on the output.
  public func run(_ program: Program) -> ExitStatus {
    control.runsHere()
    do {
      try start(program)
      turnUntilDone()
    } catch let error as JSException {
      fail(error)
    } catch let error as BundleError {
      hasBegun = false
      ending = .notBundled(error)
    } catch {
      hasBegun = false
      options.output.writeError("nbridge: \(error)\n")
      ending = .exited(1)
    }
    return finish()
  }

  private func start(_ program: Program) throws {
    waitForDebugger()
    switch program {
    case .file(let path), .tests(let path): programFile = path
    case .text, .printed, .page: break
    }
    switch program {
    case .file(let path): try startFile(ProgramFiles.real(path))
    case .text(let text, let url): try startText(ScriptSource(url: url, text: text))
    case .printed(let text, let url): try startPrinted(ScriptSource(url: url, text: text))
    case .tests(let path): try startTests(path)
    case .page(let path, let calls): try startPage(path, calls: calls)
    }
  }

  /// Evaluates a script. One that awaits at its top is followed until it settles.
  func start(_ source: ScriptSource) throws(JSException) {
    entry = source.url
    let source = lowered(source)
    let plan = stopping(
      options.isClassic ? PreparedScript(untouched: source) : PreparedScript(source, by: context), source)
    sourceRegistry.add(source, plan)
    try start(plan, source)
  }

  func start(_ plan: PreparedScript, _ source: ScriptSource) throws(JSException) {
    if plan.text.utf8.containsText("WebAssembly") { try holdForWebAssembly() }
    builtins.placeGlobals(mentionedIn: plan.text)
    guard let value = try evaluate(plan, source) else { return }
    guard plan.isAsync else { return try state.printResult?(value) ?? () }
    try state.follow(value, url: source.url, marker: context.makeObject()) {
      [unowned state] value, failed throws(JSException) in
      if failed { state.report(value) } else { try state.printResult?(value) }
    }
  }

  /// Evaluates a script. An error that it throws goes to the global's "error" event where a script may
  /// listen; the result is nil when the event took it.
  private func evaluate(_ plan: PreparedScript, _ source: ScriptSource) throws(JSException) -> JSValue? {
    let keptThrown = context.keepsThrown
    context.keepsThrown = true
    defer { context.keepsThrown = keptThrown }
    do { return try context.evaluate(plan.text, url: source.url) } catch {
      guard isHeard(plan, source), state.onFailure == nil, ending == nil, !error.isTermination,
        let thrown = context.lastThrown
      else {
        if profiler != nil { hasBegun = context.syntaxError(in: plan.text, url: source.url) == nil }
        throw context.placed(error, in: plan, source)
      }
      state.report(thrown.value)
      // The event's listeners get what the engine threw, which tells no column.
      if case .failed(_, false) = ending, context.syntaxError(in: plan.text, url: source.url) != nil {
        ending = .failed(context.placed(error, in: plan, source), unhandled: false)
      }
      return nil
    }
  }

  /// Whether anything may listen to the error that a script ended with. A worker of `node:worker_threads`
  /// tells its maker of all of them, but for a text that is wrong: the event does not know where.
  private func isHeard(_ plan: PreparedScript, _ source: ScriptSource) -> Bool {
    if builtins.isLoaded("target") { return true }
    return globals?.order.hasData == true && context.syntaxError(in: plan.text, url: source.url) == nil
  }

  // MARK: - Turning the loop

  /// Turns the loop until the program ended, or no call, timer or watch is left that could continue it.
  func turnUntilDone() {
    if replayer == nil { turnWhileAlive() } else { replay() }
    tape?.settled()
    if machine.interrupter.isRequested, ending == nil { ending = .interrupted }
    if ending == nil, let stuck = state.mains.first(where: { !$0.isSettled }) {
      let line = stuck.marker.value["at"].number
      // Of a program of modules, the marker names the one that awaits.
      let url = stuck.marker.value["url"].string ?? stuck.url
      ending = .neverSettles(url: url, line: Int(exactly: line))
    }
  }

  private func turnWhileAlive() {
    watchForStall()
    // Whether anything was done since the program last heard that nothing is left. What comes of its end, as
    // that of a watch of signals, is none of its own.
    var (hasTurned, isLeaving) = (true, false)
    while ending == nil {
      if loop.isAlive {
        loop.turn()
        hasTurned = !isLeaving
      } else if hasTurned, let idle {
        hasTurned = false
        idle()
      } else if tellTermination() || session.endIdleWatches() {
        isLeaving = true
      } else {
        break
      }
      machine.drainReleases(in: context)
      if machine.interrupter.isRequested, ending == nil { ending = .interrupted }
    }
  }

  /// Tells lifecycle watches that the program is about to end. Answers whether it did, which it does once.
  func tellTermination() -> Bool {
    guard host.enter(.terminating) else { return false }
    // A few turns bring the event through the plugin's stream to the script.
    for _ in 0..<4 { loop.poll() }
    return true
  }

  /// Has a function hear whenever nothing is left to be done. It may find something, and hears again then.
  func tellWhenIdle(_ tell: JSHandle) {
    // Each time is a task of its own, which a recording tells from the others.
    idle = parts.inputs.task { [unowned self] in
      tellWhenIdle(tell)
      do throws(JSException) { try context.call(tell.value) } catch { fail(error) }
    }
  }

  func holdForWebAssembly() throws(JSException) {
    let hold = JSFunction.make(in: context) { [unowned self] frame throws(JSException) in
      loop.holds += frame[0].bool ? 1 : -1
      return frame.undefined
    }
    try context.call(builtins.helper(.holdWhile), hold)
  }
}
