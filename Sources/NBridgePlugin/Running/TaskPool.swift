// SPDX-License-Identifier: MIT

/// An async action, as its taskPool run it. What every call of it needs is worked out once.
package final class AsyncAction {
  fileprivate let body: Runner.AsyncBody
  /// What calls without a state of their own get.
  fileprivate let call: Call

  package init(_ body: @escaping Runner.AsyncBody, _ call: Call) {
    self.body = body
    self.call = call
  }
}

/// A call whose pooled is away for it.
package protocol AwaitedCall: AnyObject {
  /// Takes the answer, on the engine's thread. The text of one is in the pool's sink, and has to be out of it
  /// when this returns: the next answer is written there.
  func finish(_ answer: Result<WireOutput, any Error>)
}

/// Swift tasks that run async actions, one call after the other. Confined to the engine's thread.
///
/// Making a task costs more than everything else in a call that doesn't suspend. So tasks that have run a
/// call are parked, and a call takes one that is: this costs a quarter. A call that suspends keeps its pooled
/// until it is over. Couriers that were cancelled are not used again, because cancellation sticks to a task.
///
/// A handler writes its answer to the one sink of the pool. The answer may stay there only as long as nothing
/// else runs: until ``run(_:_:_:)`` has returned to a caller that takes it out at once. While a call waits
/// for its handler, other tasks run inside of it, other calls begin and end there, and the handlers of outer
/// calls may come to their end: those answers leave the sink as they are made.
package final class TaskPool {
  package typealias Answer = Result<WireOutput, any Error>

  // Each of these is changed on one thread, never while it is being changed: the run-time checks are left
  // out.
  /// The pooled whose call is being begun and can be answered where it was made. Its task keeps it; a
  /// reference would be counted in each call, several times.
  @exclusivity(unchecked) fileprivate var innermost: Unmanaged<PooledTask>?
  fileprivate let spot = ParkingSpot()
  fileprivate let parking: ParkingExecutor
  private let loop: any LoopExecutor
  fileprivate let sink: WireSink
  fileprivate var isEnded = false
  /// How many calls are away.
  package fileprivate(set) var away = 0

  package static let maxParked = 64

  package init(loop: any LoopExecutor, sink: WireSink) {
    self.loop = loop
    self.sink = sink
    parking = spot.executor
  }

  /// Runs a call up to its first suspension. Answers its answer, whose text is in the sink and is to be taken
  /// out at once, or the pooled that is away for it.
  package func run(_ action: AsyncAction, _ input: WireInput, _ state: CallState?) -> Outcome {
    let outer = innermost
    defer { innermost = outer }
    guard let parked = parking.parked.popLast() else { return start(action, input, state) }
    innermost = parked.pooled
    return parked.pooled._withUnsafeGuaranteedRef { pooled in
      pooled.take(action, input, state)
      loop.runHere(parked.job, until: pooled)
      return outcome(of: pooled)
    }
  }

  @inline(__always)
  private func outcome(of pooled: PooledTask) -> Outcome {
    if let answer = pooled.takeAnswer(sink) { return .answered(answer) }
    away += 1
    return .away(pooled)
  }

  /// The same with a new pooled, when all others are away.
  private func start(_ action: AsyncAction, _ input: WireInput, _ state: CallState?) -> Outcome {
    let pooled = PooledTask()
    innermost = Unmanaged.passUnretained(pooled)
    pooled.take(action, input, state)
    let work = UncheckedSendable((pooled, self))  // runs on this thread, which the actor is
    pooled.task = loop.startTask(until: pooled) { actor in
      await work.value.0.work(for: work.value.1, on: actor)
    }
    return outcome(of: pooled)
  }

  /// Ends the tasks that are parked, and the others when their calls are over: a task that waits for ever
  /// keeps the pool and its loop for ever. On the engine's thread.
  package func end() {
    isEnded = true
    while let parked = parking.parked.popLast() {
      let pooled = parked.pooled.takeUnretainedValue()
      loop.runHere(parked.job, until: pooled)
    }
  }

  package enum Outcome {
    case answered(Answer)
    case away(PooledTask)
  }
}

/// One resident task.
package final class PooledTask: InlineWork {
  package fileprivate(set) var task: Task<Void, Never>?
  /// The call it is away for, once that has suspended.
  @exclusivity(unchecked) package var call: (any AwaitedCall)?

  @exclusivity(unchecked) fileprivate unowned(unsafe) var action: AsyncAction?
  @exclusivity(unchecked) fileprivate var input = WireInput.none
  @exclusivity(unchecked) fileprivate var state: CallState?
  /// The answer of a call whose ``TaskPool/run(_:_:_:)`` has not returned yet.
  @exclusivity(unchecked) private var answer: TaskPool.Answer?
  /// The text of that answer, when it could not stay in the sink.
  @exclusivity(unchecked) private var aside: Value?
  @exclusivity(unchecked) private var hasAnswer = false
  /// Read in another module, where a stored property would be checked at run time.
  package var isDone: Bool { hasAnswer }

  fileprivate func take(_ action: AsyncAction, _ input: WireInput, _ state: CallState?) {
    self.action = action
    self.input = input
    self.state = state
    hasAnswer = false
  }

  /// The answer, if it is there, its text in the sink.
  fileprivate func takeAnswer(_ sink: WireSink) -> TaskPool.Answer? {
    guard isDone else { return nil }
    hasAnswer = false
    defer { answer = nil }
    if let aside {
      self.aside = nil
      aside.text.withUnsafeBufferPointer { sink.put(foreign: $0, aside.attachments, isTagged: true) }
    }
    return answer
  }

  fileprivate func work(for pool: TaskPool, on actor: isolated any Actor) async {
    while let action {
      self.action = nil
      let call = state.map { Call(app: action.call.app, state: $0) } ?? action.call
      let answer: TaskPool.Answer
      do {
        answer = .success(try await action.body(input, call, pool.sink))
      } catch {
        // What could not be encoded to its end is no part of another answer.
        pool.sink.reset()
        answer = .failure(error)
      }
      if let awaited = self.call {
        self.call = nil
        pool.away -= 1
        awaited.finish(answer)
        if Task.isCancelled || pool.parking.parked.count >= TaskPool.maxParked { return }
      } else {
        keep(answer, pool)
      }
      if pool.isEnded { return }
      pool.parking.arriving = Unmanaged.passUnretained(self)
      await pool.spot.park()
    }
  }

  private func keep(_ answer: TaskPool.Answer, _ pool: TaskPool) {
    if pool.innermost?.toOpaque() != Unmanaged.passUnretained(self).toOpaque(), case .success(.text) = answer
    {
      aside = Value(text: Array(pool.sink.text), attachments: pool.sink.attachments)
      pool.sink.reset()
    }
    self.answer = answer
    hasAnswer = true
  }
}

/// Where tasks wait at the price of two executor switches: a hop to an actor whose executor runs nothing.
private actor ParkingSpot {
  nonisolated let executor = ParkingExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Comes back when the pool runs the job that the executor keeps. Not inlined: a hop to an actor that does
  /// nothing there would be left out.
  @inline(never)
  func park() {}
}

private final class ParkingExecutor: SerialExecutor, @unchecked Sendable {
  // Sendable because tasks only come from and go to the engine's thread.
  struct Parked {
    let job: UnownedJob
    let pooled: Unmanaged<PooledTask>  // its task keeps it, and the job is its task's
  }
  @exclusivity(unchecked) var parked: [Parked] = []
  /// The pooled that is just parking.
  @exclusivity(unchecked) var arriving: Unmanaged<PooledTask>?

  func enqueue(_ job: consuming ExecutorJob) {
    guard let pooled = arriving else { preconditionFailure("a task that is no pooled came to park") }
    parked.append(Parked(job: UnownedJob(job), pooled: pooled))
  }
  /// The job goes on on the engine's executor, where it wants to go next anyway.
  func checkIsolated() {}
}
