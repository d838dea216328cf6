// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeStore
internal import Synchronization

/// The app's preferences: one SQLite database, `Library/Preferences/preferences.db`, mode 0600, and beside it
/// the number of changes, which tells whether what was read before still holds, and wakes watchers.
///
/// Each change takes the next number, so that a watcher asks for the changes that came after the last it saw,
/// whichever process wrote them.
final class PreferenceStore: Sendable {
  private struct State: ~Copyable {
    var store: SharedStore
    var counter: ChangeCounter
    var cache = PreferenceCache()
    var watcher: ChangeWatcher?
  }

  private let app: AppEnvironment
  private let file: String
  /// Has nothing in it but the number of changes: what else SQLite writes would wake watchers too early.
  private let notice: String
  private let state: Mutex<State>
  static let largestValue = 16 << 20
  private static let tries = 3

  init(_ app: AppEnvironment) {
    self.app = app
    let folder = app.container.preferences
    file = folder + "/" + PreferenceLayout.layout.fileName
    notice = folder + "/notice"
    state = Mutex(
      State(
        store: SharedStore(PreferenceLayout.layout, in: folder) { app.note($0) },
        counter: ChangeCounter(notice)))
  }

  /// Reading makes nothing: an app that never stored a setting has no database. One that can't be looked at
  /// may be there.
  ///
  /// - Throws: `io_error` when that can't be told.
  private func hasDatabase() throws -> Bool {
    if access(file, F_OK) == 0 { return true }
    if errno == ENOENT || errno == ENOTDIR { return false }
    throw BridgeError.system("look at the preferences", file)
  }

  func get(_ key: PreferenceKey) throws -> Value? {
    try state.withLock { state in
      // Before the database is read: a change that comes meanwhile has another number.
      let number = state.counter.value()
      if let known = state.cache.value(of: key.text, at: number) { return known.value }
      guard try hasDatabase() else { return nil }
      let value = try read(&state) { try PreferenceLayout.value(of: key.text, in: $0) }
      state.cache.keep(value, of: key.text, at: number)
      return value
    }
  }

  func set(_ key: PreferenceKey, to value: Value) throws {
    if value.kind == .undefined {
      _ = try remove(key)
      return
    }
    let archive = value.archived()
    guard archive.count <= Self.largestValue else {
      throw BridgeError(
        .tooLarge, "option.value has \(archive.count) bytes; a preference may have \(Self.largestValue)")
    }
    try state.withLock { state in
      let (before, after) = try write(&state) { database, change in
        try PreferenceLayout.put(archive, of: key.text, change, in: database)
      }.numbers
      state.cache.move(from: before, to: after)
      state.cache.keep(value, of: key.text, at: after)
    }
  }

  func remove(_ key: PreferenceKey) throws -> Bool {
    guard try hasDatabase() else { return false }
    return try state.withLock { state in
      try write(&state) { database, change in
        try database.transaction { try PreferenceLayout.remove(key.text, change, in: database) }
      }.result
    }
  }

  func keys() throws -> [String] {
    guard try hasDatabase() else { return [] }
    return try state.withLock { state in try read(&state) { try PreferenceLayout.keys(in: $0) } }
  }

  func clear() throws -> Int {
    guard try hasDatabase() else { return 0 }
    return try state.withLock { state in
      try write(&state) { database, change in
        try database.transaction { try PreferenceLayout.clear(change, database) }
      }.result
    }
  }

  /// The changes from now on, of one key or of all.
  func watch(key: String?) throws -> AsyncStream<PreferenceChange> {
    let (stream, continuation) = AsyncStream.makeStream(of: PreferenceChange.self)
    let watcher = try state.withLock { state -> ChangeWatcher in
      if let watcher = state.watcher { return watcher }
      try makeFolders()
      let known = try read(&state) { try PreferenceLayout.knowledge(in: $0) }
      let watcher = try ChangeWatcher(folder: notice, known: known) { [weak self] known in
        try? self?.changes(since: &known)
      } remake: { [weak self] in
        try? self?.makeFolders()
      }
      state.watcher = watcher
      return watcher
    }
    watcher.add(key: key, continuation)
    return stream
  }

  func close() {
    let watcher = state.withLock { state in
      state.store.close()
      state.counter.close()
      state.cache.forget()
      defer { state.watcher = nil }
      return state.watcher
    }
    watcher?.stop()
  }

  /// The changes since `known`, which is brought up to date.
  private func changes(since known: inout PreferenceKnowledge) throws -> [PreferenceChange] {
    try state.withLock { state in
      let (changes, now) = try read(&state) { database in
        try database.snapshot { try Self.changes(since: known, in: database) }
      }
      known = now
      return changes
    }
  }

  private static func changes(since known: PreferenceKnowledge, in database: SQLiteDatabase) throws -> (
    [PreferenceChange], PreferenceKnowledge
  ) {
    let now = try PreferenceLayout.knowledge(in: database)
    var numbers = now.changes.filter { known.changes[$0.key] != $0.value }
    // The last removals are noted; older ones are known by what is missing.
    let removals = try PreferenceLayout.removals(after: known.removal, in: database)
    for (key, number) in removals where now.changes[key] == nil { numbers[key] = number }
    for key in known.changes.keys where now.changes[key] == nil { numbers[key] = numbers[key] ?? 0 }
    let changes = try numbers.sorted { ($0.value, $0.key.text) < ($1.value, $1.key.text) }.map { key, _ in
      let value = try PreferenceLayout.value(of: key.text, in: database)
      return PreferenceChange(key: key.text, value: value, removed: value == nil)
    }
    return (changes, now)
  }

  // MARK: - The database

  private func makeFolders() throws {
    if access(notice, W_OK) == 0 { return }
    for _ in 0..<Self.tries {
      try app.container.create()
      if mkdir(notice, 0o700) == 0 || errno == EEXIST { return }
      // Another program takes the container away.
      guard errno == ENOENT else { break }
    }
    throw BridgeError.system("make", notice)
  }

  private func read<R>(_ state: inout State, _ body: (SQLiteDatabase) throws -> R) throws -> R {
    try state.store.use(.reading, body)
  }

  /// Makes a change, which has a number of its own. Answers with the store's number of changes before, if it
  /// was even, and after.
  private func write<R>(_ state: inout State, _ body: (SQLiteDatabase, Int64) throws -> R) throws -> (
    result: R, numbers: (UInt64?, UInt64?)
  ) {
    if try !hasDatabase() { try makeFolders() }
    var counter = ChangeCounter(notice)
    swap(&counter, &state.counter)
    defer { swap(&counter, &state.counter) }
    var before: UInt64 = 0
    var after: UInt64?
    let result = try state.store.use(.writing) { database in
      before = try counter.begin { try PreferenceLayout.lastChange(in: database) }
      // Also when nothing was changed after all: an odd number would keep all processes from remembering
      // anything.
      defer { after = try? counter.end(before) }
      return try body(database, Int64(clamping: before + 1))
    }
    return (result, (before, after))
  }
}
