// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeSystem

/// A short piece of work for a pool, which the loop's thread does itself when the turn that began it has left
/// it nothing else to do: two switches between threads take as long as such work. At most one, and never
/// longer than to the end of that turn. Confined to the loop's thread.
final class SpareWork {
  private var kept: (job: WorkerPool.Job, pool: WorkerPool)?
  private var trust = Trust()
  private var scratch: AnyObject?

  /// Whether such work is as short as it says. A disk that is slow once is slow again.
  private struct Trust {
    /// In microseconds.
    private static let longest = 2_000
    private static let pause = 64
    private var left = 0

    mutating func mayTry() -> Bool {
      if left == 0 { return true }
      left -= 1
      return false
    }

    mutating func note(_ microseconds: Int) {
      if microseconds > Self.longest { left = Self.pause }
    }
  }

  /// Keeps a job until the turn's end. With another one, both are for the pool.
  func keep(_ job: @escaping WorkerPool.Job, for pool: WorkerPool) {
    if kept == nil, trust.mayTry() {
      kept = (job, pool)
    } else {
      giveAway()
      pool.submit(job)
    }
  }

  /// Has the pool do what is kept.
  func giveAway() {
    guard let (job, pool) = kept else { return }
    kept = nil
    pool.submit(job)
  }

  /// Does what is kept here and now.
  func run() {
    guard let (job, _) = kept else { return }
    kept = nil
    let start = g_get_monotonic_time()
    job(&scratch)
    trust.note(g_get_monotonic_time() - start)
  }
}
