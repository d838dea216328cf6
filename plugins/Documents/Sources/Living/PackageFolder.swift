// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc
internal import NBridgePlugin

/// A file of a package.
struct PackageMember: Codable, Sendable {
  /// From the package on, with `/` between folders.
  var name: String
  /// Nil for one that is only kept.
  var content: Bytes?
  /// Whether it is saved as it was.
  var isKept: Bool?
}

/// A folder that is one document: its files are read together, and changed in one step.
enum PackageFolder {
  /// The files below a folder, by name. Links, pipes and empty folders are no part of a package.
  private static func visit(
    _ folder: OpenFile, _ prefix: [UInt8] = [], _ body: (OpenFile, [UInt8], stat, [UInt8]) throws -> Void
  ) throws {
    for entry in try DirectoryNames.read(folder).sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) })
    {
      guard let status = try folder.facts(of: entry.bytes, folder.path) else { continue }
      let name = prefix + entry.bytes
      switch FileKind(mode: status.st_mode) {
      case .file: try body(folder, entry.bytes, status, name)
      case .folder:
        let below = FilePlace(folder: folder, name: entry.bytes, path: folder.path)
        try visit(below.open(asFolder: true), name + [UInt8(ascii: "/")], body)
      case .link, .other: continue
      }
    }
  }

  /// Changes when any of the files does.
  static func identity(_ folder: OpenFile) throws -> String {
    var hash = FNV1a()
    var count = 0
    try visit(folder) { _, _, status, name in
      hash.add(name)
      hash.add(Array(FileFacts.identity(status).utf8))
      count += 1
    }
    return "\(count)-\(hash.value)"
  }

  static func read(_ folder: OpenFile) throws -> [PackageMember] {
    var members: [PackageMember] = []
    var size = 0
    try visit(folder) { folder, file, status, name in
      size += Int(status.st_size)
      guard size <= WholeFile.limit else {
        throw BridgeError(
          .tooLarge, "can't open '\(folder.path.shown)': its files have more than \(WholeFile.limit) bytes")
      }
      let place = FilePlace(folder: folder, name: file, path: folder.path)
      members.append(
        PackageMember(name: FilePath.decode(name), content: try WholeFile.read(place.open(asFolder: false))))
    }
    return members
  }

  // MARK: - Saving

  /// Makes the package anew beside the old one, which gives its unchanged files as further names of the same, and has the
  /// two change places. Answers the new one's identity.
  static func save(
    _ members: [PackageMember], from old: FilePlace?, to place: FilePlace, _ staging: Staging,
    _ accepts: (String?) -> Bool
  ) throws -> String {
    let (folder, temporary) = (try staging.folder(for: place.folder), staging.newName())
    defer { try? FileTree.remove(folder, temporary, place.path, recursive: true) }
    guard temporary.withCString({ mkdirat(folder.number, $0, 0o700) }) == 0 else {
      throw FileFailure.last("save", place.path)
    }
    let made = try FilePlace(folder: folder, name: temporary, path: place.path).open(asFolder: true)
    let before = try? old?.open(asFolder: true)
    var folders: Set<[UInt8]> = []
    for member in members { try add(member, to: made, from: before, place.path, &folders) }
    for name in folders { try made.folder(FilePath(FilePath.decode(name)), to: "save").sync() }
    if let before, let mode = try? before.facts().st_mode { _ = fchmod(made.number, mode & 0o7777) }
    try made.sync()
    // Of these files, whatever others do as soon as the package has its name.
    let identity = try Self.identity(made)
    try GuardedPlacement.put(temporary, of: folder, at: place, accepts) { place in
      guard try place.folder.facts(of: place.name, place.path) != nil else { return nil }
      return try Self.identity(place.open(asFolder: true))
    }
    try place.folder.sync()
    return identity
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
    let number = target.name.withCString {
      nb_openat(target.folder.number, $0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    }
    guard number >= 0 else { throw FileFailure.last("save", name) }
    let file = OpenFile(number, name)
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
    // Where files can't have two names, or no more of them.
    guard errno == EXDEV || errno == EMLINK || errno == EPERM else { return false }
    try FileTree.copy(source, to: target)
    return true
  }

  /// A member's name as a path that can't lead out of the package.
  private static func checked(_ name: String, _ path: FilePath) throws -> FilePath {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
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
