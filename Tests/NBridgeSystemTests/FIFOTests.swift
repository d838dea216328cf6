// SPDX-License-Identifier: MIT

import NBridgeSystem
import TestSupport
import Testing

/// First in, first out.
@Suite struct FIFOTests {
  @Test(arguments: 0..<20) func itAgreesWithAnArray(_ seed: Int) {
    var random = SeededGenerator(seed: seed)
    var (queue, model) = (FIFO<Int>(), ArraySlice<Int>())
    for step in 0..<20_000 {
      // Mostly in while it is short, mostly out while it is long: past the length at which it is moved.
      if random.number(0...9) < (step / 4000 % 2 == 0 ? 8 : 2) {
        queue.append(step)
        model.append(step)
      } else {
        #expect(queue.popFirst() == model.popFirst())
      }
      #expect(queue.count == model.count && queue.isEmpty == model.isEmpty)
    }
  }

  @Test func whatIsTakenOutIsLetGo() {
    final class Item {}
    var queue = FIFO<Item>()
    weak var first: Item?
    do {
      let item = Item()
      first = item
      queue.append(item)
      queue.append(Item())
    }
    _ = queue.popFirst()
    #expect(first == nil && queue.count == 1)
  }
}
