// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc

/// The loop's own end.
extension EventLoop {
  /// What waited holds values of the engine, and plugins' tasks may hold the loop.
  func forget() {
    dropTimers()
    (endOfRound, willSleep, onEnd, onEndOf) = ({}, {}, {}, { _ in })
    remotes = []
  }

  /// Runs what cancelled handlers have to do yet, and what they wait for in a context of the loop's own,
  /// while `goesOn` and for a moment: no script, no timer. What hears of its end later would wait for ever.
  ///
  /// Not in the context of the process, which may be another's, too, and whose end is the process's.
  func runOut(while goesOn: () -> Bool) {
    guard mainContext != g_main_context_default() else { return }
    forget()
    let end = g_get_monotonic_time() + Self.lastMicroseconds
    poll()
    while goesOn(), g_get_monotonic_time() < end {
      usleep(200)
      poll()
    }
  }

  private static let lastMicroseconds = 500_000
}

/// The ends of plugins' processes: what scripts hold of one ends with it.
extension EventLoop {
  package func ends(of service: String) -> Int { ends[service, default: 0] }

  package func noteEnd(of service: String) {
    ends[service, default: 0] += 1
    onEnd()
    onEndOf(service)
  }
}
