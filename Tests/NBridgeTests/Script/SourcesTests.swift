// SPDX-License-Identifier: MIT

import JSEngine
import NBridgePlugin
import NBridgeTesting
import Testing

@testable import NBridgeScript
@testable import NBridgeSystem

/// A script's text and its lines.
@Suite struct ScriptSourceTests {
  @Test(arguments: [
    ("a\nb\nc", ["a", "b", "c"]), ("a\r\nb\r\nc", ["a", "b", "c"]), ("a\rb\rc", ["a", "b", "c"]),
    ("", [""]), ("\n", ["", ""]), ("\r\n", ["", ""]),
    ("a\n", ["a", ""]), ("a\n\nb", ["a", "", "b"]), ("a\r\n\r\nb", ["a", "", "b"]),
    ("a\n\rb", ["a", "", "b"]), ("a\r\n\n\rb", ["a", "", "", "b"]),
    ("é\u{301}\nß", ["é\u{301}", "ß"]), ("\u{301}\n\u{301}", ["\u{301}", "\u{301}"]),
    ("a\n\u{301}b", ["a", "\u{301}b"]),
  ])
  func linesWhateverTheyEndWith(_ text: String, _ lines: [String]) {
    let source = ScriptSource(url: "a.js", text: text)
    for (index, line) in lines.enumerated() {
      #expect(
        source.line(index + 1).map(String.init) == line,
        "line \(index + 1)")
    }
    #expect(source.line(lines.count + 1) == nil)
  }

  /// A script may make up the lines of a stack.
  @Test(arguments: [0, -1, Int.min, Int.max, 3])
  func aLineThatIsNotThereIsNone(_ number: Int) {
    #expect(
      ScriptSource(url: "a.js", text: "a\nb").line(number) == nil)
  }

  @Test(arguments: [
    ("\u{FEFF}a", "a"), ("#!/usr/bin/env nbridge\na", "///usr/bin/env nbridge\na"),
    ("\u{FEFF}#!x\r\ny", "//x\r\ny"), ("a#!b", "a#!b"), (" #!a", " #!a"),
    ("#", "#"), ("\u{FEFF}\u{FEFF}a", "\u{FEFF}a"), ("#!", "//"),
  ])
  func marksAtTheStart(_ text: String, _ expected: String) {
    #expect(
      ScriptSource(url: "a.js", text: text).text == expected)
  }

  @Test(arguments: [
    ("", "a", false), ("await", "await", true), ("awai", "await", false), ("aawait", "await", true),
    ("xawaitx", "await", true), ("awawait", "await", true),
    ("AWAIT", "await", false), ("a w a i t", "await", false),
  ])
  func containsText(_ text: String, _ word: String, _ contains: Bool) {
    let found = word == "a" ? text.utf8.containsText("a") : text.utf8.containsText("await")
    #expect(found == contains)
  }

  @Test(arguments: [
    ("a@b.js:1:2", "a", "b.js", 1, 2), ("b.js:1:2", "", "b.js", 1, 2),
    ("f@/x y/é.js:10:200", "f", "/x y/é.js", 10, 200),
    ("f@http://a:80/b.js:3:4", "f", "http://a:80/b.js", 3, 4), ("f@a:-1:0", "f", "a", -1, 0),
    ("global code@a.js:1:1", "global code", "a.js", 1, 1), ("@a:1:1", "", "a", 1, 1),
  ])
  func frames(_ line: String, _ function: String, _ url: String, _ row: Int, _ column: Int) {
    let frame = StackFrame(line)
    #expect(frame?.function == function && frame?.url == url && frame?.line == row && frame?.column == column)
  }

  @Test(arguments: [
    "", "[native code]", "f@[native code]", "f@a.js", "f@a.js:1", "f@a.js:x:1",
    "f@a.js:1:", ":", "::", "f@a:99999999999999999999:1",
  ])
  func whatIsNoFrame(_ line: String) { #expect(StackFrame(line) == nil) }

  /// A stack that came from elsewhere has frames as people see them.
  @Test(arguments: [
    ("    at a.js:1:2", "a.js:1:2"), ("    at f (/x y/a.js:1:2)", "f (/x y/a.js:1:2)"),
    ("Error: m\n    at new F (a.js:1:2)\n    at native", "new F (a.js:1:2)"), ("    at nowhere", ""),
    ("    at b.js:3:4\nf@a.js:1:2", "f (a.js:1:2)"),
  ])
  func framesAsTheyAreShown(_ stack: String, _ shown: String) {
    #expect(SourceRegistry().frames(of: stack).map(\.shown).joined(separator: "|") == shown)
  }

  @Test func onlyTheAuthorsFrames() {
    let stack = "f@a.js:1:2\n[native code]\ng@nbridge:console:3:4\n\nh@b.js:5:6"
    #expect(StackFrame.userFrames(stack).map(\.place) == ["a.js:1:2", "b.js:5:6"])
  }

  @Test(arguments: [
    ("a.js", "a.js"), ("./a.js", "./a.js"), ("/w/f/a.js", "a.js"), ("/w/f/b/../a.js", "a.js"),
    ("../f/a.js", "a.js"), ("../a.js", "/w/a.js"), ("/w/fa.js", "/w/fa.js"),
    ("/w/f", "/w/f"), ("/x//y/./z", "/x/y/z"), ("/../../a", "/a"), ("", ""),
  ])
  func shownPaths(_ path: String, _ shown: String) {
    #expect(
      DisplayPath(folder: "/w/f").shown(path)
        == shown)
  }

  @Test(arguments: [
    ("a.js", "."), ("/a.js", "/"), ("/x/a.js", "/x"), ("x/y/a.js", "x/y"), ("x/", "x"),
    ("", "."),
  ])
  func foldersOfPaths(_ path: String, _ folder: String) { #expect(DisplayPath.folder(of: path) == folder) }

  @Test(arguments: [
    ("a", "/w/a"), ("./a/", "/w/a"), ("..", "/"), ("../../..", "/"), ("/", "/"),
    ("a/../../b", "/b"), ("//a", "/a"),
  ])
  func absolutePaths(_ path: String, _ full: String) {
    #expect(
      DisplayPath(folder: "/w").absolute(path)
        == full)
  }

  @Test(arguments: ["\"", "\\", "\n", "a", "é", "\u{2028}", "</script>", "\u{0}", ""])
  func textsAsLiterals(_ text: String) async throws {
    let literal = ValueText.quoted(text)
    let value = try await withEngine { try $0.evaluate("(\(literal))", url: "t").string }
    #expect(value == text)
  }
}

/// The line that a report shows, and the caret under it.
@Suite struct SourceExcerptTests {
  static func text(_ line: String, _ column: Int) -> String {
    SourceExcerpt.text(
      line[...],
      column: column, Style(colours: false))
  }

  @Test(arguments: [
    ("abc", 1, "abc\n^\n"), ("abc", 3, "abc\n  ^\n"), ("abc", 4, "abc\n   ^\n"),
    ("abc", 99, "abc\n   ^\n"), ("abc", 0, "abc\n"), ("abc", -3, "abc\n"),
    ("\tab", 2, "\tab\n\t^\n"), ("é😀x", 4, "é😀x\n   ^\n"), ("", 1, "\n^\n"),
    ("日本語 x", 5, "日本語 x\n       ^\n"), ("e\u{301}x", 3, "e\u{301}x\n ^\n"),
    ("a\u{1B}x", 3, "a\u{FFFD}x\n  ^\n"),
    ("a\u{1B}[31mb", 1, "a\u{FFFD}[31mb\n^\n"), ("abc", Int.max, "abc\n   ^\n"),
    ("a\u{9B}31mb", 1, "a\u{FFFD}31mb\n^\n"), ("a\u{7F}b", 1, "a\u{FFFD}b\n^\n"),
    ("a\u{0}b", 1, "a\u{FFFD}b\n^\n"),
  ])
  func lines(_ line: String, _ column: Int, _ expected: String) {
    #expect(
      Self.text(line, column)
        == expected)
  }

  @Test func aLongLineIsCutAroundThePlace() {
    let line = String(repeating: "a", count: 150) + "X" + String(repeating: "b", count: 500)
    let parts = Self.text(line, 151).split(separator: "\n").map(Array.init)
    #expect(parts[0].count == 120 && parts[0][parts[1].count - 1] == "X")
  }

  @Test(arguments: [99, 100, 101, 160, 161, 400, 650])
  func theCaretStandsUnderItsPlace(_ column: Int) {
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    let line = String((0..<700).map { letters[($0 * 7) % 26] })
    let parts = Self.text(line, column).split(separator: "\n").map(Array.init)
    #expect(parts[0][parts[1].count - 1] == Array(line)[column - 1])
  }

  @Test func colours() {
    #expect(SourceExcerpt.text("a", column: 1, Style(colours: true)) == "a\n\u{1B}[31m^\u{1B}[0m\n")
    #expect(Style(colours: true).dim("x") == "\u{1B}[2mx\u{1B}[0m" && Style(colours: false).dim("x") == "x")
  }
}

/// Reading scripts from disk.
@Suite struct ScriptFileTests {
  let folder = TemporaryFolder.make()

  private func path(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = "\(folder)/\(name)"
    try SmallFile.replace(path, with: bytes)
    return path
  }

  @Test func readsWhatIsThere() throws {
    defer { TemporaryFolder.remove(folder) }
    #expect(try ScriptFile.read(path("a.js", Array("1 + 1".utf8))) == "1 + 1")
    #expect(try ScriptFile.read(path("empty.js", [])) == "")
    let large = [UInt8](repeating: 0x61, count: 700_000)
    #expect(try ScriptFile.bytes(path("large.js", large)) == large)
  }

  @Test(
    arguments: [
      ([0xFF], 0), ([0x61, 0xC3], 1), ([0x61, 0xC3, 0x28], 1), ([0xC3, 0xA9, 0x80], 2),
      ([0xED, 0xA0, 0x80], 0), ([0x61, 0x62, 0xF5], 2),
    ] as [([UInt8], Int)])
  func whatIsNoUTF8NamesTheByte(_ bytes: [UInt8], _ place: Int) throws {
    defer { TemporaryFolder.remove(folder) }
    let path = try path("a.js", bytes)
    let error = #expect(throws: ScriptFileError.self) { try ScriptFile.read(path) }
    #expect(error?.description == "'\(path)' is not UTF-8 (byte \(place))")
  }

  @Test func whatCannotBeReadSaysWhy() throws {
    defer { TemporaryFolder.remove(folder) }
    let missing = #expect(throws: ScriptFileError.self) { try ScriptFile.read("\(folder)/none.js") }
    #expect(missing?.description == "can't open '\(folder)/none.js': No such file or directory")
    let isFolder = #expect(throws: ScriptFileError.self) { try ScriptFile.read(folder) }
    #expect(isFolder?.description == "'\(folder)' is a folder; name a script in it")
    let device = #expect(throws: ScriptFileError.self) { try ScriptFile.bytes("/dev/zero", plainOnly: true) }
    #expect(device?.description == "'/dev/zero' is no plain file, but a pipe or a device")
    let refused = #expect(throws: ScriptFileError.self) {
      try ScriptFile.bytes(
        path("b", [1])
      ) { "no: \($0?.text.hasSuffix("/b") == true)" }
    }
    #expect(refused?.description == "no: true")
  }

  @Test func whatStandsAtAPath() throws {
    defer { TemporaryFolder.remove(folder) }
    let file = try path("a", [1, 2, 3])
    #expect(
      ScriptFile.isFile(file) && !ScriptFile.isFile(folder) && ScriptFile.isFolder(folder)
        && !ScriptFile.isFolder(file))
    #expect(
      ScriptFile.isPlainFile(file, upTo: 3) && !ScriptFile.isPlainFile(file, upTo: 2)
        && !ScriptFile.isPlainFile("/dev/null", upTo: 9))
    #expect(
      ScriptFile.isOwn(file) && !ScriptFile.isOwn(folder + "/none")
        && !ScriptFile.isFile(folder + "/none"))
    #expect(Set(ScriptFile.names(in: folder)) == [".", "..", "a"] && ScriptFile.names(in: file).isEmpty)
    #expect(
      ScriptFile.target(ofLink: "/proc/self/cwd") == ScriptFile.currentFolder
        && ScriptFile.target(ofLink: file) == nil)
  }
}
