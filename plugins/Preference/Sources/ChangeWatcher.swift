// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc
internal import NBridgePlugin
internal import Synchronization

/// Notices that somebody wrote to the database, this process or another: inotify on its folder, no polling.
///
/// One thread that sleeps in `poll`; it ends with the last reader or with ``stop()``.
final class ChangeWatcher: Sendable {
  private typealias Reader = (key: String?, continuation: AsyncStream<PreferenceChange>.Continuation)

  private let readers = Mutex<[Int: Reader]>([:])
  private let nextID = Atomic<Int>(0)
  private let inotify: Int32
  private let wake: Int32
  private let fetch: @Sendable (Int64) -> (Int64, [PreferenceChange])

  init(
    folder: String, after last: Int64, fetch: @escaping @Sendable (Int64) -> (Int64, [PreferenceChange])
  ) throws {
    inotify = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    wake = eventfd(0, Int32(EFD_CLOEXEC))
    self.fetch = fetch
    guard inotify >= 0, wake >= 0,
      inotify_add_watch(inotify, folder, UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO)) >= 0
    else { throw BridgeError(.ioError, "can't watch '\(folder)': \(String(cString: strerror(errno)))") }
    start(last)
  }

  func add(key: String?, _ continuation: AsyncStream<PreferenceChange>.Continuation) {
    let id = nextID.add(1, ordering: .relaxed).newValue
    readers.withLock { $0[id] = (key, continuation) }
    continuation.onTermination = { [weak self] _ in _ = self?.readers.withLock { $0.removeValue(forKey: id) }
    }
  }

  /// Ends the thread and every reader's stream.
  func stop() {
    var one: UInt64 = 1
    _ = write(wake, &one, 8)
    let all = readers.withLock { readers in
      defer { readers = [:] }
      return Array(readers.values)
    }
    for reader in all { reader.continuation.finish() }
  }

  private func start(_ last: Int64) {
    PlainThread.start("nb-preference") { [self] in watch(after: last) }
  }

  private func watch(after start: Int64) {
    var last = start
    var files = [
      pollfd(fd: inotify, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
    ]
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let (newest, changes) = fetch(last)
      last = newest
      if !changes.isEmpty { tell(changes) }
      while poll(&files, 2, -1) < 0, errno == EINTR {}
      if files[1].revents != 0 { break }
      while read(inotify, &buffer, buffer.count) > 0 {}
    }
    close(inotify)
    close(wake)
  }

  private func tell(_ changes: [PreferenceChange]) {
    let all = readers.withLock { Array($0.values) }
    for reader in all {
      for change in changes where reader.key == nil || reader.key == change.key {
        reader.continuation.yield(change)
      }
    }
  }
}
