// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// Empties a folder, through its descriptor: a link inside is removed, never followed. Only one folder of the
/// way down is open at a time, so that any depth will do.
struct CacheCleaner {
  /// How much was removed.
  struct Removed: Codable {
    var files: Int
    var bytes: Int
  }

  /// A folder on the way down.
  private struct Level {
    let name: [UInt8]
    /// The names that are still in the folder.
    var names: [[UInt8]]
    /// The facts by which the folder is known again on the way back.
    let facts: stat
  }

  private let path: String
  private var folder: Descriptor
  private var levels: [Level] = []
  private var removed = Removed(files: 0, bytes: 0)

  private init(_ path: String, _ folder: Descriptor) { (self.path, self.folder) = (path, folder) }

  /// Empties the folder at `path`; one that does not exist is empty.
  static func empty(_ path: String) throws -> Removed {
    let folder: Descriptor
    do { folder = try Descriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) } catch {
      if error.code == ENOENT { return Removed(files: 0, bytes: 0) }
      throw BridgeError(SystemError("empty", path, code: error.code))
    }
    var cleaner = CacheCleaner(path, folder)
    return try cleaner.empty()
  }

  private mutating func empty() throws -> Removed {
    try begin([])
    while let level = levels.last {
      if let name = level.names.last {
        levels[levels.count - 1].names.removeLast()
        try remove(name)
      } else {
        levels.removeLast()
        if let above = levels.last { try leave(level.name, to: above) }
      }
    }
    return removed
  }

  /// Removes what is in the folder that is open; goes into what is a folder with something in it.
  private mutating func remove(_ name: [UInt8]) throws {
    var status = stat()
    guard name.withCString({ fstatat(folder.number, $0, &status, AT_SYMLINK_NOFOLLOW) }) == 0 else { return }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    if name.withCString({ unlinkat(folder.number, $0, isFolder ? AT_REMOVEDIR : 0) }) == 0 {
      if !isFolder {
        (removed.files, removed.bytes) = (removed.files + 1, removed.bytes + Int(status.st_size))
      }
      return
    }
    guard isFolder, errno == ENOTEMPTY || errno == EEXIST else { throw failure() }
    try go(to: name)
    try begin(name)
  }

  private mutating func begin(_ name: [UInt8]) throws {
    var status = stat()
    guard fstat(folder.number, &status) == 0 else { throw failure() }
    levels.append(Level(name: name, names: try names(), facts: status))
  }

  /// Goes back to the folder above, and removes the one that is empty now.
  private mutating func leave(_ name: [UInt8], to above: Level) throws {
    try go(to: Array("..".utf8))
    var status = stat()
    guard fstat(folder.number, &status) == 0 else { throw failure() }
    guard status.st_ino == above.facts.st_ino, status.st_dev == above.facts.st_dev else {
      throw BridgeError(.ioError, "can't empty '\(path)': somebody moved what is in it meanwhile")
    }
    guard name.withCString({ unlinkat(folder.number, $0, AT_REMOVEDIR) }) == 0 else { throw failure() }
  }

  private mutating func go(to name: [UInt8]) throws {
    do { folder = try Descriptor.open(name, in: folder.number, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) } catch {
      throw failure(error.code)
    }
  }

  private func names() throws -> [[UInt8]] {
    let own: Descriptor
    do { own = try Descriptor.open(Array(".".utf8), in: folder.number, O_RDONLY | O_DIRECTORY) } catch {
      throw failure(error.code)
    }
    guard let list = fdopendir(own.number) else { throw failure() }
    _ = own.handedOver()
    defer { closedir(list) }
    var names: [[UInt8]] = []
    while let entry = readdir(list) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
    }
    return names
  }

  private func failure(_ code: Int32 = errno) -> BridgeError {
    BridgeError(SystemError("empty", path, code: code))
  }
}
