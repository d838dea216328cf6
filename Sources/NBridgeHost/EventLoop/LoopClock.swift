// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Synchronization

/// Where a loop takes its time from: monotonic microseconds. Injected, so that no test sleeps.
public protocol LoopClock: AnyObject, Sendable {
  /// Now, in microseconds from any fixed point.
  var now: Int { get }

  /// Whether ``now`` moves by itself. A loop on a clock that doesn't wait jumps to the next timer when idle.
  var isReal: Bool { get }

  /// Moves a clock that is not real to `time`; a real one ignores it.
  func jump(to time: Int)
}

/// The system's monotonic clock.
public final class SystemClock: LoopClock {
  /// Makes the clock.
  public init() {}
  /// Microseconds, as GLib counts them.
  public var now: Int { g_get_monotonic_time() }
  /// It moves by itself.
  public var isReal: Bool { true }
  /// Does nothing.
  public func jump(to time: Int) {}
}

/// A clock that a test moves: an idle loop on it jumps straight to its next timer.
public final class VirtualClock: LoopClock {
  private let time = Atomic<Int>(1_000_000)
  /// Makes a clock that stands at one second.
  public init() {}
  /// Where the clock stands.
  public var now: Int { time.load(ordering: .acquiring) }
  /// It moves only when it is moved.
  public var isReal: Bool { false }
  /// Moves forward to `target`; never back.
  public func jump(to target: Int) {
    if target > now { time.store(target, ordering: .releasing) }
  }
}
