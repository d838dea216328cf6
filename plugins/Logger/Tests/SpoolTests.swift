// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import NBridgePlugin
import Testing

@testable import LoggerPlugin
@testable import NBridgeSystem

/// Records that wait for a viewer, and what killed programs leave.
@Suite struct SpoolTests {
  static let hello = Array("{\"nbridgeLog\":1,\"source\":\"s\",\"app\":\"a\",\"pid\":1}\n".utf8)

  static func readAll(_ spool: Spool, atMost count: Int = 300) -> [Int] {
    var text: [UInt8] = []
    while let more = spool.read(atMost: count) {
      #expect(more.last == 0x0A)
      text += more
    }
    return String(decoding: text, as: UTF8.self).numbers
  }

  @Test func recordsAreReadInOrderInWholeLines() throws {
    let folder = LogFolder(), spool = Spool(folder.path + "/x.jsonl", Self.hello, limit: 1 << 20)
    #expect(spool.isEmpty && spool.isRead && spool.bytes == 0 && spool.read(atMost: 10) == nil)
    #expect(try spool.append(Chunks.filled(10, first: 1)) == 0)
    #expect(try spool.append(Chunks.filled(10, first: 11, size: 2000)) == 0)
    #expect(spool.next == 21 && !spool.isRead)
    #expect(Self.readAll(spool) == Array(1...20) && spool.isRead)
    spool.rewind()
    #expect(Self.readAll(spool, atMost: 1) == Array(1...20))
    _ = try spool.append(Chunks.filled(1, first: 21))
    #expect(Self.readAll(spool) == [21])
    #expect(folder.text("x.jsonl").hasPrefix(String(decoding: Self.hello, as: UTF8.self)))
    spool.clear()
    #expect(spool.isEmpty && folder.names.isEmpty)
    _ = try spool.append(Chunks.filled(1, first: 22))
    #expect(Self.readAll(spool) == [22])
  }

  @Test func theOlderHalfGoesWhenItIsFullAndIsCounted() throws {
    let folder = LogFolder(), spool = Spool(folder.path + "/x.jsonl", Self.hello, limit: 10_000)
    var dropped = 0, read: [Int] = []
    for first in 1...200 {
      dropped += try spool.append(Chunks.filled(1, first: first))
      #expect(spool.bytes <= 10_000)
      if first == 30 { read = Self.readAll(spool) }
    }
    #expect(read == Array(1...30))
    spool.rewind()
    let left = Self.readAll(spool)
    #expect(left == Array((dropped + 1)...200) && dropped > 100)
    #expect(folder.text("x.jsonl").hasPrefix(String(decoding: Self.hello, as: UTF8.self)))
  }

  /// Records that were read before the cut are not read again, and the others are.
  @Test func readingGoesOnBehindACut() throws {
    for reads in [0, 5, 40, 60] {
      let folder = LogFolder(), spool = Spool(folder.path + "/x.jsonl", Self.hello, limit: 12_000)
      var got: [Int] = [], dropped = 0
      for first in 1...100 {
        dropped += try spool.append(Chunks.filled(1, first: first))
        if first == reads { got += Self.readAll(spool) }
      }
      got += Self.readAll(spool)
      let missing = Set(1...100).subtracting(got)
      #expect(got == got.sorted() && Set(got).count == got.count, "\(reads)")
      #expect(missing.allSatisfy { $0 > reads && $0 <= dropped }, "\(reads): \(missing)")
    }
  }

  @Test func aRunsOwnFileIsGoneOnWith() throws {
    let folder = LogFolder(), path = folder.path + "/x.jsonl"
    do {
      let first = Spool(path, Self.hello, limit: 1 << 20)
      _ = try first.append(Chunks.filled(3, first: 1))
    }
    let second = Spool(path, Self.hello, limit: 1 << 20)
    _ = try second.append(Chunks.filled(2, first: 4))
    #expect(Self.readAll(second) == Array(1...5))
    second.appendEnd()
    #expect(folder.text("x.jsonl").hasSuffix("{\"end\":true}\n"))
  }

  @Test func aLinkOrAFolderInItsPlaceIsRefused() throws {
    for kind in ["link", "folder"] {
      let folder = LogFolder(), path = folder.path + "/x.jsonl"
      #expect((kind == "link" ? symlink(folder.path + "/other", path) : mkdir(path, 0o700)) == 0)
      let spool = Spool(path, Self.hello, limit: 1 << 20)
      #expect(throws: BridgeError.self) { try spool.append(Chunks.filled(1, first: 1)) }
      #expect(spool.isEmpty && !folder.names.contains("other"))
    }
  }

  // MARK: - What programs leave

  @Test func filesThatSomebodyHoldsOrThatAreNoneAreLeftAlone() throws {
    let folder = LogFolder()
    let living = Spool(folder.path + "/living.jsonl", Self.hello, limit: 1 << 20)
    _ = try living.append(Chunks.filled(1, first: 1))
    for name in ["dead.jsonl", "other.txt", "elsewhere"] {
      try Data(Self.hello).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
    }
    #expect(symlink(folder.path + "/elsewhere", folder.path + "/link.jsonl") == 0)
    #expect(
      mkfifo(folder.path + "/pipe.jsonl", 0o600) == 0 && mkdir(folder.path + "/folder.jsonl", 0o700) == 0)
    let found = SpooledRuns.abandoned(in: folder.path)
    defer { for (_, file) in found { file.close() } }
    #expect(found.map(\.path) == [folder.path + "/dead.jsonl"])
    #expect(found.first.flatMap { SpooledRuns.contents($0.file) } == Self.hello)
    #expect(SpooledRuns.abandoned(in: folder.path).isEmpty, "it is held while it is brought")
    #expect(SpooledRuns.abandoned(in: folder.path + "/nowhere").isEmpty)
  }

  @Test func whoEndedWithoutAWordIsTold() throws {
    let folder = LogFolder(), marks = folder.path + "/running"
    let first = RunMark(marks, "a")
    #expect(first.isNew && first.begin() == nil && !first.isNew && first.begin() == nil)
    let second = RunMark(marks, "b")
    #expect(second.begin() == nil, "the first one lives")
    #expect(FolderNames.of(marks).sorted() == ["a", "b"])
    first.end()
    first.end()
    #expect(FolderNames.of(marks) == ["b"])
    // Two that were killed: their locks went with them.
    for name in ["c", "d"] { try Data().write(to: URL(fileURLWithPath: "\(marks)/\(name)")) }
    let third = RunMark(marks, "e")
    #expect(third.begin()?.hasPrefix("2 runs before this one ended without a word") ?? false)
    #expect(FolderNames.of(marks).sorted() == ["b", "e"])
    try Data().write(to: URL(fileURLWithPath: marks + "/f"))
    #expect(RunMark(marks, "g").begin()?.hasPrefix("a run before this one") ?? false)
    second.end()
    third.end()
  }

  // MARK: - The wire

  @Test(arguments: [
    ("{\"next\":5}", 5), ("{\"next\":0}", 0), ("{\"next\":123456789012}", 123_456_789_012),
    ("{\"next\":}", nil),
    ("{\"next\":-1}", nil), ("{\"next\": 5}", nil), ("{\"nexT\":5}", nil), ("", nil), ("{\"next\":", nil),
    ("{\"seq\":5}", nil),
  ])
  func aNumberIsReadFromALine(_ line: String, _ number: Int?) {
    Array(line.utf8).withUnsafeBufferPointer { #expect(ViewerWire.next(in: $0) == number) }
    let record = line.replacing("{\"next\":", with: "{\"seq\":")
    if line.hasPrefix("{\"next\":") {
      Array(record.utf8).withUnsafeBufferPointer { #expect(ViewerWire.record(in: $0) == number) }
    }
  }

  @Test func aNumberOfAnyLengthIsNoTrap() {
    for count in 0..<60 {
      let line = Array(("{\"seq\":" + String(repeating: "9", count: count) + ",\"pid\":1}").utf8)
      line.withUnsafeBufferPointer { #expect((ViewerWire.record(in: $0) != nil) == (count > 0)) }
    }
    #expect(String(decoding: ViewerWire.next(7), as: UTF8.self) == "{\"next\":7}\n")
  }
}
