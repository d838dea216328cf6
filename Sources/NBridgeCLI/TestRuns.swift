// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridge
internal import NBridgePlugin
internal import Synchronization

/// How one file of tests went.
struct TestFileResult: Sendable {
  var file: String
  var tests: [TestLine]
  var status: Int32
  /// What it printed, errors behind.
  var output: String

  var hasFailed: Bool { status != 0 || tests.contains { $0.outcome == "fail" } }
}

/// Runs files of tests in child processes, so many at once, and hands out results in the files' order.
final class TestRuns: Sendable {
  let files: [String]
  private let passedOn: [String]
  private let jobs: Int
  private let state: Mutex<State>

  private struct State {
    var next = 0
    var results: [TestFileResult?]
  }

  init(_ files: [String], passedOn: [String], jobs: Int) {
    self.files = files
    self.passedOn = passedOn
    self.jobs = jobs
    state = Mutex(State(results: Array(repeating: nil, count: files.count)))
  }

  /// Runs everything; `body` gets each result as soon as it and those before it are there.
  func forEach(_ body: (TestFileResult) -> Void) {
    var threads: [pthread_t] = []
    for _ in 0..<min(jobs, files.count) {
      var thread = pthread_t()
      let box = Unmanaged.passRetained(self).toOpaque()  // balanced by the thread
      let failed = pthread_create(
        &thread, nil,
        { argument in
          guard let argument else { return nil }
          Unmanaged<TestRuns>.fromOpaque(argument).takeRetainedValue().work()
          return nil
        }, box)
      if failed == 0 { threads.append(thread) }
    }
    for index in files.indices {
      while true {
        if let result = state.withLock({ $0.results[index] }) {
          body(result)
          break
        }
        usleep(2000)  // a child takes tens of milliseconds
      }
    }
    for thread in threads { pthread_join(thread, nil) }
  }

  private func work() {
    while let index = takeNext() {
      let result = run(files[index])
      state.withLock { $0.results[index] = result }
    }
  }

  private func takeNext() -> Int? {
    state.withLock { state in
      guard state.next < files.count else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }

  private func run(_ file: String) -> TestFileResult {
    var template = Array("/tmp/nbridge-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      return TestFileResult(file: file, tests: [], status: 1, output: "no room in /tmp\n")
    }
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let (results, output, errors) = (folder + "/results", folder + "/output", folder + "/errors")
    defer {
      for path in [results, output, errors] { unlink(path) }
      rmdir(folder)
    }
    let arguments = ["test"] + passedOn + ["--results", results, file]
    let status = ChildProcess.start(arguments, files: [1: output, 2: errors])?.wait() ?? 1
    let lines = read(results).split(separator: "\n").compactMap { line in
      try? Value(text: Array(line.utf8)).decode(TestLine.self)
    }
    return TestFileResult(file: file, tests: lines, status: status, output: read(output) + read(errors))
  }

  private func read(_ path: String) -> String {
    guard let bytes = try? SmallFile.read(path) else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }
}
