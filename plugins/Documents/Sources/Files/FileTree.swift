// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

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
    let copy = try OpenFile(from.path, to: "copy") { () throws(SystemError) in
      try Descriptor.open(target.name, in: target.folder.number, O_WRONLY | O_CREAT | O_EXCL)
    }
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
    var walk = try TreeWalk(from.open(asFolder: true, to: "copy"), to: "copy")
    try makeFolder(target, from.path)
    let copy = try FilePlace(folder: target.folder, name: target.name, path: from.path)
      .open(asFolder: true, to: "copy")
    var copies = Descent(copy, to: "copy")
    var entered: [stat] = []
    while let step = try walk.next() {
      switch step {
      case .left:
        // The way back leads through what may not be entered a moment later.
        let made = copies.folder
        try copies.leave()
        if let status = entered.popLast() { keep(status, made) }
      case .found(let name):
        let below = walk.place(name)
        let target = FilePlace(folder: copies.folder, name: name.bytes, path: below.path)
        guard let found = try below.facts() else { continue }
        switch FileKind(mode: found.st_mode) {
        case .file: try copyFile(below, to: target, found, progress)
        case .link: try copyLink(below, to: target)
        case .other: break
        case .folder:
          try makeFolder(target, below.path)
          try copies.enter(name.bytes)
          try walk.enter(name.bytes)
          entered.append(found)
        }
      }
    }
    keep(status, copy)
  }

  private static func makeFolder(_ place: FilePlace, _ source: FilePath) throws {
    guard place.name.withCString({ mkdirat(place.folder.number, $0, 0o700) }) == 0 else {
      throw FileFailure.last("copy", source)
    }
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
    if try isRemoved(FilePlace(folder: folder, name: name, path: path)) { return }
    guard recursive else { throw FileFailure.from(ENOTEMPTY, "remove", path) }
    try clear(FilePlace(folder: folder, name: name, path: path).open(asFolder: true, to: "remove"))
    try removeEmpty(name, of: folder, path)
  }

  /// Removes what is of the wanted kind, in one step of the system's: what another program puts into a folder
  /// meanwhile stays.
  static func remove(_ place: FilePlace, only kind: RemovedKind) throws {
    let flags = kind == .file ? 0 : AT_REMOVEDIR
    guard place.name.withCString({ unlinkat(place.folder.number, $0, flags) }) == 0 else {
      throw FileFailure.last("remove", place.path)
    }
  }

  private static func clear(_ folder: OpenFile) throws {
    var walk = try TreeWalk(folder, to: "remove")
    while let step = try walk.next() {
      switch step {
      case .left(let name): try removeEmpty(name, of: walk.folder, walk.folder.path.below(name))
      case .found(let name):
        do {
          if try !isRemoved(walk.place(name)) { try walk.enter(name.bytes) }
        } catch let error as BridgeError where error.code == .notFound {
          // Another program removes it, too.
          continue
        }
      }
    }
  }

  /// Removes what is no folder with something in it. Answers false for such a one.
  private static func isRemoved(_ place: FilePlace) throws -> Bool {
    let remove = { (flags: Int32) in place.name.withCString { unlinkat(place.folder.number, $0, flags) } }
    if remove(0) == 0 { return true }
    guard errno == EISDIR else { throw FileFailure.last("remove", place.path) }
    if remove(AT_REMOVEDIR) == 0 { return true }
    guard errno == ENOTEMPTY || errno == EEXIST else { throw FileFailure.last("remove", place.path) }
    return false
  }

  private static func removeEmpty(_ name: [UInt8], of folder: OpenFile, _ path: FilePath) throws {
    guard name.withCString({ unlinkat(folder.number, $0, AT_REMOVEDIR) }) == 0 || errno == ENOENT else {
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
    var before = 0.0
    var walk = try TreeWalk(folder, to: "count")
    while let step = try walk.next() {
      switch step {
      case .left(let name):
        if walk.depth == 0 { usage.byFolder[PathText.decode(name)] = usage.bytes - before }
      case .found(let name):
        guard let status = try walk.place(name).facts() else { continue }
        guard FileKind(mode: status.st_mode) == .folder else {
          usage.bytes += Double(status.st_size)
          usage.files += 1
          continue
        }
        if walk.depth == 0 { before = usage.bytes }
        usage.folders += 1
        try walk.enter(name.bytes)
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
}
