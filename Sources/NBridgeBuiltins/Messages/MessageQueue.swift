// SPDX-License-Identifier: MIT

internal import Synchronization

/// The messages on their way to one end, in their order: any engine puts them in, the one that has the end
/// takes them out. Between two engines, while the end itself is on its way, nobody does. Any thread.
final class MessageQueue: Sendable {
  /// What the owner finds.
  enum Found {
    case parcel(Parcel)
    /// Nothing more will come. Told once.
    case end
    case nothing
  }

  private struct Owner {
    let mailbox: Mailbox
    let number: UInt32
  }

  private struct State {
    var parcels: [Parcel?] = []
    var first = 0
    /// What was put before these, the last one first.
    var returned: [Parcel] = []
    var owner: Owner?
    /// Whether nobody will take anything out any more.
    var isClosed = false
    /// Whether nobody will put anything in any more, and whether the owner knows.
    var isEnded = false
    var isEndTold = false

    var waiting: Int { returned.count + parcels.count - first }
    var count: Int { waiting + (isEnded && !isEndTold ? 1 : 0) }
  }

  private let state = Mutex(State())

  /// Puts a message in. What comes to a closed end is dropped.
  func put(_ parcel: Parcel) {
    let owner = state.withLock { state -> Owner? in
      guard !state.isClosed, !state.isEnded else { return nil }
      state.parcels.append(parcel)
      return state.owner
    }
    if let owner { owner.mailbox.notify(owner.number) }
  }

  /// Puts a message before all that waits.
  func putFirst(_ parcel: Parcel) {
    state.withLock { if !$0.isClosed { $0.returned.append(parcel) } }
  }

  /// Says that nothing more will come.
  func end() {
    let owner = state.withLock { state -> Owner? in
      guard !state.isEnded else { return nil }
      state.isEnded = true
      return state.owner
    }
    if let owner { owner.mailbox.notify(owner.number) }
  }

  /// Has an engine told of what comes from now on.
  func own(_ mailbox: Mailbox, _ number: UInt32) {
    state.withLock { $0.owner = Owner(mailbox: mailbox, number: number) }
  }

  /// Lets go of the engine that had the end.
  func disown() { state.withLock { $0.owner = nil } }

  /// Tells the owner of all that waits once more: it did not listen before.
  func tellAgain() {
    let (owner, count) = state.withLock { ($0.owner, $0.count) }
    guard let owner else { return }
    for _ in 0..<count { owner.mailbox.notify(owner.number) }
  }

  /// Whether the owner has only to be told of the end.
  var isOver: Bool {
    state.withLock { $0.isEnded && !$0.isEndTold && $0.waiting == 0 }
  }

  func take() -> Found {
    state.withLock { state in
      if let parcel = state.returned.popLast() { return .parcel(parcel) }
      if state.first < state.parcels.count, let parcel = state.parcels[state.first] {
        state.parcels[state.first] = nil
        state.first += 1
        if state.first == state.parcels.count {
          state.parcels.removeAll(keepingCapacity: state.first < 64)
          state.first = 0
        } else if state.first > 1024, state.first * 2 > state.parcels.count {
          state.parcels.removeFirst(state.first)
          state.first = 0
        }
        return .parcel(parcel)
      }
      guard state.isEnded, !state.isEndTold else { return .nothing }
      state.isEndTold = true
      return .end
    }
  }

  /// Drops what waits, which it answers, and all that comes.
  @discardableResult
  func close() -> [Parcel?] {
    // Not inside of the lock: ports in what is dropped have queues of their own, and end.
    state.withLock { state in
      defer { (state.parcels, state.first, state.returned) = ([], 0, []) }
      (state.owner, state.isClosed) = (nil, true)
      return state.returned.reversed() + state.parcels
    }
  }
}
