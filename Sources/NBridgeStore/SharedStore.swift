// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// A database that several processes use at once, and that outlives damage: who finds it damaged mends it, while nobody writes,
/// and what was acknowledged stays. Used by one thread at a time.
package struct SharedStore: ~Copyable {
  private let layout: StoreLayout
  private let note: @Sendable (String) -> Void
  private let folder: String
  private let path: String
  private var database: SQLiteDatabase?
  /// Which file is open: another process may have put a new one in its place.
  private var identity = FileIdentity()
  private var lock: StoreLock?

  /// So often a damaged store is mended before it is given up.
  private static let repairs = 4
  /// Between two tries, in microseconds.
  private static let pause: UInt32 = 10_000

  /// What is done with a store.
  package enum Purpose {
    case reading, writing
  }

  /// Describes a store; opens nothing.
  ///
  /// - Parameters:
  ///   - folder: where it is; made by the caller.
  ///   - note: hears, in a sentence for people, that the store was damaged and what was saved.
  package init(_ layout: StoreLayout, in folder: String, note: @escaping @Sendable (String) -> Void) {
    self.layout = layout
    self.folder = folder
    path = folder + "/" + layout.fileName
    self.note = note
  }

  /// Whether a damaged store lies in a folder, kept for whoever can still make something of it.
  package static func hasDamaged(in folder: String) -> Bool {
    FolderNames.of(folder).contains { $0.contains(StoreRecovery.asideMark) }
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
      }
    }
    throw BridgeError(
      .ioError, "\(layout.content) in '\(folder)' can't be opened: they are damaged, or taken away each time")
  }

  /// Whether the log has grown so long that it should be written back; see ``SQLiteDatabase/takesCheckpoint()``.
  package func takesCheckpoint() -> Bool { database?.takesCheckpoint() ?? false }

  /// Closes the database until it is used again.
  package mutating func close() {
    database = nil
    lock = nil
    identity = FileIdentity()
  }

  /// Whether an error may be that somebody takes the files away, or makes them anew.
  private var mayPass: Bool { database == nil || FileIdentity(path) != identity }

  private mutating func once<R>(
    _ purpose: Purpose, _ waits: Bool, _ body: (SQLiteDatabase) throws -> R
  ) throws -> R {
    if purpose == .reading, let database, identity == FileIdentity(path) {
      database.waitsForOthers = waits
      return try body(database)
    }
    if lock == nil || (database == nil && lock?.isUnlinked == true) {
      do { lock = try StoreLock(folder) } catch {
        // A disk that is read only is read all the same, as it is now.
        guard purpose == .reading, access(folder, W_OK) != 0 else { throw error }
        return try body(try layout.openUnchanging(path))
      }
    }
    guard lock?.take(waits: waits) == true else {
      throw BridgeError(.conflict, "another process kept \(layout.content) locked for 5 s")
    }
    defer { lock?.letGo() }
    let database = try open()
    database.waitsForOthers = waits
    return try body(database)
  }

  private mutating func open() throws -> SQLiteDatabase {
    if let database, identity == FileIdentity(path) { return database }
    database = nil
    // Nobody mends meanwhile. One that can't be opened is known by this; one that is made now has no identity before.
    identity = FileIdentity(path)
    let made = try layout.open(path)
    (database, identity) = (made, FileIdentity(path))
    return made
  }
}
