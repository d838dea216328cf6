// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// Whether the loop's turn is due while a script runs. One that awaits answers which are there at once, one
/// after the other, would never come back to the loop: once that is late, they wait for its next round, and
/// those behind them, so that answers keep their order. Confined to the loop's thread.
package final class Lateness {
  /// Counts answers by ``weight``; each time it is 0 again, the clock is looked at.
  package let answers = MemoryCell<UInt8>(0)
  /// Each sixteenth looks.
  package static let weight: UInt8 = 16
  /// Has ``cameBack()`` called when the script is back at its promises: one that makes many calls without
  /// awaiting any wins nothing where they wait. Nil where nobody can tell.
  package var whenBack: (() -> Void)?
  /// Whether the script is to stop, which it does in the loop. The engine may have ended a job of its
  /// promises by then, that of ``cameBack()`` too.
  package var isStopping: () -> Bool = { false }

  private enum State { case inTime, isAsked, late }
  private var state = State.inTime
  private var stretch = Stretch()

  /// A time in which a script runs without its timers and events.
  struct Stretch {
    private let start = MonotonicTime.coarseNanoseconds
    private static let longest = 20_000_000
    var isOver: Bool { MonotonicTime.coarseNanoseconds - start > Self.longest }
  }

  init() {}
  deinit { answers.free() }

  /// The loop has its turn.
  func begin() { (stretch, state) = (Stretch(), .inTime) }

  /// Whether what the loop does took so long that others have to have their turn.
  var isOver: Bool { stretch.isOver }

  /// Has the next answer look at the clock, however few there were.
  package func lookNext() { answers.memory.pointee = 0 &- Self.weight }

  package func cameBack() { if state == .isAsked { state = .late } }

  /// Looks at the clock.
  package func isLate() -> Bool {
    if state == .inTime, stretch.isOver {
      state = whenBack == nil ? .late : .isAsked
      lookNext()
      whenBack?()
    }
    if isStopping() { state = .late }
    if state == .late { lookNext() }
    return state == .late
  }
}
