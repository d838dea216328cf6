// SPDX-License-Identifier: MIT

internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import NBridgePlugin
internal import Synchronization

/// What was removed and can be had back: `.trash` in the container, a folder for each thing with the thing and a note.
final class Trash: Sendable {
  /// What the trash tells of one thing.
  struct Item: Codable, Sendable {
    var id: String
    var directory: Directory
    /// Where it stood.
    var path: String
    var removed: Date
  }

  private let container: String
  private let last = Atomic<Int>(0)

  init(_ container: String) { self.container = container }

  private var path: String { container + "/.trash" }

  private func open(making: Bool) throws -> OpenFile? {
    if making, mkdir(path, 0o700) != 0, errno != EEXIST {
      throw FileFailure.last("make", try FilePath(".trash"))
    }
    let number = nb_openat(
      AT_FDCWD, path, O_RDONLY | O_CLOEXEC | Int32(NB_O_DIRECTORY) | Int32(NB_O_NOFOLLOW), 0)
    if number < 0, errno == ENOENT { return nil }
    guard number >= 0 else { throw FileFailure.last("open", try FilePath(".trash")) }
    return OpenFile(number, try FilePath(".trash"))
  }

  /// Puts a thing into the trash. Answers by which name it is had back.
  func take(_ thing: FilePlace, _ directory: Directory) throws -> String {
    let path = thing.path
    guard try thing.facts() != nil else { throw FileFailure.from(ENOENT, "remove", path) }
    guard let trash = try open(making: true) else { throw FileFailure.from(ENOENT, "remove", path) }
    let now = Date()
    let id =
      "\(Int(now.timeIntervalSince1970 * 1000))-\(getpid())-\(last.add(1, ordering: .relaxed).newValue)"
    guard mkdirat(trash.number, id, 0o700) == 0 else { throw FileFailure.last("remove", path) }
    let place = try trash.folder(FilePath(id), to: "remove")
    let note = Item(id: id, directory: directory, path: path.text, removed: now)
    try SmallFile.replace("\(self.path)/\(id)/note", with: Value(encoding: note).text)
    guard thing.name.withCString({ renameat(thing.folder.number, $0, place.number, "thing") }) == 0 else {
      let error =
        errno == EXDEV
        ? FileFailure.elsewhere("put into the trash", path, "remove it with {permanently: true}")
        : FileFailure.last("remove", path)
      try? FileTree.remove(trash, Array(id.utf8), path, recursive: true)
      throw error
    }
    return id
  }

  /// What lies in it, the oldest first.
  func items() throws -> [Item] {
    guard let trash = try open(making: false) else { return [] }
    return try DirectoryNames.read(trash).compactMap { try? item(String(decoding: $0.bytes, as: UTF8.self)) }
      .sorted { $0.removed < $1.removed }
  }

  func item(_ id: String) throws -> Item {
    let isName = id.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "-") } && !id.isEmpty
    guard isName, let text = try SmallFile.read("\(path)/\(id)/note") else {
      throw BridgeError(.notFound, "the trash holds nothing of the name '\(id)'; trash() lists what it holds")
    }
    return try Value(text: text).decode(Item.self)
  }

  /// Puts a thing back where it stood.
  func restore(_ id: String, _ directories: Directories) throws -> Item {
    let item = try item(id)
    let path = try FilePath(item.path)
    let target = try directories.writable(item.directory, path).place(of: path, to: "restore")
    guard let trash = try open(making: false) else { throw FileFailure.from(ENOENT, "restore", path) }
    let place = try trash.folder(FilePath(id), to: "restore")
    let done = target.name.withCString {
      renameat2(place.number, "thing", target.folder.number, $0, UInt32(NB_RENAME_NOREPLACE))
    }
    guard done == 0 else { throw FileFailure.last("restore", path) }
    try FileTree.remove(trash, Array(id.utf8), path, recursive: true)
    return item
  }

  /// Removes for good what lies in it. Answers how many things that were.
  func empty() throws -> Int {
    guard let trash = try open(making: false) else { return 0 }
    let names = try DirectoryNames.read(trash)
    for name in names {
      try FileTree.remove(trash, name.bytes, trash.path.appending(name.bytes), recursive: true)
    }
    return names.count
  }
}
