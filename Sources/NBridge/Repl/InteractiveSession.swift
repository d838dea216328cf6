// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeHost
package import NBridgePlugin
internal import NBridgeScript

/// A runtime that takes one entry after another: what a prompt is made of. Names that an entry declares stay,
/// timers, watches and calls go on between entries, no error ends it.
///
/// Confined to the thread that makes it, except for ``interrupter``.
package final class InteractiveSession {
  /// What an entry came to.
  package enum Result: Sendable {
    /// Its value, as `console.log` would show it.
    case value(String)
    /// It has none.
    case nothing
    /// What it threw, as a report with its line end.
    case failed(String)
    /// It was stopped from outside; what is still open.
    case interrupted([OpenCall])
    /// The program ended.
    case ended(ExitStatus)
    /// It awaits something that can't come any more.
    case neverSettles
  }

  let runtime: Runtime
  private let probe = SyntaxProbe()
  private(set) var helpers: JSHandle?
  private var entries = 0
  private var outcome: (kind: Int, value: JSHandle?)?
  private var current = 0
  /// The folder that the entry's imports start from; nil for the current one.
  private var folder: String?
  /// Whether an entry runs or is awaited, which is then what a stop is for.
  private var isEvaluating = false
  /// Entries that were stopped while they awaited.
  private var stopped: Set<Int> = []
  /// How many uncaught errors there were, beside those of entries, which are reported with their entry.
  package private(set) var failures = 0
  /// Called when code that ran between entries was stopped from outside.
  package var noteStop: () -> Void = {}
  /// Whether an entry may wait for something that can't come any more: at a terminal the person can stop it.
  package var waitsForEver = true
  /// The names that entries declared.
  private(set) var names: Set<String> = []
  /// The names of the running entry that nothing can be assigned to when it is over.
  private var constants: [String] = []
  /// The running `.watch`es, by name.
  var watches: [String: JSHandle] = [:]
  /// What plugins' own scripts add, by service, as far as somebody asked.
  var scriptInterfaces: [String: ScriptInterface] = [:]
  /// How wide values are shown, in columns.
  package var width = 80
  /// What serves clients from outside, and what tells whether they are still ending.
  var served: (kept: [AnyObject], isEnding: () -> Bool)?

  /// Makes a session on the calling thread.
  ///
  /// - Throws: as ``Runtime/init(_:plugins:)`` does.
  package init(_ options: RuntimeOptions, plugins: [any Plugin]) throws {
    var options = options
    options.interruptsLoops = true
    runtime = try Runtime(options, plugins: plugins)
    runtime.state.onFailure = { [unowned self] exception, unhandled in tell(exception, unhandled: unhandled) }
    runtime.context.keepsThrown = true
    runtime.parts.bridge.bridge.waitsWhileStopped = true
    // Before an entry can replace what they are made of.
    for name in ["console", "nbridge"] { _ = runtime.context.global[name] }
    helpers = JSHandle(try runtime.builtins.load("repl"), in: runtime.context)
    try addImporter()
  }

  /// Stops the entry that runs, from any thread.
  package var interrupter: SessionInterrupter {
    SessionInterrupter(
      interrupter: runtime.machine.interrupter, loop: runtime.loop, control: runtime.controller)
  }

  /// The `GMainContext` that the session turns: sources of the caller's may be attached to it.
  package var mainContext: OpaquePointer { runtime.machine.mainContext }

  // MARK: - Entries

  /// Whether an entry is whole; if not, more lines may complete it.
  package func isComplete(_ entry: String) -> Bool {
    let text = LoweredText.parsable(entry)
    switch probe.look(at: text, as: .script) {
    case .complete: return true
    case .incomplete: return false
    case .unterminated: return !isOpenLiteral(text)
    case .wrong: break
    }
    switch probe.look(at: text, as: .module) {
    case .complete: return true
    case .incomplete: return false
    case .unterminated: return !isOpenLiteral(text)
    case .wrong: break
    }
    if rewriter.startsWithBrace(text) {
      if rewriter.isObject(text) { return true }
      if probe.look(at: "(" + text, as: .module) == .incomplete { return false }
    }
    // In the arguments of a call the engine takes it for wrong.
    return !ScriptTokens.endInTemplate(text) && !TypeStripper.endsTooEarly(text)
  }

  /// Whether a text is one expression.
  package func isExpression(_ text: String) -> Bool { rewriter.isExpression(text) }

  /// Runs an entry and what it awaits. Everything else goes on meanwhile.
  ///
  /// - Parameter name: the file that it is, from whose folder it imports; others are `input-1` and so on.
  package func evaluate(_ text: String, name: String? = nil) -> Result {
    entries += 1
    folder = name.map { DisplayPath.folder(of: ProgramFiles.absolute($0)) }
    current = entries
    outcome = nil
    isEvaluating = true
    defer { isEvaluating = false }
    let url = name ?? "input-\(entries)"
    do {
      let line = rewriter.script(text)
      try start(line, ScriptSource(url: url, text: text))
    } catch {
      return error.isTermination ? interrupted() : failed(error)
    }
    while outcome == nil, runtime.ending == nil {
      if !waitsForEver, !runtime.loop.isAlive, !runtime.session.endIdleWatches() { return .neverSettles }
      turn()
      if runtime.machine.interrupter.isRequested { return interrupted() }
    }
    if runtime.ending != nil { return .ended(finish()) }
    return takeOutcome()
  }

  private var rewriter: EntryRewriter<JSContext> {
    EntryRewriter(runtime.context, folder: folder, number: entries)
  }

  /// One turn of the loop: sleeps until something is to do.
  package func turn() {
    runtime.loop.turn()
    runtime.machine.drainReleases(in: runtime.context)
  }

  /// Turns the loop until nothing is left that could bring the script forward.
  package func runToEnd() { runtime.turnUntilDone() }

  /// Whether values are shown in colours.
  package var colours: Bool { runtime.options.output.colours }

  /// Whether a script or a plugin has ended the program.
  package var hasEnded: Bool { runtime.ending != nil }

  /// How the program ended, when a script or a plugin ended it.
  package func endedBetweenEntries() -> ExitStatus? { runtime.ending == nil ? nil : finish() }

  /// What ends it from other threads.
  package var controller: RuntimeControl { runtime.controller }

  /// The status of a session whose entry was stopped for good.
  package var statusOfStop: ExitStatus {
    if case .exited(let code)? = runtime.controller.endingOfStopped { return ExitStatus(code) }
    return ExitStatus(128 + runtime.controller.signal)
  }

  /// Ends the program; clients from outside have said their last words then.
  package func finish() -> ExitStatus {
    if let served {
      runtime.letGuestsEnd(while: served.isEnding)
      self.served = nil
    }
    return runtime.finish()
  }

  /// Templates and comments go over line ends, strings only behind a backslash.
  private func isOpenLiteral(_ text: String) -> Bool {
    let isContinued = text.hasSuffix("\\") || text.hasSuffix("\\\n") || text.hasSuffix("\\\r\n")
    let ends = isContinued ? ["\n'", "\n\""] : ["`", "*/", "`)", "}`"]
    return ends.contains { probe.look(at: text + $0, as: .module) != .unterminated }
  }

  private func start(_ line: LineRewriter.Result, _ source: ScriptSource) throws(JSException) {
    let plan = PreparedScript(entry: line)
    runtime.sourceRegistry.add(source, plan)
    names.formUnion(line.names)
    constants = line.constants
    runtime.builtins.placeGlobals(mentionedIn: line.text)
    try call("declare", list(line.names))
    let value = try evaluate(plan, source)
    // What was stopped in a promise's job tells nothing.
    if runtime.machine.interrupter.isRequested { throw .termination }
    let entry = current
    let done = JSFunction.make(in: runtime.context) { [unowned self] frame throws(JSException) in
      guard entry == current, outcome == nil else { return frame.undefined }
      outcome = (frame[0].integer, JSHandle(frame[1], in: runtime.context))
      return frame.undefined
    }
    try call("follow", value, runtime.context.make(line.isAsync), done)
  }

  /// The promise that an entry gives is followed only when its first drain is over: that it was rejected in
  /// it is no news, other rejections are.
  private func evaluate(_ plan: PreparedScript, _ source: ScriptSource) throws(JSException) -> JSValue {
    var rejections: [(promise: JSHandle, reason: JSHandle)] = []
    runtime.state.onRejection = { [context = runtime.context] promise, reason in
      rejections.append((JSHandle(promise, in: context), JSHandle(reason, in: context)))
    }
    var entry: JSValue?
    defer {
      runtime.state.onRejection = nil
      for (promise, reason) in rejections where entry.map(promise.value.isSame) != true {
        runtime.state.reportRejection(promise.value, reason.value)
      }
    }
    do throws(JSException) {
      let value = try runtime.context.evaluate(plan.text, url: source.url)
      entry = value
      return value
    } catch {
      throw runtime.context.placed(error, in: plan, source)
    }
  }

  private func takeOutcome() -> Result {
    guard let (kind, handle) = outcome, let handle else { return .nothing }
    if kind != 2 { _ = try? call("fix", list(constants)) }
    switch kind {
    case 0:
      guard !handle.value.isUndefined else { return .nothing }
      keep("_", handle.value)
      return .value(show(handle.value))
    case 2:
      keep("_error", handle.value)
      let exception = runtime.context.exception(of: handle.value)
      return exception.isTermination ? interrupted() : .failed(report(exception, of: handle.value))
    default: return .nothing
    }
  }

  private func failed(_ exception: JSException) -> Result {
    guard let thrown = runtime.context.lastThrown else { return .failed(report(exception, unhandled: false)) }
    keep("_error", thrown.value)
    return .failed(report(exception, of: thrown.value))
  }

  /// Keeps a value as `_` or `_error`, until an entry declares a name like that.
  private func keep(_ name: String, _ value: JSValue) {
    if !names.contains(name) { _ = try? call("keep", runtime.context.make(name), value) }
  }

  /// What is thrown need not be an error: others are shown as values are.
  private func report(_ exception: JSException, of thrown: JSValue, unhandled: Bool = false) -> String {
    guard (try? call("isError", thrown))?.bool == false else {
      return report(exception, unhandled: unhandled)
    }
    return "\(unhandled ? "Unhandled rejection:" : "Uncaught") \(show(thrown))\n"
  }

  /// Takes the stop back, so that the next entry runs. The engine answers the first call after a stop with
  /// the stop.
  private func interrupted() -> Result {
    stopped.insert(entries)
    clearInterrupt()
    current = 0
    let open = runtime.openCalls()
    _ = try? call("closeStreams", runtime.context.make(Double(entries)))
    return .interrupted(open)
  }

  /// Whether an entry was stopped, or is about to be.
  func isStopped(_ entry: Int) -> Bool {
    stopped.contains(entry) || entry == current && runtime.machine.interrupter.isRequested
  }

  /// Forgets a stop that came while nothing ran. Answers whether there was one.
  @discardableResult
  package func clearInterrupt() -> Bool {
    guard runtime.machine.interrupter.isRequested else { return false }
    runtime.machine.interrupter.clear()
    _ = try? runtime.context.evaluate("0", url: StackFrame.internalScheme + "wake")
    runtime.parts.timers.recover()
    return true
  }

  // MARK: - What goes wrong between entries

  private func tell(_ exception: JSException, unhandled: Bool) {
    guard !exception.isTermination else {
      if isEvaluating { return }
      noteStop()
      clearInterrupt()
      return runtime.options.output.writeError("interrupted\n")
    }
    failures += 1
    guard let thrown = runtime.context.lastThrown else {
      return runtime.options.output.writeError(report(exception, unhandled: unhandled))
    }
    keep("_error", thrown.value)
    runtime.options.output.writeError(report(exception, of: thrown.value, unhandled: unhandled))
  }

  private func report(_ exception: JSException, unhandled: Bool) -> String {
    ErrorReport(
      exception, sourceRegistry: runtime.sourceRegistry, colours: runtime.options.output.errorColours
    )
    .text(unhandled: unhandled)
  }

  // MARK: - The half in JavaScript

  @discardableResult
  func call(_ name: String, _ arguments: JSValue...) throws(JSException) -> JSValue {
    guard let helpers, helpers.value[name].isObject else { throw .termination }
    let call = { () throws(JSException) in
      try self.runtime.context.call(helpers.value[name], count: arguments.count) { arguments[$0] }
    }
    // An entry that breaks what all scripts use leaves a prompt that can mend it.
    return try Self.ours.contains(name) ? runtime.builtins.pristinely(call) : call()
  }

  /// The helpers that run none of the entries' code, and change nothing of the global object's.
  private static let ours: Set<String> = ["showBytes", "members", "membersOfKind", "typeOf"]

  func list(_ texts: [String]) -> JSValue {
    runtime.context.makeArray(count: texts.count) { runtime.context.make(texts[$0]) }
  }

  func show(_ value: JSValue) -> String {
    let colours = runtime.context.make(runtime.options.output.colours)
    if let bytes = (try? call("showBytes", value))?.string { return bytes }
    let shown = try? call("show", value, colours, runtime.context.make(Double(width)))
    return shown?.string ?? "a value that can't be shown"
  }

  /// Forgets the names that entries declared.
  package func forgetNames() {
    _ = try? call("forget", list(names.sorted()))
    names = []
  }
}
