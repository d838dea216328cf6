// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// Somebody on the loop's thread who waits for what a thread of the pool makes.
protocol WaitingForWork: AnyObject {
  /// Lets go of who waits: the loop is about to close.
  func drop()
}

/// Carries an answer from a thread to the loop.
private final class Errand<Answer: Sendable>: WaitingForWork, @unchecked Sendable {
  // `then` is touched on the loop's thread only: a thread that lets go of an errand last, behind the
  // program's end, finds it dropped and releases nothing of the engine.
  private var then: ((Answer) -> Void)?
  /// Asked by the thread that is about to begin: what nobody waits for would keep it busy behind the end.
  let isDropped = Atomic<Bool>(false)

  init(_ then: @escaping (Answer) -> Void) { self.then = then }

  func finish(_ answer: Answer) {
    let then = then
    self.then = nil
    then?(answer)
  }

  func drop() {
    then = nil
    isDropped.store(true, ordering: .relaxed)
  }
}

extension PluginHost {
  /// Runs `body` on a thread that computes, and `then` with what it answers on the loop's thread. The program
  /// stays alive meanwhile; behind its end `then` does not run, nor a `body` that was not begun.
  package func work<Answer: Sendable>(
    _ body: @escaping @Sendable () -> Answer, then: @escaping (Answer) -> Void
  ) {
    let number = nextErrand
    nextErrand += 1
    loop.holds += 1
    loop.awaitedReplies += 1
    let errand = Errand<Answer> { [unowned self] answer in
      errands[number] = nil
      loop.holds -= 1
      loop.awaitedReplies -= 1
      then(answer)
    }
    errands[number] = errand
    pool.submit { [loop] _ in
      guard !errand.isDropped.load(ordering: .relaxed) else { return }
      let answer = body()
      loop.post { errand.finish(answer) }
    }
  }

  /// Nobody waits any more.
  func dropErrands() {
    for errand in errands.values { errand.drop() }
    errands = [:]
  }
}
