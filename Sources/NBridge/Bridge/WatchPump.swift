// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin

/// Reads a watch's sequence on the engine's thread and collects its events for the next hand-over.
final class WatchPump {
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
  func run(_ record: CallRecord, _ bridge: Bridge, on actor: isolated any Actor) async throws {
    while !isStopped {
      if room <= 0 {
        await withCheckedContinuation(isolation: actor) { resume = $0 }
        continue
      }
      let more = try await source.read(into: sink, room: room, on: actor) { [unowned self] events in
        if gathered == 0 { bridge.watchHasEvents(record) }
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
  func flush(_ slot: Int, _ bridge: Bridge) {
    guard gathered > 0 else { return }
    sink.truncate(to: sink.count - 1)
    sink.put("]")
    bridge.send(slot, Reply(sink, events: true))
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

extension Bridge {
  /// Starts a watch: its sequence is read from now on, its events go to the slot that the script is told.
  func startWatch(
    _ action: BoundAction, _ start: (WireInput, Call) throws -> any EventSource,
    _ frame: borrowing JSCallFrame
  ) -> JSValue {
    let record = makeRecord(action, timeout: mailbox.takeTimeout())
    record.holds = action.declaration.holdsOpen && !mailbox.takeLetsGo()
    let pump: WatchPump
    do {
      let call = Call(app: action.call.app, state: record.state)
      pump = WatchPump(
        source: try withInput(frame) { try start($0, call) }, buffering: action.declaration.buffering)
    } catch { return refuse(record, error, frame) }
    record.watch = pump
    let value = park(record, frame)
    // All of it stays on the engine\'s thread, which the actor is.
    let work = Uncheckedly((self, record, pump))
    record.task = loop.startTask { actor in
      let (bridge, record, pump) = work.value
      do {
        try await pump.run(record, bridge, on: actor)
        bridge.end(record, .success(Reply(kind: .value, payload: .undefined)))
      } catch {
        bridge.end(record, .failure(error))
      }
    }
    return value
  }

  /// The script took `count` events of a watch.
  func grant(slot: Int, count: Int) { calls[slot]?.watch?.grant(count) }

  /// Ends a watch as if its sequence had ended.
  func end(_ record: CallRecord) {
    record.task?.cancel()
    record.watch?.stop()
    record.run?.cancel(record.state.number)
    guard let slot = record.slot, record.life.isRunning else { return }
    record.watch?.flush(slot, self)
    _ = record.life.abandon()
    if record.holds { loop.holds -= 1 }
    send(slot, Reply(kind: .value, payload: .undefined))
  }

  private func end(_ record: CallRecord, _ result: Result<Reply, any Error>) {
    if let slot = record.slot, record.life.isRunning { record.watch?.flush(slot, self) }
    deliver(record, result)
  }
}
