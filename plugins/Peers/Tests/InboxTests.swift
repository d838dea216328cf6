// SPDX-License-Identifier: MIT

import Synchronization
import TestSupport
import Testing

@testable import PeersPlugin

/// Messages that wait between the network's thread and the script.
@Suite struct InboxTests {
  static func inbox(_ count: Int = 3, _ bytes: Int = 100, taken: Collected<Int> = Collected()) -> Inbox<Int> {
    Inbox(maximum: (count, bytes), size: { $0 }, taken: { $0.forEach(taken.add) })
  }

  @Test func itIsTakenInOrderAndInPortions() async {
    let taken = Collected<Int>(), inbox = Self.inbox(taken: taken)
    inbox.put([1, 2, 3, 4])
    inbox.put(90)
    #expect(inbox.bytes == 100)
    #expect(await Array(inbox.next(isolation: nil)) == [1, 2, 3])
    #expect(inbox.bytes == 94)
    #expect(await Array(inbox.next(isolation: nil)) == [4, 90])
    #expect(inbox.bytes == 0 && taken.all == [1, 2, 3, 4, 90])
  }

  @Test func aPortionEndsWithWhatReachesItsBytes() async {
    let inbox = Self.inbox(100, 100)
    inbox.put([60, 60, 5, 500, 1])
    #expect(await Array(inbox.next(isolation: nil)) == [60, 60])
    #expect(await Array(inbox.next(isolation: nil)) == [5, 500], "one that is larger than all comes, too")
    #expect(await Array(inbox.next(isolation: nil)) == [1])
  }

  @Test func thousandsAreTakenInTheirOrderAndCounted() async {
    var random = SeededGenerator(seed: 4)
    let inbox = Self.inbox(7, 1000)
    var put = 0, got: [Int] = []
    while got.count < 20_000 {
      if put < 20_000 {
        let count = random.number(0..<30)
        inbox.put(Array(put..<min(20_000, put + count)))
        put = min(20_000, put + count)
      }
      if put > got.count { got += await inbox.next(isolation: nil) }
      // Each is as large as its number: those from `got.count` to `put - 1` wait.
      #expect(inbox.bytes == (put - got.count) * (got.count + put - 1) / 2)
    }
    #expect(got == Array(0..<20_000))
  }

  @Test func aReaderWaitsForWhatComes() async {
    let inbox = Self.inbox()
    let reader = Task { await Array(inbox.next(isolation: nil)) }
    await Task.yield()
    inbox.put(5)
    guard case .success(let got)? = await within({ await reader.value }) else {
      Issue.record("it waits for ever")
      return
    }
    #expect(got == [5])
  }

  @Test func whatWaitsIsTakenAfterTheEndAndNothingMoreComes() async {
    let inbox = Self.inbox()
    inbox.put([1, 2, 3, 4])
    inbox.finish()
    inbox.put(5)
    #expect(await Array(inbox.next(isolation: nil)) == [1, 2, 3])
    #expect(await Array(inbox.next(isolation: nil)) == [4])
    #expect(await Array(inbox.next(isolation: nil)) == [])
    #expect(inbox.takeAll().isEmpty)
  }

  final class Flag: Sendable { let value = Atomic<Bool>(true) }

  @Test(arguments: ["end", "cancel", "turn"]) func aReaderThatWaitsIsLetGo(_ how: String) async {
    let inbox = Self.inbox(), isReader = Flag()
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        let got = await within {
          await Array(inbox.next(isolation: nil) { isReader.value.load(ordering: .relaxed) })
        }
        guard case .success(let elements)? = got else {
          Issue.record("it waits for ever")
          return
        }
        #expect(elements.isEmpty)
      }
      for _ in 0..<5 { await Task.yield() }
      switch how {
      case "end": inbox.finish()
      case "cancel": group.cancelAll()
      default:
        isReader.value.store(false, ordering: .relaxed)
        inbox.wake()
      }
    }
  }

  @Test func manyThreadsPutAndNothingIsLost() async {
    let inbox = Self.inbox(512, 1 << 30)
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<4 { group.addTask { for number in 0..<2000 { inbox.put(writer * 2000 + number) } } }
      group.addTask {
        var got: [Int] = []
        while got.count < 8000 {
          let some = await inbox.next(isolation: nil)
          if some.isEmpty { break }
          got += some
        }
        #expect(Set(got).count == 8000)
        // Each writer's stand in their order.
        for writer in 0..<4 {
          let own = got.filter { $0 / 2000 == writer }
          #expect(own == own.sorted())
        }
      }
    }
  }

  // MARK: - Ends and feeds

  @Test func anEndIsToldOnceBeforeItIsAwaitedOrAfter() async {
    let before = Completion<String>(), after = Completion<String>()
    before.finish("first")
    before.finish(nil)
    #expect(await before.wait(isolation: nil) == "first")
    let waiter = Task { await after.wait(isolation: nil) }
    for _ in 0..<3 { await Task.yield() }
    after.finish(nil)
    after.finish("late")
    guard case .success(let failure)? = await within({ await waiter.value }) else {
      Issue.record("it waits for ever")
      return
    }
    #expect(failure == nil)
  }

  @Test func eachListenerGetsWhatComesAfterItBegan() async {
    let feed = EventFeed<Int>(keeping: 3)
    let early = feed.events(after: [100])
    feed.send(1)
    let late = feed.events()
    feed.send(2)
    feed.finish()
    feed.send(3)
    var got: [[Int]] = [[], []]
    for await event in early { got[0].append(event) }
    for await event in late { got[1].append(event) }
    #expect(got == [[100, 1, 2], [2]])
    var ended = 0
    for await _ in feed.events() { ended += 1 }
    #expect(ended == 0, "one who comes after the end hears the end")
  }

  @Test func whoDoesNotListenLosesTheOldest() async {
    let feed = EventFeed<Int>(keeping: 3)
    let events = feed.events()
    for number in 0..<10 { feed.send(number) }
    feed.finish()
    var got: [Int] = []
    for await event in events { got.append(event) }
    #expect(got == [7, 8, 9])
  }

  // MARK: - The simulated network's order

  @Test func eventsComeByTheirTimeAndThenInTheirOrder() {
    for seed in 0..<50 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var queue = EventQueue(), waiting: [(time: Int, link: Int)] = []
      for link in 0..<200 {
        let time = random.number(0..<20)
        queue.push(.down(link), at: time)
        waiting.append((time, link))
        if random.chance(40) {
          let first = waiting.min { ($0.time, $0.link) < ($1.time, $1.link) }
          #expect(queue.first == first?.time)
          guard case .down(let got)? = queue.pop() else {
            Issue.record("nothing there")
            return
          }
          #expect(got == first?.link, "seed \(seed)")
          waiting.removeAll { $0.link == got }
        }
      }
      var rest: [Int] = []
      while case .down(let link)? = queue.pop() { rest.append(link) }
      #expect(rest == waiting.sorted { ($0.time, $0.link) < ($1.time, $1.link) }.map(\.link))
      #expect(queue.first == nil)
    }
  }
}
