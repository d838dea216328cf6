// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc
internal import NBridgePlugin

/// Whole trees: copying, removing, counting.
enum FileTree {
  /// Copies a file or a folder with all below it; links stay links, pipes and devices are left out.
  static func copy(
    _ from: OpenFile, _ name: [UInt8], to folder: OpenFile, _ target: [UInt8], _ path: FilePath
  ) throws {
    guard let status = try from.facts(of: name, path) else { throw FileFailure.from(ENOENT, "copy", path) }
    switch FileKind(mode: status.st_mode) {
    case .file: try copyFile(from, name, to: folder, target, path, status)
    case .folder: try copyFolder(from, name, to: folder, target, path, status)
    case .link: try copyLink(from, name, to: folder, target, path)
    case .other: throw FileFailure.from(ENXIO, "copy", path)
    }
  }

  private static func child(
    _ folder: OpenFile, _ name: [UInt8], _ flags: Int32, _ path: FilePath, _ verb: String
  ) throws -> OpenFile {
    let number = name.withCString {
      nb_openat(folder.number, $0, flags | O_CLOEXEC | Int32(NB_O_NOFOLLOW), 0)
    }
    guard number >= 0 else { throw FileFailure.last(verb, path) }
    return OpenFile(number, path)
  }

  private static func copyFile(
    _ from: OpenFile, _ name: [UInt8], to folder: OpenFile, _ target: [UInt8], _ path: FilePath,
    _ status: stat
  ) throws {
    let source = try child(from, name, O_RDONLY | O_NONBLOCK, path, "copy")
    let number = target.withCString {
      nb_openat(folder.number, $0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    }
    guard number >= 0 else { throw FileFailure.last("copy", path) }
    let copy = OpenFile(number, path)
    do {
      try copyContent(source, copy)
      keep(status, copy)
      try copy.sync()
    } catch {
      _ = target.withCString { unlinkat(folder.number, $0, 0) }
      throw error
    }
  }

  /// Copies bytes inside the kernel, which shares blocks where the disk can.
  static func copyContent(_ source: OpenFile, _ target: OpenFile) throws {
    while true {
      let count = copy_file_range(source.number, nil, target.number, nil, 1 << 30, 0)
      if count == 0 { return }
      if count > 0 || errno == EINTR { continue }
      // Not between these two disks: by hand, from where it stands.
      guard errno == EXDEV || errno == EINVAL || errno == EOPNOTSUPP || errno == ENOSYS else {
        throw FileFailure.last("copy", source.path)
      }
      return try copyByHand(source, target)
    }
  }

  private static func copyByHand(_ source: OpenFile, _ target: OpenFile) throws {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 4096)
    defer { room.deallocate() }
    var offset = Int(lseek(source.number, 0, SEEK_CUR))
    while true {
      let count = try source.read(into: room, at: offset)
      if count == 0 { return }
      try target.write(UnsafeRawBufferPointer(rebasing: room[..<count]), at: offset)
      offset += count
    }
  }

  /// Permission bits and times of the source.
  private static func keep(_ status: stat, _ file: OpenFile) {
    _ = fchmod(file.number, status.st_mode & 0o7777)
    _ = futimens(file.number, [status.st_atim, status.st_mtim])
  }

  private static func copyFolder(
    _ from: OpenFile, _ name: [UInt8], to folder: OpenFile, _ target: [UInt8], _ path: FilePath,
    _ status: stat
  ) throws {
    let source = try child(from, name, O_RDONLY | Int32(NB_O_DIRECTORY), path, "copy")
    guard target.withCString({ mkdirat(folder.number, $0, 0o700) }) == 0 else {
      throw FileFailure.last("copy", path)
    }
    let copy = try child(folder, target, O_RDONLY | Int32(NB_O_DIRECTORY), path, "copy")
    for entry in try DirectoryNames.read(source) {
      guard let found = try source.facts(of: entry.bytes, path), FileKind(mode: found.st_mode) != .other
      else { continue }
      try Self.copy(source, entry.bytes, to: copy, entry.bytes, path.appending(entry.bytes))
    }
    keep(status, copy)
  }

  private static func copyLink(
    _ from: OpenFile, _ name: [UInt8], to folder: OpenFile, _ target: [UInt8], _ path: FilePath
  ) throws {
    var text = [CChar](repeating: 0, count: 4097)
    let count = name.withCString { readlinkat(from.number, $0, &text, 4096) }
    guard count >= 0, target.withCString({ symlinkat(text, folder.number, $0) }) == 0 else {
      throw FileFailure.last("copy", path)
    }
  }

  /// Removes a name, and of a folder all below it, without following a link.
  static func remove(_ folder: OpenFile, _ name: [UInt8], _ path: FilePath, recursive: Bool) throws {
    if name.withCString({ unlinkat(folder.number, $0, 0) }) == 0 { return }
    guard errno == EISDIR else { throw FileFailure.last("remove", path) }
    if recursive {
      let inner = try child(folder, name, O_RDONLY | Int32(NB_O_DIRECTORY), path, "remove")
      for entry in try DirectoryNames.read(inner) {
        try remove(inner, entry.bytes, path.appending(entry.bytes), recursive: true)
      }
    }
    guard name.withCString({ unlinkat(folder.number, $0, AT_REMOVEDIR) }) == 0 else {
      throw FileFailure.last("remove", path)
    }
  }

  /// What lies below a folder.
  static func usage(_ folder: OpenFile) throws -> FolderUsage {
    var usage = FolderUsage()
    for entry in try DirectoryNames.read(folder) {
      let path = try folder.path.appending(entry.bytes)
      guard let status = try folder.facts(of: entry.bytes, path) else { continue }
      if FileKind(mode: status.st_mode) == .folder {
        let below = try Self.usage(
          child(folder, entry.bytes, O_RDONLY | Int32(NB_O_DIRECTORY), path, "count"))
        usage.add(below)
        usage.folders += 1
        usage.byFolder[FilePath.decode(entry.bytes)] = below.bytes
      } else {
        usage.bytes += Double(status.st_size)
        usage.files += 1
      }
    }
    return usage
  }
}

/// How much lies in a folder.
struct FolderUsage: Codable, Sendable {
  /// The sum of the files' sizes.
  var bytes = 0.0
  var files = 0
  var folders = 0
  /// The bytes of each folder that stands directly in it.
  var byFolder: [String: Double] = [:]

  mutating func add(_ other: FolderUsage) {
    bytes += other.bytes
    files += other.files
    folders += other.folders
  }
}
