// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// A simulated network that runs as fast as real time, on a thread that sleeps in between.
final class RunningSimulation: Sendable {
  let network: SimulatedNetwork
  private let begun = Reactor.now
  private let begunAt: Microseconds
  private let seeds: Mutex<SeededRandom>
  private let isOver = Atomic<Bool>(false)
  private nonisolated(unsafe) let wakeup: UnsafeMutablePointer<sem_t>  // a semaphore is made for many threads

  init(seed: UInt64) {
    network = SimulatedNetwork(seed: seed)
    begunAt = network.now
    seeds = Mutex(SeededRandom(seed: seed &+ 1))
    wakeup = .allocate(capacity: 1)  // freed by the thread's end, which is the last to use it
    sem_init(wakeup, 0, 0)
    network.onEvent.withLock { $0 = .init { [weak self] in self?.wake() } }
    PlainThread.start("nb-simulation") { [self] in run() }
  }

  deinit {
    sem_destroy(wakeup)
    wakeup.deallocate()
  }

  func nextSeed() -> UInt64 { seeds.withLock { $0.next() } }

  private func wake() { sem_post(wakeup) }

  func stop() {
    isOver.store(true, ordering: .releasing)
    wake()
  }

  private func run() {
    while !isOver.load(ordering: .acquiring) {
      network.run(until: begunAt + Reactor.now - begun)
      guard let next = network.nextTime else {
        sem_wait(wakeup)
        continue
      }
      let wait = max(0, next - network.now)
      guard wait > 0 else { continue }
      var end = timespec()
      clock_gettime(CLOCK_REALTIME, &end)
      let nanoseconds = end.tv_nsec + wait % 1_000_000 * 1000
      end.tv_sec += wait / 1_000_000 + nanoseconds / 1_000_000_000
      end.tv_nsec = nanoseconds % 1_000_000_000
      sem_timedwait(wakeup, &end)
    }
    network.onEvent.withLock { $0 = nil }
  }
}

extension NetworkConditions {
  /// Why they can't be; nil when they can.
  var problem: String? {
    guard (1...2).contains(latency.count), latency.allSatisfy({ (0...60_000).contains($0) }) else {
      return "conditions.latency must be one or two numbers of milliseconds from 0 to 60000"
    }
    guard (0...100).contains(loss), (0...100).contains(duplicates) else {
      return "conditions.loss and .duplicates must be 0 to 100 (of a hundred frames)"
    }
    return nil
  }
}
