// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// The threads on which detached actions run. Blocking is allowed there: the pool grows while all are stuck.
///
/// It starts no thread before the first job. A worker that ran out of jobs looks around for a moment before
/// it sleeps, because the next call of an awaiting script comes within microseconds.
final class WorkerPool: Sendable {
  typealias Job = @Sendable (WorkerScratch) -> Void

  private struct State: ~Copyable {
    var jobs = JobQueue()
    var threads = 0
    var sleeping = 0
    var started: UInt = 0
    var hasSupervisor = false
    var isClosed = false
  }

  private let state = Mutex<State>(State())
  private let queued = Atomic<Int>(0)
  private let wake = Semaphore()
  /// How many threads there are before any is stuck.
  private let baseThreads: Int
  static let maximumThreads = 64
  private static let spinMicroseconds: Int = 40
  /// With every thread busy and none taking a job for so long, more are started.
  private static let stuckMicroseconds: UInt32 = 10_000

  /// A pool for what computes: one processor is the script's, and a thread more would take it away while many
  /// short calls are in flight.
  static func forComputing() -> WorkerPool { WorkerPool(max(1, min(8, Int(g_get_num_processors()) - 1))) }

  /// A pool for what mostly waits: the disk takes several orders at once.
  static func forWaiting() -> WorkerPool { WorkerPool(4) }

  private init(_ baseThreads: Int) { self.baseThreads = baseThreads }

  /// Runs `job` on a worker. Callable from any thread.
  func submit(_ job: @escaping Job) {
    let (start, signal, supervise) = state.withLock { state -> (Bool, Bool, Bool) in
      state.jobs.append(job)
      queued.add(1, ordering: .releasing)
      let start = state.sleeping == 0 && state.threads < baseThreads
      if start { state.threads += 1 }
      let supervise = !start && state.sleeping == 0 && !state.hasSupervisor
      if supervise { state.hasSupervisor = true }
      let signal = !start && state.sleeping > 0
      if signal { state.sleeping -= 1 }
      return (start, signal, supervise)
    }
    if signal { wake.signal() }
    if start { startThread() }
    if supervise { PlainThread.start("nb-supervisor") { [self] in self.supervise() } }
  }

  /// Lets the sleeping workers end. Jobs under way go on.
  func close() {
    let sleeping = state.withLock { state in
      state.isClosed = true
      defer { state.sleeping = 0 }
      return state.sleeping
    }
    for _ in 0..<sleeping { wake.signal() }
  }

  private func startThread() { PlainThread.start("nb-worker") { [self] in work() } }

  private func work() {
    let scratch = WorkerScratch()
    while true {
      if let job = next() {
        job(scratch)
      } else if !waitForJob() {
        return
      }
    }
  }

  private func next() -> Job? {
    guard queued.load(ordering: .acquiring) > 0 else { return nil }
    return state.withLock { state in
      guard let job = state.jobs.popFirst() else { return nil }
      state.started += 1
      queued.subtract(1, ordering: .relaxed)
      return job
    }
  }

  /// Spins a moment, then sleeps. Answers false when the pool is closed.
  private func waitForJob() -> Bool {
    let end = g_get_monotonic_time() + Self.spinMicroseconds
    repeat {
      for _ in 0..<256 where queued.load(ordering: .relaxed) > 0 { return true }
    } while g_get_monotonic_time() < end
    let sleeps = state.withLock { state -> Bool? in
      if state.isClosed {
        state.threads -= 1
        return nil
      }
      // A job may have come between the look and the lock.
      guard state.jobs.isEmpty else { return false }
      state.sleeping += 1
      return true
    }
    guard let sleeps else { return false }
    if sleeps { wake.wait() }
    return true
  }

  /// Watches a full pool: when no job was begun for a while although some wait, the threads are doubled.
  private func supervise() {
    var last = state.withLock { $0.started }
    while true {
      usleep(Self.stuckMicroseconds)
      let (more, done) = state.withLock { state -> (Int, Bool) in
        defer { last = state.started }
        if state.jobs.isEmpty || state.isClosed {
          state.hasSupervisor = false
          return (0, true)
        }
        guard state.started == last else { return (0, false) }
        let more = min(state.threads, Self.maximumThreads - state.threads)
        state.threads += more
        return (more, false)
      }
      for _ in 0..<more { startThread() }
      if done { return }
    }
  }
}

/// First in, first out, without moving the rest.
private struct JobQueue {
  private var items: [WorkerPool.Job?] = []
  private var head = 0
  /// Shorter ones are not worth a move.
  private static let longestHead = 1024

  var isEmpty: Bool { head == items.count }

  mutating func append(_ job: @escaping WorkerPool.Job) { items.append(job) }

  mutating func popFirst() -> WorkerPool.Job? {
    guard head < items.count else { return nil }
    let job = items[head]
    items[head] = nil
    head += 1
    if head == items.count {
      items.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= Self.longestHead, 2 * head >= items.count {
      // A queue that is never empty would grow for ever. Each job is moved once at most for one that is gone.
      items.removeFirst(head)
      head = 0
    }
    return job
  }
}

/// A POSIX semaphore.
private final class Semaphore: @unchecked Sendable {
  // Sendable because sem_t is made to be shared; the pointer never changes.
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }
  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }
  func signal() { sem_post(semaphore) }
  func wait() { while sem_wait(semaphore) != 0 {} }
}
