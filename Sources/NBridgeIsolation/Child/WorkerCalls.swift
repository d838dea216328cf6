// SPDX-License-Identifier: MIT

internal import NBridgeSystem
internal import Synchronization

/// Counts the calls that are on workers: a plugin is stopped when the last of them has come back, as in the
/// program's own process. Any thread.
final class WorkerCalls: Sendable {
  private struct State {
    var running = 0
    /// Those among them that no worker has taken yet.
    var waiting: Set<UInt64> = []
    /// Whether somebody waits until none runs.
    var isAwaited = false
    /// What stops the plugin, once it is to be stopped behind a call.
    var stop: Stop?
  }

  private struct Stop: Sendable {
    let body: @Sendable () -> Void
    /// Set when the plugin is stopped.
    let isDone = WakeFile()
  }

  private let state = Mutex(State())

  /// Whether no call is on a worker. Where one is, the end of the last will say so.
  func areOver() -> Bool {
    state.withLock { state in
      state.isAwaited = state.running > 0
      return !state.isAwaited
    }
  }

  /// A call is to have a worker.
  func begin(_ call: UInt64) {
    state.withLock { state in
      state.running += 1
      state.waiting.insert(call)
    }
  }

  /// A worker is there for it. False when it was cancelled while it waited.
  func take(_ call: UInt64) -> Bool { state.withLock { $0.waiting.remove(call) != nil } }

  /// Answers whether no worker has it, nor will run it; ``end()`` is due all the same.
  func cancel(_ call: UInt64) -> Bool { take(call) }

  /// Answers whether somebody waits for the end of this one, the last.
  func end() -> Bool {
    let (stop, isAwaited) = state.withLock { state in
      state.running -= 1
      return state.running == 0 ? (state.stop, state.isAwaited) : (nil, false)
    }
    stop?.body()
    stop?.isDone.set()
    return isAwaited
  }

  /// Stops the plugin when no call is on a worker, and waits for that; not longer than so many milliseconds.
  func stop(waiting milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
    let later = state.withLock { state in
      if state.running > 0 { state.stop = Stop(body: body) }
      return state.stop
    }
    if let later { later.isDone.wait(milliseconds: milliseconds) } else { body() }
  }
}
