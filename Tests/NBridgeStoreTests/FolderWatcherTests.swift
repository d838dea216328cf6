// SPDX-License-Identifier: MIT

import CNBridgeGLib
import Foundation
import NBridgePlugin
import Synchronization
import Testing

@testable import NBridgeStore
@testable import NBridgeSystem

/// Events in folders, told as they happen.
@Suite struct FolderWatcherTests {
  let folder: StoreFolder
  init() throws { folder = try StoreFolder() }

  final class Seen: Sendable {
    private let names = Mutex<[String]>([])
    private let calls = Mutex<Int>(0)
    func add(_ events: [FolderWatcher.Event]) {
      names.withLock { names in names += events.filter { !$0.name.isEmpty }.map { "\($0.folder)/\($0.name)" }
      }
      calls.withLock { $0 += 1 }
    }
    var all: [String] { names.withLock { $0 } }
    var count: Int { calls.withLock { $0 } }

    func wait(until isDone: () -> Bool) {
      let end = ContinuousClock.now + .seconds(10)
      while !isDone(), ContinuousClock.now < end { sched_yield() }
    }
  }

  private static let closed = Int32(IN_CLOSE_WRITE)

  @Test func changesAreTold() throws {
    mkdir(folder.file("a"), 0o700)
    mkdir(folder.file("b"), 0o700)
    let seen = Seen()
    let watcher = try FolderWatcher([(folder.file("a"), Self.closed), (folder.file("b"), Self.closed)])
    watcher.start("test") { events in
      seen.add(events)
      return nil
    }
    seen.wait { seen.count > 0 }
    folder.write([1], to: "a/ä")
    folder.write([1], to: "b/x")
    seen.wait { seen.all.count >= 2 }
    #expect(seen.all == ["0/ä", "1/x"])
    watcher.stop()
  }

  @Test func wakingCallsOnceMore() throws {
    let seen = Seen()
    let watcher = try FolderWatcher([(folder.path, Self.closed)])
    watcher.start("test") { events in
      seen.add(events)
      return nil
    }
    seen.wait { seen.count == 1 }
    watcher.wake()
    seen.wait { seen.count == 2 }
    #expect(seen.count == 2)
    watcher.stop()
    #expect(seen.all.isEmpty)
  }

  @Test func timePassesToo() throws {
    let seen = Seen()
    let watcher = try FolderWatcher([(folder.path, Self.closed)])
    watcher.start("test") { events in
      seen.add(events)
      return seen.count < 4 ? 1 : seen.count < 5 ? -7 : nil
    }
    seen.wait { seen.count == 5 }
    #expect(seen.count == 5)
    watcher.stop()
  }

  /// A caller that asks for centuries sleeps, and wakes when something happens.
  @Test func limitsMayBeFarAway() throws {
    let seen = Seen()
    let watcher = try FolderWatcher([(folder.path, Self.closed)])
    watcher.start("test") { events in
      seen.add(events)
      return .max
    }
    seen.wait { seen.count == 1 }
    folder.write([1], to: "x")
    seen.wait { seen.all == ["0/x"] }
    #expect(seen.all == ["0/x"])
    watcher.stop()
    // The thread of one that was started may take the wake first.
    let unstarted = try FolderWatcher([(folder.path, Self.closed)])
    unstarted.stop()
    unstarted.rest(.max)
  }

  @Test func aFolderThatIsMadeAgainIsWatchedAgain() throws {
    let inner = folder.file("inner")
    mkdir(inner, 0o700)
    let seen = Seen()
    let watcher = try FolderWatcher([(inner, Self.closed)]) { mkdir(inner, 0o700) }
    watcher.start("test") { events in
      seen.add(events)
      return nil
    }
    seen.wait { seen.count == 1 }
    rmdir(inner)
    seen.wait { seen.count == 2 && FileManager.default.fileExists(atPath: inner) }
    // The watch may be put on the new folder a moment after it is there.
    seen.wait {
      folder.write([1], to: "inner/x")
      return seen.all.contains("0/x")
    }
    #expect(seen.all.contains("0/x"))
    watcher.stop()
  }

  @Test func aFolderThatIsNotThereIsNamed() {
    let error = #expect(throws: SystemError.self) {
      _ = try FolderWatcher([(folder.file("none"), Self.closed)])
    }
    #expect(error?.code == ENOENT)
    #expect(error?.description == "can't watch '\(folder.path)/none': No such file or directory")
  }

  @Test func filesAreKnownByWhatTheyAre() throws {
    folder.write([1], to: "a")
    folder.write([1], to: "b")
    let file = open(folder.file("a"), O_RDONLY)
    defer { close(file) }
    #expect(FileIdentity(folder.file("a")) == FileIdentity(descriptor: file))
    #expect(FileIdentity(folder.file("a")) != FileIdentity(folder.file("b")))
    #expect(link(folder.file("a"), folder.file("c")) == 0)
    #expect(FileIdentity(folder.file("a")) == FileIdentity(folder.file("c")))
    #expect(FileIdentity() == FileIdentity(folder.file("none")))
    #expect(FileIdentity(folder.file("none")).isUnlinked)
    #expect(!FileIdentity(descriptor: file).isUnlinked)
    unlink(folder.file("a"))
    unlink(folder.file("c"))
    #expect(FileIdentity(descriptor: file).isUnlinked)
    #expect(FileIdentity(descriptor: -1) == FileIdentity())
  }

  @Test func aWatcherThatWasStoppedMakesNoFolderAnew() throws {
    mkdir(folder.file("a"), 0o700)
    let remade = Mutex<Int>(0)
    let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let seen = Seen()
    var watcher: FolderWatcher? = try FolderWatcher([(folder.file("a"), Self.closed)]) {
      remade.withLock { $0 += 1 }
    }
    watcher?.start("test") { events in
      seen.add(events)
      hasBegun.signal()
      mayEnd.wait()
      return nil
    }
    // It goes, and the watcher is stopped, while its thread is still at work.
    hasBegun.wait()
    rmdir(folder.file("a"))
    watcher?.stop()
    weak let left = watcher
    watcher = nil
    mayEnd.signal()
    seen.wait { left == nil }
    #expect(left == nil && remade.withLock { $0 } == 0)
  }
}
