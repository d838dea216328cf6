// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import FoundationEssentials
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// Removed files and folders that scripts can have back: `.trash` in the container, a folder for each thing
/// with the thing and a note.
///
/// A process that puts a thing into such a folder, or takes it out, holds a lock on the folder. A folder
/// without a thing that no process holds was left by a killed process; it is no item, and goes with the next
/// look into the trash.
final class Trash: Sendable {
  /// What the trash tells of one thing.
  struct Item: Codable, Sendable {
    var id: String
    var directory: Directory
    /// The path at which the thing stood.
    var path: String
    var removed: Date
  }

  private let container: String
  private let staging: Staging
  private let last = Atomic<Int>(0)

  init(_ container: String, _ staging: Staging) {
    self.container = container
    self.staging = staging
  }

  private var path: String { container + "/.trash" }

  private func open(makingFor thing: FilePath? = nil) throws -> OpenFile? {
    if let thing, mkdir(path, 0o700) != 0, errno != EEXIST { throw FileFailure.last("remove", thing) }
    let name = try FilePath(".trash")
    do {
      return OpenFile(
        try Descriptor.open(path, O_RDONLY | Int32(NB_O_DIRECTORY) | Int32(NB_O_NOFOLLOW)), name)
    } catch {
      if error.code == ENOENT { return nil }
      throw FileFailure.from(error.code, "open", name)
    }
  }

  /// Puts a thing into the trash. Answers by which name it is had back.
  func take(_ thing: FilePlace, _ directory: Directory) throws -> String {
    let path = thing.path
    guard try thing.facts() != nil else { throw FileFailure.from(ENOENT, "remove", path) }
    guard let trash = try open(makingFor: path) else { throw FileFailure.from(ENOENT, "remove", path) }
    let now = Date()
    let id = newID(now)
    let place = try makePlace(
      id, Item(id: id, directory: directory, path: path.text, removed: now), in: trash, path)
    guard thing.name.withCString({ renameat(thing.folder.number, $0, place.number, Self.thing) }) == 0 else {
      let error =
        errno == EXDEV
        ? FileFailure.elsewhere("put into the trash", path, "remove it with {permanently: true}")
        : FileFailure.last("remove", path)
      try? FileTree.remove(trash, Array(id.utf8), path, recursive: true)
      throw error
    }
    return id
  }

  private static let thing = "thing"

  /// A name from the time alone: process numbers come again, as 1 in each container.
  private func newID(_ now: Date) -> String {
    let count = last.add(1, ordering: .relaxed).newValue
    return "\(Int(now.timeIntervalSince1970 * 1000))-\(UInt32.random(in: .min ... .max))-\(count)"
  }

  /// A folder of the trash with its note and no thing yet, locked as long as the answer lives. Made in the
  /// staging folder, where no process takes it for one that was left behind.
  private func makePlace(_ id: String, _ note: Item, in trash: OpenFile, _ path: FilePath) throws -> OpenFile
  {
    let staged = try staging.folder("remove", path)
    guard mkdirat(staged.number, id, 0o700) == 0 else { throw FileFailure.last("remove", path) }
    do {
      let place = try staged.folder(FilePath(id), to: "remove")
      _ = place.lock()
      try write(Value(encoding: note).text, to: place, path)
      guard renameat(staged.number, id, trash.number, id) == 0 else { throw FileFailure.last("remove", path) }
      return place
    } catch {
      try? FileTree.remove(staged, Array(id.utf8), path, recursive: true)
      throw error
    }
  }

  private static let note = "note"

  private func write(_ note: [UInt8], to place: OpenFile, _ path: FilePath) throws {
    let file = try OpenFile(path, to: "remove") { () throws(SystemError) in
      try Descriptor.open(Array(Self.note.utf8), in: place.number, O_WRONLY | O_CREAT | O_EXCL)
    }
    try note.withUnsafeBytes { try file.write($0, at: 0, to: "remove") }
    try file.sync(to: "remove")
  }

  /// The things that lie in the trash, the oldest first.
  func items() throws -> [Item] {
    guard let trash = try open() else { return [] }
    return try DirectoryNames.read(trash).compactMap { name in
      let place = Place(trash: trash, name: name.bytes)
      if place.holdsThing { return try? item(String(decoding: name.bytes, as: UTF8.self)) }
      place.removeUnlessHeld()
      return nil
    }
    .sorted { $0.removed < $1.removed }
  }

  func item(_ id: String) throws -> Item {
    let isName = id.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "-") } && !id.isEmpty
    guard isName, let trash = try open(), Place(trash: trash, name: Array(id.utf8)).holdsThing,
      let text = try SmallFile.read("\(path)/\(id)/\(Self.note)")
    else {
      throw BridgeError(.notFound, "the trash holds nothing of the name '\(id)'; trash() lists what it holds")
    }
    return try Value(text: text).decode(Item.self)
  }

  /// Puts a thing back where it stood.
  func restore(_ id: String, _ directories: Directories) throws -> Item {
    let item = try item(id)
    let path = try FilePath(item.path)
    let target = try directories.writable(item.directory, path).place(of: path, to: "restore")
    guard let trash = try open() else { throw FileFailure.from(ENOENT, "restore", path) }
    let place = try trash.folder(FilePath(id), to: "restore")
    // A process that empties the trash may be in the middle of it.
    guard place.lock() else { throw FileFailure.from(ENOENT, "restore", path) }
    let done = target.name.withCString {
      renameat2(place.number, Self.thing, target.folder.number, $0, UInt32(NB_RENAME_NOREPLACE))
    }
    guard done == 0 else { throw FileFailure.last("restore", path) }
    withExtendedLifetime(place) {
      try? FileTree.remove(trash, Array(id.utf8), path, recursive: true)
    }
    return item
  }

  /// Removes for good what lies in it. Answers how many things that were. What can't go keeps none of the
  /// others, and is told of at the end.
  func empty() throws -> Int {
    guard let trash = try open() else { return 0 }
    var (count, problem) = (0, nil as (any Error)?)
    for name in try DirectoryNames.read(trash) {
      let place = Place(trash: trash, name: name.bytes)
      guard place.holdsThing else {
        place.removeUnlessHeld()
        continue
      }
      do { if try place.remove() { count += 1 } } catch { problem = problem ?? error }
    }
    if let problem { throw problem }
    return count
  }

  /// A folder of the trash.
  private struct Place {
    let trash: OpenFile
    let name: [UInt8]

    /// Whether the folder holds a thing that a script can have back.
    var holdsThing: Bool {
      let thing = FilePlace(folder: trash, name: name + Array("/\(Trash.thing)".utf8), path: trash.path)
      // A thing that can't be looked at may be there.
      do { return try thing.facts() != nil } catch { return true }
    }

    /// Removes it with its thing. False when another process was first, to remove it or to put the thing
    /// back.
    func remove() throws -> Bool {
      var outcome = Result<Bool, any Error>.success(false)
      let place = FilePlace(folder: trash, name: name, path: trash.path.below(name))
      place.ifNobodyHolds {
        outcome = Result {
          guard holdsThing else { return false }
          // The note goes last: a thing that can't go is still listed.
          if let folder = try? place.open(asFolder: true) {
            try FileTree.remove(folder, Array(Trash.thing.utf8), place.path, recursive: true)
          }
          try FileTree.remove(trash, name, place.path, recursive: true)
          return true
        }
      }
      return try outcome.get()
    }

    /// Removes the folder, unless a process is about to put a thing into it.
    func removeUnlessHeld() {
      FilePlace(folder: trash, name: name, path: trash.path).ifNobodyHolds {
        // A process that had it may have finished before the lock was ours.
        if !holdsThing { try? FileTree.remove(trash, name, trash.path, recursive: true) }
      }
    }
  }
}
