// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeScript

extension Runtime {
  /// Ends the program: plugins hear of it, open calls are rejected, everything is written.
  func finish() -> ExitStatus {
    state.isFinishing = true
    control.beginFinishing()
    let isStopped = machine.interrupter.isRequested
    if isStopped {
      noteEndless()
      recoverEngine()
    }
    machine.interrupter.endDeadline()
    if case .interrupted = ending, let wish = control.endingOfStopped { ending = wish }
    if !isStopped { tellExit() }
    crew?.endAll()
    if case .exited = ending {
    } else if !isStopped || !options.interruptsLoops {
      _ = tellTermination()
    }
    let open = options.checksLeaks ? openCalls().map(\.description) + openHandles() : []
    if case .interrupted = ending { reportInterrupt() }
    if !isStopped { rejectOpenCalls() }
    replayRest()
    let isKept = runLastCalls()
    var status = report()
    if !isKept, status == .success { status = .failure }
    // What was printed last did not get out.
    if case .exited(let code)? = control.endingOfStopped, status == .success { status = ExitStatus(code) }
    if options.checksLeaks, reportLeaks(open), status == .success { status = .failure }
    status = endTape(status)
    for permission in host.used { reporter.needs(permission) }
    reporter.finish()
    endInspector()
    tellCoverage()
    if !tellProfile(), status == .success { status = .failure }
    options.output.flush()
    letHandlersEnd()
    crew?.endChannels()
    // What a plugin waits for of another is answered while it can still take the answer.
    host.endInvocations()
    plugins.stop()
    options.output.flush()
    return withLostOutput(status)
  }

  /// A reader that went away says nothing against a program that had ended with a status of its own; a disk
  /// that is full does.
  private func withLostOutput(_ status: ExitStatus) -> ExitStatus {
    guard let lost = control.lostOutput else { return status }
    if case .exited = ending { return lost == .readerGone ? status : lost }
    return status == .success ? lost : status
  }

  /// Tells `node:process` that the program ends by itself, or by an error; its listeners can still change the
  /// status.
  func tellExit() {
    guard let told = atExit else { return }
    atExit = nil
    let isFailed =
      switch ending {
      case .failed, .workerFailed: true
      default: false
      }
    guard ending == nil || isFailed else { return }
    do {
      let status = try context.call(told.value, context.make(isFailed ? 1 : 0)).number
      if ending == nil, status != 0 { ending = .exited(Int32(truncatingIfNeeded: Int(status))) }
    } catch {
      if ending == nil { fail(error) }
    }
  }

  /// Takes a stop back: the engine answers the first call after one with the stop, and some calls not at all
  /// (it aborts).
  func recoverEngine() {
    machine.interrupter.clear()
    _ = try? context.evaluate("0", url: StackFrame.internalScheme + "wake")
  }

  /// How long what must not be lost has to reach the disk, in microseconds.
  private static let lastCallMicroseconds = 30_000_000
  /// How long a script's own code, a getter or a `toJSON`, may hold up the saving of one thing.
  private static let lastScriptMicroseconds = 5_000_000
  /// How much of it may be held up so.
  private static let maxHeldUp = 100

  /// Lets plugins' scripts begin what must not be lost, and waits for it. The script itself hears of nothing
  /// any more, so this works in the middle of a call of `exit`, too. Answers false when something failed,
  /// which is reported.
  private func runLastCalls() -> Bool {
    if case .differed = ending { return true }
    guard let begin = parts.bridge.beginLastCalls else { return true }
    session.isClosed = true
    control.isSaving = true
    // From here on no signal stops it; one may have come since the script was.
    if machine.interrupter.isRequested { recoverEngine() }
    session.lastCalls = []
    var problems = beginToSave(begin)
    let calls = session.lastCalls ?? []
    session.lastCalls = nil
    loop.runJobsOnly(within: Self.lastCallMicroseconds) { calls.contains { $0.life.isRunning } }
    control.isSaving = false
    problems += calls.compactMap { call in
      call.life.isRunning ? "'\(call.action.name)' did not come to its end within 30 s" : call.failure
    }
    for problem in problems { options.output.writeError("nbridge: \(problem)\n") }
    return problems.isEmpty
  }

  /// Begins to save all there is, and answers what could not be. What is held up by code of the script's is
  /// left, and the rest goes on.
  private func beginToSave(_ begin: JSHandle) -> [String] {
    var problems: [String] = []
    machine.watchInterrupter()
    defer {
      machine.interrupter.endDeadline()
      if !options.interruptsLoops { machine.unwatchInterrupter() }
    }
    for _ in 0..<Self.maxHeldUp {
      machine.interrupter.setDeadline(in: Self.lastScriptMicroseconds)
      do throws(JSException) {
        let list = try context.call(begin.value)
        for index in 0..<min(1000, list["length"].integer) {
          problems.append(list["\(index)"].string ?? "")
        }
        return problems
      } catch {
        guard machine.interrupter.isRequested else { return problems + ["at the end: \(error.message)"] }
        machine.interrupter.endDeadline()
        recoverEngine()
        problems.append(
          "at the end: something unsaved is lost, because the script's own code did not come to an end "
            + "within "
            + "\(Self.lastScriptMicroseconds / 1_000_000) s while it was looked at")
      }
    }
    return problems
  }

  /// Cancels what still runs and lets it clean up.
  private func letHandlersEnd() {
    session.isClosed = true
    guests.close()
    guard session.calls.count > 0 || guests.areBusy else { return }
    // So that a handler can tell the program's end from its script's change of mind.
    host.enter(.terminating)
    session.cancelAll()
    loop.runJobsOnly(within: Int(options.cleanupTime * 1e6)) {
      session.calls.count > 0 || guests.areBusy
    }
  }

  private func rejectOpenCalls() {
    if case .exited = ending { return }
    guard session.calls.count > 0 else { return }
    session.abandonAll(BridgeError(.cancelled, "the program ended before the call was answered"))
    session.flush()
  }

  func report() -> ExitStatus {
    switch ending {
    case nil: return state.hasToldFailure ? .failure : .success
    case .exited(let code): return ExitStatus(code & 0xFF)
    case .interrupted: return ExitStatus(128 + control.signal)
    case .failed(let exception, let unhandled):
      tell(exception, unhandled: unhandled)
      return .failure
    case .workerFailed(let report):
      options.output.writeError(report)
      return .failure
    case .notBundled(let error):
      options.output.writeError(
        error.report(asJSON: options.reportsAsJSON, colours: options.output.errorColours))
      return .failure
    case .timedOut(let seconds):
      options.output.writeError("nbridge: ended after \(seconds.formatted) s, the limit of --timeout\n")
      return .timedOut
    case .stalled(let calls, let seconds):
      options.output.writeError(stallReport(calls, seconds))
      return .failure
    case .differed(let report):
      options.output.writeError(report)
      return .failure
    case .neverSettles(let url, let line):
      options.output.writeError(neverSettles(url, line: line))
      return .neverSettles
    }
  }

  /// Writes the report of an uncaught error.
  func tell(_ exception: JSException, unhandled: Bool) {
    let report = ErrorReport(exception, sourceRegistry: sourceRegistry, colours: options.output.errorColours)
    options.output.writeError(
      options.reportsAsJSON ? report.json(unhandled: unhandled) : report.text(unhandled: unhandled))
  }

  private func reportInterrupt() {
    let open = openCalls()
    guard !open.isEmpty else { return }
    let list = open.prefix(20).map { "  \($0)\n" }.joined()
    options.output.writeError("nbridge: interrupted with \(open.count) open:\n\(list)")
  }

  private func openHandles() -> [String] { parts.bridge.openHandles().map(\.description) }

  private func reportLeaks(_ open: [String]) -> Bool {
    guard !open.isEmpty else { return false }
    let list = open.map { "  \($0)\n" }.joined()
    options.output.writeError("nbridge: \(open.count) left open at the end:\n\(list)")
    return true
  }
}

extension Runtime {
  /// What is said of a top-level await that nothing can bring forward.
  func neverSettles(_ url: String, line: Int?) -> String {
    let frame = line.flatMap { StackFrame("@\(url):\($0):0") }.flatMap(sourceRegistry.authored)
    let reason = "this await can never settle: no timer, call or watch is left to bring it forward"
    if options.reportsAsJSON {
      return ErrorLine(name: "NeverSettles", message: reason, file: frame?.url ?? url, line: frame?.line).text
    }
    let place = [frame?.url ?? url, frame.map { "\($0.line)" }].compactMap { $0 }.joined(separator: ":")
    let text = frame.flatMap { sourceRegistry.line($0.url, $0.line) }.map { "\($0)\n" } ?? ""
    return "\(place)\n\(text)nbridge: \(reason)\n"
  }
}
