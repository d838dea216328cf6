// SPDX-License-Identifier: MIT

/// How long a loop looks for a reply of another thread or process before it sleeps: to sleep and to be woken
/// costs some 50 µs, so looking pays when replies come soon. What it learns from the last replies decides:
/// those that take longer are slept for almost at once.
public struct SpinPatience: Sendable {
  private static let least = 40
  /// A reply that takes longer than this is waited for asleep, whatever waking costs.
  private static let maximum = 200
  /// What of a wait asleep may be the waking.
  private static let waking = 60

  /// So long, 40 to 200.
  public private(set) var microseconds = least

  /// One that has learnt nothing.
  public init() {}

  /// A reply came while it was looked for.
  public mutating func noteSpin(_ elapsed: Int) { aim(at: elapsed) }

  /// A reply came only after so long, the last part of it asleep.
  public mutating func noteSleep(_ elapsed: Int) {
    aim(at: elapsed <= Self.maximum + Self.waking ? min(elapsed, Self.maximum) : 0)
  }

  /// Twice what it took, approached slowly, so that one slow reply does not end it and one quick reply does
  /// not start it.
  private mutating func aim(at elapsed: Int) {
    let target = min(Self.maximum, max(Self.least, 2 * elapsed))
    microseconds += (target - microseconds) / 4
    if microseconds < Self.least { microseconds = Self.least }
  }
}
