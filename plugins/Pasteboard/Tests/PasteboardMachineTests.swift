// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import NBridgePlugin
import NBridgeStore
import NBridgeTesting
import TestSupport
import Testing

@testable import NBridgeSystem
@testable import PasteboardPlugin

/// Types, names, patterns and fillers of pasteboards.
@Suite struct PasteboardMachineTests {
  // MARK: - Types and names

  @Test(arguments: [
    ("text", "text/plain"), ("url", "text/uri-list"), ("files", "text/uri-list"), ("png", "image/png"),
    ("json", "application/json"),
    ("text/plain", "text/plain"), ("Text/Plain", "text/plain"), ("IMAGE/PNG", "image/png"),
    ("TEXT", "text/plain"), ("Json", "application/json"),
    ("x", "x"), ("org.example.Thing", "org.example.thing"), ("É", "É"), ("a b", "a b"), ("", nil),
    (" a", nil), ("a ", nil), ("a\n", nil),
    ("a\0b", nil), ("a\u{7F}", nil), ("text/plain; charset=UTF-8", "text/plain; charset=utf-8"),
  ]) func aTypesName(_ text: String, _ name: String?) { #expect((try? ContentType(text))?.name == name) }

  @Test func aTypesNameHasALimitAndReadsAsItself() throws {
    #expect((try? ContentType(String(repeating: "é", count: 127)))?.name.utf8.count == 254)
    #expect(
      (try? ContentType(String(repeating: "x", count: 255))) != nil
        && (try? ContentType(String(repeating: "x", count: 256))) == nil)
    // A type that the list of types names can be read by that name.
    for text in ["TEXT", "Url", "FILES", "X-Y", "a/B", "HTML", "rtf", "ÄÖ"] {
      let type = try ContentType(text)
      #expect(try ContentType(type.name) == type, "\(text)")
    }
  }

  @Test(arguments: [
    ("text/plain", true), ("text/html", true), ("application/json", true), ("image/svg+xml", true),
    ("application/ld+json", true),
    ("image/png", false), ("text", true), ("textual", false), ("application/jsonp", false), ("xml", false),
  ]) func whatIsText(_ type: String, _ isText: Bool) throws {
    #expect(try ContentType(type).isText == isText)
  }

  @Test(
    arguments: [
      (nil, "general"), ("general", "general"), ("General", "General"), ("a", "a"), ("../a", "../a"),
      ("漢", "漢"), ("", nil), ("a\n", nil), ("\u{7F}", nil),
      ("a\0", nil),
    ] as [(String?, String?)]) func aBoardsName(_ text: String?, _ name: String?)
  {
    let made = try? PasteboardName(text)
    #expect(made?.text == name && made?.isGeneral ?? false == (name == "general"))
  }

  @Test func listsOfTypesComeBack() throws {
    for list in [[], ["a"], ["text/plain", "a b", "É"], [String](repeating: "x", count: 64)] {
      #expect(TypeList.split(TypeList.join(list)) == list)
    }
  }

  @Test(arguments: [0, 1, -1, 1e300, -1e300, .infinity, -.infinity, .nan, 253_402_300_800] as [Double])
  func noTimeIsATrap(_ seconds: Double) {
    let milliseconds = Milliseconds.of(Date(timeIntervalSince1970: seconds))
    if abs(seconds) < 1e15 { #expect(milliseconds == Int64(seconds * 1000)) }
    #expect(milliseconds >= 0 || seconds < 0 || seconds.isNaN)
    _ = Milliseconds.date(milliseconds)
  }

  // MARK: - What a text looks like

  @Test(
    arguments: [
      ("", []), ("hello", []), ("http://a", [.url]), ("see https://example.org/x?y=1.", [.url]),
      ("(HTTPS://EXAMPLE.ORG)", [.url]), ("http://", []),
      ("http:///x", []), ("https://[::1]/", [.url]), ("www.example.org", [.url]), ("www.", []),
      ("www.a", [.url]), ("www.-a.org", []), ("xhttp://a", []),
      ("ftp://a.b", []), ("javascript:alert(1)", []), ("ada@example.org", [.email]),
      ("<ada@example.org>,", [.email]), ("a@b", []), ("@b.c", []), ("a@", []),
      ("a@b.c.", [.email]), (".a@b.c", []), ("a.@b.c", []), ("a b@c.d", [.email]), ("a@@b.c", []),
      ("a@b..c", []), ("a@-b.c", []), ("ä@ö.de", [.email]),
      ("12", [.number]), ("-1,234.5", [.number]), ("1,23", []), ("1,234,567", [.number]), (",1", []),
      (".5", [.number]), ("5.", [.number]), ("+", []), ("-", []),
      ("1e5", [.number]), ("1e", []), ("1e+", []), ("1E-7", [.number]), ("0x10", []), ("1.2.3", []),
      ("--1", []), ("12 http://a a@b.c", [.url, .number, .email]),
      ("١٢", []), ("(42)", [.number]), ("\"7\"", [.number]), ("1,,234", []), ("NaN", []), ("1_000", []),
      ("...", []), ("()", []),
    ] as [(String, [PatternKind])]) func whatATextLooksLike(_ text: String, _ kinds: [PatternKind])
  {
    #expect(PatternDetector.detect(text.utf8) == kinds, "\(text)")
  }

  @Test func partsOfAnAddressHaveLimits() {
    let detect = { (text: String) in PatternDetector.detect(text.utf8).contains(.email) }
    #expect(
      detect(String(repeating: "a", count: 64) + "@b.c")
        && !detect(String(repeating: "a", count: 65) + "@b.c"))
    #expect(
      detect("a@" + String(repeating: "b", count: 63) + ".c")
        && !detect("a@" + String(repeating: "b", count: 64) + ".c"))
    #expect(!detect("a@" + String(repeating: "bcd.", count: 90) + "e"))
  }

  @Test func noiseIsLookedAtAndOnlyItsBeginning() {
    var dice = SeededGenerator(seed: 4)
    let letters = Array("a1.,@:/w-+e \n([<é\u{0}".utf8)
    for _ in 0..<5000 {
      let bytes = (0..<dice.number(0..<30)).map { _ in dice.pick(letters) }
      let kinds = PatternDetector.detect(bytes)
      #expect(kinds == PatternKind.allCases.filter(kinds.contains))
    }
    let far = [UInt8](repeating: 0x20, count: PatternDetector.limit) + Array("http://a".utf8)
    #expect(PatternDetector.detect(far).isEmpty && PatternDetector.detect(far.dropFirst(8)) == [.url])
  }

  // MARK: - Fillers

  /// How SQLite writes such a row ("Database File Format", 1.6 and 2.1): how much stands before the content,
  /// and how much of the row the leaf keeps.
  static func row(item: Int, type: Int, bytes: Int, filler: Int) -> (before: Int, onLeaf: Int) {
    func varint(_ number: Int) -> Int { number < 128 ? 1 : number < 16384 ? 2 : number < 2_097_152 ? 3 : 4 }
    func body(_ number: Int) -> Int {
      number < 2 ? 0 : number <= 127 ? 1 : number <= 32767 ? 2 : number <= 8_388_607 ? 3 : 4
    }
    let types = 1 + 1 + varint(13 + 2 * type) + 1 + 1 + varint(12 + 2 * filler) + varint(12 + 2 * bytes)
    let before = types + varint(types + 1) + body(item) + type + body(bytes) + filler
    let (usable, whole) = (Filler.pageSize, before + bytes)
    let (most, least) = (usable - 35, (usable - 12) * 32 / 255 - 23)
    let kept = least + (whole - least) % (usable - 4)
    return (before, whole <= most ? whole : kept <= most ? kept : least)
  }

  @Test func nothingOfAContentStaysOnAPageThatIsMoved() {
    var dice = SeededGenerator(seed: 5)
    let check = { (item: Int, type: Int, bytes: Int) in
      let filler = Filler.size(item: Int64(item), type: String(repeating: "t", count: type), bytes: bytes)
      let row = Self.row(item: item, type: type, bytes: bytes, filler: filler)
      #expect(
        row.onLeaf <= row.before, "item \(item), type \(type), \(bytes) bytes: \(row), filler \(filler)")
      #expect(filler >= 0 && filler < 3 * Filler.pageSize)
    }
    for bytes in 1..<2100 { check(0, 10, bytes) }
    for _ in 0..<5000 {
      check(dice.number(0..<1024), dice.number(1..<256), dice.number(1..<(BlobFolder.inlineLimit + 1)))
    }
    #expect(Filler.size(item: 5, type: "text/plain", bytes: 0) == 0)
  }

  // MARK: - Files

  final class Folder {
    let path = TemporaryFolder.make()
    deinit { TemporaryFolder.remove(path) }
    var names: [String] { FolderNames.of(path).sorted() }
    var blobs: BlobFolder { BlobFolder(path: path) }
  }

  static func bytes(_ bytes: Bytes?) -> [UInt8]? { bytes.map { $0.withUnsafeBytes { Array($0) } } }

  @Test(arguments: [0, 1, 8193, 1 << 20, (1 << 20) + 1]) func aFilesBytesComeBack(_ size: Int) throws {
    let folder = Folder(), blobs = folder.blobs
    let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    for isApart in [true, false] {
      let name = try blobs.write(Bytes(content), isApart: isApart)
      #expect(BlobFolder.isApart(name) == isApart && folder.names.contains(name))
      #expect(Self.bytes(try blobs.read(name, size: size)) == content)
      #expect(
        try blobs.read(name, size: size + 1) == nil && (size == 0 || blobs.read(name, size: size - 1) == nil))
      var status = stat()
      #expect(stat("\(folder.path)/\(name)", &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
    #expect(try blobs.read("none", size: 0) == nil)
  }

  @Test func aLinkIsNotFollowed() throws {
    let folder = Folder()
    try Data([1, 2]).write(to: URL(fileURLWithPath: folder.path + "/target"))
    #expect(symlink("target", folder.path + "/link") == 0)
    #expect(throws: BridgeError.self) { try folder.blobs.read("link", size: 2) }
  }

  @Test func whatIsApartIsOverwrittenBeforeItGoes() throws {
    let folder = Folder(), blobs = folder.blobs
    let secret = [UInt8]("secret".utf8)
    let name = try blobs.write(Bytes(secret), isApart: true),
      plain = try blobs.write(Bytes(secret), isApart: false)
    let file = open("\(folder.path)/\(name)", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    blobs.remove([name, plain])
    #expect(folder.names.count == 1 && folder.names[0].hasPrefix("gone-"))
    #expect(try blobs.read(name, size: 6) == nil, "nobody takes what is left of it for the content")
    blobs.eraseGone()
    #expect(folder.names.isEmpty)
    var left = [UInt8](repeating: 9, count: 6)
    #expect(pread(file, &left, 6, 0) == 6 && left == [0, 0, 0, 0, 0, 0])
  }

  @Test func aSecondNameKeepsTheContentApart() throws {
    let folder = Folder(), blobs = folder.blobs
    let name = try blobs.write(Bytes([1, 2, 3]), isApart: false)
    let second = try blobs.link(name)
    #expect(BlobFolder.isApart(second))
    blobs.remove([name])
    #expect(Self.bytes(try blobs.read(second, size: 3)) == [1, 2, 3])
    #expect(throws: BridgeError.self) { try blobs.link("none") }
  }

  @Test func whatNoRowNamesIsSweptUnlessSomebodyWrites() throws {
    let folder = Folder(), blobs = folder.blobs
    let kept = try blobs.write(Bytes([1]), isApart: false), lost = try blobs.write(Bytes([2]), isApart: false)
    let apart = try blobs.write(Bytes([3]), isApart: true)
    do {
      let hold = try blobs.hold()
      #expect(try !blobs.sweep(keeping: [kept], since: nil), "somebody writes a file that no row names yet")
      #expect(folder.names.contains(lost))
      withExtendedLifetime(hold) {}
    }
    // A file that a store which was set aside may name stays, unless it is apart.
    #expect(try blobs.sweep(keeping: [kept], since: .max))
    #expect(folder.names.contains(lost) && !folder.names.contains(apart))
    #expect(try blobs.sweep(keeping: [kept], since: nil))
    #expect(folder.names.contains(kept) && !folder.names.contains(lost))
    blobs.eraseGone()
    #expect(Set(folder.names).subtracting(["lock"]) == [kept])
    #expect(try blobs.sweep(keeping: [kept], since: nil))
  }

  @Test func itemsThatComeToNothingLeaveNoFile() throws {
    let folder = Folder()
    let large = PasteboardWriter.Checked(
      type: .text, bytes: Bytes([UInt8](repeating: 1, count: BlobFolder.inlineLimit + 1)))
    let small = PasteboardWriter.Checked(type: .uriList, bytes: Bytes([1]))
    for isApart in [false, true] {
      do {
        let items = PreparedItems([[large, small], [small]], isApart: isApart)
        #expect(items.fileCount == (isApart ? 3 : 1) && items.stored().isEmpty)
        try items.writeFiles(in: folder.blobs)
        try items.writeFiles(in: folder.blobs)
        let stored = items.stored()
        #expect(
          stored.map(\.count) == [2, 1] && stored[0][0].file != nil && (stored[0][1].file != nil) == isApart)
        #expect(folder.names.filter { $0 != "lock" }.count == (isApart ? 3 : 1))
      }
      #expect(folder.names.filter { $0 != "lock" }.isEmpty)
    }
    let kept = PreparedItems([[large]], isApart: false)
    try kept.writeFiles(in: folder.blobs)
    kept.keep()
    #expect(folder.names.filter { $0 != "lock" }.count == 1)
  }

  // MARK: - Owners

  @Test func anOwnerLivesAsLongAsItHoldsItsFile() throws {
    let folder = Folder(), lock = OwnerLock()
    #expect(lock.id == nil)
    let id = try lock.hold(in: folder.path)
    #expect(try lock.hold(in: folder.path) == id && lock.id == id && folder.names == [id])
    #expect(OwnerLock.isAlive(id, in: folder.path) && !OwnerLock.isAlive("none", in: folder.path))
    // Its name alone is no life.
    try Data().write(to: URL(fileURLWithPath: folder.path + "/dead"))
    #expect(!OwnerLock.isAlive("dead", in: folder.path))
    // An owner that can't be looked at is taken to run.
    #expect(symlink("dead", folder.path + "/link") == 0 && OwnerLock.isAlive("link", in: folder.path))
    lock.release(in: folder.path)
    lock.release(in: folder.path)
    #expect(!OwnerLock.isAlive(id, in: folder.path) && !folder.names.contains(id) && lock.id == nil)
    #expect(try lock.hold(in: folder.path) != id)
    lock.release(in: folder.path)
    #expect(throws: BridgeError.self) { try OwnerLock().hold(in: folder.path + "/none") }
    OwnerLock.waitForEnd("none", in: folder.path)
  }
}
