// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// A file of a package.
struct PackageMember: Codable, Sendable {
  /// From the package on, with `/` between folders.
  var name: String
  /// Nil for one that is only kept.
  var content: Bytes?
  /// Whether the member is saved as it was.
  var isKept: Bool?
}

/// A folder that is one document: its files are read together, and changed in one step.
enum PackageFolder {
  /// A thing somewhere below a package.
  private struct Entry {
    let place: FilePlace
    /// From the package on.
    let name: [UInt8]
    let status: stat
    var kind: FileKind { FileKind(mode: status.st_mode) }
  }

  /// Everything below a folder, by name, a folder before what it holds.
  private static func visit(_ folder: OpenFile, _ body: (Entry) throws -> Void) throws {
    var walk = try TreeWalk(folder, to: "open", sorted: true)
    var prefixes: [[UInt8]] = [[]]
    while let step = try walk.next() {
      guard case .found(let name) = step else {
        prefixes.removeLast()
        continue
      }
      let place = FilePlace(folder: walk.folder, name: name.bytes, path: folder.path)
      guard let status = try place.facts() else { continue }
      let found = Entry(place: place, name: prefixes[prefixes.count - 1] + name.bytes, status: status)
      try body(found)
      guard found.kind == .folder else { continue }
      try walk.enter(name.bytes)
      prefixes.append(found.name + [UInt8(ascii: "/")])
    }
  }

  /// Changes when any of the files and links does.
  static func identity(_ folder: OpenFile) throws -> String {
    var hash = FNV1a()
    var count = 0
    try visit(folder) { entry in
      guard entry.kind == .file || entry.kind == .link else { return }
      hash.add(entry.name)
      hash.add(Array(FileMetadata.identity(entry.status).utf8))
      count += entry.kind == .file ? 1 : 0
    }
    return "\(count)-\(hash.value)"
  }

  static func read(_ folder: OpenFile) throws -> [PackageMember] {
    var members: [PackageMember] = []
    var size = 0
    try visit(folder) { entry in
      guard entry.kind == .file else { return }
      size += Int(entry.status.st_size)
      guard size <= WholeFile.limit else {
        throw BridgeError(
          .tooLarge, "can't open '\(folder.path.shown)': its files have more than \(WholeFile.limit) bytes")
      }
      members.append(
        PackageMember(name: PathText.decode(entry.name), content: try WholeFile.read(entry.place.open())))
    }
    return members
  }

  // MARK: - Saving

  /// Makes the package anew beside the old one, which gives its unchanged files as further names of the same,
  /// and has the two change places. Answers the new one's identity.
  static func save(
    _ members: [PackageMember], from old: FilePlace?, to place: FilePlace, _ staging: Staging,
    _ accepts: (String?) -> Bool
  ) throws -> String {
    let (folder, temporary) = (try staging.folder(for: place.folder, "save", place.path), staging.newName())
    defer { try? FileTree.remove(folder, temporary, place.path, recursive: true) }
    guard temporary.withCString({ mkdirat(folder.number, $0, 0o700) }) == 0 else {
      throw FileFailure.last("save", place.path)
    }
    let made = try FilePlace(folder: folder, name: temporary, path: place.path).open(asFolder: true)
    let before = try? old?.open(asFolder: true)
    var folders: Set<[UInt8]> = []
    for member in members { try add(member, to: made, from: before, place.path, &folders) }
    if let before { try carry(before, to: made, place.path, &folders) }
    for name in folders { try made.folder(FilePath(PathText.decode(name)), to: "save").sync() }
    try made.sync()
    // The identity of these files, whatever other programs do as soon as the package has its name.
    let identity = try Self.identity(made)
    try GuardedPlacement.put(temporary, of: folder, at: place, accepts) { place in
      guard try place.folder.facts(of: place.name, place.path) != nil else { return nil }
      return try Self.identity(place.open(asFolder: true))
    }
    try place.folder.sync()
    return identity
  }

  /// Takes over what is no content: links, empty folders, and the modes of files and folders.
  private static func carry(
    _ old: OpenFile, to made: OpenFile, _ path: FilePath, _ folders: inout Set<[UInt8]>
  ) throws {
    if let mode = try? old.facts().st_mode { _ = fchmod(made.number, mode & 0o7777) }
    try visit(old) { entry in
      let name = try FilePath(PathText.decode(entry.name))
      switch entry.kind {
      case .link:
        let parent = try name.split().parent
        if !parent.isFolderItself { try makeFolders(parent, in: made, &folders) }
        let target = try made.place(of: name, to: "save")
        if try target.facts() == nil { try FileTree.copy(entry.place, to: target) }
      case .folder:
        let isThere = (try? made.open(name, Int32(NB_O_PATH), to: "save")) != nil
        if !isThere, try DirectoryNames.read(entry.place.open(asFolder: true)).isEmpty {
          try makeFolders(name, in: made, &folders)
        }
        keepMode(entry, name, made)
      case .file: keepMode(entry, name, made)
      case .other: break
      }
    }
  }

  private static func keepMode(_ entry: Entry, _ name: FilePath, _ made: OpenFile) {
    guard let same = try? made.open(name, O_RDONLY | Int32(NB_O_NOFOLLOW) | O_NONBLOCK, to: "save"),
      let status = try? same.facts(), status.st_ino != entry.status.st_ino
    else { return }
    _ = fchmod(same.number, entry.status.st_mode & 0o7777)
  }

  private static func add(
    _ member: PackageMember, to made: OpenFile, from old: OpenFile?, _ path: FilePath,
    _ folders: inout Set<[UInt8]>
  ) throws {
    let name = try checked(member.name, path)
    let parent = try name.split().parent
    if !parent.isFolderItself { try makeFolders(parent, in: made, &folders) }
    let target = try made.place(of: name, to: "save")
    if member.isKept == true, try keep(name, of: old, at: target) { return }
    guard let content = member.content else {
      throw BridgeError(
        .conflict, "'\(path.shown)' was changed meanwhile: its member '\(name.shown)' is not there any more")
    }
    let file = try OpenFile(name, to: "save") { () throws(SystemError) in
      try Descriptor.open(target.name, in: target.folder.number, O_WRONLY | O_CREAT | O_EXCL)
    }
    try content.withUnsafeBytes { try file.write($0, at: 0) }
    try file.sync()
  }

  /// Gives what is there already a further name. Answers false when it is not there.
  private static func keep(_ name: FilePath, of old: OpenFile?, at target: FilePlace) throws -> Bool {
    guard let source = try? old?.place(of: name, to: "save") else { return false }
    let linked = source.name.withCString { from in
      target.name.withCString { linkat(source.folder.number, from, target.folder.number, $0, 0) }
    }
    if linked == 0 { return true }
    // On a disk where files can't have two names, or no more of them.
    guard errno == EXDEV || errno == EMLINK || errno == EPERM else { return false }
    try FileTree.copy(source, to: target)
    return true
  }

  /// A member's name as a path that can't lead out of the package.
  private static func checked(_ name: String, _ path: FilePath) throws -> FilePath {
    let parts = name.pathParts
    guard !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else {
      throw BridgeError(
        .invalidParameter,
        "'\(name)' can't be the name of a member of '\(path.shown)'; use names as 'images/a.png'")
    }
    return try FilePath(name)
  }

  private static func makeFolders(_ path: FilePath, in made: OpenFile, _ known: inout Set<[UInt8]>) throws {
    if known.contains(path.bytes) { return }
    let (parent, name) = try path.split()
    if !parent.isFolderItself { try makeFolders(parent, in: made, &known) }
    let above = parent.isFolderItself ? made : try made.folder(parent, to: "save")
    guard name.withCString({ mkdirat(above.number, $0, 0o700) }) == 0 else {
      throw FileFailure.last("save", path)
    }
    known.insert(path.bytes)
  }
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo 1991).
struct FNV1a {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ bytes: [UInt8]) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    value = (value ^ 0) &* 0x100_0000_01B3
  }
}
