// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// The operations that scripts may do on the files of one app. Callable from any thread; each call stands by
/// itself.
final class Files: Sendable {
  let directories: Directories
  let trash: Trash
  let staging: Staging
  private let container: Container
  private let argument: ArgumentFile

  init(_ app: AppEnvironment) {
    argument = ArgumentFile(app)
    container = app.container
    directories = Directories(app)
    staging = Staging(app.container.path)
    trash = Trash(app.container.path, staging)
  }

  // MARK: - Opening

  /// - Parameter mode: the permission bits of a file that is made.
  func open(
    _ path: FilePath, _ directory: Directory?, _ flags: Int32, mode: UInt32 = 0o600, to verb: String
  ) throws -> OpenFile {
    let place = directory ?? .documents
    if place == .arguments { return try argument.open(path, flags, to: verb) }
    let writes = flags & O_ACCMODE != O_RDONLY
    let root = writes ? try directories.writable(place, path) : try directories.root(place)
    do {
      // Never waits for a pipe's other end; the caller refuses a thing that is no file.
      return try root.open(
        path, flags | O_NONBLOCK | O_NOCTTY, mode: flags & O_CREAT != 0 ? mode : 0, to: verb)
    } catch let error as BridgeError
      where error.code == .notFound && !writes && directory == nil && argument.isNamed(path)
    {
      throw BridgeError(
        .notFound,
        error.message + #"; a file of the command line is read with {directory: "arguments"}"#,
        details: error.details)
    }
  }

  /// Only to look at: needs no right to read.
  func look(_ path: FilePath, _ directory: Directory?) throws -> OpenFile {
    if directory == .arguments { return try argument.open(path, Int32(NB_O_PATH), to: "look at") }
    return try directories.root(directory ?? .documents).open(path, Int32(NB_O_PATH), to: "look at")
  }

  /// The facts about what stands at a path, a link there not followed; one with a slash or a dot behind it
  /// is.
  func linkFacts(_ path: FilePath, _ directory: Directory?) throws -> stat {
    let last = path.bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? []
    if directory == .arguments || [[], Array(".".utf8), Array("..".utf8)].contains(Array(last)) {
      return try look(path, directory).facts()
    }
    let place = try directories.root(directory ?? .documents).place(of: path, to: "look at")
    guard let facts = try place.facts() else { throw FileFailure.from(ENOENT, "look at", path) }
    return facts
  }

  func folder(_ options: FolderOptions, to verb: String) throws -> OpenFile {
    try directories.root(options.directory ?? .documents).folder(FilePath(options.path ?? ""), to: verb)
  }

  // MARK: - Writing

  func replacement(_ options: WriteOptions) throws -> Replacement {
    let path = try FilePath(options.path)
    let root = try directories.writable(options.directory ?? .documents, path)
    let place =
      options.asSystem == true
      ? try written(path, in: root, options) : try root.place(of: path, to: "write")
    return try Replacement(place, options.rules, staging)
  }

  /// The place that open(2) would write to: what a link leads to, which is made when it is not there.
  private func written(_ path: FilePath, in root: OpenFile, _ options: WriteOptions) throws -> FilePlace {
    let rules = options.rules
    if !rules.overwrite { return try root.place(of: path, to: "write") }
    do { return try followed(path, in: root, "write") } catch let error as BridgeError
      where error.code == .notFound && rules.create
    {
      _ = try root.open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY, mode: rules.mode, to: "write")
      return try followed(path, in: root, "write")
    }
  }

  func replace(_ options: WriteOptions, with content: Bytes, _ progress: Progress? = nil) throws {
    let replacement = try replacement(options)
    progress?.expect(content.count)
    try content.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: Progress.step) {
        let piece = bytes[start..<min(bytes.count, start + Progress.step)]
        try replacement.append(UnsafeRawBufferPointer(rebasing: piece))
        progress?.add(piece.count)
      }
    }
    try replacement.commit()
  }

  // MARK: - Trees

  func makeFolder(_ options: MakeOptions) throws {
    let path = try FilePath(options.path)
    let root = try directories.writable(options.directory ?? .documents, path)
    try makeFolder(path, root, options)
  }

  private func makeFolder(_ path: FilePath, _ root: OpenFile, _ options: MakeOptions) throws {
    let (parents, mode) = (options.parents ?? true, FileMode.of(options.mode, otherwise: 0o700))
    let (parent, name) = try options.asSystem == true ? path.splitAsSystem() : path.split()
    let folder: OpenFile
    do { folder = try root.folder(parent, to: "make") } catch let error as BridgeError
      where parents && error.code == .notFound
    {
      try makeFolder(parent, root, options)
      folder = try root.folder(parent, to: "make")
    }
    if name.withCString({ mkdirat(folder.number, $0, mode) }) == 0 { return try folder.sync() }
    let failure = FileFailure.last("make", path)
    guard failure.code == .exists, parents else { throw failure }
    // A link to a folder is one.
    let asFolder = Int32(NB_O_PATH | NB_O_DIRECTORY)
    do { _ = try root.open(path, asFolder, to: "make") } catch let error as BridgeError {
      let isFile = error.code == .notDirectory && name.last != UInt8(ascii: "/")
      throw isFile || options.asSystem != true ? failure : error
    }
  }

  func remove(_ options: RemoveOptions) throws -> String? {
    let path = try FilePath(options.path)
    let directory = options.directory ?? .documents
    let root = try directories.writable(directory, path)
    if let kind = options.only {
      try FileTree.remove(root.place(of: path, to: "remove", asSystem: true), only: kind)
      return nil
    }
    let place = try root.place(of: path, to: "remove")
    guard options.permanently == true else { return try trash.take(place, directory) }
    try demandFolder(place, "remove")
    try FileTree.remove(place.folder, place.name, path, recursive: true)
    return nil
  }

  private func transfer(_ options: TransferOptions, moves: Bool) throws -> (from: FilePlace, to: FilePlace) {
    let verb = moves ? "move" : "copy"
    let (from, to) = (try FilePath(options.from), try FilePath(options.to))
    let place = options.directory ?? .documents
    let source = moves ? try directories.writable(place, from) : try directories.root(place)
    let target = try directories.writable(options.toDirectory ?? place, to)
    let isSystems = options.asSystem == true
    if moves || !isSystems {
      return (
        try source.place(of: from, to: verb, asSystem: isSystems),
        try target.place(of: to, to: verb, asSystem: isSystems)
      )
    }
    let places = (
      from: try followed(from, in: source, verb), to: try followed(to, in: target, verb, mayDangle: true)
    )
    for place in [places.from, places.to] { try demandFolder(place, verb) }
    return places
  }

  /// Throws for a path with a slash at its end that leads to what is no folder, a link to one included.
  private func demandFolder(_ place: FilePlace, _ verb: String) throws {
    guard place.path.bytes.last == UInt8(ascii: "/"), let facts = try place.facts() else { return }
    if !facts.st_mode.isFolder { throw FileFailure.from(ENOTDIR, verb, place.path) }
  }

  /// The place that a link leads to, below the same folder; the path's own where there is none.
  private func followed(_ path: FilePath, in root: OpenFile, _ verb: String, mayDangle: Bool = false) throws
    -> FilePlace
  {
    let place = try root.place(of: path, to: verb)
    guard let facts = try place.facts(), facts.st_mode & S_IFMT == S_IFLNK else { return place }
    do {
      let file = try root.open(path, Int32(NB_O_PATH), to: verb)
      guard let real = RealPath(descriptor: file.number), let top = RealPath(descriptor: root.number),
        real.lies(in: top)
      else { return place }
      if real == top { throw FileFailure.from(EISDIR, verb, path) }
      // In bytes: a name may begin with what the slash before it would be one character with.
      let below = real.bytes.dropFirst(top.bytes.count + 1)
      return try root.place(of: FilePath(PathText.decode(Array(below))), to: verb)
    } catch let error as BridgeError where mayDangle && error.code == .notFound {
      return place
    }
  }

  func copy(_ options: TransferOptions, _ progress: Progress?) throws {
    let (from, to) = try transfer(options, moves: false)
    try copy(from, to, options, progress)
  }

  /// Copies what stands outside of the app's folders into one of them.
  func importFrom(_ outside: FilePlace, _ options: TransferOptions, _ progress: Progress?) throws {
    let path = try FilePath(options.to)
    let root = try directories.writable(options.directory ?? .documents, path)
    try copy(outside, root.place(of: path, to: "import"), options, progress)
  }

  /// Copies what stands in one of the app's folders to a place outside. Other apps' containers stay where
  /// they are.
  func exportTo(_ outside: FilePlace, _ options: TransferOptions, _ progress: Progress?) throws {
    let path = try FilePath(options.from)
    let root = try directories.root(options.directory ?? .documents)
    try copy(
      root.place(of: path, to: "export"), outside, options, progress,
      sparing: ForeignContainers(besides: container))
  }

  private func copy(
    _ from: FilePlace, _ to: FilePlace, _ options: TransferOptions, _ progress: Progress?,
    sparing others: ForeignContainers? = nil
  ) throws {
    let found = try to.facts()
    if options.overwrite != true, found != nil { throw FileFailure.from(EEXIST, "copy to", to.path) }
    if options.asSystem == true {
      if try isSame(from, to) { return }
      for facts in [try from.facts(), found] where facts?.st_mode.isFolder == true {
        throw FileFailure.from(EISDIR, "copy to", to.path)
      }
    }
    try others?.check(to)
    // Beside the target's folder first, so that the target is there whole or not at all.
    let temporary = FilePlace(
      folder: try staging.folder(for: to.folder, "copy to", to.path), name: staging.newName(), path: to.path)
    var made: ino_t?
    do {
      if let progress { progress.expect(try FileTree.size(from)) }
      let target = FilePlace(folder: temporary.folder, name: temporary.name, path: from.path)
      try FileTree.copy(from, to: target, progress)
      made = try temporary.facts()?.st_ino
      if options.asSystem == true, options.overwrite == true {
        try rename(temporary, to, "copy to")
      } else {
        try put(temporary, at: to, overwrite: options.overwrite == true, "copy to", sparing: others)
      }
    } catch {
      // A thing that is not the copy came out of the place and could not go back: it stays.
      if made == nil || (try? temporary.facts()?.st_ino) == made {
        try? FileTree.remove(temporary.folder, temporary.name, to.path, recursive: true)
      }
      throw error
    }
    try to.folder.sync()
  }

  func move(_ options: TransferOptions) throws {
    let (from, to) = try transfer(options, moves: true)
    if options.asSystem == true {
      try rename(from, to, "move to")
    } else {
      if try isSame(from, to) { return }
      try put(from, at: to, overwrite: options.overwrite == true, "move to")
    }
    try to.folder.sync()
    try from.folder.sync()
  }

  /// Gives a thing its place by the system's own rules, which no other program can come between.
  private func rename(_ thing: FilePlace, _ to: FilePlace, _ verb: String) throws {
    let done = thing.name.withCString { old in
      to.name.withCString { renameat(thing.folder.number, old, to.folder.number, $0) }
    }
    if done == 0 { return }
    if errno == ENOENT { throw FileFailure.from(ENOENT, "move", thing.path) }
    if errno == EXDEV { throw FileFailure.elsewhere(verb, to.path, "copy it and remove the old one") }
    throw FileFailure.last(verb, to.path)
  }

  /// Whether a thing would take its own place: exchanged with itself, it would be removed as the thing that
  /// stood there before.
  private func isSame(_ from: FilePlace, _ to: FilePlace) throws -> Bool {
    guard from.name == to.name, try from.facts() != nil else { return false }
    let (source, target) = (try from.folder.facts(), try to.folder.facts())
    return source.st_ino == target.st_ino && source.st_dev == target.st_dev
  }

  /// Gives a thing its place in one step. What stood there goes, if it may.
  private func put(
    _ thing: FilePlace, at to: FilePlace, overwrite: Bool, _ verb: String,
    sparing others: ForeignContainers? = nil
  ) throws {
    let rename = { (flag: Int) in
      thing.name.withCString { old in
        to.name.withCString { renameat2(thing.folder.number, old, to.folder.number, $0, UInt32(flag)) }
      }
    }
    if rename(NB_RENAME_NOREPLACE) == 0 { return }
    guard errno == EEXIST, overwrite else {
      if errno == ENOENT { throw FileFailure.from(ENOENT, "move", thing.path) }
      if errno == EXDEV { throw FileFailure.elsewhere(verb, to.path, "copy it and remove the old one") }
      throw FileFailure.last(verb, to.path)
    }
    guard rename(NB_RENAME_EXCHANGE) == 0 else { throw FileFailure.last(verb, to.path) }
    // Another program may have put a container there since the folder was looked at.
    do { try others?.check(thing) } catch {
      if rename(NB_RENAME_EXCHANGE) != 0 { _ = rename(NB_RENAME_NOREPLACE) }
      throw error
    }
    try FileTree.remove(thing.folder, thing.name, to.path, recursive: true)
  }
}

extension mode_t {
  fileprivate var isFolder: Bool { self & S_IFMT == S_IFDIR }
}

/// How much room a disk has, in bytes.
struct DiskRoom: Codable, Sendable {
  /// The room that this user may still fill.
  var available: Double
  var total: Double

  init(_ folder: OpenFile) throws {
    var status = statvfs()
    guard fstatvfs(folder.number, &status) == 0 else { throw FileFailure.last("look at", folder.path) }
    available = Double(status.f_bavail) * Double(status.f_frsize)
    total = Double(status.f_blocks) * Double(status.f_frsize)
  }
}
