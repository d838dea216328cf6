// SPDX-License-Identifier: MIT

internal import NBridgeHost
internal import NBridgePlugin

/// The sessions of clients that come and go while a program runs. Confined to the engine's thread.
final class GuestSessions {
  private(set) var all: [CallSession] = []

  func add(_ session: CallSession) { all.append(session) }

  /// Hands over what waits. One that is closed is kept until the last handler of its calls has come back.
  func flush() {
    if all.isEmpty { return }
    for session in all { session.flush() }
    all.removeAll { $0.isClosed && $0.calls.count == 0 }
  }

  /// Whether a handler of theirs still runs.
  var areBusy: Bool { all.contains { $0.calls.count > 0 } }

  /// Tells all handlers that nobody waits any more.
  func close() {
    for session in all {
      session.isClosed = true
      session.cancelAll()
    }
  }
}
