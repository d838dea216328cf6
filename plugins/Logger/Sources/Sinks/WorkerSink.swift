// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// The destination that a ``WorkerSink`` writes to. Used by its thread only.
protocol LogDestination: AnyObject, Sendable {
  var kind: String { get }
  /// Writes all of it or throws; what was thrown is tried again.
  func write(_ chunk: LogChunk, _ level: LogLevel) throws
  /// Makes it last.
  func sync()
}

/// What happens when records come faster than they go.
enum OverflowPolicy: String, Codable, CaseIterable, Sendable {
  /// The script that logs waits, at most two seconds; then as `drop`.
  case wait
  /// The oldest are dropped, and counted in the log.
  case drop
}

/// A sink with a thread and a bounded queue of its own.
final class WorkerSink: LogSink {
  fileprivate struct State {
    var queue: [LogChunk] = []
    var bytes = 0
    /// Whether the thread looks after what it took.
    var isBusy = false
    /// Whether it is inside of the destination's ``LogDestination/write(_:_:)``.
    var isWriting = false
    /// Whether it is just telling a problem.
    var isTelling = false
    /// Whether no write may begin any more.
    var isHalted = false
    /// Whether the thread sleeps until it is woken; else it looks by itself, soon.
    var isResting = false
    var mustSync = false
    var isClosing = false
    var isOver = false
    var statistics: SinkStatistics
    /// Dropped since the last notice.
    var droppedNow = 0
  }

  let level: LogLevel
  private let destination: any LogDestination
  private let overflow: OverflowPolicy
  private let syncMilliseconds: Int
  private let state: Mutex<State>
  /// Wakes the thread, and callers that wait for it.
  private let work = WakeFile()
  private let progress = WakeFile()
  /// Told of problems that no caller is left to hear of.
  private let tell: @Sendable (String) -> Void

  private static let maximum = 16 << 20
  private static let longestWait = 2000
  private static let retry = 500
  /// Longer than a destination waits for another process.
  private static let longestWrite = 10_000
  /// Several may wait for progress, and a signal wakes one.
  private static let look = 20
  /// How long the thread looks for more by itself: waking it costs a caller that logs more than a hundred
  /// records do.
  private static let linger = 10
  /// So much is not left waiting for it.
  private static let plenty = 1 << 20

  init(
    _ destination: any LogDestination, _ level: LogLevel, _ overflow: OverflowPolicy, syncMilliseconds: Int,
    tell: @escaping @Sendable (String) -> Void
  ) {
    (self.destination, self.level, self.overflow) = (destination, level, overflow)
    (self.syncMilliseconds, self.tell) = (syncMilliseconds, tell)
    state = Mutex(State(statistics: SinkStatistics(kind: destination.kind)))
    PlainThread.start("nb-log-" + destination.kind.prefix(8)) { [self] in run() }
  }

  var statistics: SinkStatistics {
    state.withLock { state in
      var statistics = state.statistics
      statistics.waiting = state.bytes
      return statistics
    }
  }

  func put(_ chunk: LogChunk) {
    guard chunk.lines.contains(where: { $0.rank >= level.rank }) else { return }
    if overflow == .wait { makeRoom(for: chunk.bytes.count) }
    let mustWake = state.withLock { state in
      state.queue.append(chunk)
      state.bytes += chunk.bytes.count
      while state.bytes > Self.maximum, state.queue.count > 1 { state.dropOldest() }
      defer { state.isResting = false }
      return state.isResting || state.bytes > Self.plenty
    }
    if mustWake { work.set() }
  }

  /// Waits, unless the destination has a problem of its own, which waiting would not mend.
  private func makeRoom(for count: Int) {
    let end = MonotonicTime.milliseconds + Self.longestWait
    while state.withLock({ $0.bytes + count > Self.maximum && $0.statistics.problem == nil && !$0.isOver }) {
      let left = end - MonotonicTime.milliseconds
      guard left > 0 else { return }
      progress.wait(milliseconds: min(left, Self.look))
    }
  }

  func drain(milliseconds: Int) {
    let end = MonotonicTime.milliseconds + milliseconds
    state.withLock { $0.mustSync = true }
    work.set()
    while state.withLock({ ($0.bytes > 0 || $0.isBusy || $0.mustSync) && !$0.isOver }) {
      let left = end - MonotonicTime.milliseconds
      guard left > 0 else { return }
      progress.wait(milliseconds: min(left, Self.look))
    }
  }

  func close(milliseconds: Int) {
    drain(milliseconds: milliseconds)
    waitForFirstTry()
    state.withLock { $0.isClosing = true }
    work.set()
  }

  /// A thread that a busy machine has given no turn yet still has to find out that the log can't be written,
  /// and to tell it.
  private func waitForFirstTry() {
    let end = MonotonicTime.milliseconds + Self.longestWrite
    while state.withLock({ state in
      let isTried = state.isWriting || state.statistics.problem != nil || state.bytes == 0
      return !state.isOver && (state.isTelling || !isTried)
    }), MonotonicTime.milliseconds < end {
      progress.wait(milliseconds: Self.look)
    }
  }

  func halt() {
    let end = MonotonicTime.milliseconds + Self.longestWrite
    // The end of a process cuts a write that one of its threads has begun: a record would stay half written.
    while state.withLock({ state in
      state.isHalted = !state.isWriting
      return state.isWriting
    }), MonotonicTime.milliseconds < end {
      progress.wait(milliseconds: Self.look)
    }
  }

  // MARK: - The thread

  private func run() {
    var unsyncedSince: Int?
    while true {
      let (chunks, dropped, isClosing, mustSync) = state.withLock { state in
        defer {
          state.droppedNow = 0
          state.isBusy = true
        }
        return (state.take(), state.droppedNow, state.isClosing, state.mustSync)
      }
      if dropped > 0 {
        tell("\(dropped) record(s) were dropped: '\(destination.kind)' does not take them fast enough")
      }
      if !chunks.isEmpty {
        write(chunks)
        if unsyncedSince == nil { unsyncedSince = MonotonicTime.milliseconds }
      }
      let isDue = unsyncedSince.map { MonotonicTime.milliseconds - $0 >= syncMilliseconds } ?? false
      if mustSync || isDue || isClosing, unsyncedSince != nil {
        destination.sync()
        unsyncedSince = nil
      }
      let (isIdle, isResting) = state.withLock { state in
        state.isBusy = false
        if mustSync, state.queue.isEmpty { state.mustSync = false }
        if isClosing, state.queue.isEmpty { state.isOver = true }
        let isIdle = state.queue.isEmpty && !state.mustSync
        state.isResting = isIdle && chunks.isEmpty
        return (isIdle, state.isResting)
      }
      progress.set()
      if isClosing, isIdle { return }
      if isIdle {
        let due = unsyncedSince.map { max(1, $0 + syncMilliseconds - MonotonicTime.milliseconds) }
        work.wait(milliseconds: isResting ? due : min(due ?? Self.linger, Self.linger))
      }
    }
  }

  private func write(_ chunks: [LogChunk]) {
    for chunk in chunks {
      while !isDone(with: chunk) {}
      progress.set()
    }
  }

  /// Writes a chunk, or drops it; false when it is to be tried again.
  private func isDone(with chunk: LogChunk) -> Bool {
    let mayBegin = state.withLock { state in
      state.isWriting = !state.isHalted
      if state.isHalted { state.drop(chunk) }
      return state.isWriting
    }
    guard mayBegin else { return true }
    do { try destination.write(chunk, level) } catch {
      state.withLock { $0.isWriting = false }
      note(problem: "\((error as? BridgeError)?.message ?? "\(error)")")
      return isGivenUp(chunk)
    }
    state.withLock { $0.isWriting = false }
    note(written: chunk)
    return true
  }

  /// Waits for better times; whether there are none for this chunk.
  private func isGivenUp(_ chunk: LogChunk) -> Bool {
    progress.set()
    // At the end the thread does not wait for a disk that is full.
    let isClosing = state.withLock(\.isClosing)
    if !isClosing { work.wait(milliseconds: Self.retry) }
    return state.withLock { state in
      guard isClosing || state.bytes > Self.maximum else { return false }
      state.drop(chunk)
      return true
    }
  }

  private func note(written chunk: LogChunk) {
    let isMended = state.withLock { state in
      state.bytes -= chunk.bytes.count
      state.statistics.written += chunk.lines.count
      defer { state.statistics.problem = nil }
      return state.statistics.problem != nil
    }
    if isMended { tell("the log goes on: '\(destination.kind)' can be written again") }
  }

  /// Tells a problem once, until it is over.
  private func note(problem: String) {
    let isNew = state.withLock { state in
      defer { state.statistics.problem = problem }
      state.isTelling = state.statistics.problem == nil
      return state.isTelling
    }
    guard isNew else { return }
    tell("\(problem); records wait, the oldest are dropped when 16 MiB do")
    state.withLock { $0.isTelling = false }
  }
}

extension WorkerSink.State {
  /// Takes some of the oldest chunks; the others can still be dropped.
  fileprivate mutating func take() -> [LogChunk] {
    var (count, bytes) = (0, 0)
    while count < queue.count, bytes < 1 << 20 {
      bytes += queue[count].bytes.count
      count += 1
    }
    defer { queue.removeFirst(count) }
    return Array(queue.prefix(count))
  }

  fileprivate mutating func dropOldest() {
    drop(queue.removeFirst())
  }

  fileprivate mutating func drop(_ chunk: LogChunk) {
    bytes -= chunk.bytes.count
    droppedNow += chunk.lines.count
    statistics.dropped += chunk.lines.count
  }
}
