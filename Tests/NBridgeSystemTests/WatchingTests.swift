// SPDX-License-Identifier: MIT

import Glibc
import NBridgeSystem
import Synchronization
import Testing

@Suite struct WatchingTests {
  let place = Place()

  // MARK: - WakeFile, Poller

  @Test func aWakeFileIsSetUntilItIsTaken() {
    let wake = WakeFile()
    #expect(wake.isOpen && !wake.take())
    wake.set()
    wake.set()
    #expect(Poller.wait(for: wake.number, milliseconds: 0))
    #expect(wake.take())
    #expect(!wake.take())
  }

  @Test func aThreadIsWokenWhoeverIsFirst() {
    let (there, back) = (WakeFile(), WakeFile())
    PlainThread.start("nb-test") {
      for _ in 0..<1000 {
        there.wait()
        back.set()
      }
    }
    for _ in 0..<1000 {
      there.set()
      #expect(back.wait(milliseconds: 10_000))
    }
  }

  @Test func onlyWhatIsReadyIsTold() {
    let files = (0..<3).map { _ in WakeFile() }
    files[1].set()
    let ready = Poller.wait(forAnyOf: files.map(\.number) + [-1], milliseconds: 60_000)
    #expect(ready == [false, true, false, false])
  }

  @Test func waitingHasABound() {
    let start = MonotonicTime.milliseconds
    #expect(!WakeFile().wait(milliseconds: 20))
    #expect(MonotonicTime.milliseconds - start >= 20)
  }

  @Test func anEndThatWentIsToldUnasked() throws {
    let (one, other) = try UnixSocket.pair()
    #expect(Poller.wait(for: [(one.number, .writable)], milliseconds: 0) == [.writable])
    #expect(!Poller.wait(for: one.number, .hungUp, milliseconds: 0))
    other.close()
    #expect(Poller.wait(for: one.number, .hungUp, milliseconds: 60_000))
  }

  // MARK: - Epoll

  @Test func eventsComeUnderTheirTag() throws {
    let (epoll, files) = (try Epoll(), (0..<100).map { _ in WakeFile() })
    for (tag, file) in files.enumerated() { try epoll.add(file.number, 1, tag: UInt64(tag)) }
    #expect(epoll.wait(milliseconds: 0).isEmpty)
    files[7].set()
    files[93].set()
    #expect(Set(epoll.wait(milliseconds: 60_000).map(\.tag)) == [7, 93])
    epoll.remove(files[7].number)
    epoll.change(files[93].number, 1, tag: 5)
    #expect(epoll.wait(milliseconds: 0).map(\.tag) == [5])
  }

  @Test func whatIsNoDescriptorCannotBeWaitedFor() throws {
    let epoll = try Epoll()
    let error = #expect(throws: SystemError.self) { try epoll.add(-1, 1, tag: 0) }
    #expect(error?.code == EBADF)
  }

  // MARK: - Inotify

  @Test func whatHappensIsToldInOrder() throws {
    let inotify = try Inotify()
    let watch = try inotify.watch(place.path, UInt32(IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE))
    #expect(inotify.read().isEmpty)
    try place.file("a")
    rename(place["a"], place["a longer name than that"])
    unlink(place["a longer name than that"])
    let events = inotify.read()
    #expect(
      events.map { String(decoding: $0.name, as: UTF8.self) }
        == ["a", "a", "a longer name than that", "a longer name than that"])
    #expect(events.map { Int32($0.mask) } == [IN_CREATE, IN_MOVED_FROM, IN_MOVED_TO, IN_DELETE])
    #expect(events.allSatisfy { $0.watch == watch })
    #expect(events[1].cookie == events[2].cookie && events[1].cookie != 0)
  }

  @Test func whatIsForgottenIsNotTold() throws {
    let inotify = try Inotify()
    let folder = try Descriptor.open(place.path, O_RDONLY | O_DIRECTORY)
    let watch = try inotify.watch(descriptor: folder.number, UInt32(IN_CREATE))
    inotify.forget(watch)
    try place.file("a")
    #expect(inotify.read().map { Int32($0.mask) } == [IN_IGNORED])
  }

  @Test func manyNoticesAllCome() throws {
    let inotify = try Inotify()
    _ = try inotify.watch(place.path, UInt32(IN_CREATE))
    for number in 0..<3000 { try place.file("a file with a long enough name, number \(number)") }
    #expect(inotify.read().count == 3000)
  }

  @Test func whatIsNotThereCannotBeWatched() throws {
    let inotify = try Inotify()
    #expect(throws: SystemError("watch", place["nothing"], code: ENOENT)) {
      try inotify.watch(place["nothing"], UInt32(IN_CREATE))
    }
    #expect(throws: SystemError("watch", place["nothing"], code: ENOENT)) {
      try FolderWatcher([(place.path, IN_CREATE), (place["nothing"], IN_CREATE)])
    }
  }

  // MARK: - FolderWatcher

  /// The events that a watcher told, for a test to wait for.
  private final class Told: Sendable {
    private let names = Mutex<[String]>([])
    private let wake = WakeFile()

    func add(_ events: [FolderWatcher.Event]) {
      names.withLock { $0 += events.map { "\($0.folder) \($0.name)" } }
      wake.set()
    }

    func contains(_ name: String) -> Bool {
      let end = MonotonicTime.milliseconds + 20_000
      while MonotonicTime.milliseconds < end {
        if names.withLock({ $0.contains(name) }) { return true }
        wake.wait(milliseconds: 100)
      }
      return false
    }
  }

  @Test func aWatcherTellsWhichFolder() throws {
    mkdir(place["one"], 0o700)
    mkdir(place["two"], 0o700)
    let (told, watcher) = (Told(), try FolderWatcher([(place["one"], IN_CREATE), (place["two"], IN_CREATE)]))
    watcher.start("nb-test") {
      told.add($0)
      return nil
    }
    defer { watcher.stop() }
    mkdir(place["two/a"], 0o700)
    #expect(told.contains("1 a"))
    rmdir(place["two/a"])
  }

  @Test func aFolderThatWasTakenAwayIsMadeAndWatchedAnew() throws {
    let path = place["one"]
    mkdir(path, 0o700)
    let told = Told()
    let watcher = try FolderWatcher([(path, IN_CREATE)]) {
      mkdir(path, 0o700)
      mkdir(path + "/remade", 0o700)
      rmdir(path + "/remade")
    }
    watcher.start("nb-test") {
      told.add($0)
      return nil
    }
    defer { watcher.stop() }
    rmdir(path)
    #expect(told.contains("0 "))
    // The watch stands when the folder's removal was told.
    mkdir(path + "/a", 0o700)
    #expect(told.contains("0 a"))
    rmdir(path + "/a")
  }
}
