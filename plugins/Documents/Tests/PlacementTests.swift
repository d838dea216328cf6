// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Glibc
import NBridgePlugin
import Synchronization
import Testing

@testable import DocumentsPlugin
@testable import NBridgeSystem

/// How contents take their places: real files, and other programs that write at the worst moment.
@Suite struct PlacementTests {
  static func write(_ text: String, _ disk: InnerDisk, _ name: String, _ rules: WriteRules = WriteRules())
    throws
  {
    let replacement = try Replacement(disk.place(name), rules, disk.staging)
    try Array(text.utf8).withUnsafeBytes { try replacement.append($0) }
    try replacement.commit()
  }

  static func code(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch { return (error as? BridgeError)?.code.rawValue ?? "\(error)" }
  }

  @Test func aNewContentTakesItsPlaceAndLeavesNothingElse() throws {
    let disk = try InnerDisk()
    try Self.write("one", disk, "f")
    #expect(disk.text("f") == "one" && disk.names == ["f"] && disk.staged.isEmpty)
    try Self.write("two", disk, "f")
    #expect(disk.text("f") == "two" && disk.names == ["f"] && disk.staged.isEmpty)
    try Self.write("", disk, "f")
    #expect(disk.text("f") == "")
  }

  @Test func whatIsNotCommittedWasNeverThere() throws {
    let disk = try InnerDisk()
    try disk.put("f", "old")
    do {
      let replacement = try Replacement(disk.place("f"), WriteRules(), disk.staging)
      try Array("new".utf8).withUnsafeBytes { try replacement.append($0) }
      #expect(disk.text("f") == "old" && disk.names == ["f"])
    }
    #expect(disk.text("f") == "old" && disk.staged.isEmpty)
  }

  @Test(arguments: [
    ("file", "create", nil), ("nothing", "create", "not_found"), ("file", "overwrite", "exists"),
    ("nothing", "overwrite", nil),
    ("folder", "any", "io_error"), ("pipe", "any", "io_error"), ("link", "any", nil),
  ]) func whatStandsThereDecides(_ there: String, _ rule: String, _ expected: String?) throws {
    let disk = try InnerDisk()
    var rules = WriteRules()
    if rule == "create" { rules.create = false }
    if rule == "overwrite" { rules.overwrite = false }
    switch there {
    case "file": try disk.put("f", "old")
    case "folder": #expect(mkdir(disk.documents + "/f", 0o700) == 0)
    case "pipe": #expect(mkfifo(disk.documents + "/f", 0o600) == 0)
    case "link":
      try disk.put("target", "t")
      #expect(symlink("target", disk.documents + "/f") == 0)
    default: break
    }
    #expect(Self.code { try Self.write("new", disk, "f", rules) } == expected)
    if expected == nil { #expect(disk.text("f") == "new") }
    if there == "link" { #expect(disk.text("target") == "t", "the link is replaced, not what it leads to") }
    #expect(disk.staged.isEmpty)
  }

  @Test func aFileKeepsWhoMayReadIt() throws {
    let disk = try InnerDisk()
    for mode in [0o600, 0o644, 0o400, 0o755] as [mode_t] {
      try? FileManager.default.removeItem(atPath: disk.documents + "/f")
      try disk.put("f", "old")
      #expect(chmod(disk.documents + "/f", mode) == 0)
      try Self.write("new", disk, "f")
      var status = stat()
      #expect(
        stat(disk.documents + "/f", &status) == 0 && status.st_mode & 0o7777 == mode
          && disk.text("f") == "new")
    }
  }

  @Test func whoWaitsForAnIdentityWritesOverNothingElse() throws {
    let disk = try InnerDisk()
    try disk.put("f", "old")
    let identity = try #require(try disk.place("f").facts().map(FileMetadata.identity))
    #expect(
      Self.code { try Self.write("x", disk, "f", WriteRules(accepts: { $0 == "other" })) } == "conflict")
    #expect(Self.code { try Self.write("x", disk, "f", WriteRules(accepts: { $0 == nil })) } == "conflict")
    #expect(
      Self.code { try Self.write("x", disk, "g", WriteRules(accepts: { $0 == identity })) } == "conflict")
    #expect(disk.text("f") == "old" && disk.names == ["f"])
    #expect(Self.code { try Self.write("new", disk, "f", WriteRules(accepts: { $0 == identity })) } == nil)
    #expect(
      Self.code { try Self.write("again", disk, "f", WriteRules(accepts: { $0 == identity })) } == "conflict")
    #expect(Self.code { try Self.write("g", disk, "g", WriteRules(accepts: { $0 == nil })) } == nil)
    #expect(disk.text("f") == "new" && disk.names == ["f", "g"] && disk.staged.isEmpty)
  }

  /// Another program comes between the look and the exchange: nothing of its content is lost.
  @Test(arguments: ["changed", "removed", "made"]) func othersAtTheWorstMomentLoseNothing(_ what: String)
    throws
  {
    let disk = try InnerDisk()
    if what != "made" { try disk.put("f", "old") }
    let before = try disk.place("f").facts().map(FileMetadata.identity)
    var looks = 0
    let rules = WriteRules(accepts: { identity in
      looks += 1
      // The second look is the one under the lock: the next thing is the exchange.
      if looks == 2 {
        switch what {
        case "removed": unlink(disk.documents + "/f")
        default:
          try? Data("theirs".utf8).write(
            to: URL(fileURLWithPath: disk.documents + "/f"), options: .atomic)
        }
      }
      return identity == before
    })
    #expect(Self.code { try Self.write("mine", disk, "f", rules) } == "conflict" && looks >= 2)
    #expect(disk.text("f") == (what == "removed" ? nil : "theirs"))
    #expect(disk.staged.isEmpty)
  }

  @Test func twoWritersWithRulesNeverBothWin() throws {
    let disk = try InnerDisk()
    try disk.put("f", "0")
    for round in 1...20 {
      let identity = try disk.place("f").facts().map(FileMetadata.identity)
      let wins = Wins()
      DispatchQueue.concurrentPerform(iterations: 4) { number in
        let staging = Staging(disk.path)
        do {
          let replacement = try Replacement(
            disk.place("f"), WriteRules(durable: false, accepts: { $0 == identity }), staging)
          try Array("\(round) \(number)".utf8).withUnsafeBytes { try replacement.append($0) }
          try replacement.commit()
          wins.add(number)
        } catch {}
      }
      #expect(wins.all.count == 1, "round \(round): \(wins.all)")
      #expect(disk.text("f") == "\(round) \(wins.all.first ?? -1)" && disk.names == ["f"])
    }
  }

  final class Wins: Sendable {
    private let list = Mutex<[Int]>([])
    func add(_ number: Int) { list.withLock { $0.append(number) } }
    var all: [Int] { list.withLock(\.self) }
  }

  // MARK: - Staging

  @Test func eachProcessHasAStagingFolderOfItsOwnAndSweepsTheDead() throws {
    let disk = try InnerDisk()
    let folder = disk.path + "/.staging"
    try FileManager.default.createDirectory(atPath: folder + "/dead/deep", withIntermediateDirectories: true)
    try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/dead/deep/f"))
    try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/stray"))
    let first = Staging(disk.path), second = Staging(disk.path)
    let one = try first.folder("write", FilePath("f"))
    #expect(FolderNames.of(folder).count == 1)
    let other = try second.folder("write", FilePath("f"))
    #expect(FolderNames.of(folder).count == 2, "one that lives is left alone")
    #expect(try first.folder("write", FilePath("f")) === one && one !== other)
    #expect(
      first.newName() != first.newName()
        && Staging.isTemporary(first.newName()) == first.newName().starts(with: Staging.prefix.utf8))
    // Another program clears the container.
    try FileManager.default.removeItem(atPath: folder)
    let again = try first.folder("write", FilePath("f"))
    #expect(again !== one && !again.isUnlinked)
  }

  @Test func whatIsStagedGoesWithItsOwner() throws {
    let disk = try InnerDisk()
    do {
      let staging = Staging(disk.path)
      _ = try staging.folder("write", FilePath("f"))
      #expect(FolderNames.of(disk.path + "/.staging").count == 1)
    }
    #expect(FolderNames.of(disk.path + "/.staging").isEmpty)
  }

  // MARK: - Documents

  static func disk(_ shape: DocumentShape, _ encoding: String? = nil, _ inner: InnerDisk) -> DocumentDisk {
    DocumentDisk(shape: shape, encoding: encoding, staging: inner.staging)
  }

  static func options(_ text: String? = nil, base: String? = nil, sequence: Int = 1) -> SaveOptions {
    SaveOptions(sequence: sequence, base: base, text: text)
  }

  @Test func whatCanNotBeReadIsAVersionWithAProblem() throws {
    let inner = try InnerDisk()
    try Data([0xFF, 0xFE, 0xFD]).write(to: URL(fileURLWithPath: inner.documents + "/bad"))
    #expect(mkdir(inner.documents + "/folder", 0o700) == 0 && mkfifo(inner.documents + "/pipe", 0o600) == 0)
    try inner.put("good", "text")
    #expect(symlink("good", inner.documents + "/link") == 0)
    for (name, shape, code) in [
      ("bad", .text, "invalid_data"), ("bad", .propertyList, "invalid_data"), ("folder", .text, "io_error"),
      ("pipe", .bytes, "io_error"),
      ("link", .text, "invalid_parameter"), ("good", .package, "not_directory"),
    ] as [(String, DocumentShape, String)] {
      let version = try Self.disk(shape, nil, inner).read(inner.place(name))
      #expect(version.problem?.code == code && version.identity != nil && version.text == nil, "\(name)")
    }
    let nothing = try Self.disk(.text, nil, inner).read(inner.place("nothing"))
    #expect(nothing.identity == nil && nothing.problem == nil)
    let good = try Self.disk(.text, nil, inner).read(inner.place("good"))
    let goodIdentity = try Self.disk(.text, nil, inner).identity(inner.place("good"))
    #expect(good.text == "text" && good.identity == goodIdentity)
  }

  @Test func anIdentityChangesWithEachContent() throws {
    let inner = try InnerDisk(), disk = Self.disk(.text, nil, inner)
    var last: String?
    for number in 0..<30 {
      let before = last
      let identity = try disk.put(Self.options("\(number % 2)"), in: inner.place("f")) { $0 == before }
      #expect(try identity != before && identity == disk.identity(inner.place("f")))
      last = identity
    }
  }

  @Test func aPackagesIdentityIsThatOfAllItsFiles() throws {
    let inner = try InnerDisk(), disk = Self.disk(.package, nil, inner)
    let path = inner.documents + "/p"
    try FileManager.default.createDirectory(atPath: path + "/sub", withIntermediateDirectories: true)
    var seen: Set<String> = [try #require(try disk.identity(inner.place("p")))]
    for change in [
      { try Data("a".utf8).write(to: URL(fileURLWithPath: path + "/a")) },
      { try Data("b".utf8).write(to: URL(fileURLWithPath: path + "/sub/b")) },
      { try Data("bb".utf8).write(to: URL(fileURLWithPath: path + "/sub/b")) },
      { try FileManager.default.moveItem(atPath: path + "/sub/b", toPath: path + "/b") },
      { #expect(symlink("a", path + "/l") == 0) }, { #expect(unlink(path + "/a") == 0) },
    ] as [() throws -> Void] {
      try change()
      let identity = try #require(try disk.identity(inner.place("p")))
      #expect(seen.insert(identity).inserted)
      #expect(try disk.identity(inner.place("p")) == identity)
    }
  }

  @Test func aPackageIsSavedInOneStepWithWhatItKeeps() throws {
    let inner = try InnerDisk(), disk = Self.disk(.package, nil, inner)
    var options = Self.options()
    options.members = [
      .init(name: "a", content: Bytes([1])), .init(name: "sub/deep/b", content: Bytes([2, 2])),
    ]
    let first = try disk.put(options, in: inner.place("p")) { $0 == nil }
    options.members = [.init(name: "sub/deep/b", isKept: true), .init(name: "c", content: Bytes([3]))]
    let second = try disk.put(options, in: inner.place("p"), membersFrom: inner.place("p")) { $0 == first }
    #expect(second != first)
    let members = try #require(try disk.read(inner.place("p")).members)
    #expect(members.map(\.name) == ["c", "sub/deep/b"])
    #expect(members.map { $0.content?.withUnsafeBytes { Array($0) } } == [[3], [2, 2]])
    #expect(inner.staged.isEmpty)
    // A member that says it is kept and is not there.
    options.members = [.init(name: "gone", isKept: true)]
    #expect(
      Self.code {
        _ = try disk.put(options, in: inner.place("p"), membersFrom: inner.place("p")) { _ in true }
      } != nil)
    #expect(try disk.identity(inner.place("p")) == second && inner.names == ["p"])
  }

  @Test(arguments: ["../x", "/x", "a/../../x", "", ".", "..", "a//b", "a/", "a\0b", "a/./b"])
  func aMembersNameLeadsNowhereElse(_ name: String) throws {
    let inner = try InnerDisk(), disk = Self.disk(.package, nil, inner)
    var options = Self.options()
    options.members = [.init(name: name, content: Bytes([1]))]
    let code = Self.code { _ = try disk.put(options, in: inner.place("p")) { _ in true } }
    if code == nil {
      // Names that mean a place inside may be taken.
      #expect(inner.names == ["p"] && ["a//b", "a/./b"].contains(name), "\(name): \(inner.names)")
    } else {
      #expect(inner.names.isEmpty, "\(name)")
    }
    #expect(
      !FileManager.default.fileExists(atPath: inner.path + "/x")
        && !FileManager.default.fileExists(atPath: "/x"))
  }
}
