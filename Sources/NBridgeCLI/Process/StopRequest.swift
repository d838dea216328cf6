// SPDX-License-Identifier: MIT

/// What a program does that was asked to stop and has not ended yet: which signals count, what the person is
/// told, and when it ends without its script. Knows no clock and no process: times are milliseconds since the
/// first signal.
///
/// - One stop often comes as several signals within milliseconds: `timeout` signals its child and then the
///   child's group, a shell's ^C reaches a program beside the one that passes it on. Only what comes half a
///   second after the last one that counted is another.
/// - A script that does not come back to its loop ends with the process after ``Times/grace``, or, when it
///   holds unsaved documents, after ``Times/guardedGrace`` or a second signal.
/// - What is being saved is waited for. Only a third signal ends it.
struct StopRequest {
  /// How long things may take, in milliseconds.
  enum Times {
    /// Signals within so long of one that counted are the same.
    static let same = 500
    /// How long a script has to come back to its loop.
    static let grace = 300
    /// The same when the engine stops it, after so much of the processor's time that others may use, too.
    static let guardedGrace = 5000
  }

  /// What the script is doing.
  struct Situation {
    /// It holds what must not be lost.
    var isGuarded: Bool
    /// Whether the engine can stop its loops, and is given the time for it.
    var stopsLoops = false
    /// It is over, and what must not be lost is being written.
    var isSaving: Bool
    /// The native code of a plugin that it waits for, as `the plugin 'weather' in 'weather.now'`.
    var nativeCall: String?
  }

  enum Step: Equatable {
    /// Look again after so many milliseconds, or at the next signal.
    case wait(Int)
    /// Say this to the person, and look again.
    case tell(String)
    /// End the process and say why.
    case end(String)
  }

  /// How many signals counted.
  private(set) var count = 1
  private var lastCounted = 0
  private var told = 0

  /// Another signal came.
  mutating func signal(at time: Int) {
    guard time - lastCounted >= Times.same else { return }
    count += 1
    lastCounted = time
  }

  /// What is to be done now.
  mutating func next(at time: Int, _ situation: Situation) -> Step {
    if situation.isSaving { return nextWhileSaving(at: time) }
    let grace = situation.isGuarded || situation.stopsLoops ? Times.guardedGrace : Times.grace
    if count > 1 || time >= grace {
      let what = situation.nativeCall.map { "\($0) did not come back" }
      return .end(
        "\(what ?? "the script did not come back to its loop"); ended"
          + (situation.isGuarded ? ", and what was unsaved is lost" : ""))
    }
    if situation.isGuarded, time >= Times.same, told == 0 {
      told = 1
      return .tell(
        "stopping; the script has unsaved documents and has not come back to its loop; ^C again ends it")
    }
    return .wait(
      time < Times.same && situation.isGuarded ? Times.same - time : min(Times.grace, grace - time))
  }

  private mutating func nextWhileSaving(at time: Int) -> Step {
    if count > 2 { return .end("ended while something was being saved") }
    guard time >= Times.same, told <= count else { return .wait(max(1, min(Times.grace, Times.same - time))) }
    told = count + 1
    return .tell(
      count == 1
        ? "stopping; saving what is unsaved. ^C twice more ends without it"
        : "still saving; ^C once more ends without it, and what is unsaved is lost")
  }
}
