// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Reads a watch's sequence on the engine's thread and collects its events for the next hand-over.
package final class WatchPump {
  private let source: any EventSource
  private let waits: Bool
  /// The events so far, as `[event,event,`.
  private let sink = WireSink(capacity: 1024)
  private var gathered = 0
  /// How many more events the script has room for.
  private var credit: Int
  private var resume: CheckedContinuation<Void, Never>?
  private var isStopped = false

  /// How many events are collected before the script gets its turn, whatever the policy.
  private static let batch = 1024

  init(source: any EventSource, buffering: Buffering) {
    self.source = source
    if case .wait = buffering { waits = true } else { waits = false }
    credit = buffering.limit
    sink.put("[")
  }

  /// Reads until the end, an error, or the stop. Runs on the engine's actor.
  func run(_ record: CallRecord, _ session: CallSession, on actor: isolated any Actor) async throws {
    while !isStopped {
      if room <= 0 {
        await withCheckedContinuation(isolation: actor) { resume = $0 }
        continue
      }
      let more = try await source.read(into: sink, room: room, on: actor) { [unowned self] events in
        if gathered == 0 { session.watchHasEvents(record) }
        gathered += events
        credit -= events
        return isStopped ? 0 : room
      }
      guard more else { return }
    }
  }

  /// How many more events may be collected now.
  private var room: Int { waits ? credit : Self.batch - gathered }

  /// Hands over what was collected, and reads on.
  func flush(_ record: CallRecord, _ session: CallSession) {
    guard gathered > 0, let slot = record.slot else { return }
    sink.truncate(to: sink.count - 1)
    sink.put("]")
    session.send(slot, Reply(sink, events: true))
    sink.put("[")
    gathered = 0
    if room > 0 { wake() }
  }

  /// The script took `count` events.
  func grant(_ count: Int) {
    credit += count
    source.taken(count)
    if room > 0 { wake() }
  }

  /// Reads no more. The task that reads is cancelled by the caller.
  func stop() {
    isStopped = true
    wake()
  }

  private func wake() {
    guard let resume else { return }
    self.resume = nil
    resume.resume()
  }
}

extension CallSession {
  /// Ends the watches that don't keep the program alive, now that nothing else does. Answers whether any was.
  package func endIdleWatches() -> Bool {
    let idle = calls.open.filter { $0.watch != nil && !$0.holds && $0.life.isRunning }
    for record in idle { end(record) }
    if !idle.isEmpty { flush() }
    return !idle.isEmpty
  }

  /// Starts a watch: its sequence is read from now on, its events go to the slot that the client is told.
  func beginWatch(
    _ action: BoundAction, _ start: (WireInput, Call) throws -> any EventSource, _ input: WireInput,
    _ control: CallControl
  ) throws -> Begun {
    let record = makeRecord(action, input, control)
    record.holds = record.holds && action.declaration.holdsOpen && !control.letsGo
    let pump: WatchPump
    do {
      let call = Call(app: action.app, state: record.state)
      pump = WatchPump(source: try start(input, call), buffering: action.declaration.buffering)
    } catch {
      if let timer = record.deadline { host.loop.cancel(timer) }
      throw error
    }
    record.watch = pump
    let slot = park(record)
    // All of it stays on the engine's thread, which the actor is.
    let work = UncheckedSendable((self, record, pump))
    record.task = host.loop.startTask { actor in
      let (session, record, pump) = work.value
      do {
        try await pump.run(record, session, on: actor)
        session.end(record, .success(Reply(kind: .value, payload: .undefined)))
      } catch {
        session.end(record, .failure(error))
      }
    }
    return .pending(slot: slot)
  }

  private func end(_ record: CallRecord, _ result: Result<Reply, any Error>) {
    if record.life.isRunning { record.watch?.flush(record, self) }
    deliver(record, result)
  }
}
