// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import Testing

@testable import NBridgePlugin

/// Work that blocks, on threads of its own.
@Suite(.serialized) struct BlockingTests {
  @Test func resultsAndErrorsComeBack() async throws {
    #expect(try await Blocking.run { 6 * 7 } == 42)
    let error = await #expect(throws: BridgeError.self) {
      try await Blocking.run { throw BridgeError(.conflict, "taken") }
    }
    #expect(error?.code == .conflict)
  }

  @Test func itRunsOnAThreadOfThePool() async throws {
    let name = try await Blocking.run {
      try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
    }
    #expect(name == "nb-blocking\n")
  }

  /// Sixteen at once and no more: the others wait, and none is lost.
  @Test func atMostSixteenRunAtOnce() async throws {
    struct Counts {
      var now = 0
      var most = 0
      var done = 0
    }
    final class Shared: Sendable { let counts = Mutex<Counts>(Counts()) }
    let shared = Shared()
    let gate = DispatchSemaphore(value: 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          try await Blocking.run {
            let isSixteenth = shared.counts.withLock { counts in
              counts.now += 1
              counts.most = max(counts.most, counts.now)
              return counts.now == 16
            }
            // All sixteen are held until they are together, which shows that so many can be.
            if isSixteenth { for _ in 0..<100 { gate.signal() } }
            gate.wait()
            shared.counts.withLock {
              $0.now -= 1
              $0.done += 1
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(shared.counts.withLock(\.most) == 16)
    #expect(shared.counts.withLock(\.done) == 100)
  }

  @Test func oneAfterTheOtherNeedsOneThread() async throws {
    final class Shared: Sendable { let threads = Mutex<Set<UInt>>([]) }
    let shared = Shared()
    for _ in 0..<200 {
      try await Blocking.run { shared.threads.withLock { _ = $0.insert(UInt(pthread_self())) } }
    }
    #expect(shared.threads.withLock(\.count) <= 16)
  }

  @Test func manyCallersGetTheirOwnAnswers() async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<2000 { group.addTask { try await Blocking.run { index * index } == index * index } }
      for try await isRight in group { #expect(isRight) }
    }
  }

  /// The caller goes on where it asked.
  @Test @MainActor func itComesBackToItsActor() async throws {
    _ = try await Blocking.run { 1 }
    MainActor.assertIsolated()
  }
}
