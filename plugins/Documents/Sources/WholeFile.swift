// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc
internal import NBridgePlugin
internal import Synchronization

/// Reading and replacing files as a whole.
enum WholeFile {
  /// More than this can't cross the bridge at once (bytes).
  static let limit = 1 << 30

  static func read(_ file: OpenFile) throws -> Bytes {
    let status = try file.demandRegular("read")
    guard status.st_size <= limit else {
      throw BridgeError(
        .tooLarge,
        "can't read '\(file.path.shown)' at once: it has \(status.st_size) bytes, and the limit is \(limit); use "
          + "readRange or chunks")
    }
    return try Bytes(capacity: Int(status.st_size)) { try file.read(into: $0, at: 0) }
  }
}

/// What a write may find in its place.
struct WriteRules: Sendable {
  /// Whether it returns only when all of it is on the disk.
  var durable = true
  /// Whether a file that is not there is made.
  var create = true
  /// Whether a file that is there is replaced.
  var overwrite = true
  /// What the file must still be, as `stat` told it.
  var identity: String?
}

/// A new content for a file, which takes its place in one step: until then it has no name, so that after a crash there
/// is the old content or the new one, and nothing else.
///
/// The file is made nameless (`O_TMPFILE`) on the target's mount. A new name is given by `linkat`. A name that exists can't
/// be taken that way: the file gets one in a staging folder of the container first, which `rename` puts in the target's
/// place. What a crash leaves in the staging folder is removed by the next one who uses it.
final class Replacement {
  private let folder: OpenFile
  private let name: [UInt8]
  private let path: FilePath
  private let rules: WriteRules
  private let staging: Staging
  private let place: OpenFile
  let file: OpenFile
  private var size = 0
  /// What stood in the place at the beginning.
  private let old: stat?

  init(_ path: FilePath, below root: OpenFile, _ rules: WriteRules, _ staging: Staging) throws {
    self.path = path
    self.rules = rules
    self.staging = staging
    (folder, name) = try root.place(of: path, to: "write")
    old = try Self.check(folder, name, path, rules)
    // Not in the target's own folder, whose watchers would see it come.
    place = try staging.folder(for: folder)
    let number = nb_openat(place.number, ".", O_WRONLY | O_CLOEXEC | Int32(NB_O_TMPFILE), 0o600)
    guard number >= 0 else { throw FileFailure.last("write", path) }
    file = OpenFile(number, path)
  }

  /// What stands in the place; throws when that is in the way.
  private static func check(_ folder: OpenFile, _ name: [UInt8], _ path: FilePath, _ rules: WriteRules) throws
    -> stat?
  {
    guard let old = try folder.facts(of: name, path) else {
      if rules.identity != nil || !rules.create { throw FileFailure.from(ENOENT, "write", path) }
      return nil
    }
    if !rules.overwrite { throw FileFailure.from(EEXIST, "write", path) }
    if old.st_mode & S_IFMT == S_IFDIR { throw FileFailure.from(EISDIR, "write", path) }
    if old.st_mode & S_IFMT != S_IFREG, old.st_mode & S_IFMT != S_IFLNK {
      throw FileFailure.from(ENXIO, "write", path)
    }
    if let identity = rules.identity, identity != FileFacts.identity(old) {
      throw BridgeError(
        .conflict, "'\(path.shown)' was changed meanwhile; read it again, or write without 'identity'")
    }
    return old
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws {
    try file.write(bytes, at: size)
    size += bytes.count
  }

  /// Puts the content in its place.
  func commit() throws {
    if rules.durable { try file.sync() }
    if try !linkNew() { try exchangeOld() }
    if rules.durable { try folder.sync() }
  }

  private var source: String { "/proc/self/fd/\(file.number)" }

  /// Gives the file its name, if nobody had it. Answers false when somebody has.
  private func linkNew() throws -> Bool {
    if old != nil { return false }
    let done = name.withCString { linkat(AT_FDCWD, source, folder.number, $0, AT_SYMLINK_FOLLOW) }
    if done == 0 { return true }
    if errno == EEXIST, rules.overwrite { return false }
    throw FileFailure.last("write", path)
  }

  private func exchangeOld() throws {
    // Asked again, as late as can be: the script wants to know of what came between.
    let old = rules.identity == nil ? old : try Self.check(folder, name, path, rules)
    if let old, old.st_mode & S_IFMT == S_IFREG { keepMode(old) }
    let temporary = staging.newName()
    let linked = temporary.withCString { linkat(AT_FDCWD, source, place.number, $0, AT_SYMLINK_FOLLOW) }
    guard linked == 0 else { throw FileFailure.last("write", path) }
    let renamed = temporary.withCString { from in
      name.withCString { renameat(place.number, from, folder.number, $0) }
    }
    guard renamed == 0 else {
      let error = FileFailure.last("write", path)
      _ = temporary.withCString { unlinkat(place.number, $0, 0) }
      throw error
    }
  }

  /// A file keeps who may read and write it when its content is replaced.
  private func keepMode(_ old: stat) {
    if old.st_mode & 0o7777 != 0o600 { _ = fchmod(file.number, old.st_mode & 0o7777) }
    if old.st_uid != geteuid() || old.st_gid != getegid() { _ = fchown(file.number, old.st_uid, old.st_gid) }
  }
}

/// Where contents get a name for the moment before they take their place: a folder of the container, on the same disk.
final class Staging: Sendable {
  private let container: String
  private let opened = Mutex<OpenFile?>(nil)
  private let last = Atomic<Int>(0)

  init(_ container: String) { self.container = container }

  private static let folderName = ".staging"

  /// A folder on the mount of `target`: this one, or `target` itself when that is another mount.
  func folder(for target: OpenFile) throws -> OpenFile {
    let staging = try open()
    return target.mount == staging.mount ? staging : target
  }

  /// A name that nobody has. `list` leaves such names out: on another mount they stand beside the target for a moment.
  func newName() -> [UInt8] {
    Array("\(Self.prefix)\(getpid())-\(last.add(1, ordering: .relaxed).newValue)".utf8)
  }

  static let prefix = ".nbridge-"

  static func isTemporary(_ name: [UInt8]) -> Bool {
    name.first == UInt8(ascii: ".") && name.starts(with: prefix.utf8)
  }

  private func open() throws -> OpenFile {
    try opened.withLock { known in
      if let known { return known }
      let name = try FilePath(Self.folderName)
      let path = container + "/" + Self.folderName
      if mkdir(path, 0o700) != 0, errno != EEXIST { throw FileFailure.last("make", name) }
      let number = nb_openat(
        AT_FDCWD, path, O_RDONLY | O_CLOEXEC | Int32(NB_O_DIRECTORY) | Int32(NB_O_NOFOLLOW), 0)
      guard number >= 0 else { throw FileFailure.last("open", name) }
      let folder = OpenFile(number, name, isRoot: true)
      Self.sweep(folder)
      known = folder
      return folder
    }
  }

  /// Removes what processes left behind that are no more.
  private static func sweep(_ folder: OpenFile) {
    for name in (try? DirectoryNames.read(folder)) ?? [] where name.bytes.starts(with: prefix.utf8) {
      let digits = name.bytes.dropFirst(prefix.utf8.count).prefix { $0 != UInt8(ascii: "-") }
      guard let process = pid_t(String(decoding: digits, as: UTF8.self)), process != getpid() else {
        continue
      }
      if kill(process, 0) != 0, errno == ESRCH {
        _ = name.bytes.withCString { unlinkat(folder.number, $0, 0) }
      }
    }
  }
}
