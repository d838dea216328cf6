// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// What a write may find in the place of its file.
struct WriteRules {
  /// Whether the write returns only when all of it is on the disk.
  var durable = true
  /// Whether a file that is not there is made.
  var create = true
  /// Whether a file that is there is replaced.
  var overwrite = true
  /// Whether the thing that stands there may be replaced, given the identity that `stat` tells; nil for an
  /// empty place. Without this rule any may.
  var accepts: ((String?) -> Bool)?
  /// The permission bits of a file that is made.
  var mode: UInt32 = 0o600
}

/// A new content for a file, which takes its place in one step: until then it has no name, so that after a
/// crash there is the old content or the new one, and nothing else.
///
/// The file is made nameless (`O_TMPFILE`) on the target's mount. A new name is given by `linkat`. A name
/// that exists can't be taken that way: the file gets one in a staging folder of the container first, which
/// `rename` puts in the target's place. The next writer that uses the staging folder removes what a crash
/// left in it.
final class Replacement {
  private let place: FilePlace
  private let rules: WriteRules
  private let staging: Staging
  private let temporaries: OpenFile
  let file: OpenFile
  private var size = 0
  /// The facts about the file that stood in the place at the beginning.
  private let old: stat?

  init(_ place: FilePlace, _ rules: WriteRules, _ staging: Staging) throws {
    self.place = place
    self.rules = rules
    self.staging = staging
    old = try Self.check(place, rules)
    // Not in the target's own folder, whose watchers would see it come.
    temporaries = try staging.folder(for: place.folder, "write", place.path)
    file = try OpenFile(place.path, to: "write") { [temporaries] () throws(SystemError) in
      try Descriptor.open(
        Array(".".utf8), in: temporaries.number, O_WRONLY | Int32(NB_O_TMPFILE), mode: rules.mode)
    }
  }

  /// The facts about the thing in the place; throws when it is in the way.
  private static func check(_ place: FilePlace, _ rules: WriteRules) throws -> stat? {
    let path = place.path
    let old = try place.facts()
    if let accepts = rules.accepts {
      try GuardedPlacement.check(place, old.map(FileMetadata.identity), accepts)
    }
    guard let old else {
      if !rules.create { throw FileFailure.from(ENOENT, "write", path) }
      return nil
    }
    if !rules.overwrite { throw FileFailure.from(EEXIST, "write", path) }
    if old.st_mode & S_IFMT == S_IFDIR { throw FileFailure.from(EISDIR, "write", path) }
    if old.st_mode & S_IFMT != S_IFREG, old.st_mode & S_IFMT != S_IFLNK {
      throw FileFailure.from(ENXIO, "write", path)
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
    if let accepts = rules.accepts {
      try putGuarded(accepts)
    } else if try !linkNew() {
      try replaceOld()
    }
    if rules.durable { try place.folder.sync() }
  }

  private var source: String { "/proc/self/fd/\(file.number)" }

  private func link(_ name: [UInt8], in folder: OpenFile) -> Bool {
    name.withCString { linkat(AT_FDCWD, source, folder.number, $0, AT_SYMLINK_FOLLOW) == 0 }
  }

  /// Gives the file its name, if the name is free. Answers false when another file has it.
  private func linkNew() throws -> Bool {
    if old != nil { return false }
    if link(place.name, in: place.folder) { return true }
    if errno == EEXIST, rules.overwrite { return false }
    throw FileFailure.last("write", place.path)
  }

  /// Gives the file a name beside its place, for `body`, and takes what has that name afterwards away.
  private func withTemporaryName(_ body: ([UInt8]) throws -> Void) throws {
    if let old, old.st_mode & S_IFMT == S_IFREG { keepMode(old) }
    let name = staging.newName()
    guard link(name, in: temporaries) else { throw FileFailure.last("write", place.path) }
    do { try body(name) } catch {
      _ = name.withCString { unlinkat(temporaries.number, $0, 0) }
      throw error
    }
  }

  private func replaceOld() throws {
    try withTemporaryName { temporary in
      let renamed = temporary.withCString { from in
        place.name.withCString { renameat(temporaries.number, from, place.folder.number, $0) }
      }
      guard renamed == 0 else { throw FileFailure.last("write", place.path) }
    }
  }

  private func putGuarded(_ accepts: (String?) -> Bool) throws {
    try withTemporaryName { temporary in
      try GuardedPlacement.put(temporary, of: temporaries, at: place, accepts) {
        try $0.facts().map(FileMetadata.identity)
      }
      _ = temporary.withCString { unlinkat(temporaries.number, $0, 0) }
    }
  }

  private static let user = geteuid()
  private static let group = getegid()

  /// The new file gets the mode and the owner of the file that it replaces.
  private func keepMode(_ old: stat) {
    if old.st_mode & 0o7777 != 0o600 || rules.mode != 0o600 { _ = fchmod(file.number, old.st_mode & 0o7777) }
    if old.st_uid != Self.user || old.st_gid != Self.group { _ = fchown(file.number, old.st_uid, old.st_gid) }
  }
}
