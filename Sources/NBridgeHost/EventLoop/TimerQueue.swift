// SPDX-License-Identifier: MIT

/// Deadlines in order: equal ones in the order they were set. Used on the loop's thread. What it takes to set
/// or to cancel one grows with the logarithm of their number: most are deadlines of calls, which are
/// cancelled when the call is answered.
///
/// What is due runs in rounds: ``beginRound(at:)``, then ``next()`` until it answers nil. A body may cancel
/// one that is still to come in its round; what it sets waits for the next round, or a timer that sets
/// itself for "now" would never let go.
package struct TimerQueue {
  /// Names a timer, also when it is over: no other has had it.
  package struct ID: Hashable {
    /// The first timer's is 1.
    fileprivate let order: UInt
    fileprivate let slot: Int
  }

  private struct Entry {
    let deadline: Int
    let id: ID
    let holding: Bool
    let body: () -> Void

    func isBefore(_ other: Entry) -> Bool { (deadline, id.order) < (other.deadline, other.id.order) }
  }

  /// Where the timer of a slot stands.
  private struct Slot {
    /// The timer's order; 0 for none.
    var order: UInt = 0
    /// Its index in the heap; nil for one that is postponed.
    var place: Int?
  }

  private var heap: [Entry] = []
  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  private var lastOrder: UInt = 0
  private var holding = 0
  /// The timers that the round runs: due by this time, and there when it began.
  private var round: (time: Int, last: UInt) = (.min, 0)
  /// The timers that the round met and left for the next one.
  private var postponed: [Entry] = []

  /// Whether a timer keeps the program alive.
  var isHolding: Bool { holding > 0 }

  /// How many timers do.
  var holdingCount: Int { holding }

  var nextDeadline: Int? {
    guard let first = heap.first?.deadline else { return postponed.map(\.deadline).min() }
    return postponed.isEmpty ? first : postponed.reduce(first) { min($0, $1.deadline) }
  }

  func isDue(at now: Int) -> Bool {
    if let first = heap.first, first.deadline <= now { return true }
    return postponed.contains { $0.deadline <= now }
  }

  package mutating func insert(deadline: Int, holding holds: Bool, _ body: @escaping () -> Void) -> ID {
    lastOrder += 1
    if holds { holding += 1 }
    if freeSlots.isEmpty {
      freeSlots.append(slots.count)
      slots.append(Slot())
    }
    let id = ID(order: lastOrder, slot: freeSlots.removeLast())
    slots[id.slot].order = lastOrder
    push(Entry(deadline: deadline, id: id, holding: holds, body: body))
    return id
  }

  package mutating func remove(_ id: ID) {
    guard slots.indices.contains(id.slot), slots[id.slot].order == id.order else { return }
    if let place = slots[id.slot].place {
      end(pull(place))
    } else if let index = postponed.firstIndex(where: { $0.id == id }) {
      end(postponed.remove(at: index))
    }
  }

  /// A timer is over: its slot may be another's.
  private mutating func end(_ entry: Entry) {
    if entry.holding { holding -= 1 }
    slots[entry.id.slot] = Slot()
    freeSlots.append(entry.id.slot)
  }

  /// From here on ``next()`` gives what is due now. A round inside of a round ends the outer one.
  mutating func beginRound(at now: Int) {
    endRound()
    round = (now, lastOrder)
  }

  /// Takes the next body of the round; nil at its end.
  mutating func next() -> (() -> Void)? {
    while let first = heap.first, first.deadline <= round.time {
      let entry = pull(0)
      if entry.id.order <= round.last {
        end(entry)
        return entry.body
      }
      postponed.append(entry)
    }
    endRound()
    return nil
  }

  private mutating func endRound() {
    round = (.min, 0)
    for entry in postponed { push(entry) }
    postponed.removeAll(keepingCapacity: true)
  }

  // MARK: - The heap

  private mutating func push(_ entry: Entry) {
    heap.append(entry)
    slots[entry.id.slot].place = heap.count - 1
    siftUp(heap.count - 1)
  }

  /// Takes out what stands at a place.
  private mutating func pull(_ place: Int) -> Entry {
    exchange(place, heap.count - 1)
    let entry = heap.removeLast()
    slots[entry.id.slot].place = nil
    if place < heap.count {
      siftDown(place)
      siftUp(place)
    }
    return entry
  }

  private mutating func exchange(_ one: Int, _ other: Int) {
    heap.swapAt(one, other)
    slots[heap[one].id.slot].place = one
    slots[heap[other].id.slot].place = other
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].isBefore(heap[parent]) else { return }
      exchange(child, parent)
      child = parent
    }
  }

  private mutating func siftDown(_ start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if heap[child].isBefore(heap[least]) { least = child }
      }
      if least == parent { return }
      exchange(least, parent)
      parent = least
    }
  }
}
