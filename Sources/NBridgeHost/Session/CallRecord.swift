// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Where a call stands. A call settles exactly once, by whichever comes first: its handler, its signal, its
/// deadline or the end of the program.
package struct CallLife: ~Copyable {
  private enum Phase { case running, abandoned, over }
  private var phase = Phase.running

  /// Whether the script still waits.
  package var isRunning: Bool { phase == .running }

  /// The handler answered. Answers whether the script is to be told.
  mutating func handlerFinished() -> Bool {
    defer { phase = .over }
    return phase == .running
  }

  /// The signal, the deadline or the program's end settles it instead of the handler. Answers whether the
  /// handler is to be cancelled, and the promise settled; false when that has happened before.
  mutating func abandon() -> Bool {
    guard phase == .running else { return false }
    phase = .abandoned
    return true
  }
}

/// A call or watch under way, one that did not answer inside the call.
package final class CallRecord: AwaitedCall, AwaitingReply {
  package let action: BoundAction
  let state: CallState
  package var life = CallLife()
  /// Its place in the table on both sides.
  package var slot: Int?
  var task: Task<Void, Never>?
  package var deadline: TimerQueue.ID?
  package var watch: WatchPump?
  /// The streams and functions that the client handed over; nil for most calls.
  var streams: CallStreams?
  /// The object that it is a method of; nil for an action of the service.
  package var object: ObjectKey?
  /// What runs it when it is a loaded plugin's.
  var instance: (any PluginInstance)?
  package let started: Int
  /// What went wrong with a call that was answered after the script's end.
  package var failure: String?
  package var holds = true
  /// The plugin that called; nil for a script.
  package let caller: String?
  private unowned(unsafe) let session: CallSession  // which keeps the record, and lives as long as the loop

  init(action: BoundAction, state: CallState, started: Int, caller: String?, session: CallSession) {
    self.session = session
    self.action = action
    self.state = state
    self.started = started
    self.caller = caller
  }

  /// The handler of a call that had suspended answered, on the engine's thread.
  func finish(_ answer: Result<WireOutput, any Error>) {
    session.deliver(self, answer.map { Reply($0, session.host.sink) })
  }

  /// The same for a plugin that answers by itself.
  package func finish(_ answer: Result<Reply, any Error>) { session.deliver(self, answer) }
}

/// The calls that wait for their handlers: slots are reused, the last freed first, so that they stay few.
package struct CallTable {
  private var records: [CallRecord?] = []
  private var free: [Int] = []
  /// Slots of calls that are over, whose replies may still be on their way: a new call must not be taken for
  /// an old one.
  private var retired: [Int] = []
  /// Those whose replies are just being handed over. A call that a script makes meanwhile may be over before
  /// they all are: its slot is none of these.
  private var leaving: [Int] = []

  package var open: [CallRecord] { records.compactMap { $0 } }
  package var count: Int { records.count - free.count - retired.count - leaving.count }

  subscript(slot: Int) -> CallRecord? {
    records.indices.contains(slot) ? records[slot] : nil
  }

  mutating func insert(_ record: CallRecord) -> Int {
    if let slot = free.popLast() {
      records[slot] = record
      record.slot = slot
      return slot
    }
    records.append(record)
    record.slot = records.count - 1
    return records.count - 1
  }

  mutating func remove(_ slot: Int) {
    records[slot] = nil
    retired.append(slot)
  }

  /// Every reply so far is on its way out now.
  mutating func retiredLeave() {
    if leaving.isEmpty { return swap(&leaving, &retired) }
    leaving.append(contentsOf: retired)
    retired.removeAll(keepingCapacity: true)
  }

  /// The last of those replies is being handed over: their slots can be used again.
  mutating func reuseLeft() {
    if leaving.isEmpty { return }
    free.append(contentsOf: leaving)
    leaving.removeAll(keepingCapacity: true)
  }
}
