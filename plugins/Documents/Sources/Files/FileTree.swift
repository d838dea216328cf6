// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc
internal import NBridgePlugin

/// Whole trees: copying, removing, counting.
enum FileTree {
  /// Copies a file or a folder with all below it; links stay links, pipes and devices are left out.
  static func copy(_ from: FilePlace, to target: FilePlace, _ progress: Progress? = nil) throws {
    guard let status = try from.facts() else { throw FileFailure.from(ENOENT, "copy", from.path) }
    switch FileKind(mode: status.st_mode) {
    case .file: try copyFile(from, to: target, status, progress)
    case .folder: try copyFolder(from, to: target, status, progress)
    case .link: try copyLink(from, to: target)
    case .other: throw FileFailure.from(ENXIO, "copy", from.path)
    }
  }

  private static func copyFile(
    _ from: FilePlace, to target: FilePlace, _ status: stat, _ progress: Progress?
  ) throws {
    let source = try from.open(to: "copy")
    let number = target.name.withCString {
      nb_openat(target.folder.number, $0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    }
    guard number >= 0 else { throw FileFailure.last("copy", from.path) }
    let copy = OpenFile(number, from.path)
    do {
      try copyContent(source, copy, progress)
      keep(status, copy)
      try copy.sync()
    } catch {
      _ = target.name.withCString { unlinkat(target.folder.number, $0, 0) }
      throw error
    }
  }

  /// Copies bytes inside the kernel, which shares blocks where the disk can.
  static func copyContent(_ source: OpenFile, _ target: OpenFile, _ progress: Progress? = nil) throws {
    let step = progress == nil ? 1 << 30 : Progress.step
    while true {
      let count = copy_file_range(source.number, nil, target.number, nil, step, 0)
      if count == 0 { return }
      if count > 0 { progress?.add(count) }
      if count > 0 || errno == EINTR { continue }
      // Not between these two disks: by hand, from where it stands.
      guard errno == EXDEV || errno == EINVAL || errno == EOPNOTSUPP || errno == ENOSYS else {
        throw FileFailure.last("copy", source.path)
      }
      return try copyByHand(source, target, progress)
    }
  }

  private static func copyByHand(_ source: OpenFile, _ target: OpenFile, _ progress: Progress?) throws {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 4096)
    defer { room.deallocate() }
    var offset = Int(lseek(source.number, 0, SEEK_CUR))
    while true {
      let count = try source.read(into: room, at: offset)
      if count == 0 { return }
      try target.write(UnsafeRawBufferPointer(rebasing: room[..<count]), at: offset)
      offset += count
      progress?.add(count)
    }
  }

  /// Permission bits and times of the source.
  private static func keep(_ status: stat, _ file: OpenFile) {
    _ = fchmod(file.number, status.st_mode & 0o7777)
    _ = futimens(file.number, [status.st_atim, status.st_mtim])
  }

  private static func copyFolder(
    _ from: FilePlace, to target: FilePlace, _ status: stat, _ progress: Progress?
  ) throws {
    let source = try from.open(asFolder: true, to: "copy")
    guard target.name.withCString({ mkdirat(target.folder.number, $0, 0o700) }) == 0 else {
      throw FileFailure.last("copy", from.path)
    }
    let copy = try FilePlace(folder: target.folder, name: target.name, path: from.path)
      .open(asFolder: true, to: "copy")
    for entry in try DirectoryNames.read(source) {
      let below = FilePlace(folder: source, name: entry.bytes, path: try from.path.appending(entry.bytes))
      guard let found = try below.facts(), FileKind(mode: found.st_mode) != .other else { continue }
      try Self.copy(below, to: FilePlace(folder: copy, name: entry.bytes, path: below.path), progress)
    }
    keep(status, copy)
  }

  private static func copyLink(_ from: FilePlace, to target: FilePlace) throws {
    var text = [CChar](repeating: 0, count: 4097)
    let count = from.name.withCString { readlinkat(from.folder.number, $0, &text, 4096) }
    guard count >= 0, target.name.withCString({ symlinkat(text, target.folder.number, $0) }) == 0 else {
      throw FileFailure.last("copy", from.path)
    }
  }

  /// Removes a name, and of a folder all below it, without following a link.
  static func remove(_ folder: OpenFile, _ name: [UInt8], _ path: FilePath, recursive: Bool) throws {
    if name.withCString({ unlinkat(folder.number, $0, 0) }) == 0 { return }
    guard errno == EISDIR else { throw FileFailure.last("remove", path) }
    if recursive {
      let inner = try FilePlace(folder: folder, name: name, path: path).open(asFolder: true, to: "remove")
      for entry in try DirectoryNames.read(inner) {
        try remove(inner, entry.bytes, path.appending(entry.bytes), recursive: true)
      }
    }
    guard name.withCString({ unlinkat(folder.number, $0, AT_REMOVEDIR) }) == 0 else {
      throw FileFailure.last("remove", path)
    }
  }

  /// How many bytes a copy of a thing is.
  static func size(_ place: FilePlace) throws -> Int {
    guard let status = try place.facts() else { return 0 }
    guard FileKind(mode: status.st_mode) == .folder else { return Int(status.st_size) }
    return Int(try usage(place.open(asFolder: true, to: "count")).bytes)
  }

  /// What lies below a folder.
  static func usage(_ folder: OpenFile) throws -> FolderUsage {
    var usage = FolderUsage()
    for entry in try DirectoryNames.read(folder) {
      let path = try folder.path.appending(entry.bytes)
      guard let status = try folder.facts(of: entry.bytes, path) else { continue }
      if FileKind(mode: status.st_mode) == .folder {
        let place = FilePlace(folder: folder, name: entry.bytes, path: path)
        let below = try Self.usage(place.open(asFolder: true, to: "count"))
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
