// SPDX-License-Identifier: MIT

internal import Glibc

/// The clock that no user can set: since some moment before this process began, without the time that the
/// machine slept.
public enum MonotonicTime {
  /// Whole seconds, as of the kernel's last tick.
  public static var seconds: Int { coarseNanoseconds / 1_000_000_000 }

  /// Whole milliseconds.
  public static var milliseconds: Int { nanoseconds / 1_000_000 }

  /// Whole microseconds.
  public static var microseconds: Int { nanoseconds / 1000 }

  /// Nanoseconds.
  public static var nanoseconds: Int { read(CLOCK_MONOTONIC) }

  /// Nanoseconds as of the kernel's last tick, some milliseconds ago at the most: costs a few loads.
  public static var coarseNanoseconds: Int { read(CLOCK_MONOTONIC_COARSE) }

  private static func read(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
