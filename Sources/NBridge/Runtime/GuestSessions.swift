// SPDX-License-Identifier: MIT

internal import NBridgeHost
internal import NBridgePlugin

/// The sessions of clients that come and go while a program runs. Confined to the engine's thread.
final class GuestSessions {
  private(set) var all: [CallSession] = []
  /// Those that have something for their clients: a round of the loop asks no other, of a thousand.
  private var ready: [CallSession] = []
  /// Those that handed over in the round before, whose slots can be used again.
  private var settling: [CallSession] = []
  private var hasClosed = false

  func add(_ session: CallSession) {
    all.append(session)
    session.onReplies = { [weak self, unowned session] in self?.ready.append(session) }
    session.onClose = { [weak self] in self?.hasClosed = true }
  }

  /// Hands over what waits. One that is closed is kept until the last handler of its calls has come back.
  func flush() {
    let (now, before) = (ready, settling)
    (ready, settling) = ([], now)
    for session in before where !session.isQueued { session.flush() }
    for session in now {
      session.isQueued = false
      session.flush()
      // Its client takes nothing now, or it has had its time.
      if session.hasReplies, !session.isQueued, !session.isClosed { session.queue() }
    }
    guard hasClosed else { return }
    all.removeAll { $0.isClosed && $0.calls.count == 0 }
    hasClosed = all.contains { $0.isClosed }
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
