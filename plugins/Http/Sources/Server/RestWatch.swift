// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSoup

/// Sees that a client has gone while its request waits for the answer, and nobody reads from it. Each turn of
/// the loop goes through all of its sources, so one for each request would cost a busy server more than its
/// requests: only what has waited for a moment gets one. Confined to the engine's thread.
final class RestWatch {
  /// In milliseconds; what gets a source has waited for one of these, and less than two.
  private static let moment: UInt32 = 100

  private let context: LoopContext
  private let watchAnswer: (Int) -> Void
  private var answers: (young: [Int], old: [Int]) = ([], [])
  private var isTicking = false

  /// - Parameter watchAnswer: looks after the client that waits for an answer, unless it was given.
  init(_ context: LoopContext, watchAnswer: @escaping (Int) -> Void) {
    (self.context, self.watchAnswer) = (context, watchAnswer)
  }

  /// A request waits for its answer.
  func waits(_ answer: Int) {
    answers.young.append(answer)
    begin()
  }

  /// The loop ends, or nobody comes any more.
  func end() { answers = ([], []) }

  private func begin() {
    if isTicking { return }
    isTicking = true
    context.later(milliseconds: Self.moment) { [weak self] in self?.look() }
  }

  private func look() {
    isTicking = false
    let old = answers.old
    answers = ([], answers.young)
    for answer in old { watchAnswer(answer) }
    if !answers.old.isEmpty { begin() }
  }
}
