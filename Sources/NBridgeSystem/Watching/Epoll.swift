// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc

/// Waits for any number of descriptors (epoll(7)). Any thread may add and remove; one waits.
public final class Epoll: Sendable {
  /// What happened to one of them.
  public struct Event: Sendable {
    /// The tag under which it was added.
    public let tag: UInt64
    /// epoll's bits.
    public let events: UInt32
  }

  private let number: Int32

  /// So many events come at once; the others come with the next call.
  private static let most = 64

  /// One that waits for nothing.
  public init() throws(SystemError) {
    number = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard number >= 0 else { throw .last("wait for descriptors") }
  }

  deinit { close(number) }

  /// Waits for a descriptor from now on.
  ///
  /// - Parameters:
  ///   - events: epoll's bits, `EPOLLIN` and such.
  ///   - tag: what its events are told under.
  public func add(_ descriptor: Int32, _ events: UInt32, tag: UInt64) throws(SystemError) {
    guard control(EPOLL_CTL_ADD, descriptor, events, tag) else { throw .last("wait for a descriptor") }
  }

  /// Waits for something else from one that was added. One that is not there stays so.
  public func change(_ descriptor: Int32, _ events: UInt32, tag: UInt64) {
    _ = control(EPOLL_CTL_MOD, descriptor, events, tag)
  }

  /// Waits for one no more. Before it is closed.
  public func remove(_ descriptor: Int32) { epoll_ctl(number, EPOLL_CTL_DEL, descriptor, nil) }

  /// What happened, milliseconds at the most; nil for as long as it takes. None when nothing did, or a
  /// signal came.
  public func wait(milliseconds: Int?) -> [Event] {
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.most) { room in
      let limit = milliseconds.map { Int32(clamping: max(0, $0)) } ?? -1
      let count = Int(epoll_wait(number, room.baseAddress, Int32(room.count), limit))
      return room.prefix(max(0, count)).map { Event(tag: $0.data.u64, events: $0.events) }
    }
  }

  private func control(_ operation: Int32, _ descriptor: Int32, _ events: UInt32, _ tag: UInt64) -> Bool {
    var event = epoll_event(events: events, data: epoll_data(u64: tag))
    return epoll_ctl(number, operation, descriptor, &event) == 0
  }
}
