// SPDX-License-Identifier: MIT

package import NBridgePlugin
internal import Synchronization

/// The streams and functions that the client handed to one call: between the client, which has them, and the
/// ``Inlet``s of the plugin. Asked from any thread; all else is confined to the engine's thread.
package final class CallStreams: InletLink, @unchecked Sendable {
  // Sendable because only `divert` is touched on other threads, under its lock.
  private let loop: EventLoop
  private weak var session: CallSession?
  private var inlets: [Inlet] = []
  /// The call, once it waits.
  weak var record: CallRecord?
  private var isOver = false
  private let divert = Mutex<Diversion?>(nil)

  /// A function in a lock is wrapped once more at every access, until a call of it is too deep for the stack:
  /// it has to stand in a type.
  private struct Diversion {
    let take: @Sendable (UInt32, InletEvent) -> Void
  }

  package init(_ session: CallSession) { (self.session, loop) = (session, session.loop) }

  /// What stands for one more among the bytes of the option.
  package func add(at index: Int, isProgress: Bool) -> Bytes {
    let inlet = Inlet(UInt32(index), self, isProgress: isProgress)
    inlets.append(inlet)
    return Bytes(companion: inlet)
  }

  /// Those of an option; nil when it has none.
  static func of(_ attachments: [Bytes]) -> CallStreams? {
    for bytes in attachments {
      if let inlet = bytes.inlet { return inlet.link as? CallStreams }
    }
    return nil
  }

  /// The call has been begun: one that is answered already needs nothing more.
  package func callReturned() { if record == nil { end(.callIsOver) } }

  // MARK: - The plugin asks

  package var isOnEngine: Bool { loop.isCurrent }

  package func divert(_ take: @escaping @Sendable (UInt32, InletEvent) -> Void) {
    divert.withLock { $0 = Diversion(take: take) }
  }

  package func ask(_ inlet: UInt32, _ request: InletRequest) {
    loop.post { [self] in tell(inlet, request) }
  }

  private func tell(_ inlet: UInt32, _ request: InletRequest) {
    guard !isOver, let session, let record, record.life.isRunning, let slot = record.slot else { return }
    do { session.send(slot, try Reply(asking: request, of: inlet)) } catch {
      if case .call(let number, _) = request {
        take(inlet, .answer(number, .failure(BridgeError(wrapping: error))))
      }
    }
  }

  // MARK: - The client answers

  func take(_ inlet: UInt32, _ event: InletEvent) {
    guard !isOver else { return }
    if let divert = divert.withLock(\.self) { return divert.take(inlet, event) }
    inlets.first { $0.number == inlet }?.take(event)
  }

  /// The call is over, or its caller waits no more.
  func end(_ error: BridgeError) {
    guard !isOver else { return }
    isOver = true
    record = nil
    let all = inlets
    inlets = []
    if let divert = divert.withLock(\.self) { return divert.take(0, .over(error)) }
    for inlet in all { inlet.take(.over(error)) }
  }
}

extension CallSession {
  /// Something came from what the client handed to a call; dropped when that is over.
  package func feed(slot: Int, inlet: UInt32, _ event: InletEvent) {
    calls[slot]?.streams?.take(inlet, event)
  }
}

extension CallSession {
  /// The state of a call that is begun with something in the place of bytes: it may tell its progress.
  func state(_ deadline: ContinuousClock.Instant?, _ number: UInt64, _ attachments: [Bytes]) -> CallState {
    CallState(deadline: deadline, number: number, session: self.number, progress: attachments.progress)
  }
}

extension CallRecord {
  /// Notes what the client handed over.
  func take(_ attachments: [Bytes]) {
    guard let given = CallStreams.of(attachments) else { return }
    streams = given
    given.record = self
  }
}

extension Reply {
  /// What a plugin asks of a stream or function: `[inlet, what, number]`, or with a value behind them.
  fileprivate init(asking request: InletRequest, of inlet: UInt32) throws {
    let sink = WireSink(capacity: 64)
    switch request {
    case .more(let values): try sink.writeAsk(inlet, 0, UInt64(values))
    case .leave: try sink.writeAsk(inlet, 1, 0)
    case .call(let number, let value):
      try sink.writeAsk(inlet, 2, number)
      sink.put(",")
      try sink.encode(value)
    }
    sink.put("]")
    let text = Array(sink.text)
    self.init(
      kind: .asks, payload: sink.attachments.isEmpty ? .text(text) : .mixed(text, sink.attachments))
  }
}

extension WireSink {
  fileprivate func writeAsk(_ inlet: UInt32, _ what: Int, _ number: UInt64) throws {
    put("[")
    try write(inlet)
    put(",")
    try write(what)
    put(",")
    try write(number)
  }
}
