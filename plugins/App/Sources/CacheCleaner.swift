// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// Empties a folder, through its descriptor: a link inside is removed, never followed.
enum CacheCleaner {
  /// What was removed.
  struct Removed: Codable {
    var files: Int
    var bytes: Int
  }

  /// Empties the folder at `path`; one that does not exist is empty.
  static func empty(_ path: String) throws -> Removed {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard folder >= 0 else {
      if errno == ENOENT { return Removed(files: 0, bytes: 0) }
      throw failure(path)
    }
    var removed = Removed(files: 0, bytes: 0)
    try empty(folder, path, &removed)
    return removed
  }

  /// Takes over the descriptor.
  private static func empty(_ folder: Int32, _ path: String, _ removed: inout Removed) throws {
    guard let list = fdopendir(folder) else {
      close(folder)
      throw failure(path)
    }
    defer { closedir(list) }
    while let entry = readdir(list) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) + [0] }
      if name == [0x2E, 0] || name == [0x2E, 0x2E, 0] { continue }
      try name.withUnsafeBytes {
        try remove($0.assumingMemoryBound(to: CChar.self).baseAddress, in: folder, path, &removed)
      }
    }
  }

  private static func remove(
    _ name: UnsafePointer<CChar>?, in folder: Int32, _ path: String, _ removed: inout Removed
  )
    throws
  {
    guard let name else { return }
    let place = path + "/" + String(cString: name)
    var status = stat()
    guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
    if status.st_mode & S_IFMT == S_IFDIR {
      let inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
      guard inner >= 0 else { throw failure(place) }
      try empty(inner, place, &removed)
      guard unlinkat(folder, name, AT_REMOVEDIR) == 0 else { throw failure(place) }
    } else {
      guard unlinkat(folder, name, 0) == 0 else { throw failure(place) }
      removed.files += 1
      removed.bytes += Int(status.st_size)
    }
  }

  private static func failure(_ path: String) -> BridgeError {
    BridgeError(.ioError, "can't empty '\(path)': \(String(cString: strerror(errno)))")
  }
}
