// SPDX-License-Identifier: MIT

internal import NBridgeBuiltins
internal import NBridgeHost
internal import NBridgeScript
internal import Synchronization

/// What makes a runtime a worker of another one's.
struct WorkerSeat: Sendable {
  let order: WorkerOrder
  let number: Int
  /// The file that the program began with, whose app's files are the worker's, too; nil where it was none.
  let programFile: String?
  let group: EngineGroup
  /// The worker's end of the channel to its maker.
  let ticket: PortTicket
  let thread: WorkerThread
  /// Takes what ran of the program's files; nil where that is not counted.
  let coverage: WorkerCoverage?
  /// Takes an error that no script of the worker's took. Any thread.
  let tell: @Sendable (WorkerFailure) -> Void

  /// Tells why its script never ran.
  func tellUnstarted(_ message: String, _ report: String) {
    tellUnstarted(WorkerFailure(message: message, report: report))
  }

  private func tellUnstarted(_ failure: WorkerFailure) {
    var failure = failure
    failure.isUnstarted = true
    tell(failure)
  }

  /// The same of a program that can't be put together: its first problem, and a report of them all.
  func tellUnstarted(_ error: BundleError, _ report: String) {
    guard let first = error.problems.first, let file = first.file else {
      return tellUnstarted(error.description, report)
    }
    let name = first.isSyntax ? "SyntaxError" : "Error"
    var failure = WorkerFailure(message: "\(name): \(first.message)", report: report)
    (failure.file, failure.line, failure.column) = (file, first.line, first.column)
    tellUnstarted(failure)
  }
}

/// The thread of a worker, for others. Any thread.
final class WorkerThread: Sendable {
  private struct State {
    var control: RuntimeControl?
    var isStopped = false
  }

  private let state = Mutex(State())
  private let over = Gate()

  /// Ends the worker, wherever its script is.
  func stop() {
    let control = state.withLock { state in
      state.isStopped = true
      return state.control
    }
    control?.end(with: .failure)
  }

  /// From here on ``stop()`` reaches the script.
  func attach(_ control: RuntimeControl) {
    let isStopped = state.withLock { state in
      state.control = control
      return state.isStopped
    }
    if isStopped { control.end(with: .failure) }
  }

  var isStopped: Bool { state.withLock(\.isStopped) }

  /// The thread has nothing of the worker's any more.
  func noteOver() { over.open() }

  /// Waits for that. Answers false when it took too long.
  func wait(milliseconds: Int) -> Bool { over.wait(milliseconds: milliseconds) }
}
