// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridge
internal import NBridgeBuiltins
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// Runs files of tests in child processes, so many at once, and hands out results in the files' order.
struct TestRuns {
  let targets: [TestTarget]
  let passedOn: [String]
  /// How many run at once; at least one.
  let jobs: Int
  /// After so many tests that failed no further file is begun; nil for never.
  let maxFailures: Int?
  /// Ends them when a signal ends this process.
  let stopper: TestStopper

  /// Runs everything; `body` gets each result as soon as it and those before it are there.
  func forEach(_ body: (TestFileResult) -> Void) {
    var state = State()
    for index in targets.indices {
      while state.results[index] == nil {
        if !state.isOver { startSome(&state) }
        guard takeOne(&state) else { break }
      }
      let known = state.results.removeValue(forKey: index)
      guard let result = known ?? (state.isOver ? .notRun(targets[index].name) : nil) else { continue }
      body(result)
      state.failed += result.failureCount
      if let maxFailures, state.failed >= maxFailures, !state.isOver {
        state.isOver = true
        stopper.stopAll()
      }
    }
  }

  private struct State {
    var running: [pid_t: (index: Int, run: TestRun)] = [:]
    var results: [Int: TestFileResult] = [:]
    var started = 0
    var failed = 0
    /// Whether enough failed.
    var isOver = false
  }

  private func startSome(_ state: inout State) {
    while state.started < targets.count, state.running.count < jobs, stopper.signal == nil {
      let index = state.started
      state.started += 1
      switch TestRun.start(targets[index], passedOn: passedOn) {
      case .success(let run):
        state.running[run.process.id] = (index, run)
        stopper.add(run.process)
      case .failure(let failure): state.results[index] = failure.result
      }
    }
  }

  /// Waits for the end of one that runs. Answers false where none does.
  private func takeOne(_ state: inout State) -> Bool {
    guard !state.running.isEmpty, let ended = ChildProcess.waitForAny() else { return false }
    guard let (index, run) = state.running.removeValue(forKey: ended.id) else { return true }
    stopper.remove(run.process)
    let result = run.result(status: ended.status)
    let isStopped = state.isOver && [SIGTERM, SIGKILL].contains(ended.status - 128)
    state.results[index] = isStopped ? .stopped(targets[index].name) : result
    return true
  }
}

/// Takes the signals that end the process, passes them to the processes that run tests, and lets the results
/// that are there be reported.
final class TestStopper: Sendable {
  private struct State {
    var signal: Int32?
    var running: [pid_t: ChildProcess] = [:]
  }
  private let state = Mutex<State>(State())

  /// Keeps the signals for a thread of its own, which lives as long as the process.
  func start() {
    let signals = SignalSet(SignalSet.ending)
    signals.block()
    PlainThread.start("nb-signals") { [self] in while true { stop(by: signals.wait()) } }
  }

  private func stop(by signal: Int32) {
    state.withLock { state in
      state.signal = state.signal ?? signal
      for process in state.running.values { process.signal(SIGTERM) }
    }
  }

  /// What does not end by itself after so long, in seconds, is ended.
  private static let patience: UInt32 = 3

  /// Ends what runs, because its results are not wanted any more.
  func stopAll() {
    signalAll(SIGTERM)
    PlainThread.start("nb-stop") { [self] in
      sleep(Self.patience)
      signalAll(SIGKILL)
    }
  }

  private func signalAll(_ number: Int32) {
    state.withLock { state in for process in state.running.values { process.signal(number) } }
  }

  /// What ends this process; nil as long as nothing does.
  var signal: Int32? { state.withLock { $0.signal } }

  func add(_ process: ChildProcess) {
    state.withLock { state in
      state.running[process.id] = process
      if state.signal != nil { process.signal(SIGTERM) }
    }
  }

  func remove(_ process: ChildProcess) { state.withLock { _ = $0.running.removeValue(forKey: process.id) } }
}

/// One file of tests in its process, with a folder for what it tells.
private struct TestRun {
  /// What it is called in the report.
  let name: String
  let process: ChildProcess
  private let folder: String

  struct Failure: Error {
    let result: TestFileResult
  }

  static func start(_ target: TestTarget, passedOn: [String]) -> Result<TestRun, Failure> {
    let (file, name) = (target.file, target.name)
    // A pipe would wait for its writer, and a device may have no end.
    guard !Path.isSpecial(file) else { return .failure(Failure(result: .special(name))) }
    func failure(_ reason: String) -> Result<TestRun, Failure> {
      .failure(Failure(result: TestFileResult(file: name, records: [], status: 1, output: reason + "\n")))
    }
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/nbridge-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      return failure("can't make a folder in '\(parent)': \(SystemError.lastReason)")
    }
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    do {
      let process = try ChildProcess.start(
        "/proc/self/exe",
        ["test"] + passedOn + target.options + ["--results", folder + "/results", "--", file],
        streams: [1: .file(folder + "/output"), 2: .file(folder + "/errors")], inherits: true,
        as: "nbridge")
      return .success(TestRun(name: name, process: process, folder: folder))
    } catch {
      rmdir(folder)
      return failure("can't start a process: \(error.reason)")
    }
  }

  /// What it told, once it has ended; its folder is gone afterwards.
  func result(status: Int32) -> TestFileResult {
    defer { rmdir(folder) }
    let lines = take("results").split(separator: "\n")
    return TestFileResult(
      file: name, records: lines.map { try? Value(text: Array($0.utf8)).decode(TestRecord.self) },
      status: status, output: take("output") + take("errors"))
  }

  private func take(_ name: String) -> String {
    let path = folder + "/" + name
    defer { unlink(path) }
    guard let bytes = try? SmallFile.read(path) else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }
}
