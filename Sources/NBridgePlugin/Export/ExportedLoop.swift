// SPDX-License-Identifier: MIT

internal import Glibc
internal import Synchronization

/// The host's engine thread as this library's tasks see it.
///
/// The library has a Swift runtime of its own, which knows nothing of the host's: jobs that wait here are run
/// when the host calls back.
final class ExportedLoop: LoopExecutor, @unchecked Sendable {
  // Sendable because `local` and `isRunning` are touched on the engine's thread only, which `isCurrent`
  // tells.
  private let host: ExportedHost
  /// Where handlers write: what lies there when nothing runs was read by the host.
  private let sink: WireSink
  /// The engine's thread, once it has called; read by others.
  private let owner = Atomic<UInt>(0)
  @exclusivity(unchecked) private var local: [UnownedJob] = []
  /// Whether a caller further up the stack will run what is enqueued.
  @exclusivity(unchecked) private var isRunning = false
  /// The watches that hold events back until what runs now has run.
  @exclusivity(unchecked) private var gathering: [ExportedWatch] = []

  init(_ host: ExportedHost, _ sink: WireSink) {
    self.host = host
    self.sink = sink
  }

  /// The host called on the thread of the engine.
  func enter() {
    let thread = UInt(pthread_self())
    if owner.load(ordering: .relaxed) != thread { owner.store(thread, ordering: .relaxed) }
  }

  var isCurrent: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isCurrent, isRunning { return local.append(job) }
    // Once the program has ended nothing is run any more: what is left then is lost with the process.
    _ = host.post { [self] in
      enter()
      running { runWithRest(job) }
    }
  }

  func runInline(until work: (any InlineWork)?, _ body: () -> Task<Void, Never>) -> Task<Void, Never> {
    running {
      let waiting = local.count
      let task = body()
      var left = LoopLimits.jobsInline
      while local.count > waiting, left > 0, work?.isDone != true {
        run(local.removeLast())
        left -= 1
      }
      return task
    }
  }

  func runHere(_ job: UnownedJob, until work: PooledTask) {
    running {
      let waiting = local.count
      run(job)
      var left = LoopLimits.jobsInline
      while !work.isDone, local.count > waiting, left > 0 {
        run(local.removeLast())
        left -= 1
      }
    }
  }

  /// Runs a job and what it enqueues.
  private func runWithRest(_ job: UnownedJob) {
    let waiting = local.count
    run(job)
    var left = LoopLimits.jobsInline
    while local.count > waiting, left > 0 {
      run(local.removeLast())
      left -= 1
    }
  }

  private func running<R>(_ body: () -> R) -> R {
    let outer = isRunning
    if !outer { sink.reset() }
    isRunning = true
    defer {
      isRunning = outer
      if !outer { finishRunning() }
    }
    return body()
  }

  /// Lets a watch hand over what it gathered once nothing runs here any more: one crossing for many events.
  func gathers(_ watch: ExportedWatch) { gathering.append(watch) }

  private func finishRunning() {
    if !gathering.isEmpty { handOver() }
    // What goes on yielding lets the host's timers in between.
    guard !local.isEmpty else { return }
    let rest = UncheckedSendable(local)  // stays on the engine's thread
    local.removeAll()
    _ = host.post { [self] in
      enter()
      for job in rest.value { running { runWithRest(job) } }
    }
  }

  private func handOver() {
    let watches = gathering
    gathering.removeAll()
    for watch in watches { watch.handOver() }
  }

  @inline(__always)
  private func run(_ job: UnownedJob) {
    job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
  }

  func checkIsolated() { precondition(isCurrent, "off the engine's thread") }
  func isIsolatingCurrentContext() -> Bool? { isCurrent }
}
