// SPDX-License-Identifier: MIT

internal import NBridgeHost
internal import NBridgePlugin

/// What is done about a handler that never answers: a script that has run to its end and is held by nothing
/// but calls says so after five seconds, and is ended when none of them moves for
/// ``RuntimeOptions/patience``.
extension Runtime {
  private static let noteAfter = 5_000_000

  func watchForStall() {
    guard loop.clock.isReal else { return }
    loop.schedule(at: loop.clock.now + Self.noteAfter) { [unowned self] in noteWaitingCalls() }
    if let patience = options.patience, patience > 0 {
      watchProgress(past: parts.world.pluginHost.progress, seconds: patience)
    }
  }

  private func noteWaitingCalls() {
    guard ending == nil, state.isSettled else { return }
    let calls = openCalls().filter { !$0.isWatch }
    guard !calls.isEmpty else { return }
    options.output.writeError(
      "nbridge: the script has run; waiting for \(calls.count) open call(s), ^C ends:\n\(Self.list(calls))")
  }

  /// Ends a program in which nothing moved for so long. It looks a second time one round later: a machine
  /// that slept wakes with everything due at once, and the timer that would move things may stand behind this
  /// one.
  private func watchProgress(past last: Int, seconds: Double, again: Bool = false) {
    let pause = again ? 0 : Int(min(seconds, 1e9) * 1_000_000)
    loop.schedule(at: loop.clock.now + pause) { [unowned self] in
      guard ending == nil else { return }
      if parts.world.pluginHost.progress != last || !isHeldByCallsOnly {
        watchProgress(past: parts.world.pluginHost.progress, seconds: seconds)
      } else if again {
        ending = .stalled(openCalls().filter { !$0.isWatch }, seconds: seconds)
      } else {
        watchProgress(past: last, seconds: seconds, again: true)
      }
    }
  }

  private var isHeldByCallsOnly: Bool {
    let holding = session.calls.open.filter(\.holds)
    return !holding.isEmpty && holding.count == loop.holds && !loop.hasHoldingTimers
      && state.isSettled
      && holding.allSatisfy { $0.watch == nil && $0.deadline == nil }
  }

  func stallReport(_ calls: [OpenCall], _ seconds: Double) -> String {
    "nbridge: the script has run, and \(calls.count) open call(s) did not answer for \(seconds.formatted) "
      + "s; ended:\n"
      + Self.list(calls) + "  give a call a timeout, or raise --patience (0 waits for ever)\n"
  }

  private static func list(_ calls: [OpenCall]) -> String { calls.prefix(5).map { "  \($0)\n" }.joined() }
}
