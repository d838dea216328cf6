// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc
internal import NBridgePlugin
internal import Synchronization

/// A thread that sleeps until somebody changes something in a folder: inotify, no polling.
package final class FolderWatcher: Sendable {
  /// Something that happened to a file.
  package struct Event: Sendable {
    /// Which of the folders, by its place in the list.
    package let folder: Int
    package let name: String
    /// inotify's bits.
    package let mask: UInt32
  }

  private let inotify: Int32
  private let wakeup: Int32
  private let folders: [(path: String, mask: Int32)]
  /// The places of folders in the list, by inotify's numbers.
  private let numbers: Mutex<[Int32: Int]>
  /// Makes folders that were taken away.
  private let remake: @Sendable () -> Void
  private let hasStopped = Atomic<Bool>(false)

  /// Watches folders, each for some of inotify's events. ``start(_:_:)`` begins to tell of them.
  ///
  /// - Throws: `io_error` when a folder can't be watched.
  ///
  /// - Parameter remake: called when one was taken away: makes it anew, and is watched then.
  package init(_ folders: [(path: String, mask: Int32)], remake: @escaping @Sendable () -> Void = {}) throws {
    self.folders = folders
    self.remake = remake
    inotify = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    var numbers: [Int32: Int] = [:]
    for (index, folder) in folders.enumerated() {
      let number = inotify < 0 ? -1 : inotify_add_watch(inotify, folder.path, UInt32(folder.mask))
      guard number >= 0, wakeup >= 0 else {
        let reason = String(cString: strerror(errno))
        close(inotify)
        close(wakeup)
        throw BridgeError(.ioError, "can't watch '\(folder.path)': \(reason)")
      }
      numbers[number] = index
    }
    self.numbers = Mutex(numbers)
  }

  /// Starts the thread. It calls `body` at once, then whenever something happened, ``wake()`` was called, or
  /// as many milliseconds have passed as `body` answered last; nil for no such limit.
  package func start(_ name: String, _ body: @escaping @Sendable ([Event]) -> Int?) {
    PlainThread.start(name) { [self] in watch(body) }
  }

  /// Has `body` called soon.
  package func wake() {
    var one: UInt64 = 1
    _ = write(wakeup, &one, 8)
  }

  /// Sleeps so long, in milliseconds, or until ``wake()`` or ``stop()``; what happens in the folders is told
  /// afterwards, at once. For `body`, which waits for more of what comes in great number.
  package func rest(_ milliseconds: Int) {
    var file = pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0)
    poll(&file, 1, Int32(clamping: max(0, milliseconds)))
  }

  /// Ends the thread, once. `body` may be running; it is not called again.
  package func stop() {
    hasStopped.store(true, ordering: .releasing)
    wake()
  }

  private func watch(_ body: ([Event]) -> Int?) {
    var files = [
      pollfd(fd: inotify, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0),
    ]
    var events: [Event] = []
    while !hasStopped.load(ordering: .acquiring) {
      let limit = body(events)
      while poll(&files, 2, limit.map { Int32(clamping: max(0, $0)) } ?? -1) < 0, errno == EINTR {}
      var count: UInt64 = 0
      _ = read(wakeup, &count, 8)
      events = readEvents()
    }
  }

  /// Only when the thread has ended and nobody can wake it any more.
  deinit {
    close(inotify)
    close(wakeup)
  }

  /// A folder has gone, and its watch with it.
  private func watchAnew(_ number: Int32) {
    guard let place = numbers.withLock({ $0.removeValue(forKey: number) }) else { return }
    remake()
    let new = inotify_add_watch(inotify, folders[place].path, UInt32(folders[place].mask))
    if new >= 0 { numbers.withLock { $0[new] = place } }
  }

  private func readEvents() -> [Event] {
    var events: [Event] = []
    withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 8) { buffer in
      while true {
        let count = read(inotify, buffer.baseAddress, buffer.count)
        guard count > 0 else { return }
        var at = 0
        while at < count {
          let event = buffer.loadUnaligned(fromByteOffset: at, as: inotify_event.self)
          let name = buffer[
            (at + MemoryLayout<inotify_event>.size)..<(at + MemoryLayout<inotify_event>.size + Int(event.len))
          ]
          events.append(
            Event(
              folder: numbers.withLock { $0[event.wd] } ?? -1,
              name: String(decoding: name.prefix { $0 != 0 }, as: UTF8.self),
              mask: event.mask))
          if event.mask & UInt32(IN_IGNORED) != 0 { watchAnew(event.wd) }
          at += MemoryLayout<inotify_event>.size + Int(event.len)
        }
      }
    }
    return events
  }
}
