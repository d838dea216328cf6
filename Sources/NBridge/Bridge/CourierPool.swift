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
  /// The courier that runs the call; its task keeps it.
  @exclusivity(unchecked) fileprivate unowned(unsafe) var running: Courier?
  fileprivate let spot = ParkingSpot()
  fileprivate let parking: ParkingExecutor
  private let loop: EventLoop
  fileprivate let sink: WireSink

  static let mostParked = 64

  init(loop: EventLoop, sink: WireSink) {
    self.loop = loop
    self.sink = sink
    parking = spot.executor
  }

  /// Runs a call up to its first suspension. Answers its answer, or the courier that is away for it.
  func run(_ action: BoundAction, _ input: WireInput, _ state: CallState?, for bridge: Bridge) -> Outcome {
    self.action = action
    self.input = input
    self.state = state
    if let parked = parking.parked.popLast() {
      loop.runHere(parked)
    } else {
      let courier = Courier(bridge)
      let work = Uncheckedly((courier, self))  // runs on this thread, which the actor is
      courier.task = bridge.startTask { actor in await work.value.0.work(for: work.value.1, on: actor) }
    }
    if let answer {
      self.answer = nil
      return .answered(answer)
    }
    return .away(running)
  }

  /// Hands the call over.
  fileprivate func take(_ courier: Courier) -> BoundAction? {
    running = courier
    defer { action = nil }
    return action
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
  private unowned(unsafe) let bridge: Bridge  // whose loop runs it

  init(_ bridge: Bridge) { self.bridge = bridge }

  fileprivate func work(for pool: CourierPool, on actor: isolated ScriptActor) async {
    while let action = pool.take(self), let body = action.asyncBody {
      let call = pool.state.map { Call(app: action.call.app, state: $0) } ?? action.call
      let answer: CourierPool.Answer
      do {
        answer = .success(try await body(pool.input, call, pool.sink))
      } catch { answer = .failure(error) }
      if let record {
        self.record = nil
        bridge.finish(record, answer)
        if Task.isCancelled || pool.parking.parked.count >= CourierPool.mostParked { return }
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

  /// Comes back when somebody runs the job that the executor keeps. Not inlined: a hop to an actor that does nothing
  /// there would be left out.
  @inline(never)
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
      outcome = try withInput(frame) { couriers.run(action, $0, state, for: self) }
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
