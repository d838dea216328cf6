// SPDX-License-Identifier: MIT

/// Deadlines in order: equal ones in the order they were set. Used on the loop's thread.
///
/// What is due runs in rounds: ``beginRound(at:)``, then ``next()`` until it answers nil. A body may cancel
/// one that is still to come in its round; what it sets waits for the next round, or a timer that sets
/// itself for "now" would never let go.
package struct TimerQueue {
  package typealias ID = UInt

  private struct Entry {
    let deadline: Int
    let id: ID
    let holding: Bool
    let body: () -> Void

    func isBefore(_ other: Entry) -> Bool { (deadline, id) < (other.deadline, other.id) }
  }

  private var heap: [Entry] = []
  private var lastID: ID = 0
  private var holding = 0
  /// The timers that the round runs: due by this time, and there when it began.
  private var round: (time: Int, last: ID) = (.min, 0)
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
    lastID += 1
    if holds { holding += 1 }
    push(Entry(deadline: deadline, id: lastID, holding: holds, body: body))
    return lastID
  }

  private mutating func push(_ entry: Entry) {
    heap.append(entry)
    siftUp(heap.count - 1)
  }

  package mutating func remove(_ id: ID) {
    guard let index = heap.firstIndex(where: { $0.id == id }) else { return removePostponed(id) }
    if heap[index].holding { holding -= 1 }
    heap.swapAt(index, heap.count - 1)
    heap.removeLast()
    if index < heap.count {
      siftDown(index)
      siftUp(index)
    }
  }

  private mutating func removePostponed(_ id: ID) {
    guard let index = postponed.firstIndex(where: { $0.id == id }) else { return }
    if postponed.remove(at: index).holding { holding -= 1 }
  }

  /// From here on ``next()`` gives what is due now. A round inside of a round ends the outer one.
  mutating func beginRound(at now: Int) {
    endRound()
    round = (now, lastID)
  }

  /// Takes the next body of the round; nil at its end.
  mutating func next() -> (() -> Void)? {
    while let first = heap.first, first.deadline <= round.time {
      heap.swapAt(0, heap.count - 1)
      heap.removeLast()
      if !heap.isEmpty { siftDown(0) }
      if first.id <= round.last {
        if first.holding { holding -= 1 }
        return first.body
      }
      postponed.append(first)
    }
    endRound()
    return nil
  }

  private mutating func endRound() {
    round = (.min, 0)
    for entry in postponed { push(entry) }
    postponed.removeAll(keepingCapacity: true)
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].isBefore(heap[parent]) else { return }
      heap.swapAt(child, parent)
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
      heap.swapAt(least, parent)
      parent = least
    }
  }
}
