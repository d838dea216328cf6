// SPDX-License-Identifier: MIT

/// First in, first out, without moving the rest: each step takes the same time, however many wait.
package struct FIFO<Element> {
  private var items: [Element?] = []
  private var head = 0
  /// Shorter ones are not worth a move.
  private static var longestHead: Int { 1024 }

  package init() {}

  package var count: Int { items.count - head }
  package var isEmpty: Bool { head == items.count }

  package var first: Element? { head < items.count ? items[head] : nil }

  package mutating func append(_ item: Element) { items.append(item) }

  package mutating func popFirst() -> Element? {
    guard head < items.count else { return nil }
    let item = items[head]
    items[head] = nil
    head += 1
    if head == items.count {
      items.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= Self.longestHead, 2 * head >= items.count {
      // A queue that is never empty would grow for ever. An item is moved once at most for each one gone.
      items.removeFirst(head)
      head = 0
    }
    return item
  }
}
