// SPDX-License-Identifier: MIT

internal import Synchronization

/// One end of a channel between two engines: what comes to it, and where what it sends goes.
package struct PortEnd: Sendable {
  let incoming: MessageQueue
  let outgoing: MessageQueue

  /// Two ends that are entangled.
  package static func pair() -> (PortEnd, PortEnd) {
    let (there, back) = (MessageQueue(), MessageQueue())
    return (PortEnd(incoming: back, outgoing: there), PortEnd(incoming: there, outgoing: back))
  }

  /// Ends the channel. The other end still gets what was sent.
  ///
  /// What waits here may have other ends with it, and what waits at these more: they are closed one behind
  /// the other, for a script may make a chain of them that is deeper than any stack.
  package func close() {
    var dropped = closeAlone()
    while let parcel = dropped.popLast() {
      for ticket in parcel?.ports ?? [] { if let end = ticket.take() { dropped += end.closeAlone() } }
    }
  }

  /// Answers what nobody gets any more.
  private func closeAlone() -> [Parcel?] {
    let dropped = incoming.close()
    outgoing.end()
    return dropped
  }
}

/// An end on its way from one engine to another. One that nobody takes, because the message was dropped, is
/// closed: the other end is told.
package final class PortTicket: Sendable {
  private struct State { var end: PortEnd? }
  private let state: Mutex<State>

  package init(_ end: PortEnd) { state = Mutex(State(end: end)) }

  deinit { state.withLock(\.end)?.close() }

  /// The end, once.
  package func take() -> PortEnd? {
    state.withLock { state in
      defer { state.end = nil }
      return state.end
    }
  }

  /// Whether it is the end that a queue leads to, which would then hold itself.
  func leads(to queue: MessageQueue) -> Bool { state.withLock { $0.end?.incoming === queue } }
}
