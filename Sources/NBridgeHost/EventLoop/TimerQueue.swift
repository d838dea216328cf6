// SPDX-License-Identifier: MIT

/// Deadlines in order: equal ones in the order they were set. Used on the loop's thread.
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

  /// Whether one of them keeps the program alive.
  var isHolding: Bool { holding > 0 }

  /// How many of them do.
  var holdingCount: Int { holding }

  var nextDeadline: Int? { heap.first?.deadline }

  func isDue(at now: Int) -> Bool { heap.first.map { $0.deadline <= now } ?? false }

  package mutating func insert(deadline: Int, holding holds: Bool, _ body: @escaping () -> Void) -> ID {
    lastID += 1
    if holds { holding += 1 }
    heap.append(Entry(deadline: deadline, id: lastID, holding: holds, body: body))
    siftUp(heap.count - 1)
    return lastID
  }

  package mutating func remove(_ id: ID) {
    guard let index = heap.firstIndex(where: { $0.id == id }) else { return }
    if heap[index].holding { holding -= 1 }
    heap.swapAt(index, heap.count - 1)
    heap.removeLast()
    if index < heap.count {
      siftDown(index)
      siftUp(index)
    }
  }

  /// Takes the first entry that is due.
  private mutating func popDue(at now: Int) -> Entry? {
    guard let first = heap.first, first.deadline <= now else { return nil }
    if first.holding { holding -= 1 }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    if !heap.isEmpty { siftDown(0) }
    return first
  }

  /// Takes the bodies that are due now. Those they set anew wait for the next round, or a timer that re-arms
  /// itself for "now" would never let go.
  mutating func takeDue(at now: Int) -> [() -> Void] {
    var due: [() -> Void] = []
    while let entry = popDue(at: now) { due.append(entry.body) }
    return due
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
