// SPDX-License-Identifier: MIT

internal import Glibc
internal import Synchronization

/// The threads on which detached actions run. Blocking is allowed there: the pool grows while all are stuck.
///
/// It starts no thread before the first job. A worker that ran out of jobs looks around for a moment before
/// it sleeps, because the next call of an awaiting script comes within microseconds. Where the last jobs
/// waited for nothing, one worker does them all: more would only stand in each other's way, and in the
/// script's.
package final class WorkerPool: Sendable {
  /// What a job of its kind keeps on its thread for the next one is handed to it.
  package typealias Job = @Sendable (_ kept: inout AnyObject?) -> Void

  private struct State: ~Copyable {
    var jobs = FIFO<Job>()
    var threads = 0
    /// The workers that sleep. The last one is woken first: what it needs is still near its processor.
    var sleeping: [Semaphore] = []
    /// How many look around: none of them sleeps before it has seen that there is no job.
    var looking = 0
    var waiting = WaitingShare()
    var started: UInt = 0
    var hasSupervisor = false
    var isClosed = false

    private var awake: Int { threads - sleeping.count }
    /// Whether one worker more is of use.
    var hasRoom: Bool { waiting.isMuch || awake == 0 }
    /// Whether one worker less is.
    var isCrowded: Bool { !waiting.isMuch && awake > 1 }

    /// Whether somebody has to be called who watches that the jobs are begun.
    mutating func lacksSupervisor() -> Bool {
      if hasSupervisor || jobs.isEmpty { return false }
      hasSupervisor = true
      return true
    }
  }

  private let state = Mutex<State>(State())
  private let queued = Atomic<Int>(0)
  /// The processor that the last job came from.
  private let submitter = Atomic<Int32>(-1)
  /// How many threads there are before any is stuck.
  private let baseThreads: Int
  static let maximumThreads = 64
  private static let spinMicroseconds = 40
  /// With jobs waiting and none begun for so long, more workers are woken; after some such times in a row,
  /// more are started.
  private static let stuckMicroseconds: UInt32 = 5_000
  private static let stuckTimes = 2
  /// So often the watcher looks for nothing before it goes.
  private static let idleTimes = 10

  /// A pool for what computes: one processor is the script's, and a thread more would take it away while many
  /// short calls are in flight.
  package static func forComputing() -> WorkerPool { WorkerPool(max(1, min(8, Processor.count - 1))) }

  /// A pool for what mostly waits: the disk takes several orders at once.
  package static func forWaiting() -> WorkerPool { WorkerPool(4) }

  private init(_ baseThreads: Int) { self.baseThreads = baseThreads }

  /// What has to be done for a job that waits, outside of the lock.
  private struct Help {
    var sleepers: [Semaphore] = []
    var threads = 0
    var supervisor = false
  }

  /// Whether a job waits for a worker.
  package var hasJobs: Bool { queued.load(ordering: .relaxed) > 0 }

  /// Runs `job` on a worker. Callable from any thread.
  package func submit(_ job: @escaping Job) {
    submitter.store(Processor.current, ordering: .relaxed)
    let help = state.withLock { state -> Help in
      state.jobs.append(job)
      queued.add(1, ordering: .releasing)
      return callWorker(&state)
    }
    give(help)
  }

  /// Calls a worker for the last job that came, when there is nobody for it.
  private func callWorker(_ state: inout State) -> Help {
    var help = Help()
    if state.jobs.count <= state.looking { return help }
    if state.hasRoom {
      if let sleeper = state.sleeping.popLast() {
        help.sleepers = [sleeper]
        return help
      }
      if state.threads < baseThreads {
        state.threads += 1
        help.threads = 1
        return help
      }
    }
    help.supervisor = state.lacksSupervisor()
    return help
  }

  private func give(_ help: Help) {
    for sleeper in help.sleepers { sleeper.signal() }
    for _ in 0..<help.threads where !PlainThread.start("nb-worker", { [self] in work() }) { workHere() }
    if help.supervisor { PlainThread.start("nb-supervisor") { [self] in supervise() } }
  }

  /// The system gives no thread: where there is no other, this one does what waits.
  private func workHere() {
    let isAlone = state.withLock { state in
      state.threads -= 1
      return state.threads == 0
    }
    var kept: AnyObject?
    while isAlone, let job = next() { job(&kept) }
  }

  /// Lets the sleeping workers end. Jobs under way go on.
  package func close() {
    let sleeping = state.withLock { state in
      state.isClosed = true
      defer { state.sleeping = [] }
      return state.sleeping
    }
    for sleeper in sleeping { sleeper.signal() }
  }

  private func work() {
    var kept: AnyObject?
    let wake = Semaphore()
    var waits = Processor.waits
    while true {
      if let job = next() {
        job(&kept)
        if baseThreads > 1 { learn(from: &waits) }
      } else if waitForJob(wake) {
        waits = Processor.waits
      } else {
        return
      }
    }
  }

  private func next() -> Job? {
    guard queued.load(ordering: .acquiring) > 0 else { return nil }
    return state.withLock { state in
      guard !state.isCrowded, let job = state.jobs.popFirst() else { return nil }
      state.started += 1
      queued.subtract(1, ordering: .relaxed)
      return job
    }
  }

  /// Learns whether the job that was just done waited for something.
  private func learn(from waits: inout Int) {
    let now = Processor.waits
    let help = state.withLock { state -> Help in
      let hadRoom = state.hasRoom
      state.waiting.note(now > waits)
      return state.jobs.isEmpty || hadRoom == state.hasRoom ? Help() : callWorker(&state)
    }
    waits = now
    give(help)
  }

  /// Spins a moment, then sleeps. Answers false when the pool is closed.
  private func waitForJob(_ wake: Semaphore) -> Bool {
    state.withLock { $0.looking += 1 }
    spin()
    let (sleeps, help) = state.withLock { state -> (Bool?, Help) in
      state.looking -= 1
      if state.isClosed {
        state.threads -= 1
        return (nil, Help())
      }
      // A job may have come between the look and the lock.
      guard state.jobs.isEmpty || state.isCrowded else { return (false, Help()) }
      state.sleeping.append(wake)
      // The one that is left may turn out to be stuck.
      return (true, Help(supervisor: state.lacksSupervisor()))
    }
    give(help)
    guard let sleeps else { return false }
    if sleeps { wake.wait() }
    return true
  }

  /// Waits a moment for a job, unless the thread that submits needs this processor for it.
  private func spin() {
    if submitter.load(ordering: .relaxed) == Processor.current { return }
    let end = MonotonicTime.microseconds + Self.spinMicroseconds
    repeat {
      for _ in 0..<256 where queued.load(ordering: .relaxed) > 0 { return }
    } while MonotonicTime.microseconds < end
  }

  /// Watches jobs that wait: when none was begun for a while, those who sleep are woken, and later the
  /// threads are doubled. Stays a while, because more jobs may come.
  private func supervise() {
    var last = state.withLock { $0.started }
    var (times, idle) = (0, 0)
    while true {
      usleep(Self.stuckMicroseconds)
      let (help, done) = state.withLock { state -> (Help, Bool) in
        defer { last = state.started }
        idle = state.jobs.isEmpty ? idle + 1 : 0
        if state.isClosed || idle > Self.idleTimes {
          state.hasSupervisor = false
          return (Help(), true)
        }
        times = !state.jobs.isEmpty && state.started == last ? times + 1 : 0
        return (times > 0 ? wakeAll(&state, stuckFor: times) : Help(), false)
      }
      give(help)
      if done { return }
    }
  }

  private func wakeAll(_ state: inout State, stuckFor times: Int) -> Help {
    var help = Help()
    state.waiting.isStuck()
    help.sleepers = state.sleeping
    state.sleeping = []
    if state.threads < baseThreads {
      help.threads = baseThreads - state.threads
    } else if times % Self.stuckTimes == 0 {
      help.threads = min(state.threads, Self.maximumThreads - state.threads)
    }
    state.threads += help.threads
    return help
  }
}

/// How many of the last jobs waited for something: a disk, another thread.
struct WaitingShare {
  private static let most = 16
  private static let much = 4
  /// Until it is known better they are taken to.
  private var level = Self.most

  /// Whether it is worth doing several at once.
  var isMuch: Bool { level >= Self.much }

  mutating func note(_ waited: Bool) { level = waited ? min(Self.most, level + 4) : max(0, level - 1) }

  /// One that is not done yet waits for long.
  mutating func isStuck() { level = Self.most }
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
