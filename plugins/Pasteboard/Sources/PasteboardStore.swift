// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeStore
internal import NBridgeSystem
internal import Synchronization

/// The pasteboards of a user, shared by all processes: an SQLite database, a folder of files for what is
/// large or leaves no trace, and a file that is touched with each change, so that watchers wake. All 0600 in
/// a folder of 0700.
final class PasteboardStore: Sendable {
  private struct State: ~Copyable {
    var store: SharedStore
    var notice: Descriptor?
    var isClosed = false
  }

  private let state: Mutex<State>
  private let queue = SerialQueue()
  private let app: AppEnvironment
  let presence = OwnerLock()
  /// Known by it among the processes that change something.
  let process = RandomName.make()
  /// The folder that the database is in.
  private let folder: String
  /// As they were when the database was opened last.
  private let known = Mutex<(opening: Int, places: Places)?>(nil)
  /// Hears of the first use.
  private let isUsed = Mutex<FirstUse?>(nil)

  private struct FirstUse {
    let tell: @Sendable () -> Void
  }
  private let hasOwnChange = Atomic<Bool>(false)
  /// One thread at a time takes away what has gone.
  let erasing = Mutex<Void>(())

  /// - Parameter isUsed: called when the store was used for the first time.
  init(_ app: AppEnvironment, isUsed: @escaping @Sendable () -> Void) {
    self.app = app
    self.isUsed.withLock { $0 = FirstUse(tell: isUsed) }
    folder = app.shared.data + "/pasteboard"
    let shared = app.shared
    let store = SharedStore(PasteboardLayout.layout, in: folder) {
      _ = try Places(shared)
    } note: {
      app.note($0)
    }
    state = Mutex(State(store: store))
  }

  // MARK: - Places

  var source: Source { Source(id: app.info.id, name: app.info.name) }

  /// The paths of the store's parts.
  struct Places {
    let folder: String
    let blobs: BlobFolder
    /// The folder of the owners that are present.
    let presences: String
    /// The folder with nothing in it but the file that is touched.
    let notices: String

    /// When the latest damaged store was set aside that is still there, in seconds since 1970; nil when there
    /// is none.
    let latestAside: Int64?

    /// Removes damaged stores that may hold a content made at a time, in milliseconds since 1970, which is to
    /// go.
    func removeAsides(since time: Int64) {
      guard let latestAside, latestAside >= time / 1000 else { return }
      SharedStore.removeAsides(in: folder, since: time / 1000)
    }

    /// Makes them.
    init(_ shared: SharedFolders) throws {
      folder = try SharedFolders.make("pasteboard", in: shared.data)
      blobs = BlobFolder(path: try SharedFolders.make("pasteboard/blobs", in: shared.data))
      notices = try SharedFolders.make("pasteboard/notice", in: shared.data)
      presences = try SharedFolders.make("owners", in: shared.runtime)
      latestAside = SharedStore.latestAside(in: folder)
    }
  }

  func places() throws -> Places { try Places(app.shared) }

  /// A mark in this app's container, which shows that the container is still the one that it was.
  func mark() throws -> (file: String, text: String) {
    try app.container.create()
    guard let folder = realpath(app.container.applicationSupport, nil) else {
      throw BridgeError.system("find", app.container.applicationSupport)
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

  /// Does something in its turn: at once when nothing is under way and no other process writes, else off the
  /// engine's thread.
  ///
  /// - Parameters:
  ///   - purpose: what it is for; a reader may find that something is over, and writes then.
  ///   - isSmall: whether it takes microseconds.
  ///   - before: called before other processes are kept out; possibly twice.
  ///   - body: may run more than once, each time with nothing done before.
  func perform<R: Sendable>(
    _ purpose: SharedStore.Purpose = .reading, isSmall: Bool, isolation: isolated (any Actor)? = #isolation,
    before: @escaping @Sendable (BlobFolder) throws -> Void = { _ in },
    _ body: @escaping @Sendable (StoreAccess) throws -> R
  ) async throws -> R {
    if isSmall, queue.isIdle {
      try before(blobs())
      if let done = try attempt(purpose, body) { return done }
    }
    return try await queue.run { [self] in
      try before(blobs())
      return try wait(purpose, body)
    }
  }

  private func blobs() throws -> BlobFolder {
    let blobs = BlobFolder(path: folder + "/blobs")
    return access(blobs.path, F_OK) == 0 ? blobs : try places().blobs
  }

  /// Does something now, if it needs no waiting; else in its turn, and tells `later`.
  func performSoon<R: Sendable>(
    _ body: @escaping @Sendable (StoreAccess) throws -> R,
    later: @escaping @Sendable (Result<R, any Error>) -> Void
  ) throws -> R? {
    if queue.isIdle, let done = try attempt(.reading, body) { return done }
    queue.submit { [self] in later(Result { try wait(.reading, body) }) }
    return nil
  }

  /// Nil when another process holds the database.
  private func attempt<R: Sendable>(
    _ purpose: SharedStore.Purpose, _ body: (StoreAccess) throws -> R
  ) throws -> R? {
    try state.withLockIfAvailable { state -> R? in
      do { return try run(purpose, body, &state, waits: false) } catch let error as BridgeError
        where error.code == .conflict
      {
        return nil
      }
    } ?? nil
  }

  /// Waits for the process that holds the database, seconds at the most.
  func wait<R: Sendable>(
    _ purpose: SharedStore.Purpose = .reading, _ body: (StoreAccess) throws -> R
  ) throws -> R {
    try state.withLock { try run(purpose, body, &$0, waits: true) }
  }

  private func run<R>(
    _ purpose: SharedStore.Purpose, _ body: (StoreAccess) throws -> R, _ state: inout State, waits: Bool
  ) throws -> R {
    do { return try once(purpose, body, &state, waits: waits) } catch is StoreAccess.NeedsWriting {
      return try once(.writing, body, &state, waits: waits)
    }
  }

  private func once<R>(
    _ purpose: SharedStore.Purpose, _ body: (StoreAccess) throws -> R, _ state: inout State, waits: Bool
  ) throws -> R {
    // The thread that takes away what is over may be at it still.
    guard !state.isClosed else { throw BridgeError(.cancelled, "the program ends") }
    let (result, access) = try state.store.use(purpose, waits: waits) { database in
      let access = StoreAccess(database, purpose, self, try places(of: database))
      return (try body(access), access)
    }
    if access.outcome.hasChanged {
      hasOwnChange.store(true, ordering: .relaxed)
      touch(&state, access.places)
    }
    access.places.blobs.remove(access.outcome.unused)
    for presence in access.outcome.presences { unlink(access.places.presences + "/" + presence) }
    isUsed.withLock { isUsed in
      defer { isUsed = nil }
      return isUsed
    }?.tell()
    return result
  }

  private func places(of database: SQLiteDatabase) throws -> Places {
    try known.withLock { known in
      if let known, known.opening == database.opening { return known.places }
      let places = try places()
      known = (database.opening, places)
      return places
    }
  }

  /// Wakes watchers.
  private func touch(_ state: inout State, _ places: Places) {
    if state.notice == nil {
      let path = places.notices + "/changed"
      state.notice = try? Descriptor.open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK)
    }
    guard let notice = state.notice else { return }
    let isTold = (try? notice.write([0], at: 0)) != nil
    if !isTold || FileIdentity(descriptor: notice.number).isUnlinked { state.notice = nil }
  }

  /// Whether this process has changed something since this was asked last.
  func takeOwnChange() -> Bool { hasOwnChange.exchange(false, ordering: .relaxed) }

  /// Whether the store's files may still hold contents that have gone.
  var hasLog: Bool { state.withLock { $0.store.hasLog } }

  /// A second connection, for what waits for the disk.
  func openBeside() throws -> SQLiteDatabase { try state.withLock { try $0.store.openBeside() } }

  /// Ends what ends with this process.
  func close() {
    if let id = presence.id {
      try? wait(.writing) { access in try access.removeBoards(ofOwner: id) }
      if let places = try? places() { presence.release(in: places.presences) }
    }
    if known.withLock({ $0 != nil }) { eraseAtEnd() }
    state.withLock { state in
      state.store.close()
      state.notice = nil
      state.isClosed = true
    }
  }
}
