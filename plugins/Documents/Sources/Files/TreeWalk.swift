// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// The place of a walker in a tree. However deep it is, only some of the folders above are open; the others
/// are opened again on the way back, and must be the same.
struct Descent {
  private struct Level {
    let path: FilePath
    /// Nil once it was closed.
    var open: OpenFile?
    var facts: stat?
  }

  private(set) var folder: OpenFile
  private var levels: [Level] = []
  private let verb: String

  /// So many of the folders above stay open: nearly all trees are not as deep, and other programs may move
  /// what is in the folders.
  private static let maxOpen = 64

  init(_ folder: OpenFile, to verb: String) { (self.folder, self.verb) = (folder, verb) }

  var depth: Int { levels.count }

  /// Goes into a folder of this one; a link is not followed.
  mutating func enter(_ name: [UInt8]) throws {
    let below = try FilePlace(folder: folder, name: name, path: folder.path.below(name))
      .open(asFolder: true, to: verb)
    let far = levels.count - Self.maxOpen
    if far >= 0, let open = levels[far].open {
      levels[far].facts = try open.facts()
      levels[far].open = nil
    }
    levels.append(Level(path: folder.path, open: folder))
    folder = below
  }

  /// Goes back to the folder above.
  mutating func leave() throws {
    guard let level = levels.popLast() else { return }
    folder = try level.open ?? openAgain(level)
  }

  private func openAgain(_ level: Level) throws -> OpenFile {
    let above = try OpenFile(level.path, to: verb, seal: folder.seal) { () throws(SystemError) in
      try Descriptor.open(Array("..".utf8), in: folder.number, O_RDONLY | Int32(NB_O_DIRECTORY))
    }
    let (found, known) = (try above.facts(), level.facts)
    guard found.st_ino == known?.st_ino, found.st_dev == known?.st_dev else {
      throw BridgeError(
        .ioError, "can't \(verb) '\(level.path.shown)': somebody moved what is in it meanwhile",
        details: try? Value(encoding: ["path": level.path.text]))
    }
    return above
  }
}

/// Goes through all below a folder, at any depth. The caller says which folders are gone into.
struct TreeWalk {
  enum Step {
    /// A name in the folder where the walk stands.
    case found(DirectoryNames.Name)
    /// The walk is through with a folder of that name, and stands in the one above.
    case left([UInt8])
  }

  private var descent: Descent
  /// The names that are still to be told, of each folder on the way.
  private var pending: [[DirectoryNames.Name]]
  private var entered: [[UInt8]] = []
  private let isSorted: Bool

  /// - Parameter sorted: whether names come in the order of their bytes, not in the disk's.
  init(_ folder: OpenFile, to verb: String, sorted: Bool = false) throws {
    descent = Descent(folder, to: verb)
    isSorted = sorted
    pending = []
    try read()
  }

  private mutating func read() throws {
    let names = try DirectoryNames.read(folder)
    pending.append(
      isSorted
        ? names.sorted { $1.bytes.lexicographicallyPrecedes($0.bytes) } : names.reversed())
  }

  var folder: OpenFile { descent.folder }
  var depth: Int { entered.count }

  func place(_ name: DirectoryNames.Name) -> FilePlace {
    FilePlace(folder: folder, name: name.bytes, path: folder.path.below(name.bytes))
  }

  /// The next step; nil at the end.
  mutating func next() throws -> Step? {
    if let name = pending[pending.count - 1].popLast() { return .found(name) }
    guard let name = entered.popLast() else { return nil }
    pending.removeLast()
    try descent.leave()
    return .left(name)
  }

  /// Goes on with what is in a folder of the one where the walk stands.
  mutating func enter(_ name: [UInt8]) throws {
    try descent.enter(name)
    do { try read() } catch {
      try descent.leave()
      throw error
    }
    entered.append(name)
  }
}
