// SPDX-License-Identifier: MIT

import Foundation
import NBridgePlugin
import Testing

@testable import NBridgeStore

/// One connection to a database, on real files.
@Suite struct SQLiteDatabaseTests {
  let folder: StoreFolder
  init() throws { folder = try StoreFolder() }

  private func open(_ name: String = "data", checkpoints: Bool = true) throws -> SQLiteDatabase {
    try SQLiteDatabase(path: folder.file(name), content: "the things", checkpoints: checkpoints)
  }

  private func rows(_ database: SQLiteDatabase, _ sql: String = "SELECT v FROM t ORDER BY k") throws
    -> [String]
  {
    var rows: [String] = []
    try database.run(sql) { rows.append($0.text(0)) }
    return rows
  }

  private func make(_ name: String = "data") throws -> SQLiteDatabase {
    let database = try open(name)
    try database.run("CREATE TABLE IF NOT EXISTS t (k INTEGER PRIMARY KEY, v)")
    return database
  }

  @Test func valuesOfEveryTypeComeBack() throws {
    let database = try make()
    let texts = ["", "a", "é漢🎉", "a\u{0}b", "'quoted' \"\\", String(repeating: "x", count: 100_000)]
    let blobs: [[UInt8]] = [[], [0], [255, 0, 1], [UInt8](repeating: 7, count: 100_000)]
    let numbers: [Int64] = [0, 1, -1, .max, .min]
    for text in texts { try database.run("INSERT INTO t (v) VALUES (?)", [.text(text)]) }
    for blob in blobs { try database.run("INSERT INTO t (v) VALUES (?)", [.blob(blob)]) }
    for blob in blobs { try database.run("INSERT INTO t (v) VALUES (?)", [.bytes(Bytes(blob))]) }
    for number in numbers { try database.run("INSERT INTO t (v) VALUES (?)", [.integer(number)]) }
    try database.run("INSERT INTO t (v) VALUES (?)", [.null])
    #expect(database.lastRow == Int64(texts.count + 2 * blobs.count + numbers.count + 1))
    var index = 0
    try database.run("SELECT v FROM t ORDER BY k") { row in
      defer { index += 1 }
      switch index {
      case texts.indices:
        #expect(row.text(0) == texts[index])
        #expect(row.optionalText(0) == texts[index])
      case texts.count..<(texts.count + 2 * blobs.count):
        let expected = blobs[(index - texts.count) % blobs.count]
        #expect(row.blob(0) == expected)
        #expect(row.bytes(0) == Bytes(expected))
        #expect(row.withBytes(0) { Array($0) } == expected)
        #expect(!row.isNull(0))
      case ..<(texts.count + 2 * blobs.count + numbers.count):
        #expect(row.integer(0) == numbers[index - texts.count - 2 * blobs.count])
      default:
        #expect(row.isNull(0))
        #expect(row.optionalText(0) == nil)
        #expect(row.blob(0) == nil)
        #expect(row.bytes(0) == nil)
        #expect(row.text(0) == "")
        #expect(row.integer(0) == 0)
      }
    }
    #expect(index == texts.count + 2 * blobs.count + numbers.count + 1)
  }

  /// A row as parameters is the same row.
  @Test func rowsAreCopiedWithTheirTypes() throws {
    let database = try open()
    try database.run("CREATE TABLE a (x, y, z, w)")
    try database.run("CREATE TABLE b (x, y, z, w)")
    try database.run("INSERT INTO a VALUES (1, ?, x'00FF', NULL), (-9, '', x'', NULL)", [.text("te\u{0}xt")])
    try database.run("SELECT * FROM a") { row in
      try database.run("INSERT INTO b VALUES (?,?,?,?)", row.values)
    }
    let types =
      "SELECT group_concat(typeof(x)||typeof(y)||typeof(z)||typeof(w)||quote(x)||quote(y)||quote(z)) FROM "
    #expect(try rows(database, types + "a") == rows(database, types + "b"))
  }

  @Test func statementsAreUsedAgain() throws {
    let database = try make()
    for index in 0..<500 { try database.run("INSERT INTO t (v) VALUES (?)", [.text("\(index)")]) }
    #expect(try rows(database).count == 500)
    // Parameters of the last run are not used in this one.
    try database.run("INSERT INTO t (k, v) VALUES (1000, ?)", [])
    var isNull = false
    try database.run("SELECT v FROM t WHERE k = 1000") { isNull = $0.isNull(0) }
    #expect(isNull)
  }

  /// A statement that was left in the middle is begun anew.
  @Test func aRowsErrorEndsTheStatement() throws {
    let database = try make()
    for index in 0..<5 { try database.run("INSERT INTO t (v) VALUES (?)", [.integer(Int64(index))]) }
    var seen = 0
    for _ in 0..<3 {
      let error = #expect(throws: BridgeError.self) {
        try database.run("SELECT v FROM t") { _ in
          seen += 1
          throw BridgeError(.cancelled, "enough")
        }
      }
      #expect(error?.code == .cancelled)
    }
    #expect(seen == 3)
    #expect(try rows(database).count == 5)
    try database.run("DELETE FROM t")
    #expect(database.changes == 5)
  }

  @Test func transactionsAreWholeOrNothing() throws {
    let database = try make()
    let answer = try database.transaction {
      try database.run("INSERT INTO t (v) VALUES ('a')")
      return 7
    }
    #expect(answer == 7)
    let error = #expect(throws: BridgeError.self) {
      try database.transaction {
        try database.run("INSERT INTO t (v) VALUES ('b')")
        throw BridgeError(.conflict, "no")
      }
    }
    #expect(error?.code == .conflict)
    #expect(try rows(database) == ["a"])
    // And another may follow.
    try database.transaction { try database.run("INSERT INTO t (v) VALUES ('c')") }
    #expect(try rows(database) == ["a", "c"])
  }

  @Test func aSnapshotDoesNotChange() throws {
    let (one, other) = (try make(), try open())
    try one.run("INSERT INTO t (v) VALUES ('a')")
    try other.snapshot { () throws in
      #expect(try rows(other) == ["a"])
      try one.run("INSERT INTO t (v) VALUES ('b')")
      #expect(try rows(other) == ["a"])
      #expect(try rows(one) == ["a", "b"])
    }
    #expect(try rows(other) == ["a", "b"])
  }

  @Test func aLockedDatabaseIsAConflict() throws {
    let (one, other) = (try make(), try open())
    other.waitsForOthers = false
    #expect(!other.waitsForOthers)
    try one.transaction {
      try one.run("INSERT INTO t (v) VALUES ('a')")
      let error = #expect(throws: BridgeError.self) { try other.run("INSERT INTO t (v) VALUES ('b')") }
      #expect(error?.code == .conflict)
      #expect(error?.message == "another process kept the things locked for 5 s")
      // Reading goes on.
      #expect(try rows(other) == [])
    }
    try other.run("INSERT INTO t (v) VALUES ('b')")
    #expect(try rows(one) == ["a", "b"])
  }

  /// A writer that waits gets in when the other is done.
  @Test func whoWaitsGetsIn() async throws {
    _ = try make()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask { [folder] in
          try await Blocking.run {
            let database = try SQLiteDatabase(path: folder.file("data"), content: "the things")
            for index in 0..<25 {
              try database.transaction {
                try database.run("INSERT INTO t (v) VALUES (?)", [.text("\(writer).\(index)")])
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try Set(rows(open())).count == 100)
  }

  @Test func theFileIsForItsOwnerAlone() throws {
    let previous = umask(0)
    defer { umask(previous) }
    let database = try make()
    try database.run("INSERT INTO t (v) VALUES ('a')")
    for name in folder.names { #expect(folder.mode(name) & 0o077 == 0, "\(name)") }
    #expect(folder.names.contains("data-wal"))
  }

  @Test func aFileThatOthersMayReadIsClosed() throws {
    folder.write([], to: "data")
    chmod(folder.file("data"), 0o644)
    _ = try make()
    #expect(folder.mode("data") == 0o600)
  }

  @Test func linksAndFoldersAreRefused() throws {
    _ = try make("real")
    symlink(folder.file("real"), folder.file("link"))
    let link = #expect(throws: BridgeError.self) { try open("link") }
    #expect(link?.code == .ioError)
    mkdir(folder.file("folder"), 0o700)
    #expect(throws: BridgeError.self) { try open("folder") }
    let missing = #expect(throws: BridgeError.self) { try open("none/data") }
    #expect(missing?.message == "can't open '\(folder.path)/none/data': No such file or directory")
  }

  @Test(arguments: [
    Array(
      ("this is no database, and longer than a header of one would be, which has a hundred bytes in it, "
        + "so it is read as one").utf8), [1, 2, 3],
  ])
  func whatIsNoDatabaseIsDamaged(_ bytes: [UInt8]) throws {
    folder.write(bytes, to: "data")
    #expect(throws: SQLiteDamaged.self) { try make() }
    #expect(folder.bytes("data") == bytes)
  }

  @Test func whatAStatementNamesAndIsMissingIsDamage() throws {
    let database = try make()
    #expect(throws: SQLiteDamaged.self) { try database.run("SELECT * FROM missing") }
    #expect(throws: SQLiteDamaged.self) { try database.run("SELECT missing FROM t") }
  }

  @Test func whatAConstraintForbidsIsAnError() throws {
    let database = try make()
    try database.run("INSERT INTO t VALUES (1, 'a')")
    let error = #expect(throws: BridgeError.self) { try database.run("INSERT INTO t VALUES (1, 'b')") }
    #expect(error?.code == .ioError)
    #expect(
      error?.message.hasPrefix("the things could not be read or written: UNIQUE constraint failed") == true)
    #expect(try rows(database) == ["a"])
  }

  @Test func theLogIsEmptiedWhenNobodyReads() throws {
    let (one, other) = (try open(checkpoints: false), try open(checkpoints: false))
    try one.run("CREATE TABLE t (k INTEGER PRIMARY KEY, v)")
    try one.run("INSERT INTO t (v) VALUES (?)", [.text(String(repeating: "x", count: 50_000))])
    #expect(folder.bytes("data-wal").count > 50_000)
    try other.snapshot { () throws in
      #expect(try rows(other).count == 1)
      #expect(!one.emptyLog())
    }
    #expect(one.emptyLog())
    #expect(folder.bytes("data-wal").isEmpty)
    #expect(try rows(other).count == 1)
  }

  @Test func nothingOfWhatWasDeletedIsLeft() throws {
    let database = try make()
    try database.run("PRAGMA secure_delete=ON")
    let secret = "a secret of sixteen bytes and more"
    try database.run("INSERT INTO t (v) VALUES (?)", [.text(secret)])
    try database.run("DELETE FROM t")
    #expect(database.emptyLog())
    for name in folder.names {
      #expect(folder.bytes(name).firstRange(of: Array(secret.utf8)) == nil, "\(name)")
    }
  }

  // MARK: - Without writing

  /// A path of any characters: those of URIs, and those past ASCII.
  @Test(arguments: [
    "plain", "ä", "漢字", "🎉", "a b", "a?b", "a#b", "a%41b", "100%", "ä?mode=memory", "a&b=c", "e\u{301}", "+",
    "'\"", "a\u{7F}b",
  ])
  func anUnchangingDatabaseIsReadUnderAnyName(_ name: String) throws {
    do {
      let database = try make(name)
      try database.run("INSERT INTO t (v) VALUES ('kept')")
      try database.run("PRAGMA journal_mode=DELETE")
    }
    let before = folder.names
    let database = try SQLiteDatabase(unchanging: folder.file(name), content: "the things")
    #expect(try rows(database) == ["kept"])
    #expect(throws: (any Error).self) { try database.run("INSERT INTO t (v) VALUES ('no')") }
    #expect(folder.names == before)
  }

  @Test func anUnchangingDatabaseThatIsNotThereIsNotMade() throws {
    let error = #expect(throws: BridgeError.self) {
      try SQLiteDatabase(unchanging: folder.file("none"), content: "the things")
    }
    #expect(error?.message.hasPrefix("can't open '\(folder.path)/none'") == true)
    #expect(folder.names.isEmpty)
  }
}
