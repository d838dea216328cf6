// SPDX-License-Identifier: MIT

import Foundation
import NBridgePlugin
import Synchronization
import Testing

@testable import NBridgeStore

/// A store of several processes: two handles stand for two of them.
@Suite struct SharedStoreTests {
  let folder: StoreFolder
  let notes = Notes()
  init() throws { folder = try StoreFolder() }

  final class Notes: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
  }

  static func layout(version: Int64 = 3, earlier: Set<Int64> = [], cleaning: [String] = []) -> StoreLayout {
    StoreLayout(
      content: "the notes", fileName: "notes.db", version: version, earlier: earlier,
      statements: [
        "CREATE TABLE note (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID",
        "CREATE TABLE extra (id INTEGER PRIMARY KEY, of TEXT)",
      ],
      tables: ["note", "extra"], counted: "note", cleaning: cleaning,
      adapt: { table, row in table == "note" && row.count == 1 ? row + [.blob([0])] : row })
  }

  private func store(_ layout: StoreLayout = Self.layout()) -> SharedStore {
    SharedStore(layout, in: folder.path) { [notes] in notes.add($0) }
  }

  private func put(_ store: inout SharedStore, _ key: String, _ value: [UInt8] = [1]) throws {
    try store.use(.writing) {
      try $0.run("INSERT OR REPLACE INTO note VALUES (?, ?)", [.text(key), .blob(value)])
    }
  }

  private func keys(_ store: inout SharedStore) throws -> [String] {
    try store.use(.reading) { database in
      var keys: [String] = []
      try database.run("SELECT key FROM note ORDER BY key") { keys.append($0.text(0)) }
      return keys
    }
  }

  private func cutMiddle(_ name: String = "notes.db") {
    var bytes = folder.bytes(name)
    for at in bytes.indices where at >= 4096 && at < bytes.count - 4096 {
      bytes[at] = UInt8(truncatingIfNeeded: at &* 17)
    }
    // The same file, so that it is known by what it was.
    let handle = FileHandle(forWritingAtPath: folder.file(name))
    handle?.write(Data(bytes))
    try? handle?.close()
  }

  @Test func whatOneWritesTheOtherReads() throws {
    var one = store()
    var other = store()
    #expect(try keys(&other) == [])
    try put(&one, "a")
    #expect(try keys(&other) == ["a"])
    try put(&other, "ä漢")
    #expect(try keys(&one) == ["a", "ä漢"])
    one.close()
    #expect(try keys(&one) == ["a", "ä漢"])
    #expect(folder.names.filter { $0.hasPrefix("notes") || $0 == "lock" }.count == folder.names.count)
    #expect(notes.all.isEmpty)
  }

  @Test func openingsAreCounted() throws {
    var one = store()
    #expect(try one.use(.reading) { $0.opening } == 1)
    #expect(try one.use(.writing) { $0.opening } == 1)
    one.close()
    #expect(try one.use(.reading) { $0.opening } == 2)
  }

  @Test func aThrownErrorUndoesNothingElse() throws {
    var one = store()
    try put(&one, "a")
    let error = #expect(throws: BridgeError.self) {
      try one.use(.writing) { database in
        try database.transaction {
          try database.run("DELETE FROM note")
          throw BridgeError(.cancelled, "no")
        }
      }
    }
    #expect(error?.code == .cancelled)
    #expect(try keys(&one) == ["a"])
  }

  /// Another program took the files away under a store that is open.
  @Test(arguments: [
    ["notes.db"], ["notes.db", "notes.db-wal", "notes.db-shm"], ["lock"], ["notes.db", "lock"],
    ["notes.db-wal", "notes.db-shm", "notes.db", "lock"],
  ])
  func aStoreWhoseFilesAreGoneBeginsAnew(_ gone: [String]) throws {
    var one = store()
    var other = store()
    try put(&one, "a")
    #expect(try keys(&other) == ["a"])
    for name in gone { unlink(folder.file(name)) }
    try put(&other, "b")
    let expected = gone.contains("notes.db") ? ["b"] : ["a", "b"]
    #expect(try keys(&one) == expected)
    #expect(try keys(&other) == expected)
    #expect(
      try one.use(.writing) { database in
        var count: Int64 = 0
        try database.run("SELECT count(*) FROM note") { count = $0.integer(0) }
        return count
      } == Int64(expected.count))
  }

  @Test func aWholeFolderThatIsGoneIsMadeAgainByWhoPrepares() throws {
    let place = folder.file("inner")
    var one = SharedStore(Self.layout(), in: place, prepare: { try Folders.make(place) }, note: { _ in })
    try put(&one, "a")
    try FileManager.default.removeItem(atPath: place)
    try put(&one, "b")
    #expect(try keys(&one) == ["b"])
    var unprepared = SharedStore(Self.layout(), in: folder.file("nowhere"), note: { _ in })
    let error = #expect(throws: BridgeError.self) { try keys(&unprepared) }
    #expect(error?.code == .ioError)
  }

  // MARK: - Damage

  @Test func aFileThatIsNoDatabaseIsSetAside() throws {
    let rubbish = Array(String(repeating: "rubbish ", count: 200).utf8)
    folder.write(rubbish, to: "notes.db")
    var one = store()
    #expect(try keys(&one) == [])
    try put(&one, "a")
    let aside = try #require(folder.names.first { $0.contains(".damaged-") })
    #expect(folder.bytes(aside) == rubbish)
    #expect(notes.all.count == 1)
    #expect(
      notes.all[0].hasPrefix(
        "nbridge: the notes in '\(folder.path)/notes.db' were damaged: 0 of them could be saved, what is "
          + "left is kept as '"
      ))
    #expect(notes.all[0].hasSuffix("\(aside)'"))
  }

  @Test func whatCanStillBeReadIsSaved() throws {
    do {
      var one = store()
      for index in 0..<400 {
        try put(&one, "key \(1000 + index)", [UInt8](repeating: UInt8(index % 256), count: 300))
      }
      try one.use(.writing) { database in
        try database.run("INSERT INTO extra VALUES (5, 'ä')")
        _ = database.emptyLog()
      }
    }
    cutMiddle()
    var one = store()
    var other = store()
    let saved = try keys(&one)
    #expect(try keys(&other) == saved)
    #expect(notes.all.count == 1)
    #expect(notes.all.first?.contains("\(saved.count) of them could be saved") == true)
    #expect(saved.count < 400)
    // It is a whole store again.
    try put(&other, "new")
    #expect(try keys(&one) == (saved + ["new"]).sorted())
    #expect(
      folder.names.filter { $0.contains(".damaged-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.count
        == 1)
    #expect(!folder.names.contains { $0.contains(".new") })
    #expect(
      SharedStore.latestAside(in: folder.path).map { abs($0 - Int64(Date().timeIntervalSince1970)) < 100 }
        == true)
    SharedStore.removeAsides(in: folder.path, since: 0)
    #expect(SharedStore.latestAside(in: folder.path) == nil)
    #expect(try keys(&one).count == saved.count + 1)
  }

  /// The first and the last page hold; one in the middle does not: rows before and behind it are saved.
  @Test func rowsOnBothSidesOfTheDamageAreSaved() throws {
    do {
      var one = store()
      try one.use(.writing) { database in
        try database.transaction {
          for index in 1...2000 {
            try database.run(
              "INSERT INTO extra VALUES (?, ?)",
              [.integer(Int64(index)), .text(String(repeating: "x", count: 100))])
          }
        }
        _ = database.emptyLog()
      }
    }
    var bytes = folder.bytes("notes.db")
    let page = bytes.count / 4096 / 2
    for at in (page * 4096)..<((page + 1) * 4096) { bytes[at] = 0xFF }
    let handle = try #require(FileHandle(forWritingAtPath: folder.file("notes.db")))
    handle.write(Data(bytes))
    try handle.close()
    var one = store()
    let found = try one.use(.writing) { database -> (Int64, Int64, Int64) in
      var found: (Int64, Int64, Int64) = (0, 0, 0)
      try database.run(
        "SELECT count(of), min(id), max(id) FROM extra WHERE of IS NOT NULL AND length(of) > 0"
      ) {
        found = ($0.integer(0), $0.integer(1), $0.integer(2))
      }
      return found
    }
    #expect(found.0 > 1000 && found.0 < 2000)
    #expect(found.1 == 1)
    #expect(found.2 == 2000)
    #expect(notes.all.count == 1)
  }

  @Test func anotherVersionsStoreIsSetAside() throws {
    do {
      var older = store(Self.layout(version: 2))
      try put(&older, "a")
    }
    var one = store()
    #expect(try keys(&one).isEmpty == false || notes.all.count == 1)
    #expect(folder.names.contains { $0.contains(".damaged-") })
    #expect(notes.all.count == 1)
  }

  @Test func anEarlierVersionsRowsAreCarriedOver() throws {
    let old = StoreLayout(
      content: "the notes", fileName: "notes.db", version: 2,
      statements: ["CREATE TABLE note (key TEXT)", "CREATE TABLE extra (id INTEGER PRIMARY KEY, of TEXT)"],
      tables: ["note", "extra"], counted: "note")
    do {
      var older = SharedStore(old, in: folder.path) { _ in }
      try older.use(.writing) { database in
        for key in ["a", "ä"] { try database.run("INSERT INTO note VALUES (?)", [.text(key)]) }
        try database.run("INSERT INTO extra VALUES (7, 'gone'), (8, 'a')")
      }
    }
    let layout = Self.layout(
      earlier: [1, 2], cleaning: ["DELETE FROM extra WHERE of NOT IN (SELECT key FROM note)"])
    var one = store(layout)
    var other = store(layout)
    #expect(try keys(&one) == ["a", "ä"])
    #expect(try keys(&other) == ["a", "ä"])
    let rest = try one.use(.reading) { database in
      var rest: [Int64] = []
      try database.run("SELECT id FROM extra") { rest.append($0.integer(0)) }
      return rest
    }
    #expect(rest == [8])
    #expect(notes.all.isEmpty)
    #expect(!folder.names.contains { $0.contains(".damaged-") || $0.contains(".new") })
  }

  /// Two find the damage at once: one mends, the other uses what that made.
  @Test func damageIsMendedOnce() async throws {
    folder.write(Array(String(repeating: "rubbish ", count: 200).utf8), to: "notes.db")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<6 {
        group.addTask { [folder, notes] in
          try await Blocking.run {
            var store = SharedStore(Self.layout(), in: folder.path) { notes.add($0) }
            try store.use(.writing) { try $0.run("INSERT INTO note VALUES (?, x'00')", [.text("\(index)")]) }
          }
        }
      }
      try await group.waitForAll()
    }
    var one = store()
    #expect(try keys(&one) == ["0", "1", "2", "3", "4", "5"])
    #expect(notes.all.count == 1)
  }

  @Test func whatAKilledMenderLeftIsRemoved() throws {
    for ending in ["", "-wal", "-shm"] { folder.write([1, 2, 3], to: "notes.db.new\(ending)") }
    var one = store()
    try put(&one, "a")
    #expect(!folder.names.contains { $0.contains(".new") })
    #expect(try keys(&one) == ["a"])
  }

  // MARK: - Locks

  @Test func aLockedStoreIsAConflict() throws {
    var one = store()
    try put(&one, "a")
    var other = store()
    #expect(try keys(&other) == ["a"])
    let lock = try StoreLock(folder.path)
    #expect(lock.take(waits: false) == true)
    let error = #expect(throws: BridgeError.self) { try one.use(.writing, waits: false) { _ in } }
    #expect(error?.code == .conflict)
    #expect(error?.message == "another process kept the notes locked for 5 s")
    // A process that has the store open reads on.
    #expect(try keys(&other) == ["a"])
    lock.letGo()
    try one.use(.writing, waits: false) { _ in }
  }

  @Test func oneWriterAtATime() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask { [folder] in
          try await Blocking.run {
            var store = SharedStore(Self.layout(), in: folder.path) { Issue.record("\($0)") }
            for index in 0..<25 {
              try store.use(.writing) {
                try $0.run("INSERT INTO note VALUES (?, x'01')", [.text("\(writer) \(index)")])
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    var one = store()
    #expect(try keys(&one).count == 100)
  }

  @Test func aSecondConnectionSeesTheSame() throws {
    var one = store()
    try put(&one, "a")
    let beside = try one.openBeside()
    var count: Int64 = 0
    try beside.run("SELECT count(*) FROM note") { count = $0.integer(0) }
    #expect(count == 1)
    try put(&one, "b")
    #expect(one.hasLog == true)
    try beside.run("SELECT count(*) FROM note") { count = $0.integer(0) }
    #expect(count == 2)
  }

  /// A folder where nothing can be written: as on a disk that is mounted for reading, which root meets, too.
  @Test func aStoreThatNobodyCanWriteToIsRead() throws {
    var one = store()
    for key in ["a", "ä"] { try put(&one, key) }
    #expect(folder.bytes("notes.db-wal").count > 0)
    #expect(try read(Self.layout().openUnchanging(folder.file("notes.db"))) == ["a", "ä"])
    _ = try one.use(.writing) { $0.emptyLog() }
    one.close()
    unlink(folder.file("notes.db-wal"))
    let before = folder.names
    #expect(try read(Self.layout().openUnchanging(folder.file("notes.db"))) == ["a", "ä"])
    #expect(folder.names == before)
    guard getuid() != 0 else { return }
    chmod(folder.path, 0o500)
    var reader = store()
    #expect(try keys(&reader) == ["a", "ä"])
    #expect(throws: BridgeError.self) { try put(&reader, "b") }
  }

  private func read(_ database: SQLiteDatabase) throws -> [String] {
    var keys: [String] = []
    try database.run("SELECT key FROM note ORDER BY key") { keys.append($0.text(0)) }
    return keys
  }
}
