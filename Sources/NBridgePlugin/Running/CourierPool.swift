// SPDX-License-Identifier: MIT

/// An async action, as its couriers run it. What every call of it needs is worked out once.
package final class AsyncAction {
  fileprivate let body: Runner.AsyncBody
  /// What calls without a state of their own get.
  fileprivate let call: Call

  package init(_ body: @escaping Runner.AsyncBody, _ call: Call) {
    self.body = body
    self.call = call
  }
}

/// A call whose courier is away for it.
package protocol AwaitedCall: AnyObject {
  /// Takes the answer, on the engine's thread; the text of one is in the pool's sink.
  func finish(_ answer: Result<WireOutput, any Error>)
}

/// Swift tasks that run async actions, one call after the other. Confined to the engine's thread.
///
/// Making a task costs more than everything else in a call that doesn't suspend. So tasks that have run a call are
/// parked, and a call takes one that is: this costs a quarter. A call that suspends keeps its courier until it is over.
/// Couriers that were cancelled are not used again, because cancellation sticks to a task.
package final class CourierPool {
  package typealias Answer = Result<WireOutput, any Error>

  // Each of these is changed on one thread, never while it is being changed: the run-time checks are left out.
  /// What a call hands to a courier. In pieces: copying them together would count a dozen references.
  @exclusivity(unchecked) fileprivate unowned(unsafe) var action: AsyncAction?
  @exclusivity(unchecked) fileprivate var input = WireInput.none
  @exclusivity(unchecked) fileprivate var state: CallState?
  @exclusivity(unchecked) fileprivate var answer: Answer?
  /// The courier that runs the call; its task keeps it.
  @exclusivity(unchecked) fileprivate unowned(unsafe) var running: Courier?
  fileprivate let spot = ParkingSpot()
  fileprivate let parking: ParkingExecutor
  private let loop: any LoopExecutor
  fileprivate let sink: WireSink

  package static let mostParked = 64

  package init(loop: any LoopExecutor, sink: WireSink) {
    self.loop = loop
    self.sink = sink
    parking = spot.executor
  }

  /// Runs a call up to its first suspension. Answers its answer, or the courier that is away for it.
  package func run(_ action: AsyncAction, _ input: WireInput, _ state: CallState?) -> Outcome {
    self.action = action
    self.input = input
    self.state = state
    if let parked = parking.parked.popLast() {
      loop.runHere(parked)
    } else {
      let courier = Courier()
      let work = Uncheckedly((courier, self))  // runs on this thread, which the actor is
      courier.task = loop.startTask { actor in await work.value.0.work(for: work.value.1, on: actor) }
    }
    if let answer {
      self.answer = nil
      return .answered(answer)
    }
    return .away(running)
  }

  /// Hands the call over.
  fileprivate func take(_ courier: Courier) -> AsyncAction? {
    running = courier
    defer { action = nil }
    return action
  }

  package enum Outcome {
    case answered(Answer)
    case away(Courier?)
  }
}

/// One resident task.
package final class Courier {
  package fileprivate(set) var task: Task<Void, Never>?
  /// The call it is away for, once that has suspended.
  @exclusivity(unchecked) package var call: (any AwaitedCall)?

  fileprivate func work(for pool: CourierPool, on actor: isolated any Actor) async {
    while let action = pool.take(self) {
      let call = pool.state.map { Call(app: action.call.app, state: $0) } ?? action.call
      let answer: CourierPool.Answer
      do {
        answer = .success(try await action.body(pool.input, call, pool.sink))
      } catch { answer = .failure(error) }
      if let awaited = self.call {
        self.call = nil
        awaited.finish(answer)
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
