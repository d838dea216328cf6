// SPDX-License-Identifier: MIT

internal import Glibc

/// Waits for a few descriptors at once (poll(2)). For many of them there is ``Epoll``.
public enum Poller {
  /// What a descriptor is waited for, or is ready for.
  public struct Readiness: OptionSet, Sendable {
    /// poll(2)'s bits.
    public let rawValue: Int16
    /// Of poll(2)'s bits.
    public init(rawValue: Int16) { self.rawValue = rawValue }

    /// Something can be read, or the end.
    public static let readable = Readiness(rawValue: Int16(POLLIN))
    /// Something can be written.
    public static let writable = Readiness(rawValue: Int16(POLLOUT))
    /// The other end of a connection went, or said that it writes no more (POLLRDHUP, which glibc shows to
    /// GNU programs only).
    public static let hungUp = Readiness(rawValue: 0x2000)
  }

  /// Waits until one of some descriptors is ready, milliseconds at the most, nil for as long as it takes;
  /// answers what each is ready for, with what the kernel tells unasked: an error, a hang-up. A signal that
  /// the process handles ends no wait. A negative number is never ready.
  public static func wait(
    for files: [(number: Int32, events: Readiness)], milliseconds: Int? = nil
  ) -> [Readiness] {
    var list = files.map { pollfd(fd: $0.number, events: $0.events.rawValue, revents: 0) }
    // A caller may wait for centuries.
    let end = milliseconds.map { limit in
      let (sum, isPast) = MonotonicTime.milliseconds.addingReportingOverflow(max(0, limit))
      return isPast ? .max : sum
    }
    var left = milliseconds.map { max(0, $0) }
    while poll(&list, nfds_t(list.count), left.map { Int32(clamping: $0) } ?? -1) < 0, errno == EINTR {
      left = end.map { max(0, $0 - MonotonicTime.milliseconds) }
    }
    return list.map { Readiness(rawValue: $0.revents) }
  }

  /// The same for those that something is to be read from: whether each is ready.
  public static func wait(forAnyOf numbers: [Int32], milliseconds: Int? = nil) -> [Bool] {
    wait(for: numbers.map { ($0, .readable) }, milliseconds: milliseconds).map { !$0.isEmpty }
  }

  /// The same for one; false when it was not ready in time.
  @discardableResult
  public static func wait(
    for number: Int32, _ events: Readiness = .readable, milliseconds: Int? = nil
  ) -> Bool {
    !wait(for: [(number, events)], milliseconds: milliseconds)[0].isEmpty
  }
}
