// SPDX-License-Identifier: MIT

internal import Glibc
internal import Synchronization

/// The process's way to stdout and stderr: open to all writers, or, while a person is asked what no script
/// may answer, to that question only. Whatever else would be written is held and comes behind the answer. Any
/// thread.
///
/// Every writer to these files does it in ``pass(_:)``: so a question is asked when no thread is in the
/// middle of a text.
package final class OutputGate: Sendable {
  /// Of this process.
  package static let process = OutputGate()

  /// A question that has the terminal until ``end()``.
  package final class Question: Sendable {
    private let gate: OutputGate
    private let giveBack: @Sendable () -> Void
    private let isOver = Mutex(false)

    fileprivate init(_ gate: OutputGate, _ giveBack: @escaping @Sendable () -> Void) {
      (self.gate, self.giveBack) = (gate, giveBack)
    }

    /// Lets the question's owner write; false when another thread ended the question.
    package func draw(_ body: () -> Void) -> Bool {
      isOver.withLock { isOver in
        if !isOver { body() }
        return !isOver
      }
    }

    /// Gives the terminal back, then lets out what was held. Once.
    package func end() {
      // A thread that draws may wait for a terminal that takes nothing: the process's end must not.
      for _ in 0..<OutputGate.tries {
        if let wasOver = isOver.withLockIfAvailable({ isOver -> Bool in
          defer { isOver = true }
          return isOver
        }) {
          if wasOver { return }
          break
        }
        usleep(OutputGate.step)
      }
      giveBack()
      gate.open(self)
    }
  }

  private struct State {
    /// How many threads are writing.
    var writing = 0
    var question: Question?
    var held: [@Sendable () -> Void] = []
    /// Whether what was held is being let out.
    var isReleasing = false
  }

  private let state = Mutex(State())
  private static let tries = 100
  /// In microseconds.
  private static let step: UInt32 = 1000

  package init() {}

  // MARK: - Writing

  /// Runs `body`, which writes; false when a question stands, and nothing was done.
  package func pass(_ body: () -> Void) -> Bool {
    let isOpen = state.withLock { state in
      if state.question == nil { state.writing += 1 }
      return state.question == nil
    }
    guard isOpen else { return false }
    body()
    state.withLock { $0.writing -= 1 }
    return true
  }

  /// Has `body` run when the question is over; false when none stands. It runs on the thread that ends the
  /// question.
  package func whenOpen(_ body: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      if state.question != nil { state.held.append(body) }
      return state.question != nil
    }
  }

  /// Runs `body`, which writes, now or when the question is over.
  package func passOrHold(_ body: @escaping @Sendable () -> Void) {
    while !pass(body) { if whenOpen({ [self] in passOrHold(body) }) { return } }
  }

  /// Returns when no question stands, or `goesOn` says that it need not be waited for.
  package func wait(while goesOn: () -> Bool) {
    while state.withLock({ $0.question != nil }), goesOn() { usleep(Self.step) }
  }

  // MARK: - Asking

  /// Closes the gate, once no thread writes any more; nil when another question stands, or `isCancelled` says
  /// that the caller wants no answer.
  ///
  /// - Parameter giveBack: gives the terminal back as it was found. Any thread; must not wait for long.
  package func ask(
    unless isCancelled: () -> Bool, giveBack: @escaping @Sendable () -> Void
  ) -> Question? {
    let question = Question(self, giveBack)
    let isFirst = state.withLock { state in
      if state.question == nil { state.question = question }
      return state.question === question
    }
    guard isFirst else { return nil }
    while state.withLock({ $0.writing > 0 }) {
      if isCancelled() {
        open(question)
        return nil
      }
      usleep(Self.step)
    }
    return question
  }

  /// Ends the question that stands, if any: the process stops, or ends. Any thread. Returns when the terminal
  /// was given back and what was held is out, whichever thread does that, or after a moment.
  package func endQuestion() {
    state.withLock(\.question)?.end()
    for _ in 0..<Self.patience {
      guard state.withLock({ $0.question != nil || $0.isReleasing }) else { return }
      usleep(Self.step)
    }
  }

  /// In steps: a reader that takes nothing does not keep the process from ending.
  private static let patience = 1000

  fileprivate func open(_ question: Question) {
    let held = state.withLock { state in
      guard state.question === question else { return [@Sendable () -> Void]?.none }
      defer { (state.question, state.held, state.isReleasing) = (nil, [], true) }
      return state.held
    }
    guard let held else { return }
    for body in held { body() }
    state.withLock { $0.isReleasing = false }
  }
}
