// SPDX-License-Identifier: MIT

import Synchronization
import Testing

@testable import NBridgePlugin

/// A stream of the script's, as a plugin reads it.
@Suite struct InletTests {
  /// A script that gives at once what it was asked for.
  private final class QuickScript: InletLink {
    let wanted = Atomic<Int>(0)
    var isOnEngine: Bool { true }

    func ask(_ inlet: UInt32, _ request: InletRequest) {
      if case .more(let count) = request { wanted.add(count, ordering: .relaxed) }
    }
  }

  /// Counts how many values there are, and were at once.
  private final class Count: Sendable {
    let now = Atomic<Int>(0), most = Atomic<Int>(0)

    func add(_ change: Int) {
      let (_, count) = now.add(change, ordering: .relaxed)
      most.max(count, ordering: .relaxed)
    }
  }

  private final class Counted: Sendable {
    private let count: Count
    init(_ count: Count) {
      self.count = count
      count.add(1)
    }
    deinit { count.add(-1) }
  }

  /// Also where both are so quick that some values always wait.
  @Test func whatWasReadIsLetGoOf() {
    let script = QuickScript(), count = Count(), read = Count()
    let inlet = Inlet(0, script)
    for _ in 0..<10_000 {
      inlet.read(inlet.reserve()) { if case .success(.some) = $0 { read.add(1) } }
      while script.wanted.load(ordering: .relaxed) > 0 {
        script.wanted.subtract(1, ordering: .relaxed)
        inlet.take(.value(Value(text: [], attachments: [Bytes(companion: Counted(count))])))
      }
    }
    #expect(read.most.load(ordering: .relaxed) == 10_000)
    let most = count.most.load(ordering: .relaxed)
    #expect(most <= Inlet.window + 1, "\(most)")
  }
}
