// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeBuiltins
internal import NBridgeHost
internal import NBridgeScript
internal import NBridgeSystem
internal import Synchronization

extension Runtime {
  /// Runs a file of tests: the file itself, then what it declared.
  func startTests(_ path: String) throws {
    let setup = options.testing ?? TestSetup(record: { _ in })
    let recorder = TestRecorder(setup, file: path, sources: sourceRegistry)
    recorder.report = { [sourceRegistry] exception in
      let report = ErrorReport(exception, sourceRegistry: sourceRegistry, colours: false)
      return (report.placeWithoutFrames, report.belongings)
    }
    parts.services.tests = recorder
    let library = try builtins.load("test")
    let globals = library["globals"]
    for name in ["test", "it", "describe", "assert", "expect", "mock"]
      + ["before", "after", "beforeAll", "afterAll", "beforeEach", "afterEach"]
    {
      context.setGlobal(name, globals[name])
    }
    if options.testing?.hasDocument == true { try openEmptyDocument(for: path) }
    // No handler of the file's own takes an error away: what it did not catch where it arose is lost.
    state.onFault = { _, _ in false }
    try startFile(path)
    while ending == nil, !state.isSettled, loop.isAlive { loop.turn() }
    guard ending == nil, state.isSettled else { return }
    try runTests(library, recorder)
  }

  private func runTests(_ library: JSValue, _ recorder: TestRecorder) throws(JSException) {
    // From here on an error costs the test that runs, and the others go on.
    let blame = { [unowned recorder] (exception: JSException, unhandled: Bool) in
      if !exception.isTermination { recorder.blame(exception, unhandled: unhandled) }
    }
    state.onFailure = blame
    state.onFault = { exception, unhandled in
      blame(exception, unhandled)
      return true
    }
    machine.watchInterrupter()
    let watchdog = TestWatchdog(machine.interrupter, options)
    watchdog.start()
    defer { watchdog.stop() }
    let held = loop.holds
    let url = StackFrame.internalScheme + "tests"
    let marker = context.makeObject()
    var hasFailed: Bool?
    try state.follow(library["run"], url: url, marker: marker) {
      [unowned self] reason, failed in
      if failed { recorder.blame(context.exception(of: reason), unhandled: false) }
      hasFailed = failed
    }
    while ending == nil, hasFailed == nil, loop.isAlive {
      loop.turn()
      machine.drainReleases(in: context)
      if machine.interrupter.isRequested, !resumeTests(library) { return }
    }
    guard let hasFailed else { return }
    if !hasFailed { awaitRest(recorder, library, held: held) }
    endTests(recorder, isComplete: !hasFailed)
  }

  /// How long what is neither a call nor a timer has to come to its end, in milliseconds: as long as a test;
  /// not so long for what the file has set going outside of its tests.
  private static let (restLimit, fileLimit) = (5000, 1000)

  /// Waits for what the file set going and nobody could see: work on other threads, as of `crypto.subtle`,
  /// and promises behind it. Its errors cost the file. What was left open otherwise was told.
  ///
  /// - Parameter held: how many things held the program when the file had run, before its tests.
  private func awaitRest(_ recorder: TestRecorder, _ library: JSValue, held: Int) {
    let isTold = !openCalls().isEmpty || loop.hasHoldingTimers
    let isNew = !isTold && loop.holds > held
    var isLate = false
    let limit = loop.schedule(at: loop.clock.now + (isNew ? Self.restLimit : Self.fileLimit) * 1000) {
      isLate = true
    }
    defer { loop.cancel(limit) }
    machine.interrupter.setDeadline(in: Self.restLimit * 1000)
    defer { machine.interrupter.endDeadline() }
    while ending == nil, loop.isAlive {
      guard !isLate else {
        if isNew, loop.holds > held {
          blame(recorder, "is still under way after \(Self.restLimit) ms; await it")
        }
        return
      }
      loop.turn()
      machine.drainReleases(in: context)
      guard machine.interrupter.isRequested else { continue }
      if resumeTests(library) { blame(recorder, "held the thread for more than \(Self.restLimit) ms") }
      return
    }
  }

  private func blame(_ recorder: TestRecorder, _ what: String) {
    recorder.blameLeak("something that the file began \(what)")
  }

  /// What a test left behind holds nothing up: it was told. What listens for the end hears of it before the
  /// results are whole, and may spoil them.
  private func endTests(_ recorder: TestRecorder, isComplete: Bool) {
    if ending == nil { idle?() }
    if isComplete, ending == nil { recorder.finish() }
    tellExit()
    if ending == nil { ending = .exited(0) }
  }

  /// Ends the function that held the thread past its limit. Answers false where it was stopped for another
  /// reason: a signal, the program's own limit.
  private func resumeTests(_ library: JSValue) -> Bool {
    guard machine.interrupter.isPastDeadline, control.endingOfStopped == nil else { return false }
    machine.interrupter.endDeadline()
    recoverEngine()
    parts.timers.recover()
    do throws(JSException) { try context.call(library["stop"]) } catch { state.fail(error) }
    return true
  }
}

/// A thread that ends the process when a test has not come back long after the engine was to stop it:
/// promises' jobs that follow each other without end are each too short for the engine to look at its limit.
private final class TestWatchdog: Sendable {
  private let interrupter: JSInterrupter
  private let output: any ScriptOutput
  private let endProcess: (@Sendable (ExitStatus) -> Never)?
  private let hasStopped = Atomic<Bool>(false)
  private let wakeFile = WakeFile()

  /// How often it looks, in milliseconds, and how many looks in a row find a test overdue before it acts.
  private static let interval = 250
  private static let patience = 8

  init(_ interrupter: JSInterrupter, _ options: RuntimeOptions) {
    (self.interrupter, output, endProcess) = (interrupter, options.output, options.endProcess)
  }

  func start() {
    guard wakeFile.isOpen else { return }
    let engine = Processor.thread
    PlainThread.start("nb-tests") { [self] in
      var overdue = 0
      while overdue < Self.patience {
        wakeFile.wait(milliseconds: Self.interval)
        if hasStopped.load(ordering: .acquiring) { return }
        overdue = interrupter.isPastDeadline ? overdue + 1 : 0
      }
      let native = NativeCalls.running(on: engine).map { "\($0), which did not come back" }
      let what = native ?? "promises that follow each other without end"
      output.writeError("nbridge: a test held the thread with \(what)\n")
      output.flush()
      endProcess?(.failure)
    }
  }

  func stop() {
    hasStopped.store(true, ordering: .releasing)
    wakeFile.set()
  }
}
