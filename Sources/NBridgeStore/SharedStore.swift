// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// A database that several processes use at once, and that outlives damage: the process that finds it damaged
/// mends it, while no process writes, and what was acknowledged stays. Used by one thread at a time.
package struct SharedStore: ~Copyable {
  private let layout: StoreLayout
  private let note: @Sendable (String) -> Void
  private let prepare: @Sendable () throws -> Void
  private let folder: String
  private let path: String
  private var database: SQLiteDatabase?
  /// Which file is open: another process may have put a new one in its place.
  private var identity = FileIdentity()
  private var lock: StoreLock?
  private var openings = 0

  /// So often a damaged store is mended before it is given up.
  private static let repairs = 4
  /// Between two tries, in microseconds.
  private static let pause: UInt32 = 10_000

  /// The purpose for which a store is opened.
  package enum Purpose {
    case reading, writing
  }

  /// Describes a store; opens nothing.
  ///
  /// - Parameters:
  ///   - folder: where it is.
  ///   - prepare: called before the store's files are opened: makes the folder, if the caller does not.
  ///   - note: hears, in a sentence for people, that the store was damaged and what was saved.
  package init(
    _ layout: StoreLayout, in folder: String, prepare: @escaping @Sendable () throws -> Void = {},
    note: @escaping @Sendable (String) -> Void
  ) {
    self.layout = layout
    self.folder = folder
    self.prepare = prepare
    path = folder + "/" + layout.fileName
    self.note = note
  }

  /// When the latest damaged store was set aside that lies in a folder, kept for a person who can still make
  /// something of it, in seconds since 1970; nil when there is none.
  package static func latestAside(in folder: String) -> Int64? {
    StoreRecovery.asides(in: folder).map(\.second).max()
  }

  /// Removes damaged stores that were set aside in or after a second.
  package static func removeAsides(in folder: String, since second: Int64) {
    for aside in StoreRecovery.asides(in: folder) where aside.second >= second {
      StoreRecovery.remove(aside.path)
    }
  }

  /// Does something with the database, which is made when there is none.
  ///
  /// - Parameters:
  ///   - waits: whether it waits for another process that writes, 5 s at the most; else it throws `conflict`.
  ///   - body: may run more than once, each time with nothing done before.
  package mutating func use<R>(
    _ purpose: Purpose, waits: Bool = true, _ body: (SQLiteDatabase) throws -> R
  ) throws -> R {
    for attempt in 1...Self.repairs {
      do {
        return try once(purpose, waits, body)
      } catch let error as BridgeError where error.code == .ioError && attempt < Self.repairs && mayPass {
        close()
        // Others have to see, too, that what they have open is gone.
        usleep(Self.pause)
      } catch is SQLiteDamaged {
        let damaged = identity
        close()
        try StoreRecovery(folder: folder, layout: layout, note: note).repair(damaged)
      } catch is StoreOutdated {
        let outdated = identity
        close()
        try StoreRecovery(folder: folder, layout: layout, note: note).carryOver(outdated)
      }
    }
    throw BridgeError(
      .ioError, "\(layout.content) in '\(folder)' can't be opened: they are damaged, or taken away each time")
  }

  /// Whether there is something in the log: also what was deleted since, until the log is cut off.
  package var hasLog: Bool {
    var status = stat()
    return stat(path + "-wal", &status) == 0 && status.st_size > 0
  }

  /// A second connection, for what would hold the first one up. Throws `conflict` when another process keeps
  /// the store locked.
  package mutating func openBeside() throws -> SQLiteDatabase {
    // Not while another process mends: it would be opened between the old files and the new.
    try takeLock(waits: true)
    defer { lock?.letGo() }
    return try layout.open(path)
  }

  /// Closes the database until it is used again.
  package mutating func close() {
    database = nil
    lock = nil
    identity = FileIdentity()
  }

  /// Whether an error may be that another process takes the files away, or makes them anew.
  private var mayPass: Bool { database == nil || FileIdentity(path) != identity }

  private mutating func once<R>(
    _ purpose: Purpose, _ waits: Bool, _ body: (SQLiteDatabase) throws -> R
  ) throws -> R {
    if purpose == .reading, let database, identity == FileIdentity(path) {
      database.waitsForOthers = waits
      return try body(database)
    }
    do { try takeLock(waits: waits) } catch  where purpose == .reading && isReadOnly {
      // It is read all the same, as it is now.
      return try body(try layout.openUnchanging(path))
    }
    defer { lock?.letGo() }
    let database = try open()
    database.waitsForOthers = waits
    return try body(database)
  }

  /// Whether this user can write nothing here, or no user can.
  private var isReadOnly: Bool { access(folder, F_OK) == 0 && access(folder, W_OK) != 0 }

  private mutating func takeLock(waits: Bool) throws {
    // A lock on another file than the other processes have would keep none of them out.
    if lock == nil || lock?.isUnlinked == true {
      lock = nil
      try prepare()
      lock = try StoreLock(folder)
    }
    guard lock?.take(waits: waits) == true else {
      throw BridgeError(.conflict, "another process kept \(layout.content) locked for 5 s")
    }
  }

  private mutating func open() throws -> SQLiteDatabase {
    if let database, identity == FileIdentity(path) { return database }
    database = nil
    // No process mends meanwhile. One that can't be opened is known by this; one that is made now has no
    // identity before.
    identity = FileIdentity(path)
    StoreRecovery.removeUnfinished(path)
    // Another process took the database away: the processes that have it open still must not share an index
    // of the log with the new one.
    if identity.isUnlinked { for ending in ["-wal", "-shm"] { unlink(path + ending) } }
    let made = try layout.open(path)
    (database, identity) = (made, FileIdentity(path))
    openings += 1
    made.opening = openings
    return made
  }
}
