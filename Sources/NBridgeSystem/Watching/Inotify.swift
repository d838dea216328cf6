// SPDX-License-Identifier: MIT

internal import Glibc

/// The kernel's notices of what happens in folders (inotify(7)). Any thread may watch and forget; one reads.
public final class Inotify: Sendable {
  /// Something that happened.
  public struct Event: Sendable, Equatable {
    /// The number of the watch; -1 when notices were lost (`IN_Q_OVERFLOW`).
    public let watch: Int32
    /// inotify's bits.
    public let mask: UInt32
    /// The same for both halves of a renaming; 0 for all else.
    public let cookie: UInt32
    /// As the kernel has it, not necessarily UTF-8; empty for the folder itself.
    public let name: [UInt8]
  }

  /// Readable when something happened.
  public let number: Int32

  /// One that watches nothing.
  public init() throws(SystemError) {
    number = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard number >= 0 else { throw .last("watch files") }
  }

  deinit { close(number) }

  /// Watches what a path leads to; answers the watch's number, the same for the same folder.
  ///
  /// - Parameter events: inotify's bits, `IN_CREATE` and such.
  /// - Throws: `ENOSPC` when the user has no more watches.
  public func watch(_ path: String, _ events: UInt32) throws(SystemError) -> Int32 {
    let watch = inotify_add_watch(number, path, events)
    guard watch >= 0 else { throw .last("watch", path) }
    return watch
  }

  /// Watches an open folder: what a path leads to could have been changed meanwhile.
  public func watch(descriptor: Int32, _ events: UInt32) throws(SystemError) -> Int32 {
    try watch("/proc/self/fd/\(descriptor)", events)
  }

  /// Forgets a watch.
  public func forget(_ watch: Int32) { inotify_rm_watch(number, watch) }

  /// What happened since it was read last, in order. Never waits.
  public func read() -> [Event] {
    var events: [Event] = []
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { room in
      while case let count = Glibc.read(number, room.baseAddress, room.count), count > 0 {
        Self.take(UnsafeRawBufferPointer(rebasing: room[..<count]), &events)
      }
    }
    return events
  }

  private static func take(_ bytes: UnsafeRawBufferPointer, _ events: inout [Event]) {
    let head = MemoryLayout<inotify_event>.size
    var at = 0
    while at + head <= bytes.count {
      let event = bytes.loadUnaligned(fromByteOffset: at, as: inotify_event.self)
      let end = at + head + Int(event.len)
      // The kernel fills names up with zeros.
      let name = bytes[(at + head)..<end].prefix { $0 != 0 }
      events.append(Event(watch: event.wd, mask: event.mask, cookie: event.cookie, name: Array(name)))
      at = end
    }
  }
}
