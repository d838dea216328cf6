// SPDX-License-Identifier: MIT

internal import Glibc

/// The source of time.
package protocol AuthClock: Sendable {
  /// Milliseconds since 1970; an administrator may set it.
  var wall: Int { get }
  /// Milliseconds since the machine's start, sleep included; no user can set it.
  var sinceStart: Int { get }
  /// - Throws: `CancellationError` when the task is cancelled.
  func sleep(milliseconds: Int) async throws
}

/// The system's clocks.
struct SystemAuthClock: AuthClock {
  var wall: Int { Self.read(CLOCK_REALTIME) }
  var sinceStart: Int { Self.read(CLOCK_BOOTTIME) }

  func sleep(milliseconds: Int) async throws { try await Task.sleep(for: .milliseconds(milliseconds)) }

  private static func read(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}
