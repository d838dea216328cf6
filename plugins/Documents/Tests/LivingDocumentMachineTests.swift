// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import NBridgePlugin
import Testing

@testable import DocumentsPlugin

/// The native half of an open document: what is its own, what is others', and what is told.
@Suite struct LivingDocumentMachineTests {
  static func open(
    _ disk: InnerDisk, _ path: String = "f", _ shape: DocumentShape = .text, files: Files? = nil
  ) throws -> LivingDocument {
    try LivingDocument(OpenDocumentOptions(path: path, shape: shape), files ?? disk.files)
  }

  static func save(_ text: String, _ base: String?, _ sequence: Int) -> SaveOptions {
    SaveOptions(sequence: sequence, base: base, text: text)
  }

  static func code(_ body: () throws -> Void) -> String? { PlacementTests.code(body) }

  @Test func aSaveIsBasedOnWhatWasReadOrOnTheLastSave() throws {
    let disk = try InnerDisk()
    try disk.put("f", "0")
    let document = try Self.open(disk)
    let read = try document.read()
    #expect(read.text == "0" && read.identity != nil)
    let first = try document.save(Self.save("1", read.identity, 1))
    // The script has not heard of the first when it makes the second.
    let second = try document.save(Self.save("2", read.identity, 2))
    #expect(disk.text("f") == "2" && first.identity != second.identity)
    #expect(
      try document.save(Self.save("old", read.identity, 2)).identity == second.identity, "it was overtaken")
    #expect(try document.save(Self.save("older", nil, 1)).identity == second.identity)
    #expect(disk.text("f") == "2")
    #expect(
      Self.code { _ = try document.save(Self.save("x", "other", 3)) } == nil, "its own last save stands there"
    )
  }

  @Test func whatOthersWroteIsNotWrittenOver() throws {
    let disk = try InnerDisk()
    try disk.put("f", "0")
    let document = try Self.open(disk)
    let base = try document.read().identity
    try disk.put("f", "theirs, longer")
    #expect(Self.code { _ = try document.save(Self.save("mine", base, 1)) } == "conflict")
    #expect(disk.text("f") == "theirs, longer")
    let copy = try document.keepCopy(Self.save("mine", base, 2))
    #expect(disk.text(copy) == "mine" && copy.hasPrefix("f (conflict ") && disk.names.count == 2)
    // Read, it is known, and may be replaced.
    let now = try document.read()
    #expect(now.text == "theirs, longer")
    _ = try document.save(Self.save("merged", now.identity, 3))
    #expect(disk.text("f") == "merged")
  }

  @Test func aReadForgetsAnOwnSaveThatOthersReplaced() throws {
    let disk = try InnerDisk(), document = try Self.open(disk)
    _ = try document.save(Self.save("1", nil, 1))
    try disk.put("f", "theirs and more")
    let theirs = try document.read()
    #expect(theirs.text == "theirs and more")
    try disk.put("f", "even more of theirs")
    #expect(Self.code { _ = try document.save(Self.save("2", theirs.identity, 2)) } == "conflict")
  }

  @Test func othersAtTheEndGetACopyBeside() throws {
    let disk = try InnerDisk()
    try disk.put("f", "0")
    let document = try Self.open(disk)
    let base = try document.read().identity
    #expect(try document.saveLast(Self.save("1", base, 1)) == nil && disk.text("f") == "1")
    try disk.put("f", "theirs, longer")
    let copy = try #require(try document.saveLast(Self.save("2", base, 2)))
    #expect(disk.text(copy) == "2" && disk.text("f") == "theirs, longer")
    // In conflict, with its own name free again.
    #expect(unlink(disk.documents + "/f") == 0)
    var last = Self.save("3", base, 3)
    last.inConflict = true
    #expect(try document.saveLast(last) == nil && disk.text("f") == "3")
  }

  @Test func copiesHaveNamesOfTheirOwn() throws {
    let disk = try InnerDisk(), document = try Self.open(disk, "notes.txt")
    var names: Set<String> = []
    for number in 0..<5 {
      let copy = try document.keepCopy(Self.save("\(number)", nil, number))
      #expect(names.insert(copy).inserted && disk.text(copy) == "\(number)" && copy.hasSuffix(").txt"))
    }
    #expect(disk.names.count == 5)
  }

  @Test func aDocumentMovesWithSaveAs() throws {
    let disk = try InnerDisk(), document = try Self.open(disk)
    _ = try document.save(Self.save("1", nil, 1))
    try disk.put("taken", "t")
    #expect(
      Self.code { _ = try document.saveAs(Self.save("2", nil, 2), SaveTarget(path: "taken")) } == "exists")
    #expect(
      Self.code { _ = try document.saveAs(Self.save("2", nil, 2), SaveTarget(path: "../out")) }
        == "permission_denied")
    #expect(
      Self.code { _ = try document.saveAs(Self.save("2", nil, 2), SaveTarget(path: "no/folder")) }
        == "not_found")
    #expect(try document.place().path.text == "f" && disk.text("taken") == "t")
    let moved = try document.saveAs(Self.save("2", nil, 3), SaveTarget(path: "taken", overwrite: true))
    #expect(disk.text("taken") == "2" && disk.text("f") == "1")
    _ = try document.save(Self.save("3", moved.identity, 4))
    #expect(disk.text("taken") == "3" && disk.text("f") == "1")
  }

  @Test(arguments: ["../f", "/etc/passwd", "a/../../f", "a\0b", ".", "..", ""])
  func aDocumentIsInTheAppsFolders(_ path: String) throws {
    let disk = try InnerDisk()
    #expect(
      Self.code {
        let document = try Self.open(disk, path)
        _ = try document.save(Self.save("x", nil, 1))
      } != nil, "\(path)")
    #expect(disk.names.isEmpty && !FileManager.default.fileExists(atPath: disk.path + "/f"))
  }

  // MARK: - What is told

  @Test func othersChangesAreToldAndItsOwnAreNot() async throws {
    let disk = try InnerDisk()
    try disk.put("f", "0")
    let document = try Self.open(disk)
    let base = try document.read().identity
    let saved = try document.save(Self.save("1", base, 1))
    var events = document.events().makeAsyncIterator()
    document.look()
    try disk.put("f", "theirs, longer")
    document.look()
    let first = await events.next()
    let there = try document.disk.identity(disk.place("f"))
    #expect(first?.identity == there && there != saved.identity)
    document.look()
    #expect(unlink(disk.documents + "/f") == 0)
    #expect(document.look(tellsGone: false) == .gone)
    document.look()
    let gone = await events.next()
    #expect(gone != nil && gone?.identity == nil)
    document.close()
    #expect(await events.next() == nil && document.isClosed)
  }

  /// A version that another program puts back is the one that was there.
  @Test func whatComesBackInTimeIsNotToldAsGone() throws {
    let disk = try InnerDisk()
    try disk.put("f", "0")
    let document = try Self.open(disk)
    _ = try document.read()
    #expect(rename(disk.documents + "/f", disk.documents + "/g") == 0)
    #expect(document.look(tellsGone: false) == .gone)
    #expect(rename(disk.documents + "/g", disk.documents + "/f") == 0)
    #expect(document.look(tellsGone: false) == .told)
  }

  @Test func manyLooksAndSavesAtOnceNeverHang() async throws {
    let disk = try InnerDisk()
    let document = try Self.open(disk)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<3 { group.addTask { for _ in 0..<200 { document.look() } } }
      group.addTask {
        for number in 1...100 { _ = try? document.save(Self.save("\(number)", nil, number)) }
      }
    }
    #expect(disk.text("f") == "100")
    document.look()
    var events = document.events().makeAsyncIterator()
    try disk.put("f", "theirs, and longer")
    document.look()
    #expect(await events.next() != nil)
  }
}
