// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import NBridgePlugin
import NBridgeSystem
import Testing

@testable import LoggerPlugin

/// Files that grow and are put aside.
@Suite struct FileSinkTests {
  static func destination(
    _ folder: LogFolder, _ format: RecordFormat = .json, _ change: (inout RotationRules) -> Void = { _ in }
  ) -> FileDestination {
    var rules = RotationRules()
    (rules.maximumSize, rules.compresses) = (4096, false)
    change(&rules)
    return FileDestination(folder.path + "/app.log", format, rules)
  }

  @Test func recordsStandOneBehindTheOther() throws {
    let folder = LogFolder(), log = Self.destination(folder)
    try log.write(Chunks.filled(3, first: 1), .trace)
    try log.write(Chunks.filled(2, first: 4, level: .debug), .info)
    try log.write(Chunks.filled(2, first: 6), .info)
    #expect(folder.text("app.log").numbers == [1, 2, 3, 6, 7] && folder.names == ["app.log"])
    var status = stat()
    #expect(stat(folder.path + "/app.log", &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func eachFormatIsWrittenAsLines() throws {
    let folder = LogFolder()
    try Self.destination(folder, .logfmt).write(Chunks.filled(2, first: 1, size: 1), .trace)
    try Self.destination(folder, .pretty).write(Chunks.filled(1, first: 3, size: 1), .trace)
    let lines = folder.text("app.log").split(separator: "\n")
    #expect(lines.count == 3 && lines[0].hasSuffix(#"msg="1 x""#) && lines[2] == "06:41:45.123 INFO  s 3 x")
  }

  @Test func aFullFileIsPutAsideAndNoRecordIsLost() throws {
    let folder = LogFolder(), log = Self.destination(folder) { $0.keep = 100 }
    for first in stride(from: 1, to: 200, by: 5) { try log.write(Chunks.filled(5, first: first), .trace) }
    let names = folder.names.filter { $0.hasPrefix("app.log") }
    #expect(names.count > 5)
    var all: [Int] = []
    for number in (1..<names.count).reversed() {
      let text = folder.text("app.log.\(number)")
      #expect(text.utf8.count <= 4096 && text.hasSuffix("\n"))
      all += text.numbers
    }
    #expect(all + folder.text("app.log").numbers == Array(1...200))
  }

  @Test func soManyAreKeptAsWasSaid() throws {
    for keep in [0, 1, 3] {
      let folder = LogFolder(), log = Self.destination(folder) { $0.keep = keep }
      for first in stride(from: 1, to: 400, by: 20) { try log.write(Chunks.filled(20, first: first), .trace) }
      let aside = folder.names.filter { $0.hasPrefix("app.log.") }
      #expect(aside == (0..<keep).map { "app.log.\($0 + 1)" })
      #expect(folder.text("app.log").numbers.last == 400)
      // The latest stands in the first.
      if keep > 0 {
        #expect((folder.text("app.log.1").numbers.last ?? 0) + 1 == folder.text("app.log").numbers.first)
      }
    }
  }

  /// A program that keeps fewer files than before leaves no others, however many there were.
  @Test(arguments: [0, 2]) func fewerAreKeptFromNowOn(_ keep: Int) throws {
    let folder = LogFolder()
    let before = Self.destination(folder) { $0.keep = 6 }
    for first in stride(from: 1, to: 400, by: 20) {
      try before.write(Chunks.filled(20, first: first), .trace)
    }
    #expect(folder.names.contains("app.log.6"))
    let now = Self.destination(folder) { $0.keep = keep }
    for first in [401, 421] { try now.write(Chunks.filled(20, first: first), .trace) }
    #expect(folder.names.filter { $0.hasPrefix("app.log.") } == (0..<keep).map { "app.log.\($0 + 1)" })
  }

  @Test func aRecordThatIsLargerThanAFileIsKeptWhole() throws {
    let folder = LogFolder(), log = Self.destination(folder)
    try log.write(Chunks.filled(1, first: 1, size: 20_000), .trace)
    try log.write(Chunks.filled(1, first: 2, size: 20_000), .trace)
    #expect(folder.text("app.log.1").numbers == [1] && folder.text("app.log").numbers == [2])
  }

  @Test func whatIsPutAsideIsCompressedAndComesBack() throws {
    let folder = LogFolder(), log = Self.destination(folder) { $0.compresses = true }
    for first in [1, 31, 61] { try log.write(Chunks.filled(30, first: first), .trace) }
    #expect(folder.names.filter { $0.hasPrefix("app.log") } == ["app.log", "app.log.1.gz", "app.log.2.gz"])
    let unpacked = folder.path + "/unpacked"
    let packed = [2, 1].map { folder.path + "/app.log.\($0).gz" }
    let tool = try ChildProcess.start("gzip", ["-dc"] + packed, streams: [1: .file(unpacked)])
    #expect(tool.wait() == 0)
    let text = try String(contentsOfFile: unpacked, encoding: .utf8)
    #expect(text.numbers + folder.text("app.log").numbers == Array(1...90))
    #expect(!Gzip.compress(folder.path + "/nothing", to: folder.path + "/nothing.gz"))
    #expect(!folder.names.contains("nothing.gz"))
  }

  @Test func somebodyElseMayTakeTheFileAwayOrPutItAside() throws {
    let folder = LogFolder(), log = Self.destination(folder)
    try log.write(Chunks.filled(1, first: 1), .trace)
    #expect(rename(folder.path + "/app.log", folder.path + "/mine") == 0)
    try log.write(Chunks.filled(1, first: 2), .trace)
    #expect(folder.text("mine").numbers == [1] && folder.text("app.log").numbers == [2])
    #expect(unlink(folder.path + "/app.log") == 0)
    try log.write(Chunks.filled(1, first: 3), .trace)
    #expect(folder.text("app.log").numbers == [3])
  }

  @Test func twoWhoWriteToOneFileLoseNothing() throws {
    let folder = LogFolder()
    let two = [Self.destination(folder) { $0.keep = 100 }, Self.destination(folder) { $0.keep = 100 }]
    for first in 1...120 { try two[first % 2].write(Chunks.filled(1, first: first, size: 200), .trace) }
    let all = folder.names.filter { $0.hasPrefix("app.log") }.flatMap { folder.text($0).numbers }
    #expect(all.sorted() == Array(1...120))
  }

  /// What a killed writer leaves, which had begun a record.
  private static func append(_ text: String, to folder: LogFolder) {
    let file = open(folder.path + "/app.log", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    #expect(write(file, text, text.utf8.count) == text.utf8.count)
  }

  @Test(arguments: ["{\"n\":2,\"mess", "{" + String(repeating: "x", count: 200_000)])
  func halfARecordOfAKilledWriterSpoilsNoOther(_ half: String) throws {
    let folder = LogFolder(), log = Self.destination(folder) { $0.maximumSize = 1 << 20 }
    try log.write(Chunks.filled(1, first: 1), .trace)
    Self.append(half, to: folder)
    try log.write(Chunks.filled(2, first: 3), .trace)
    #expect(folder.text("app.log").numbers == [1, 3, 4])
    #expect(folder.text("app.log").split(separator: "\n").count == 3, "half of one is no line")
    // The first record of a file, and a program that begins.
    let another = LogFolder()
    Self.append(half, to: another)
    try Self.destination(another) { $0.maximumSize = 1 << 20 }.write(Chunks.filled(1, first: 1), .trace)
    #expect(another.text("app.log").split(separator: "\n").count == 1)
    #expect(another.text("app.log").numbers == [1])
  }

  @Test(arguments: [RecordFormat.json, .logfmt, .pretty])
  func aLineThatIsNoRecordIsKeptAndEnded(_ format: RecordFormat) throws {
    let folder = LogFolder()
    Self.append("begun by hand", to: folder)
    try Self.destination(folder, format).write(Chunks.filled(1, first: 1, size: 1), .trace)
    let lines = folder.text("app.log").split(separator: "\n")
    #expect(lines.count == 2 && lines.first == "begun by hand", "\(lines)")
  }

  @Test func aWriterWaitsForAnotherThatWritesAndNotForEver() throws {
    let folder = LogFolder(), log = Self.destination(folder)
    try log.write(Chunks.filled(1, first: 1), .trace)
    let other = try LogFile(opening: folder.path + "/app.log")
    #expect(other.take(withinMilliseconds: 0))
    Thread.detachNewThread {
      _ = other.append(Array("{\"other\":1}\n".utf8)[...], isHeld: true)
      other.release()
    }
    try log.write(Chunks.filled(1, first: 2), .trace)
    let others = folder.text("app.log").split(separator: "\n").map { $0.hasPrefix("{\"other") }
    #expect(others == [false, true, false])
    // One that is stopped in the middle.
    #expect(other.take(withinMilliseconds: 0))
    try log.write(Chunks.filled(1, first: 3), .trace)
    try log.write(Chunks.filled(1, first: 4), .trace)
    #expect(folder.text("app.log").numbers == [1, 2, 3, 4])
  }

  @Test func aFolderOrALinkInItsPlaceIsRefused() throws {
    for kind in ["folder", "link", "pipe", "nowhere"] {
      let folder = LogFolder(), path = folder.path + "/app.log"
      switch kind {
      case "folder": #expect(mkdir(path, 0o700) == 0)
      case "pipe": #expect(mkfifo(path, 0o600) == 0)
      case "link": #expect(symlink(folder.path + "/elsewhere", path) == 0)
      default: try FileManager.default.removeItem(atPath: folder.path)
      }
      let log = Self.destination(folder)
      do {
        try log.write(Chunks.filled(1, first: 1), .trace)
        Issue.record("\(kind) was written to")
      } catch { #expect((error as? BridgeError)?.code == .ioError, "\(kind)") }
      #expect(!folder.names.contains("elsewhere"))
    }
  }

  @Test func anOldFileIsPutAsideByItsAge() throws {
    let folder = LogFolder()
    try Self.destination(folder).write(Chunks.filled(1, first: 1), .trace)
    var times = [timeval(tv_sec: time(nil) - 100, tv_usec: 0), timeval(tv_sec: time(nil) - 100, tv_usec: 0)]
    #expect(utimes(folder.path + "/app.log", &times) == 0)
    try Self.destination(folder) { $0.maximumAge = 3600 }.write(Chunks.filled(1, first: 2), .trace)
    #expect(folder.text("app.log").numbers == [1, 2])
    times = [timeval(tv_sec: time(nil) - 100, tv_usec: 0), timeval(tv_sec: time(nil) - 100, tv_usec: 0)]
    #expect(utimes(folder.path + "/app.log", &times) == 0)
    try Self.destination(folder) { $0.maximumAge = 90 }.write(Chunks.filled(1, first: 3), .trace)
    #expect(folder.text("app.log.1").numbers == [1, 2] && folder.text("app.log").numbers == [3])
  }
}
