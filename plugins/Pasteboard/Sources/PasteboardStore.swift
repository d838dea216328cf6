// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeStore
internal import Synchronization

/// The pasteboards of a user, shared by all processes: an SQLite database, a folder of files for what is large, and a
/// file that is touched with each change, so that watchers wake. All 0600 in a folder of 0700.
final class PasteboardStore: Sendable {
  private struct State: ~Copyable {
    var database: SQLiteDatabase?
    /// Which file is open: another process may have put a new one in its place.
    var identity = FileIdentity()
    var notice: Int32 = -1
    var places: Places?
  }

  private let state = Mutex<State>(State())
  private let queue = SerialQueue()
  private let logWriter = LogWriter()
  private let app: AppEnvironment
  let presence = Presence()
  /// Known by it among the processes that change something.
  let process = RandomName.make()

  init(_ app: AppEnvironment) { self.app = app }

  // MARK: - Places

  var source: Source { Source(id: app.info.id, name: app.info.name) }

  /// Where the store's parts are.
  struct Places {
    let folder: String
    let blobs: BlobFolder
    /// Where owners are present.
    let presences: String
    /// The folder with nothing in it but the file that is touched.
    let notices: String

    var hasDamagedStores: Bool { FolderNames.of(folder).contains { $0.contains(StoreRecovery.asideMark) } }

    /// Makes them.
    init(_ shared: SharedFolders) throws {
      folder = try SharedFolders.make("pasteboard", in: shared.data)
      blobs = BlobFolder(path: try SharedFolders.make("pasteboard/blobs", in: shared.data))
      notices = try SharedFolders.make("pasteboard/notice", in: shared.data)
      presences = try SharedFolders.make("owners", in: shared.runtime)
    }
  }

  func places() throws -> Places { try Places(app.shared) }

  /// What shows that this app's container is still the one that it was.
  func mark() throws -> (file: String, text: String) {
    try app.container.create()
    guard let folder = realpath(app.container.applicationSupport, nil) else {
      throw BridgeError(
        .ioError, "can't find '\(app.container.applicationSupport)': \(String(cString: strerror(errno)))")
    }
    defer { free(folder) }
    let file = String(cString: folder) + "/pasteboard-owner"
    if let bytes = try SmallFile.read(file), !bytes.isEmpty {
      return (file, String(decoding: bytes, as: UTF8.self))
    }
    let text = RandomName.make()
    try SmallFile.replace(file, with: Array(text.utf8))
    return (file, text)
  }

  // MARK: - Doing something with it

  /// Does something in its turn: at once when nothing is under way and nobody else writes, else off the engine's thread.
  ///
  /// - Parameter isSmall: whether it takes microseconds.
  func perform<R: Sendable>(
    isSmall: Bool, isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable (StoreAccess) throws -> R
  ) async throws -> R {
    if isSmall, queue.isIdle, let done = try attempt(body) { return done }
    return try await queue.run { [self] in try wait(body) }
  }

  /// Does something now, if it needs no waiting; else in its turn, and tells `later`.
  func performSoon<R: Sendable>(
    _ body: @escaping @Sendable (StoreAccess) throws -> R,
    later: @escaping @Sendable (Result<R, any Error>) -> Void
  ) throws -> R? {
    if queue.isIdle, let done = try attempt(body) { return done }
    queue.submit { [self] in later(Result { try wait(body) }) }
    return nil
  }

  /// Nil when somebody else holds the database.
  private func attempt<R: Sendable>(_ body: (StoreAccess) throws -> R) throws -> R? {
    try state.withLockIfAvailable { state -> R? in
      do { return try run(body, &state, waits: false) } catch let error as BridgeError
        where error.code == .conflict
      {
        return nil
      }
    } ?? nil
  }

  /// Waits for whoever holds the database, seconds at the most.
  func wait<R: Sendable>(_ body: (StoreAccess) throws -> R) throws -> R {
    try state.withLock { try run(body, &$0, waits: true) }
  }

  private func run<R>(_ body: (StoreAccess) throws -> R, _ state: inout State, waits: Bool) throws -> R {
    for _ in 0..<Self.repairs {
      do { return try once(body, &state, waits: waits) } catch let error as BridgeError
        where error.code == .ioError && wasTakenAway(state)
      {
        state.database = nil
      } catch is SQLiteDamaged {
        state.database = nil
        try StoreRecovery(folder: places().folder, note: app.note).repair()
      }
    }
    throw BridgeError(
      .ioError,
      "the pasteboards in '\(try places().folder)' can't be opened: they are damaged, or taken away each time"
    )
  }

  /// Whether somebody has removed the files that are open.
  private func wasTakenAway(_ state: borrowing State) -> Bool {
    let folder = state.places?.folder ?? app.shared.data + "/pasteboard"
    let found = FileIdentity(folder + "/" + StoreRecovery.fileName)
    return state.database == nil ? found.isUnlinked : found != state.identity
  }

  /// So often a damaged store is mended before it is given up.
  private static let repairs = 3

  private func once<R>(_ body: (StoreAccess) throws -> R, _ state: inout State, waits: Bool) throws -> R {
    let (database, places) = try open(&state)
    database.waitsForOthers = waits
    let access = StoreAccess(database: database, store: self, places: places)
    let result = try body(access)
    if access.outcome.hasChanged { touch(&state) }
    places.blobs.remove(access.outcome.unused)
    for presence in access.outcome.presences { unlink(places.presences + "/" + presence) }
    let isLong = database.takesCheckpoint()
    if isLong || access.outcome.erases { logWriter.run(places.folder, empties: access.outcome.erases) }
    return result
  }

  private func open(_ state: inout State) throws -> (SQLiteDatabase, Places) {
    if let database = state.database, let places = state.places,
      state.identity == FileIdentity(places.folder + "/" + StoreRecovery.fileName)
    {
      return (database, places)
    }
    state.database = nil
    let places = try places()
    let path = places.folder + "/" + StoreRecovery.fileName
    let database = try SQLiteDatabase(path: path, content: "the pasteboards", checkpoints: false)
    try database.run("PRAGMA secure_delete=ON")
    try StoreSchema.create(in: database)
    (state.database, state.places, state.identity) = (database, places, FileIdentity(path))
    try StoreAccess(database: database, store: self, places: places).sweepFiles()
    return (database, places)
  }

  /// Wakes watchers.
  private func touch(_ state: inout State) {
    if state.notice < 0, let places = state.places {
      state.notice = Glibc.open(
        places.notices + "/changed", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    }
    var byte: UInt8 = 0
    if pwrite(state.notice, &byte, 1, 0) != 1 || FileIdentity(descriptor: state.notice).isUnlinked {
      Glibc.close(state.notice)
      state.notice = -1
    }
  }

  /// Ends what ends with this process.
  func close() {
    if let id = presence.id {
      try? wait { access in try access.removeBoards(ofOwner: id) }
      if let places = try? places() { presence.release(in: places.presences) }
    }
    state.withLock { state in
      state.database = nil
      if state.notice >= 0 { Glibc.close(state.notice) }
      state.notice = -1
    }
  }
}

/// Which file a path leads to.
struct FileIdentity: Equatable {
  private var device: UInt64 = 0
  private var inode: UInt64 = 0
  private(set) var isUnlinked = true

  init() {}

  init(_ path: String) {
    var status = stat()
    if stat(path, &status) == 0 { take(status) }
  }

  init(descriptor: Int32) {
    var status = stat()
    if fstat(descriptor, &status) == 0 { take(status) }
  }

  private mutating func take(_ status: stat) {
    (device, inode, isUnlinked) = (UInt64(status.st_dev), UInt64(status.st_ino), status.st_nlink == 0)
  }
}
