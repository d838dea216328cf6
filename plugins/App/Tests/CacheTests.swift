// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import NBridgePlugin
import Testing

@testable import AppPlugin
@testable import NBridgeSystem

/// What the plugin keeps of an app.
extension HandOverMachineTests {
  @Test func aFolderIsEmptiedAndLinksAreNotFollowed() throws {
    let folder = AppFolder(), caches = folder.path + "/caches", outside = folder.path + "/outside"
    for path in [caches + "/a/b/c", caches + "/empty", outside] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    for (path, size) in [
      ("/a/one", 10), ("/a/b/two", 20), ("/a/b/c/three", 30), ("/four", 0), ("/.hidden", 5),
    ] {
      try Data(count: size).write(to: URL(fileURLWithPath: caches + path))
    }
    try Data(count: 7).write(to: URL(fileURLWithPath: outside + "/keep"))
    #expect(symlink(outside, caches + "/link") == 0 && symlink(outside + "/keep", caches + "/a/link") == 0)
    #expect(mkfifo(caches + "/pipe", 0o600) == 0)
    let removed = try CacheCleaner.empty(caches)
    #expect(removed.files == 8 && removed.bytes >= 65)
    #expect(try FileManager.default.contentsOfDirectory(atPath: caches).isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == ["keep"])
    #expect(try CacheCleaner.empty(caches).files == 0 && CacheCleaner.empty(folder.path + "/none").files == 0)
    #expect(symlink(outside, folder.path + "/alias") == 0)
    #expect(throws: BridgeError.self) { try CacheCleaner.empty(folder.path + "/alias") }
    #expect(throws: BridgeError.self) { try CacheCleaner.empty(outside + "/keep") }
  }

  @Test func anyDepthWillDo() throws {
    let folder = AppFolder()
    #expect(mkdir(folder.path + "/caches", 0o700) == 0)
    var at = open(folder.path + "/caches", O_RDONLY | O_CLOEXEC)
    for _ in 0..<3000 {
      #expect(mkdirat(at, "deeper", 0o700) == 0)
      let next = openat(at, "deeper", O_RDONLY | O_CLOEXEC)
      close(at)
      at = next
    }
    close(at)
    #expect(try CacheCleaner.empty(folder.path + "/caches").files == 0)
    #expect(rmdir(folder.path + "/caches") == 0)
  }

  static func date(_ text: String) -> Date { (try? Date(text, strategy: .iso8601)) ?? .distantPast }

  @Test(arguments: [
    ("2026-01-15T00:00:00Z", "2026-01-15T00:00:00Z", 0, 0, 0),
    ("2026-01-31T00:00:00Z", "2026-02-28T23:59:59Z", 0, 28, 695),
    ("2026-01-31T00:00:00Z", "2026-03-31T00:00:00Z", 2, 59, 1416),
    ("2024-02-29T12:00:00Z", "2025-02-28T12:00:00Z", 11, 365, 8760),
    ("2024-02-29T12:00:00Z", "2025-03-01T00:00:00Z", 12, 365, 8772),
    ("2025-12-31T23:59:59Z", "2026-01-01T00:00:00Z", 0, 0, 0),
    ("2025-12-01T00:00:00Z", "2026-01-01T00:00:00Z", 1, 31, 744),
    ("2026-05-01T00:00:00Z", "2026-01-01T00:00:00Z", 0, 0, 0),
    ("1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z", 96359, 2_932_896, 70_389_527),
  ]) func theTimeSinceTheFirstRun(_ first: String, _ now: String, _ months: Int, _ days: Int, _ hours: Int) {
    let record = AppRecord.Content(deviceId: "", firstRun: Self.date(first), runs: 3)
    let elapsed = RunStatistics(record, now: Self.date(now)).elapsed
    #expect(elapsed.months == months && elapsed.days == days && elapsed.hours == hours, "\(elapsed)")
  }

  @Test func idsAreRandomUUIDs() {
    let ids = (0..<200).map { _ in RandomUUID.make() }
    #expect(Set(ids).count == 200 && ids.allSatisfy { RandomUUID.isOne($0) && UUID(uuidString: $0) != nil })
    for text in ["", "x", "f3e295ea-4035-4a68-92d7", ids[0] + "0", ids[0].replacing("-", with: "")] {
      #expect(!RandomUUID.isOne(text))
    }
  }

  @Test func aStateIsKeptAndADamagedOneIsSaid() throws {
    let folder = AppFolder(), container = Container(path: folder.path)
    #expect(try SavedState.load(container).kind == .null)
    let value = try Value(encoding: ["a": [1, 2]])
    try SavedState.save(value, container)
    #expect(try SavedState.load(container).text == value.text)
    let path = container.applicationSupport + "/saved-state.nbv"
    for bytes in [[], [1], [0xFF, 0xFF, 0xFF, 0xFF, 1]] as [[UInt8]] {
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      #expect(throws: (any Error).self) { try SavedState.load(container) }
    }
    try SavedState.save(.null, container)
    #expect(try SavedState.load(container).kind == .null)
  }
}
