// SPDX-License-Identifier: MIT

/// Events by their time; events of one time in the order in which they were put. A binary heap.
struct EventQueue: Sendable {
  private struct Item: Sendable {
    let time: Microseconds
    let number: Int
    let event: SimulatedNetwork.Event

    static func < (left: Item, right: Item) -> Bool { (left.time, left.number) < (right.time, right.number) }
  }

  private var items: [Item] = []
  private var nextNumber = 0

  /// The time of the first.
  var first: Microseconds? { items.first?.time }

  mutating func push(_ event: SimulatedNetwork.Event, at time: Microseconds) {
    items.append(Item(time: time, number: nextNumber, event: event))
    nextNumber += 1
    var place = items.count - 1
    while place > 0, items[place] < items[(place - 1) / 2] {
      items.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  mutating func pop() -> SimulatedNetwork.Event? {
    guard let first = items.first else { return nil }
    let last = items.removeLast()
    guard !items.isEmpty else { return first.event }
    items[0] = last
    var place = 0
    while let child = [2 * place + 1, 2 * place + 2].filter({ $0 < items.count }).min(by: {
      items[$0] < items[$1]
    }),
      items[child] < items[place]
    {
      items.swapAt(place, child)
      place = child
    }
    return first.event
  }
}
