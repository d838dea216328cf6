// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc

/// Something that threads wait for: raised, it wakes who waits, or who waits next.
package final class Signal: Sendable {
  package let descriptor: Int32

  package init() { descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
  deinit { close(descriptor) }

  package func raise() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }

  /// Lowers it again; true when it was raised.
  @discardableResult
  package func take() -> Bool {
    var count: UInt64 = 0
    return read(descriptor, &count, 8) == 8
  }

  /// Waits until it is raised, or so long; nil for as long as it takes.
  func wait(milliseconds: Int?) {
    var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&file, 1, milliseconds.map { Int32(clamping: $0) } ?? -1)
    take()
  }
}

/// A clock that nobody sets.
enum MonotonicTime {
  static var milliseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}
