// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

@testable import NBridgeCLI

/// Earlier entries, in a file that prompts share.
@Suite struct ReplHistoryUnitTests {
  private let folder = ScratchFolder()
  private var path: String { folder.path + "/state/nbridge/history" }

  private func append(_ text: String) throws {
    let file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
    try #require(file >= 0)
    defer { close(file) }
    let bytes = Array(text.utf8)
    #expect(Glibc.write(file, bytes, bytes.count) == bytes.count)
  }

  @Test func entriesComeBackInANewPrompt() {
    var history = ReplHistory(path: path)
    let entries = ["1 + 1", "a\nb", "\"q\" \\", "日本 👩‍👩‍👧", "\u{1B}[31m\u{7}", "x\r\ny"]
    for entry in entries { history.add(entry) }
    #expect(history.entries == entries && history.problem == nil)
    #expect(ReplHistory(path: path).entries == entries)
  }

  @Test func theFileIsTheUsersAlone() throws {
    var history = ReplHistory(path: path)
    history.add("secret")
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    chmod(path, 0o644)
    history.add("more")
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(stat(folder.path + "/state/nbridge", &status) == 0 && status.st_mode & 0o777 == 0o700)
  }

  /// Nobody runs with Enter what somebody else has written.
  @Test func aFileOfAnotherUserIsLeftAlone() throws {
    try folder.write(["state/nbridge/history": "\"evil()\"\n"])
    var history = ReplHistory(path: path, user: geteuid() + 1)
    #expect(history.entries == [] && history.problem?.contains("belongs to another user") == true)
    history.add("mine")
    #expect(history.entries == ["mine"] && history.refresh() == nil)
    #expect(try Path.text(of: path) == "\"evil()\"\n")
  }

  @Test func theSameTwiceIsKeptOnce() throws {
    var history = ReplHistory(path: path)
    for entry in ["a", "a", "b", "a"] { history.add(entry) }
    #expect(history.entries == ["a", "b", "a"])
    #expect(try Path.text(of: path) == "\"a\"\n\"b\"\n\"a\"\n")
  }

  @Test func whatBeginsWithASpaceStaysInThisPrompt() throws {
    var history = ReplHistory(path: path)
    history.add("a")
    history.add(" password()")
    #expect(history.entries == ["a", " password()"] && ReplHistory(path: path).entries == ["a"])
  }

  @Test func promptsAtOnceSeeEachOther() {
    var one = ReplHistory(path: path), other = ReplHistory(path: path)
    one.add("from one")
    #expect(other.refresh() == ["from one"] && other.refresh() == nil)
    other.add("from other")
    one.add("again one")
    #expect(one.entries == ["from one", "from other", "again one"])
    #expect(other.refresh() == one.entries)
  }

  /// Another prompt may end with the very entry that was the last here.
  @Test func moreEntriesAreToldAlsoWhenTheLastIsTheSame() throws {
    var history = ReplHistory(path: path)
    history.add("a")
    try append("\"b\"\n\"a\"\n")
    #expect(history.refresh() == ["a", "b", "a"])
    #expect(history.refresh() == nil)
  }

  @Test func aLineThatHasNotCometoItsEndWaits() throws {
    var history = ReplHistory(path: path)
    history.add("a")
    try append("\"ha")
    #expect(history.refresh() == nil)
    try append("lf\"\n")
    #expect(history.refresh() == ["a", "half"])
  }

  @Test func damagedLinesArePassedOver() throws {
    try Path.write("\"a\"\nnonsense\n{}\n\"b\n\n7\n\"\\ud800\"\n\"c\"\n", to: path)
    let entries = ReplHistory(path: path).entries
    #expect(
      entries.first == "a" && entries.last == "c" && !entries.contains("nonsense") && !entries.contains("7")
    )
    // A line that a killed prompt left without its end does not swallow the next.
    try Path.write("\"a\"\n\"cut", to: path)
    var history = ReplHistory(path: path)
    history.add("next")
    #expect(history.entries == ["a", "next"] && ReplHistory(path: path).entries == ["a", "next"])
  }

  @Test func aFileThatWasEmptiedIsReadFromItsBeginning() throws {
    var history = ReplHistory(path: path)
    for entry in ["a", "b", "c"] { history.add(entry) }
    try Path.write("\"x\"\n", to: path)
    #expect(history.refresh() == ["a", "b", "c", "x"])
  }

  @Test func onlyTheLastTenThousandAreKept() throws {
    try Path.write((0..<10_050).map { "\"e\($0)\"\n" }.joined(), to: path)
    var history = ReplHistory(path: path)
    #expect(history.entries.count == 10_000 && history.entries.first == "e50")
    history.add("more")
    #expect(
      history.entries.count == 10_000 && history.entries.first == "e51" && history.entries.last == "more"
    )
  }

  @Test func ofAVeryLongFileTheEndIsRead() throws {
    let line = "\"" + String(repeating: "x", count: 1 << 20) + "\"\n"
    try Path.write(
      "\"first\"\n" + (0..<6).map { line.replacing("\"x", with: "\"\($0)") }.joined() + "\"last\"\n", to: path
    )
    let entries = ReplHistory(path: path).entries
    #expect(entries.last == "last" && !entries.contains("first") && entries.count == 4)
  }

  @Test func withoutAFileEntriesAreInMemory() {
    var history = ReplHistory(path: nil)
    history.add("a")
    history.add("a")
    #expect(history.entries == ["a"] && history.problem == nil && history.refresh() == nil)
  }

  @Test func whatCannotBeKeptIsToldOnceAndGoesOn() throws {
    let folder = folder.path + "/folder"
    try Path.makeFolders(folder)
    var history = ReplHistory(path: folder)
    history.add("a")
    #expect(
      history.entries == ["a"]
        && history.problem?.hasPrefix(
          "the history can't be kept in '\(folder)': "
            + "") == true
    )
    history.add("b")
    #expect(history.entries == ["a", "b"])
  }

  @Test func aLinkIsNotWrittenThroughAndAPipeNotWaitedFor() throws {
    try folder.write(["real": "\"kept\"\n"])
    symlink(folder.path + "/real", folder.path + "/link")
    var history = ReplHistory(path: folder.path + "/link")
    history.add("a")
    #expect(history.problem != nil && history.entries == ["kept", "a"])
    #expect(try Path.text(of: folder.path + "/real") == "\"kept\"\n")
    mkfifo(folder.path + "/pipe", 0o600)
    var piped = ReplHistory(path: folder.path + "/pipe")
    piped.add("a")
    #expect(piped.entries == ["a"])
    var nowhere = ReplHistory(path: "/dev/null")
    nowhere.add("a")
    #expect(nowhere.entries == ["a"] && nowhere.problem == nil)
  }

  /// Prompts that write at once never mix their lines.
  @Test func manyWritersKeepEachEntryWhole() async {
    let path = path
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<6 {
        group.addTask {
          var history = ReplHistory(path: path)
          for number in 0..<40 {
            history.add(
              "w\(writer) n\(number)\n" + String(repeating: "y", count: number * 50)
            )
          }
        }
      }
    }
    let entries = ReplHistory(path: path).entries
    #expect(entries.count == 240)
    for writer in 0..<6 {
      let own = entries.filter {
        $0.hasPrefix("w\(writer) ")
      }.compactMap {
        $0.split(separator: "\n").first.map(String.init)
      }
      #expect(own == (0..<40).map { "w\(writer) n\($0)" })
    }
  }
}
