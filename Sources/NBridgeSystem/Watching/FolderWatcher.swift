// SPDX-License-Identifier: MIT

internal import Glibc
internal import Synchronization

/// A thread that sleeps until a process changes something in a folder: inotify, no polling.
public final class FolderWatcher: Sendable {
  /// Something that happened to a file.
  public struct Event: Sendable {
    /// Which of the folders, by its place in the list.
    public let folder: Int
    /// The file's; what is not UTF-8 is repaired.
    public let name: String
    /// inotify's bits.
    public let mask: UInt32
  }

  private let inotify: Inotify
  private let wakeFile = WakeFile()
  private let folders: [(path: String, mask: Int32)]
  /// The places of folders in the list, by inotify's numbers.
  private let numbers: Mutex<[Int32: Int]>
  /// Makes folders that were taken away.
  private let remake: @Sendable () -> Void
  private let hasStopped = Atomic<Bool>(false)

  /// Watches folders, each for some of inotify's events. ``start(_:_:)`` begins to tell of them.
  ///
  /// - Parameter remake: called when one was taken away: makes it anew, and is watched then.
  /// - Throws: when a folder can't be watched.
  public init(
    _ folders: [(path: String, mask: Int32)], remake: @escaping @Sendable () -> Void = {}
  ) throws(SystemError) {
    self.folders = folders
    self.remake = remake
    var numbers: [Int32: Int] = [:]
    do throws(SystemError) {
      inotify = try Inotify()
      guard wakeFile.isOpen else { throw SystemError("watch", code: EMFILE) }
      for (index, folder) in folders.enumerated() {
        numbers[try inotify.watch(folder.path, UInt32(folder.mask))] = index
      }
    } catch {
      throw SystemError("watch", error.subject ?? folders.first?.path, code: error.code)
    }
    self.numbers = Mutex(numbers)
  }

  /// Starts the thread. It calls `body` at once, then whenever something happened, ``wake()`` was called,
  /// or as many milliseconds have passed as `body` answered last; nil for no such limit.
  public func start(_ name: String, _ body: @escaping @Sendable ([Event]) -> Int?) {
    PlainThread.start(name) { [self] in watch(body) }
  }

  /// Has `body` called soon.
  public func wake() { wakeFile.set() }

  /// Sleeps so long, in milliseconds, or until ``wake()`` or ``stop()``; what happens in the folders is
  /// told afterwards, at once. For `body`, which waits for more of what comes in great number.
  public func rest(_ milliseconds: Int) { Poller.wait(for: wakeFile.number, milliseconds: milliseconds) }

  /// Ends the thread, once. `body` may be running; it is not called again.
  public func stop() {
    hasStopped.store(true, ordering: .releasing)
    wake()
  }

  private func watch(_ body: ([Event]) -> Int?) {
    var events: [Event] = []
    while !hasStopped.load(ordering: .acquiring) {
      let limit = body(events)
      _ = Poller.wait(forAnyOf: [inotify.number, wakeFile.number], milliseconds: limit)
      wakeFile.take()
      // A folder that goes after the end is not made again.
      guard !hasStopped.load(ordering: .acquiring) else { return }
      events = inotify.read().map(event)
    }
  }

  private func event(_ notice: Inotify.Event) -> Event {
    let folder = numbers.withLock { $0[notice.watch] } ?? -1
    if notice.mask & UInt32(IN_IGNORED) != 0 { watchAnew(notice.watch) }
    return Event(folder: folder, name: String(decoding: notice.name, as: UTF8.self), mask: notice.mask)
  }

  /// A folder has gone, and its watch with it.
  private func watchAnew(_ number: Int32) {
    guard let place = numbers.withLock({ $0.removeValue(forKey: number) }) else { return }
    remake()
    guard let new = try? inotify.watch(folders[place].path, UInt32(folders[place].mask)) else { return }
    numbers.withLock { $0[new] = place }
  }
}
