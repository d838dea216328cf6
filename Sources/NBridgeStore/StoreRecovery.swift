// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// Mends a damaged store: puts it aside, and copies what can still be read of it into a new one, row by row.
struct StoreRecovery {
  /// Stands in the name of a database that was set aside.
  static let asideMark = ".damaged-"
  let folder: String
  let layout: StoreLayout
  let note: (String) -> Void

  private var path: String { folder + "/" + layout.fileName }

  /// One process does it, the others wait and then find it done.
  ///
  /// - Parameter damaged: which file it is that could not be read.
  func repair(_ damaged: FileIdentity) throws {
    try alone(with: damaged) {
      let aside = try setAside(damaged)
      let saved = try rebuild(from: aside)
      note(
        """
        nbridge: \(layout.content) in '\(path)' were damaged: \(saved) of them could be saved, \
        what is left is kept as '\(aside)'
        """
      )
    }
  }

  /// Carries an earlier version's rows over; nothing of the old file is left.
  func carryOver(_ outdated: FileIdentity) throws {
    try alone(with: outdated) {
      let aside = try setAside(outdated)
      _ = try rebuild(from: aside)
      Self.remove(aside)
    }
  }

  private func alone(with file: FileIdentity, _ body: () throws -> Void) throws {
    let lock = try StoreLock(folder)
    guard lock.take(waits: true) else {
      throw BridgeError(.conflict, "another process mends \(layout.content), which takes long")
    }
    if FileIdentity(path) == file { try body() }
  }

  // MARK: - What lies beside the store

  /// Databases that were set aside in a folder, each with the second in which it was.
  static func asides(in folder: String) -> [(path: String, second: Int64)] {
    FolderNames.of(folder).compactMap { name in
      guard let mark = name.firstRange(of: asideMark), !name.hasSuffix("-wal"), !name.hasSuffix("-shm") else {
        return nil
      }
      // One whose name is not ours is as young as can be.
      return ("\(folder)/\(name)", Int64(name[mark.upperBound...].prefix { $0 != "-" }) ?? .max)
    }
  }

  /// The log last: a database without its name belongs to no store any more, and without its log it is
  /// another one.
  static func remove(_ database: String) {
    for ending in ["", "-wal", "-shm"] { unlink(database + ending) }
  }

  /// What a process left that was killed while it mended; for the holder of the lock.
  static func removeUnfinished(_ path: String) { remove(path + fresh) }

  private static let fresh = ".new"

  /// Gives the damaged file a second name. The log belongs to it: what that holds can only be read together
  /// with the file.
  private func setAside(_ damaged: FileIdentity) throws -> String {
    // A process was killed between taking the log off the first name and putting a new file there.
    for name in FolderNames.of(folder) where name.contains(Self.asideMark) {
      if FileIdentity("\(folder)/\(name)") == damaged { return "\(folder)/\(name)" }
    }
    let aside = "\(path)\(Self.asideMark)\(time(nil))-\(RandomName.make().prefix(8))"
    // The log first: a file that is there under its second name has it.
    for ending in ["-wal", "-shm"] where access(path + ending, F_OK) == 0 {
      guard link(path + ending, aside + ending) == 0 else { throw failure("set aside") }
    }
    guard link(path, aside) == 0 else { throw failure("set aside") }
    return aside
  }

  /// Answers how many rows there are in the new store.
  private func rebuild(from aside: String) throws -> Int {
    let fresh = path + Self.fresh
    Self.remove(fresh)
    var count = 0
    do {
      let target = try layout.open(fresh)
      if let source = try? SQLiteDatabase(path: aside, content: "\(layout.content), which are damaged,") {
        for table in layout.tables { try? copy(table, from: source, to: target) }
      }
      for statement in layout.cleaning { try target.run(statement) }
      try target.run("SELECT count(*) FROM \(layout.counted)") { count = Int($0.integer(0)) }
      try target.run("PRAGMA journal_mode=DELETE")  // one file, so that one rename puts it in its place
    }
    // No process writes now, and one that only reads makes an empty one at most: what is left of the log
    // would be taken for the new file's.
    for ending in ["-wal", "-shm"] { unlink(path + ending) }
    guard rename(fresh, path) == 0 else { throw failure("replace") }
    return count
  }

  /// From the first row on until one can't be read, then from the last one back.
  private func copy(_ table: String, from source: SQLiteDatabase, to target: SQLiteDatabase) throws {
    for order in ["ASC", "DESC"] {
      do {
        try source.run("SELECT * FROM \(table) ORDER BY 1 \(order)") { row in
          let values = layout.adapt(table, row.values)
          let places = values.map { _ in "?" }.joined(separator: ", ")
          try? target.run("INSERT OR IGNORE INTO \(table) VALUES (\(places))", values)
        }
        return
      } catch is SQLiteDamaged { continue }
    }
  }

  private func failure(_ verb: String) -> BridgeError {
    BridgeError(
      .ioError,
      "can't \(verb) \(layout.content) in '\(path)', which are damaged: \(SystemError.lastReason)")
  }
}
