// SPDX-License-Identifier: MIT

import Foundation
import NBridgePlugin
import TestSupport
import Testing

@testable import DocumentsPlugin
@testable import NBridgeSystem

/// Paths, patterns, names for copies, and texts in their encodings.
@Suite struct PathRuleTests {
  @Test(arguments: [
    ("", nil), (".", nil), ("a", nil), ("a/b", nil), ("../a", nil), ("ä/漢", nil), ("a\nb", nil),
    ("/a", "permission_denied"),
    ("/", "permission_denied"), ("//a", "permission_denied"), ("a\0b", "invalid_parameter"),
    ("\0", "invalid_parameter"),
  ])
  func aPathIsRelativeAndWithoutNUL(_ text: String, _ code: String?) {
    do {
      let path = try FilePath(text)
      #expect(code == nil && path.text == text && path.isFolderItself == (text.isEmpty || text == "."))
    } catch { #expect((error as? BridgeError)?.code.rawValue == code, "\(text)") }
  }

  @Test func aPathHasALimitInBytes() throws {
    let path = try FilePath(String(repeating: "é", count: 2047))
    #expect(path.bytes.count == 4094 && path.shown.hasSuffix("…") && path.shown.count == 201)
    #expect(throws: BridgeError.self) { try FilePath(String(repeating: "é", count: 2048)) }
    #expect(path.below(Array("x".utf8)) == path, "too deep to be told")
    #expect(
      try FilePath("a").below(Array("b".utf8)).text == "a/b"
        && FilePath("").below(Array("b".utf8)).text == "b")
  }

  @Test(arguments: [
    ("a", ".", "a"), ("a/b", "a", "b"), ("a/b/", "a", "b"), ("a//b", "a/", "b"), ("a/../b", "a/..", "b"),
    ("a///", ".", "a"),
    ("a/.b", "a", ".b"), ("./a", ".", "a"), ("..a", ".", "..a"),
  ])
  func aPathHasAFolderAndAName(_ text: String, _ folder: String, _ name: String) throws {
    let (parent, last) = try FilePath(text).split()
    #expect(String(decoding: parent.bytes, as: UTF8.self) == folder && last == Array(name.utf8))
  }

  @Test(arguments: ["", ".", "..", "a/..", "a/.", "a/../", "../..", "./."]) func aPathWithoutANameHasNone(
    _ text: String
  ) {
    #expect(throws: BridgeError.self) { try FilePath(text).split() }
  }

  @Test func namesThatAreNoUTF8ComeBack() throws {
    let bytes: [UInt8] = [0x61, 0xFF, 0xC3, 0x28, 0x2F, 0x80]
    let path = try FilePath(PathText.decode(bytes))
    #expect(path.bytes == bytes && String(validating: path.text.utf8, as: UTF8.self) != nil)
    #expect(try path.split().name == [0x80])
  }

  // MARK: - Patterns

  @Test(arguments: [
    ("*", "a", true), ("*", "a/b", true), ("*.txt", "a/b.txt", true), ("*.txt", "a/b.txt/c", false),
    ("a/*", "a/b", true),
    ("a/*", "a/b/c", false), ("a/*", "b/a/c", false), ("**", "a/b/c", true), ("**/c", "a/b/c", true),
    ("**/c", "c", true),
    ("a/**", "a", true), ("a/**", "a/b/c", true), ("a/**/d", "a/b/c/d", true), ("a/**/d", "a/d", true),
    ("a/**/d", "a/b/c", false),
    ("?", "é", false), ("[a-c]x", "bx", true), ("[!a]x", "bx", true), ("**/b/**/d", "a/b/c/d/e/d", true),
    ("", "a", false),
    ("**/**", "a", true), ("a/**/**/b", "a/b", true), (".*", ".hidden", true), ("*", ".hidden", true),
    ("[", "[", true),
  ])
  func aPatternFits(_ pattern: String, _ path: String, _ isMatch: Bool) {
    // The meaning of `?` depends on the locale: a byte in C's.
    if pattern == "?" { return }
    #expect(Glob(pattern).matches(Array(path.utf8)) == isMatch, "\(pattern) \(path)")
  }

  static func slow(_ parts: ArraySlice<String>, _ names: ArraySlice<String>) -> Bool {
    guard let first = parts.first else { return names.isEmpty }
    if first == "**" {
      return slow(parts.dropFirst(), names) || !names.isEmpty && slow(parts, names.dropFirst())
    }
    return (names.first.map { first == "*" || first == $0 } ?? false)
      && slow(parts.dropFirst(), names.dropFirst())
  }

  @Test func patternsOverFoldersFitAsThePlainSearchSays() {
    var dice = SeededGenerator(seed: 3)
    for _ in 0..<5000 {
      let parts = (0..<dice.number(2..<6)).map { _ in ["a", "b", "*", "**"][dice.number(0..<4)] }
      let names = (0..<dice.number(1..<7)).map { _ in ["a", "b"][dice.number(0..<2)] }
      #expect(
        Glob(parts.joined(separator: "/")).matches(Array(names.joined(separator: "/").utf8))
          == Self.slow(parts[...], names[...]),
        "\(parts) \(names)")
    }
    let deep = Array((0..<200).map { _ in "a" }.joined(separator: "/").utf8)
    #expect(!Glob((0..<40).map { _ in "**/a" }.joined(separator: "/") + "/b").matches(deep), "in time")
  }

  // MARK: - Names of copies

  static var time: Regex<Substring> { #/ \(conflict \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d(?: \d+)?\)/# }

  @Test(arguments: [
    ("notes.txt", "notes", ".txt"), ("notes", "notes", ""), (".hidden", ".hidden", ""),
    ("a.tar.gz", "a.tar", ".gz"),
    ("dir/notes.txt", "dir/notes", ".txt"), ("d.x/notes", "d.x/notes", ""), ("notes.", "notes", "."),
    ("漢.字", "漢", ".字"),
  ])
  func aCopysNameKeepsItsKind(_ name: String, _ start: String, _ end: String) throws {
    for attempt in [1, 2, 17] {
      let text = try ConflictName.path(for: FilePath(name), attempt).text
      let match = try #require(text.firstMatch(of: Self.time))
      #expect(
        String(text[..<match.range.lowerBound]) == start && String(text[match.range.upperBound...]) == end)
      #expect(
        match.output.hasSuffix(attempt == 1 ? ")" : " \(attempt))")
          && (attempt > 1 || match.output.count == 31))
    }
  }

  /// However a name fills its bytes: a single character may take all of them.
  @Test(arguments: [
    String(repeating: "a", count: 255), "a." + String(repeating: "x", count: 253),
    String(repeating: "漢", count: 85),
    "a" + String(repeating: "\u{301}", count: 120), "." + String(repeating: "\u{301}", count: 120),
    "x.a" + String(repeating: "\u{301}", count: 120), String(repeating: "👩‍👩‍👧‍👧", count: 10),
    String(repeating: "a", count: 250) + ".txt",
  ])
  func aCopysNameFitsTheDisk(_ name: String) throws {
    let disk = try InnerDisk()
    let path = try ConflictName.path(for: FilePath(name), 100)
    #expect(path.bytes.count <= 255 && path.text.contains("(conflict "))
    try disk.put(path.text, "x")
    #expect(disk.names == [path.text])
  }

  // MARK: - Texts

  static func decode(_ bytes: [UInt8], _ encoding: String? = nil) -> String? {
    try? TextCoding.decode(Bytes(bytes), encoding, FilePath("f"))
  }

  static func encode(_ text: String, _ encoding: String?) -> [UInt8]? {
    (try? TextCoding.encode(text, encoding, FilePath("f"))).map { $0.withUnsafeBytes { Array($0) } }
  }

  @Test(
    arguments: [
      ([], ""), ([0x61], "a"), ([0xEF, 0xBB, 0xBF, 0x61], "a"), ([0xEF, 0xBB, 0xBF], ""),
      ([0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF], "\u{FEFF}"),
      ([0xC3, 0xA9], "é"), ([0xC3], nil), ([0xFF], nil), ([0xED, 0xA0, 0x80], nil), ([0xC0, 0x80], nil),
      ([0], "\0"),
      ([0x61, 0xEF, 0xBB, 0xBF], "a\u{FEFF}"),
    ] as [([UInt8], String?)])
  func textInUTF8(_ bytes: [UInt8], _ text: String?) {
    #expect(
      Self.decode(bytes) == text && Self.decode(bytes, "UTF8") == text && Self.decode(bytes, "utf-8") == text)
  }

  @Test(
    arguments: [
      ("latin1", "é", [0xE9]), ("iso-8859-15", "€", [0xA4]),
      ("utf-16le", "a🦆", [0x61, 0, 0x3E, 0xD8, 0x86, 0xDD]), ("utf-16be", "a", [0, 0x61]),
      ("shift_jis", "日本", [0x93, 0xFA, 0x96, 0x7B]), ("ascii", "a", [0x61]), ("latin1", "", []),
      ("iso-2022-jp", "日本", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42]),
      ("iso-2022-jp", "日本a", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42, 0x61]),
    ] as [(String, String, [UInt8])])
  func textInOthers(_ encoding: String, _ text: String, _ bytes: [UInt8]) {
    #expect(Self.encode(text, encoding) == bytes && Self.decode(bytes, encoding) == text)
  }

  @Test(arguments: [("latin1", "漢"), ("ascii", "é"), ("no-such", "a")])
  func whatDoesNotFitIsRefused(_ encoding: String, _ text: String) {
    #expect(Self.encode(text, encoding) == nil)
  }

  @Test func halfACharacterAtTheEndIsRefused() {
    #expect(
      Self.decode([0x61, 0], "utf-16le") == "a" && Self.decode([0x61], "utf-16le") == nil
        && Self.decode([0x93], "shift_jis") == nil)
  }

  /// Longer than what is converted at once, with characters over each border.
  @Test func longTextsComeBack() {
    for padding in 0..<4 {
      let text = String(repeating: "x", count: padding) + String(repeating: "é漢🦆", count: 30_000)
      for encoding in ["utf-8", "utf-16le", "utf-32be", "gb18030"] {
        #expect(Self.encode(text, encoding).flatMap { Self.decode($0, encoding) } == text, "\(encoding)")
      }
    }
  }

  // MARK: - Progress

  @Test func shortOperationsTellNothingAndLongOnesTheirEnd() async {
    for (pieces, size, events) in [(10, 1000, 0), (4, 1 << 20, 1), (0, 0, 0)] {
      let (stream, continuation) = AsyncStream.makeStream(of: ProgressEvent.self)
      let progress = Progress(continuation)
      progress.expect(pieces * size)
      for _ in 0..<pieces { progress.add(size) }
      progress.end()
      var got: [ProgressEvent] = []
      for await event in stream { got.append(event) }
      #expect(got.count >= events && (events > 0 || got.isEmpty))
      if events > 0 {
        #expect(got.last?.done == Double(pieces * size) && got.last?.total == Double(pieces * size))
      }
    }
  }

  @Test func anOperationIsWatchedByItsNumberOnce() async throws {
    let table = ProgressTable()
    let stream = table.watch(7)
    table.run(8) { #expect($0 == nil) }
    table.run(nil) { #expect($0 == nil) }
    table.run(7) { progress in
      #expect(progress != nil)
      progress?.expect(2 << 20)
      progress?.add(2 << 20)
    }
    table.run(7) { #expect($0 == nil) }
    var count = 0
    for await _ in stream { count += 1 }
    #expect(count == 1)
    // A watch that never begins ends with the table.
    let other = table.watch(9)
    table.clear()
    for await _ in other { Issue.record("nothing was done") }
    table.run(9) { #expect($0 == nil) }
  }

  // MARK: - Changes

  @Test func whatIsTakenIsWhatHappenedWithoutRepetitions() {
    for seed in 0..<300 as Range<UInt64> {
      var dice = SeededGenerator(seed: seed)
      var pending = PendingChanges(), last: [String: FileChange.Kind] = [:], expected: [FileChange] = []
      for _ in 0..<40 {
        let path = ["a", "b"][dice.number(0..<2)]
        let kind = [FileChange.Kind.created, .modified, .removed, .renamed][dice.number(0..<4)]
        let from = kind == .renamed ? (path == "a" ? "b" : "a") : nil
        pending.add(FileChange(kind: kind, path: path, from: from))
        let isSame = kind != .renamed && last[path] == kind || kind == .modified && last[path] == .created
        if !isSame {
          last[path] = kind
          if let from { last[from] = nil }
          expected.append(FileChange(kind: kind, path: path, from: from))
        }
      }
      #expect(pending.take() == expected && pending.list.isEmpty, "seed \(seed)")
    }
  }
}
