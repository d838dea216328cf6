// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin

/// Swift tasks that run async actions, one call after the other. Confined to the engine's thread.
///
/// Making a task costs more than everything else in a call that doesn't suspend. So tasks that have run a call are
/// parked, and a call takes one that is: this costs a quarter. A call that suspends keeps its courier until it is over.
/// Couriers that were cancelled are not used again, because cancellation sticks to a task.
final class CourierPool {
  typealias Answer = Result<WireOutput, any Error>

  // Each of these is changed on one thread, never while it is being changed: the run-time checks are left out.
  /// What a call hands to a courier. In pieces: copying them together would count a dozen references.
  @exclusivity(unchecked) fileprivate unowned(unsafe) var action: BoundAction?
  @exclusivity(unchecked) fileprivate var input = WireInput.none
  @exclusivity(unchecked) fileprivate var state: CallState?
  @exclusivity(unchecked) fileprivate var answer: Answer?
  @exclusivity(unchecked) fileprivate var running: Courier?
  fileprivate let spot = ParkingSpot()
  private let start: (@escaping @Sendable (isolated ScriptActor) async -> Void) -> Task<Void, Never>
  private let loop: EventLoop
  fileprivate let sink: WireSink
  fileprivate let finish: (CallRecord, Answer) -> Void

  static let mostParked = 64

  /// - Parameters:
  ///   - start: starts a task on the engine's thread, and runs it up to its first suspension.
  ///   - finish: takes the answer of a call that had suspended.
  init(
    loop: EventLoop, sink: WireSink,
    start: @escaping (@escaping @Sendable (isolated ScriptActor) async -> Void) -> Task<Void, Never>,
    finish: @escaping (CallRecord, Answer) -> Void
  ) {
    self.loop = loop
    self.sink = sink
    self.start = start
    self.finish = finish
  }

  /// Runs a call up to its first suspension. Answers its answer, or the courier that is away for it.
  func run(_ action: BoundAction, _ input: WireInput, _ state: CallState?) -> Outcome {
    self.action = action
    self.input = input
    self.state = state
    if let parked = spot.executor.parked.popLast() {
      loop.runHere(parked)
    } else {
      let courier = Courier(self)
      let work = Uncheckedly(courier)  // runs on this thread, which the actor is
      courier.task = start { actor in await work.value.work(on: actor) }
    }
    if let answer {
      self.answer = nil
      return .answered(answer)
    }
    return .away(running)
  }

  enum Outcome {
    case answered(Answer)
    case away(Courier?)
  }
}

/// One resident task.
final class Courier {
  fileprivate(set) var task: Task<Void, Never>?
  /// The call it is away for, once that has suspended.
  @exclusivity(unchecked) var record: CallRecord?
  private unowned(unsafe) let pool: CourierPool  // which outlives the engine's turns

  init(_ pool: CourierPool) { self.pool = pool }

  fileprivate func work(on actor: isolated ScriptActor) async {
    while let action = pool.action, let body = action.asyncBody {
      pool.action = nil
      pool.running = self
      let call = pool.state.map { Call(app: action.call.app, state: $0) } ?? action.call
      let answer: CourierPool.Answer
      do {
        answer = .success(try await body(pool.input, call, pool.sink))
      } catch { answer = .failure(error) }
      if let record {
        self.record = nil
        pool.finish(record, answer)
        if Task.isCancelled || pool.spot.executor.parked.count >= CourierPool.mostParked { return }
      } else {
        pool.answer = answer
      }
      await pool.spot.park()
    }
  }
}

/// Where tasks wait at the price of two executor switches: a hop to an actor whose executor runs nothing.
private actor ParkingSpot {
  nonisolated let executor = ParkingExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Comes back when somebody runs the job that the executor keeps.
  func park() {}
}

private final class ParkingExecutor: SerialExecutor, @unchecked Sendable {
  // Sendable because tasks only come from and go to the engine's thread.
  @exclusivity(unchecked) var parked: [UnownedJob] = []
  func enqueue(_ job: consuming ExecutorJob) { parked.append(UnownedJob(job)) }
  /// The job goes on on the engine's executor, where it wants to go next anyway.
  func checkIsolated() {}
}

extension Bridge {
  /// Starts a task on the engine's thread and runs it, before this returns, up to its first suspension.
  ///
  /// Not `Task.immediate`: a task that starts without an executor's job under it forgets where it belongs, and its
  /// first suspension ends on the global executor, two thread switches away.
  func startTask(_ body: @escaping @Sendable (isolated ScriptActor) async -> Void) -> Task<Void, Never> {
    let loop = loop
    return loop.runInline {
      actor.assumeIsolated { actor in
        Task(executorPreference: loop) {
          await body(actor)
        }
      }
    }
  }

  func startAsync(_ action: BoundAction, _ frame: borrowing JSCallFrame) -> JSValue {
    let timeout = mailbox.takeTimeout()
    let state = timeout.map { CallState(deadline: .now + .milliseconds($0)) }
    let outcome: CourierPool.Outcome
    do {
      outcome = try withInput(frame) { couriers.run(action, $0, state) }
    } catch { outcome = .answered(.failure(error)) }
    switch outcome {
    case .answered(.success(let output)): return answer(output, frame)
    case .answered(.failure(let error)): return answer(failure: error, action, frame)
    case .away(let courier):
      let record = makeRecord(action, timeout: timeout, state: state ?? CallState())
      record.task = courier?.task
      courier?.record = record
      return park(record, frame)
    }
  }
}
