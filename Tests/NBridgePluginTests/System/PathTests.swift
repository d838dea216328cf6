// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import NBridgePlugin
@testable import NBridgeSystem

/// Paths as bytes, as text, and as the kernel knows them.
@Suite struct PathTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  @Test(
    arguments: [
      ([], ""), (Array("plain".utf8), "plain"), (Array("é漢🎉".utf8), "é漢🎉"), ([0xFF], "\u{10FFFF}"),
      ([0x80], "\u{10FF80}"), ([0x61, 0xC3, 0x62], "a\u{10FFC3}b"),
      ([0xF4, 0x8F, 0xBF, 0xBF], "\u{10FFF4}\u{10FF8F}\u{10FFBF}\u{10FFBF}"),
      ([0xED, 0xA0, 0x80], "\u{10FFED}\u{10FFA0}\u{10FF80}"),
      ([0xE2, 0x82], "\u{10FFE2}\u{10FF82}"), ([0xF4, 0x8F, 0xBD, 0xBF], "\u{10FF7F}"),
    ] as [([UInt8], String)])
  func namesThatAreNoTextAreShown(_ bytes: [UInt8], _ text: String) {
    #expect(PathText.decode(bytes) == text)
    #expect(PathText.encode(text) == bytes)
  }

  @Test func everyNameHasATextOfItsOwn() {
    var random = SeededGenerator(seed: 101)
    var texts: [String: [UInt8]] = [:]
    let usual: [UInt8] = [0x41, 0x80, 0xBF, 0xC3, 0xA9, 0xE0, 0xED, 0xA0, 0xF0, 0x90, 0xF4, 0x8F, 0xBE, 0xFF]
    for _ in 0..<20_000 {
      let bytes = (0..<random.number(0..<7)).map { _ in
        random.pick(usual)
      }
      let text = PathText.decode(bytes)
      #expect(PathText.encode(text) == bytes)
      #expect(texts[text] ?? bytes == bytes)
      texts[text] = bytes
    }
  }

  @Test(
    arguments: [
      ("", [], "", ""), ("a", ["a"], "a", ""), ("/", [], "", "/"), ("/a", ["a"], "a", "/"),
      ("a/b", ["a", "b"], "b", "a/"), ("a//b/", ["a", "b"], "", "a//b/"),
      ("/\u{301}a", ["\u{301}a"], "\u{301}a", "/"), ("x/\u{301}", ["x", "\u{301}"], "\u{301}", "x/"),
      ("./..", [".", ".."], "..", "./"), ("é/漢", ["é", "漢"], "漢", "é/"),
    ] as [(String, [String], String, String)])
  func namesAreWhatStandsBetweenSlashes(_ path: String, _ names: [String], _ last: String, _ before: String) {
    #expect(path.pathNames.map { Array($0.utf8) } == names.map { Array($0.utf8) })
    #expect(Array(path.afterLastSlash.utf8) == Array(last.utf8))
    #expect(Array(path.throughLastSlash.utf8) == Array(before.utf8))
    #expect(path.hasSlash == !before.isEmpty)
    #expect(path.pathParts.map(String.init).joined(separator: "/").utf8.elementsEqual(path.utf8))
  }

  @Test func whatIsThereIsResolved() throws {
    try folder.make("a/file")
    symlink("a", folder.file("link"))
    symlink("loop", folder.file("loop"))
    let base = folder.path
    #expect(RealPath("\(base)/link/../a/./file")?.text == "\(base)/a/file")
    #expect(RealPath("\(base)/link")?.text == "\(base)/a")
    #expect(RealPath("\(base)/none") == nil)
    #expect(RealPath("\(base)/loop") == nil)
    #expect(RealPath("\(base)/a\u{0}") == nil)
    #expect(RealPath("") == nil)
    #expect(RealPath("/") == .root)
    #expect(RealPath.folder(of: "\(base)/link/file") == "\(base)/a")
    #expect(RealPath.folder(of: "\(base)/none/file") == nil)
  }

  @Test func whatIsNotThereYetIsPlanned() throws {
    try folder.make("a/file")
    symlink("a", folder.file("link"))
    let base = folder.path
    #expect(RealPath(planned: "\(base)/link/x/y").text == "\(base)/a/x/y")
    #expect(RealPath(planned: "\(base)/link/x//y/").text == "\(base)/a/x/y")
    #expect(RealPath(planned: "\(base)/none/./x").text == "\(base)/none/x")
    #expect(RealPath(planned: "/").text == "/")
    #expect(RealPath(planned: "/none-\(UUID().uuidString)/x").bytes.starts(with: Array("/none-".utf8)))
    #expect(RealPath(planned: "").text == RealPath(".")?.text)
    #expect(RealPath(planned: Array("\(base)/link/".utf8) + [0xFF]).text == "\(base)/a/\u{10FFFF}")
  }

  @Test func foldersHoldWhatIsBelowThem() {
    let inner = RealPath(text: "/a/b")
    #expect(inner.lies(in: RealPath(text: "/a")))
    #expect(inner.lies(in: inner))
    #expect(inner.lies(in: .root))
    #expect(RealPath.root.lies(in: .root))
    #expect(!inner.lies(in: RealPath(text: "/a/b/c")))
    #expect(!RealPath(text: "/ab").lies(in: RealPath(text: "/a")))
    #expect(!RealPath(text: "a/b").lies(in: RealPath(text: "a")))
    #expect(!inner.lies(in: RealPath(text: "")))
    #expect(RealPath(text: "/a/b///").text == "/a/b")
    #expect(RealPath(text: "///").text == "/")
    #expect(inner.parent?.text == "/a")
    #expect(inner.parent?.parent == .root)
    #expect(RealPath.root.parent == nil)
    #expect(Array(inner.name) == Array("b".utf8))
    #expect(RealPath.root.appending("x".utf8).text == "/x")
    #expect(RealPath(text: "/e\u{301}") != RealPath(text: "/é"))
  }

  @Test func descriptorsKnowTheirPlace() throws {
    let path = try folder.make("ä (deleted)")
    let file = open(path, O_RDONLY)
    defer { close(file) }
    #expect(RealPath(descriptor: file)?.text == path)
    unlink(path)
    #expect(RealPath(descriptor: file)?.text == path)
    #expect(RealPath(descriptor: -1) == nil)
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    #expect(RealPath(descriptor: ends[0]) == nil)
    ends.forEach { close($0) }
  }

  @Test func trailsNameEveryPlaceOnTheWay() throws {
    try folder.make("real/file")
    symlink("real", folder.file("one"))
    symlink(folder.file("one"), folder.file("two"))
    let trail = try #require(PathTrail(folder.file("two/../two/./file")))
    let below = trail.places.map(\.text).filter { $0.hasPrefix(folder.path + "/") }.map {
      String($0.dropFirst(folder.path.count + 1))
    }
    #expect(
      below == ["two", "one", "real", "two", "one", "real", "real/file"]
        || below.suffix(4) == ["two", "one", "real", "real/file"])
    #expect(trail.places.last?.text == folder.file("real/file"))
    #expect(PathTrail(folder.file("none")) == nil)
    #expect(PathTrail(folder.file("real/file/x")) == nil)
    #expect(PathTrail("a\u{0}") == nil)
  }

  /// As many links as the kernel follows, and no more.
  @Test func trailsEnd() throws {
    try folder.make("link0")
    for number in 1...45 { symlink("link\(number - 1)", folder.file("link\(number)")) }
    symlink("circle", folder.file("circle"))
    #expect(PathTrail(folder.file("link40")) != nil)
    #expect(PathTrail(folder.file("link41")) == nil)
    #expect(PathTrail(folder.file("circle")) == nil)
  }

  @Test func foldersTellTheirNames() throws {
    for name in ["a", "ä", ".hidden", "b c"] { try folder.make(name) }
    #expect(FolderNames.of(folder.path).sorted() == ["a", "b c", "ä"])
    #expect(FolderNames.of(folder.file("none")).isEmpty)
    #expect(FolderNames.of(folder.file("a")).isEmpty)
    #expect(Set((0..<100).map { _ in RandomName.make() }).count == 100)
    #expect(RandomName.make().utf8.count == 32)
    let isHexadecimal = RandomName.make().allSatisfy(\.isHexDigit)
    #expect(isHexadecimal)
  }

  @Test(
    arguments: [
      ("keys", ["key", "lock"], "key"), ("KEYS", ["keys"], "keys"), ("depht", ["depth", "width"], "depth"),
      ("xyz", ["abcdef"], nil), ("", ["a"], "a"), ("abc", [], nil),
      ("permision", ["permission", "permit"], "permission"), ("same", ["some", "same"], "same"),
      ("é", ["e"], "e"), ("namespace", ["name", "namespaces"], "namespaces"),
    ] as [(String, [String], String?)])
  func theNearestNameIsFound(_ name: String, _ among: [String], _ expected: String?) {
    #expect(NearestName.of(name, among: among) == expected)
  }

  @Test func hintsSayWhatThereIs() {
    #expect(NearestName.hint(for: "kez", among: ["key"]) == "; did you mean 'key'?")
    #expect(NearestName.hint(for: "something", among: ["b", "a"]) == "; there is a, b")
    #expect(NearestName.hint(for: "x", among: []) == "")
  }
}
