// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// The one loop of a runtime: a GLib source that runs Swift jobs, replies and timers on the engine's thread.
///
/// It is a `SerialExecutor`, so that Swift's `async` code runs between the script's turns. When nothing is to
/// do the thread sleeps in `poll`; it costs no CPU.
///
/// Plugins' tasks see it as their ``LoopExecutor``.
package final class EventLoop: LoopExecutor, @unchecked Sendable {
  // Sendable because everything but `remote` and `wake` is touched on the owner thread only, which
  // `checkIsolated` proves wherever it matters.

  package let clock: any LoopClock
  private let context: OpaquePointer
  var mainContext: OpaquePointer { context }
  private let owner = pthread_self()
  private var source: UnsafeMutablePointer<GSource>?

  /// Work from the loop's own thread: no lock, no wake.
  @exclusivity(unchecked) private var local: [UnownedJob] = []
  /// Work from other threads.
  private let remote = Mutex<Remote>(Remote())
  private let hasRemote = Atomic<Bool>(false)
  /// Whether the thread may be asleep, so that a wake is worth a system call.
  private let mayBlock = Atomic<Bool>(false)

  /// The processor that the last work from another thread came from.
  private let replyProcessor = Atomic<Int32>(-1)

  private var timers = TimerQueue()
  /// Runs after each round of jobs: the bridge hands its replies over here, all in one call.
  package var endOfRound: () -> Void = {}
  /// Runs before the thread sleeps: what was printed goes out, so that a reader of a pipe does not wait for
  /// more.
  package var willSleep: () -> Void = {}
  /// Whether ``endOfRound`` has something to do although no job waits.
  package var wantsRound = false
  /// What it listens to beside its own work.
  package var remotes: [any LoopRemote] = []
  /// How often the processes of isolated plugins have ended, by service, and who is told of each end.
  var ends: [String: Int] = [:]
  package var onEnd: () -> Void = {}
  package var onEndOf: (String) -> Void = { _ in }
  /// How many calls, watches and handles keep the program alive.
  package var holds = 0
  /// How many replies of worker threads are awaited: then a short spin before sleeping saves two switches.
  var awaitedReplies = 0

  /// Whether what is there at once has to wait for this loop.
  package let lateness = Lateness()

  private struct Remote {
    var works: [Work] = []
    /// Whether the engine is going, or gone: no thread runs work then.
    var isClosed = false
  }

  /// A job for the loop from another thread.
  private enum Work: Sendable {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  /// Jobs, replies, timers: so many rounds, or as long as ``Lateness`` allows, then the engine's own timers
  /// and what else the context has get their turn.
  private static let roundsPerDispatch = 64
  /// Below GLib's default (0), or an always-ready loop would starve the engine's timers.
  static let priority: Int32 = 200
  private var patience = SpinPatience()
  /// How long what was printed may wait while the loop has always something to do, in microseconds.
  private static let longestUnflushed = 100_000
  /// When it was let go of last, by GLib's clock.
  private var lastFlush = 0

  /// Makes the loop of the calling thread, on the `GMainContext` that the engine is bound to.
  package init(context: OpaquePointer, clock: any LoopClock) {
    // Whoever posts to a loop that is closed meanwhile still wakes it.
    self.context = g_main_context_ref(context)
    self.clock = clock
    source = LoopSource.attach(self, to: context, priority: Self.priority)
  }

  deinit {
    g_main_context_unref(context)
  }

  /// Takes the loop off its context. Nothing may run on it afterwards.
  package func close() {
    guard let source else { return }
    self.source = nil
    forget()
    // They end here, outside of the lock: what they hold may have something to say at its end.
    _ = remote.withLock { remote in
      remote.isClosed = true
      defer { remote.works = [] }
      return remote.works
    }
    g_source_destroy(source)
    g_source_unref(source)
  }

  var isCurrent: Bool { pthread_equal(pthread_self(), owner) != 0 }

  // MARK: - Work

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isCurrent { local.append(job) } else { post(.job(job)) }
  }

  func runInline(until work: (any InlineWork)?, _ body: () -> Task<Void, Never>) -> Task<Void, Never> {
    let waiting = local.count
    let result = body()
    var left = LoopLimits.jobsInline
    while local.count > waiting, left > 0, work?.isDone != true {
      run(local.removeLast())
      left -= 1
    }
    if left == 0 { wantsRound = true }
    return result
  }

  /// Whether the answer that is just there has to wait. Asked for each; looks at the clock now and then.
  @inline(__always)
  var isOverdue: Bool {
    lateness.answers.memory.pointee &+= Lateness.weight
    return lateness.answers.memory.pointee == 0 && lateness.isLate()
  }

  /// How many jobs wait for the loop's thread.
  package var waitingJobs: Int { local.count }

  /// Runs what was enqueued since there were `count` jobs.
  package func runWaiting(to count: Int) {
    var left = LoopLimits.jobsInline
    while local.count > count, left > 0 {
      run(local.removeLast())
      left -= 1
    }
  }

  /// What was enqueued since runs the last first. What goes on yielding for ever has to let timers in: the
  /// rest is for the next round.
  func runHere(_ job: UnownedJob, until work: PooledTask) {
    let waiting = local.count
    run(job)
    var left = LoopLimits.jobsInline
    while !work.isDone, local.count > waiting, left > 0 {
      run(local.removeLast())
      left -= 1
    }
    if left == 0 { wantsRound = true }
  }

  package func checkIsolated() {
    precondition(isCurrent, "off the engine's thread; await the engine's actor first")
  }
  package func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// Runs `body` on the loop's thread, soon. Callable from any thread.
  package func post(_ body: @escaping @Sendable () -> Void) { post(.closure(body)) }

  private func post(_ work: Work) {
    replyProcessor.store(Processor.current, ordering: .relaxed)
    let isFirst = remote.withLock { remote in
      guard !remote.isClosed else { return false }
      remote.works.append(work)
      return remote.works.count == 1
    }
    // Behind the lock: who is woken, or looks before it sleeps, takes it at once.
    guard isFirst else { return }
    hasRemote.store(true, ordering: .sequentiallyConsistent)
    // The sleeper sets `mayBlock` and then looks at `hasRemote`; we do the two in the other order, so one of
    // us sees the other.
    if mayBlock.load(ordering: .sequentiallyConsistent) { g_main_context_wakeup(context) }
  }

  // MARK: - Timers

  /// Calls `body` on the loop's thread once `deadline` (microseconds of ``clock``) has passed.
  @discardableResult
  package func schedule(at deadline: Int, holding: Bool = false, _ body: @escaping () -> Void)
    -> TimerQueue.ID
  {
    timers.insert(deadline: deadline, holding: holding, body)
  }

  /// The time so many milliseconds from now; what would be past the end of all clocks is there.
  func deadline(after milliseconds: Int) -> Int {
    let (microseconds, isOver) = milliseconds.multipliedReportingOverflow(by: 1000)
    let (time, isFar) = clock.now.addingReportingOverflow(isOver ? .max : microseconds)
    return isFar ? .max : time
  }

  /// Whether a timer keeps the program alive.
  package var hasHoldingTimers: Bool { timers.isHolding }
  /// How many timers keep the program alive.
  package var holdingTimerCount: Int { timers.holdingCount }

  package func cancel(_ timer: TimerQueue.ID) { timers.remove(timer) }

  func dropTimers() { timers = TimerQueue() }

  // MARK: - Running

  /// Whether anything is left that will bring the script forward.
  package var isAlive: Bool {
    holds > 0 || wantsRound || timers.isHolding || !local.isEmpty || hasRemote.load(ordering: .acquiring)
  }

  /// One iteration: sleeps until there is something to do, unless something is due.
  package func turn() {
    if hasWork {
      iterate(0)
      flushWhileBusy()
      return
    }
    let awaits = awaitedReplies > 0 || remotes.contains { $0.isAwaited }
    let began = awaits ? g_get_monotonic_time() : 0
    if awaits, spin(from: began) {
      iterate(0)
      return
    }
    defer { if began > 0 { patience.noteSleep(g_get_monotonic_time() - began) } }
    if !clock.isReal, let next = timers.nextDeadline, awaitedReplies == 0, isQuiet { clock.jump(to: next) }
    willSleep()
    lastFlush = g_get_monotonic_time()
    mayBlock.store(true, ordering: .sequentiallyConsistent)
    iterate(hasWork ? 0 : 1)
    mayBlock.store(false, ordering: .sequentiallyConsistent)
  }

  private var isQuiet: Bool {
    for remote in remotes where !remote.isQuiet { return false }
    return true
  }

  /// A loop that never sleeps lets go of what was printed, too.
  private func flushWhileBusy() {
    let now = g_get_monotonic_time()
    guard now - lastFlush > Self.longestUnflushed else { return }
    lastFlush = now
    willSleep()
  }

  /// Looks for what is ready, without sleeping.
  package func poll() { iterate(0) }

  /// Waits a moment for a reply of a worker, or of another process: a switch to another thread and back costs
  /// more than most replies. Not where the other one needs this processor for it.
  private func spin(from start: Int) -> Bool {
    let here = Processor.current
    if awaitedReplies > 0, replyProcessor.load(ordering: .relaxed) == here { return false }
    let remotes = remotes.filter { $0.isAwaited && $0.processor != here }
    if awaitedReplies == 0, remotes.isEmpty { return false }
    var now = start
    repeat {
      for _ in 0..<64 where hasRemote.load(ordering: .relaxed) {
        patience.noteSpin(g_get_monotonic_time() - start)
        return true
      }
      for remote in remotes where remote.takeArrived() {
        patience.noteSpin(g_get_monotonic_time() - start)
        return true
      }
      now = g_get_monotonic_time()
    } while now - start < patience.microseconds
    for remote in remotes { remote.noteNothingCame() }
    return hasRemote.load(ordering: .acquiring)
  }

  /// Whether a dispatch would find something.
  var hasWork: Bool {
    !local.isEmpty || wantsRound || hasRemote.load(ordering: .sequentiallyConsistent)
      || timers.isDue(at: clock.now)
  }

  /// Microseconds of GLib's clock at which the next timer is due; -1 when there is none.
  var readyTime: Int { clock.isReal ? timers.nextDeadline ?? -1 : -1 }

  // MARK: - A paused script

  /// Whether the loop runs in its own ``turn()`` and ``poll()`` only. An engine that is paused by a debugger
  /// iterates the context by itself: nothing of the program may run then. Not where another part of the
  /// process iterates the context, too.
  package var turnsItselfOnly = false
  private var isTurning = false

  private func iterate(_ mayBlock: Int32) {
    isTurning = true
    g_main_context_iteration(context, mayBlock)
    isTurning = false
  }

  /// Whether what the engine iterates, in the middle of a script, asks.
  ///
  /// - Parameter depth: of dispatches, where no script runs in one.
  func isPaused(_ depth: Int32) -> Bool { turnsItselfOnly && !(isTurning && g_main_depth() == depth) }

  package var isPaused: Bool { isPaused(1) }  // for what another source of the context does

  /// What GLib calls when the source is ready.
  package func dispatch() {
    if isPaused(1) { return }
    lateness.begin()
    // What waits for this turn comes before what other threads have posted meanwhile.
    if wantsRound { finishRound() }
    for _ in 0..<Self.roundsPerDispatch {
      runJobs()
      finishRoundInTime()
      if runTimers() { finishRoundInTime() }
      guard hasWork, !lateness.isOver else { break }
    }
  }

  /// Where the script, which goes on with what it is handed, has kept the loop for so long that others have
  /// their turn, it is handed more in the next one.
  private func finishRoundInTime() { if lateness.isOver { wantsRound = true } else { finishRound() } }

  private func finishRound() {
    wantsRound = false  // one of several that hand over may want another
    endOfRound()
  }

  /// Runs the timers that are due, each only if none before it has cancelled it. Answers whether any was.
  private func runTimers() -> Bool {
    let now = clock.now
    guard timers.isDue(at: now) else { return false }
    timers.beginRound(at: now)
    while let body = timers.next() { body() }
    return true
  }

  /// Runs what plugins' handlers still have to do, no script and no timer, while `goesOn` and at most so
  /// long.
  package func runJobsOnly(within microseconds: Int, while goesOn: () -> Bool) {
    let end = g_get_monotonic_time() + microseconds
    while goesOn(), g_get_monotonic_time() < end {
      runJobs()
      for remote in remotes { _ = remote.takeArrived() }
      if local.isEmpty, !hasRemote.load(ordering: .acquiring), goesOn() { usleep(200) }
    }
  }

  private func runJobs() {
    if hasRemote.load(ordering: .acquiring) { takeRemote() }
    guard !local.isEmpty else { return }
    var jobs: [UnownedJob] = []
    swap(&jobs, &local)
    for job in jobs { run(job) }
    // The array's memory is kept for the next round, unless a job has queued more meanwhile.
    jobs.removeAll(keepingCapacity: true)
    if local.isEmpty { swap(&jobs, &local) }
  }

  @inline(__always)
  private func run(_ job: UnownedJob) {
    job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
  }

  private func takeRemote() {
    hasRemote.store(false, ordering: .sequentiallyConsistent)
    let works = remote.withLock { remote in
      var taken: [Work] = []
      swap(&taken, &remote.works)
      return taken
    }
    for work in works {
      switch work {
      case .job(let job): local.append(job)
      case .closure(let body): body()
      }
    }
  }
}
