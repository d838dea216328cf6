// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeStore

/// Mends a damaged store: puts it aside, and copies what can still be read of it into a new one, row by row. What was
/// on other pasteboards than the damaged ones is there again; the large files lie beside the database and are not lost.
struct StoreRecovery {
  static let fileName = "pasteboards.db"
  /// What stands in the name of one that was set aside.
  static let asideMark = ".damaged-"
  let folder: String
  let note: (String) -> Void

  private var path: String { folder + "/" + Self.fileName }

  /// One process does it, the others wait and then find it done.
  func repair() throws {
    let before = FileIdentity(path)
    let lock = open(folder + "/repair.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw failure("lock") }
    defer { close(lock) }
    while flock(lock, LOCK_EX) != 0, errno == EINTR {}
    guard FileIdentity(path) == before else { return }
    let aside = "\(path)\(Self.asideMark)\(time(nil))-\(RandomName.make().prefix(8))"
    guard link(path, aside) == 0 else { throw failure("set aside") }
    // The log belongs to the damaged file; what it holds can only be read together with that.
    for ending in ["-wal", "-shm"] where access(path + ending, F_OK) == 0 {
      link(path + ending, aside + ending)
    }
    let saved = try rebuild(from: aside)
    note(
      "nbridge: the pasteboards in '\(path)' were damaged: \(saved) of them could be saved, what is left is kept as '\(aside)'"
    )
  }

  /// Answers how many boards there are in the new store.
  private func rebuild(from aside: String) throws -> Int {
    let fresh = "\(path).new"
    for ending in ["", "-wal", "-shm"] { unlink(fresh + ending) }
    var boards = 0
    do {
      let target = try SQLiteDatabase(path: fresh, content: "the pasteboards")
      try StoreSchema.create(in: target)
      if let source = try? SQLiteDatabase(path: aside, content: "the damaged pasteboards") {
        for table in StoreSchema.tables { try? copy(table, from: source, to: target) }
      }
      try target.run("SELECT count(*) FROM boards") { boards = Int($0.integer(0)) }
      try target.run("PRAGMA journal_mode=DELETE")  // one file, so that one rename puts it in its place
    }
    for ending in ["-wal", "-shm"] { unlink(path + ending) }
    guard rename(fresh, path) == 0 else { throw failure("replace") }
    return boards
  }

  /// From the first row on until one can't be read, then from the last one back.
  private func copy(_ table: String, from source: SQLiteDatabase, to target: SQLiteDatabase) throws {
    for order in ["ASC", "DESC"] {
      do {
        try source.run("SELECT * FROM \(table) ORDER BY 1 \(order)") { row in
          let values = row.values
          let places = values.map { _ in "?" }.joined(separator: ", ")
          try? target.run("INSERT OR IGNORE INTO \(table) VALUES (\(places))", values)
        }
        return
      } catch is SQLiteDamaged { continue }
    }
  }

  private func failure(_ verb: String) -> BridgeError {
    BridgeError(
      .ioError, "can't \(verb) the damaged pasteboards '\(path)': \(String(cString: strerror(errno)))")
  }
}
