// SPDX-License-Identifier: MIT

internal import Glibc

/// flock(2) that does not wait for ever: whoever has the lock may be stopped.
package enum BoundedLock {
  /// How long one waits for another process, in milliseconds, where nothing says otherwise.
  package static let patience = 5000
  private static let longestPause: UInt32 = 2000

  /// Takes the lock of an open file for itself alone; false when somebody else had it all the time. The
  /// file's end gives it back.
  ///
  /// - Parameters:
  ///   - milliseconds: how long to wait at most; 0 to try once.
  ///   - isOver: whether nobody wants it any more, asked while it waits.
  package static func take(
    _ file: Int32, within milliseconds: Int = patience, unless isOver: () -> Bool = { false }
  ) -> Bool {
    let (sum, isPast) = now.addingReportingOverflow(milliseconds)
    let end = isPast ? .max : sum
    var pause: UInt32 = 50
    while flock(file, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EINTR || errno == EWOULDBLOCK, now < end, !isOver() else { return false }
      usleep(pause)
      pause = min(2 * pause, longestPause)
    }
    return true
  }

  /// Of a clock that nobody sets.
  private static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}
