// SPDX-License-Identifier: MIT

/// The thread of an engine as plugins' tasks see it: `async` code runs there, between the script's turns.
///
/// It is a `TaskExecutor` too: Swift resumes a task on the executor that the task prefers and only then on
/// its actor's. Without the preference every resumption would go through the global pool, two thread
/// switches.
package protocol LoopExecutor: SerialExecutor, TaskExecutor {
  /// Runs the job that `body` enqueues at once, inside the caller, instead of later; and what was enqueued
  /// since, until `work` is done. What is left then is for the loop's next round: the caller has an answer to
  /// take.
  func runInline(until work: (any InlineWork)?, _ body: () -> Task<Void, Never>) -> Task<Void, Never>

  /// Runs a job that waited elsewhere, at once, and what was enqueued since, until `work` is done.
  func runHere(_ job: UnownedJob, until work: PooledTask)
}

/// A call that the executor runs jobs for, inside of the call.
package protocol InlineWork: AnyObject {
  /// Whether nothing more has to run for it now.
  var isDone: Bool { get }
}

extension LoopExecutor {
  /// Starts a task on the engine's thread and runs it, before this returns, up to its first suspension.
  ///
  /// Not `Task.immediate`: a task that starts without an executor's job under it forgets where it belongs,
  /// and its first suspension ends on the global executor, two thread switches away.
  package func startTask(
    until work: (any InlineWork)? = nil, _ body: @escaping @Sendable (isolated any Actor) async -> Void
  ) -> Task<Void, Never> {
    let actor = LoopActor(self)
    return runInline(until: work) { actor.start(body) }
  }
}

/// How long the engine's thread stays with one thing.
package enum LoopLimits {
  /// How many jobs are run inside the call that enqueued them.
  package static let jobsInline = 256
}

/// The engine's thread as an actor: what is isolated to it runs between the script's turns.
private actor LoopActor {
  private nonisolated let loop: any LoopExecutor

  init(_ loop: any LoopExecutor) { self.loop = loop }

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  nonisolated func start(_ body: @escaping @Sendable (isolated any Actor) async -> Void) -> Task<Void, Never>
  {
    assumeIsolated { actor in
      Task(executorPreference: actor.loop) { await body(actor) }
    }
  }
}

/// Carries a value over a boundary that the compiler can't see to be safe.
package struct UncheckedSendable<T>: @unchecked Sendable {
  // Each use says, beside it, why the value is touched by one thread only.
  package let value: T
  package init(_ value: T) { self.value = value }
}
