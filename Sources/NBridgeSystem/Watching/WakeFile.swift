// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc

/// Wakes a thread that waits for descriptors (eventfd(2)): set, it wakes the thread that waits, or the next
/// that waits, until it is taken.
///
/// Shared by both sides, and closed by the last: a descriptor that one closed could be another owner's file
/// when the other side writes to it. Any thread may use it. A process without a descriptor left gets one that
/// wakes no thread: see ``isOpen``.
public final class WakeFile: Sendable {
  /// Readable while it is set; -1 when there was no descriptor left.
  public let number: Int32

  /// One that is not set.
  public init() { number = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)) }

  deinit { if number >= 0 { close(number) } }

  /// Whether it can wake a thread.
  public var isOpen: Bool { number >= 0 }

  /// Wakes.
  public func set() {
    var one: UInt64 = 1
    _ = write(number, &one, 8)
  }

  /// Lowers it again; true when it was set.
  @discardableResult
  public func take() -> Bool {
    var count: UInt64 = 0
    return read(number, &count, 8) == 8
  }

  /// Waits until it is set, milliseconds at the most, nil for as long as it takes; lowers it.
  @discardableResult
  public func wait(milliseconds: Int? = nil) -> Bool {
    Poller.wait(for: number, milliseconds: milliseconds)
    return take()
  }
}
