// SPDX-License-Identifier: MIT

import Glibc
import LoggerPlugin
import NBridgePlugin
import NBridgeStore
import NBridgeTesting
import Synchronization
import TestSupport
import Testing

@testable import NBridgeLogs

/// Which records the viewer keeps, and which it forgets.
@Suite struct LogStoreUnitTests {
  private func page(
    _ id: Int, _ records: [String], begin: Int = 0, end: Int = 0, rank: Int = 2
  ) -> (PageSummary, [UInt8]) {
    var page = PageSummary(id: id, begin: begin, end: end)
    var text: [UInt8] = []
    for record in records { StoredLine.append(1, rank, record.utf8, to: &text) }
    page.ranks[rank] = records.count
    page.bytes = text.count
    return (page, text)
  }

  private func commit(_ store: LogStore, _ pages: [(PageSummary, [UInt8])]) throws {
    try store.commit(pages.map { (summary: $0.0, text: $0.1) }, [LogSource](), [Int]())
  }

  @Test func pagesComeBackAsTheyWereKept() throws {
    let bench = try StoreBench()
    #expect(try bench.store.lastPage == 0 && bench.store.summaries().isEmpty && bench.store.text(of: 1) == [])
    try commit(
      bench.store, [page(1, ["a", "b"], begin: 5, end: 9), page(2, ["c"], begin: 10, end: 12, rank: 6)]
    )
    let again = LogStore(in: bench.folder)
    let summaries = try again.summaries()
    #expect(summaries.map(\.id) == [1, 2] && summaries.map(\.lines) == [2, 1] && summaries[1].ranks[6] == 1)
    #expect(summaries.map(\.begin) == [5, 10] && summaries.map(\.end) == [9, 12])
    #expect(try again.text(of: 1) == Array("1\t2a\n1\t2b\n".utf8) && again.lastPage == 2)
    #expect(try again.withText(of: 3) { $0.count } == nil)
    #expect(try again.summaries(since: 10).map(\.id) == [2] && again.summaries(since: 13).isEmpty)
  }

  @Test func aPageThatGrowsIsWrittenOver() throws {
    let bench = try StoreBench()
    try commit(bench.store, [page(1, ["a"], begin: 5, end: 5)])
    try commit(bench.store, [page(1, ["a", "b"], begin: 99, end: 7)])
    let summary = try #require(try bench.store.summaries().first)
    #expect(summary.lines == 2 && summary.begin == 5 && summary.end == 7)
    #expect(try Line.messages(bench.store.text(of: 1)) == ["a", "b"])
  }

  @Test func sourcesAreKnownByTheirNames() throws {
    let bench = try StoreBench()
    let first = try bench.store.source("run-1", app: "chat", pid: 7, page: 1)
    let second = try bench.store.source("run-2", app: "chat", pid: 8, page: 1)
    #expect(first.next == 1 && first.id != second.id)
    let again = try bench.store.source("run-1", app: "other", pid: 99, page: 5)
    #expect(again.id == first.id && again.app == "chat" && again.pid == 7)
    var moved = first
    moved.next = 41
    try bench.store.commit([], [moved], [Int]())
    #expect(try bench.store.source("run-1", app: "", pid: 0, page: 1).next == 41)
    #expect(try bench.store.sources(where: "id = ?", [.integer(Int64(second.id))]).map(\.name) == ["run-2"])
    #expect(try bench.store.source("'; DROP TABLE pages --", app: "'\"", pid: 1, page: 1).app == "'\"")
  }

  // MARK: - Words

  @Test func wordsAreFoundInFullPagesAndTheOthersAreAlwaysLookedAt() throws {
    let bench = try StoreBench()
    try commit(bench.store, (1...6).map { page($0, [Line.record("word\($0) all")]) })
    #expect(try bench.store.pages(with: ["word3"]) == [1, 2, 3, 4, 5, 6])
    #expect(try bench.store.indexSome(before: 6))
    #expect(try bench.store.pages(with: ["word3"]) == [3, 5, 6])
    #expect(try bench.store.indexSome(before: 6))
    #expect(try !bench.store.indexSome(before: 6))
    #expect(try bench.store.pages(with: ["word3"]) == [3, 6])
    #expect(
      try bench.store.pages(with: ["WORD3", "ALL"]) == [3, 6] && bench.store.pages(with: ["word"]) == [6]
    )
    #expect(try bench.store.pages(with: ["all"]) == [1, 2, 3, 4, 5, 6])
    #expect(try bench.store.pages(with: ["word3", "word4"]) == [6])
  }

  /// A record that the index leaves out is never one that the filter would show.
  @Test(arguments: [
    "user:ada", "user:Zoë", "user:\"Ada L\"", "path:/api/v1", "service:db", "user:Zo*", "-user:ada",
    "user:x_y", "user:naïve-1",
    "note:\"a\\b\"", "message:\"it works\"", "level>=info user:ada", "user:日本",
  ])
  func aSearchWithTheIndexFindsWhatOneWithoutDoes(_ text: String) throws {
    let bench = try StoreBench()
    let fields = [
      #","user":"Ada""#, #","user":"Zoë""#, #","user":"Zo\u00eb""#, #","user":"Ada L""#,
      #","path":"\/api\/v1""#,
      #","path":"/api/v1""#, #","user":"x_y""#, #","user":"na\u00efve-1""#, #","user":"naïve-1""#,
      #","note":"a\\b""#, "",
      #","user":"\u65e5\u672c""#,
    ]
    try commit(bench.store, fields.indices.map { page($0 + 1, [Line.record("it works", 2, fields[$0])]) })
    let query = LogQuery(bench.store, try LogFilter(text))
    let before = try query.run(since: nil, until: nil) { _ in }
    while try bench.store.indexSome(before: 1000) {}
    #expect(try query.run(since: nil, until: nil) { _ in } == before)
  }

  @Test func aQueryKeepsToItsTimes() throws {
    let bench = try StoreBench()
    let at = { (second: Int) in
      #"{"time":"2026-11-22T10:00:\#(String(100 + second).dropFirst()).000Z","level":"info","message":"#
        + #""m\#(second)"}"#
    }
    let noon = LogTimeUnitTests.now * 1000
    try commit(
      bench.store,
      [
        page(1, (0..<10).map(at), begin: noon, end: noon + 9000),
        page(2, (10..<20).map(at), begin: noon + 10_000, end: noon + 19_000),
      ])
    let query = LogQuery(bench.store, try LogFilter(""))
    var messages: [String] = []
    let note = { (line: UnsafeBufferPointer<UInt8>) in
      messages.append(StoredLine(line).map { RecordView($0.json).message } ?? "")
    }
    #expect(try query.run(since: noon + 5000, until: noon + 12_000, note) == 8)
    #expect(messages == (5...12).map { "m\($0)" })
    #expect(try query.run(since: nil, until: noon + 2000) { _ in } == 3)
    #expect(try query.run(since: noon + 18_000, until: nil) { _ in } == 2)
    #expect(try query.run(since: noon + 30_000, until: nil) { _ in } == 0)
  }

  // MARK: - Bounds

  @Test func theOldestPagesGoUntilTheRestIsSmallEnough() throws {
    let bench = try StoreBench()
    try commit(bench.store, (1...5).map { page($0, [Line.record("word\($0)")], end: $0) })
    _ = try bench.store.indexSome(before: 3)
    let size = try bench.store.summaries()[0].bytes
    try bench.store.trim(bytes: 5 * size, before: 0)
    #expect(try bench.store.summaries().map(\.id) == [1, 2, 3, 4, 5])
    try bench.store.trim(bytes: 3 * size, before: 0)
    #expect(try bench.store.summaries().map(\.id) == [3, 4, 5])
    // Their words have gone with them.
    while try bench.store.indexSome(before: 100) {}
    #expect(try bench.store.pages(with: ["word1"]).isEmpty && bench.store.pages(with: ["word4"]) == [4])
    try bench.store.trim(bytes: 1 << 30, before: 5)
    #expect(try bench.store.summaries().map(\.id) == [5])
    try bench.store.trim(bytes: 0, before: 0)
    #expect(try bench.store.summaries().isEmpty)
    try bench.store.trim(bytes: 0, before: 1 << 40)
  }

  @Test func sourcesWithoutRecordsAreForgottenButForThoseInUse() throws {
    let bench = try StoreBench()
    for number in 1...4 { _ = try bench.store.source("run-\(number)", app: "a", pid: number, page: 1) }
    try commit(bench.store, [page(5, ["x"])])
    try bench.store.trimSources(butFor: { $0 == "run-2" })
    // The last number stays taken.
    #expect(try bench.store.sources().map(\.name) == ["run-2", "run-4"])
    try bench.store.trimSources(butFor: { _ in false })
    #expect(try bench.store.sources().map(\.name) == ["run-4"])
  }

  /// A store of the first version had no pages beside its sources.
  @Test func anOlderStoreIsBroughtUpToDate() throws {
    let bench = try StoreBench()
    do {
      let database = try SQLiteDatabase(path: bench.path, content: "the log's store", pageSize: 32768)
      try database.run(
        "CREATE TABLE sources (id INTEGER PRIMARY KEY, name TEXT UNIQUE, app TEXT, pid INTEGER, next INTEGER)"
      )
      try database.run("INSERT INTO sources VALUES (3, 'run', 'chat', 7, 12)")
    }
    let store = bench.store
    #expect(try store.sources().map(\.next) == [12])
    try store.commit([], [LogSource](), [3])
    #expect(try LogStore(in: bench.folder).source("run", app: "", pid: 0, page: 1).id == 3)
  }
}

/// A store that is damaged is mended, and goes on.
@Suite struct LogStoreDamageUnitTests {
  private func noise(_ path: String) throws {
    try SmallFile.replace(path, with: (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) })
  }

  @Test func whatIsNoDatabaseIsSetAsideAndSaid() throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    try noise(folder + "/records.db")
    let said = Mutex<[String]>([])
    let store = LogStore(in: folder) { line in said.withLock { $0.append(line) } }
    #expect(try store.summaries().isEmpty && store.source("run", app: "a", pid: 1, page: 1).id == 1)
    let lines = said.withLock(\.self)
    #expect(lines.count == 1)
    #expect(lines[0].hasPrefix("nbridge: the log's pages in '\(folder)/records.db' were damaged: 0 of them"))
    #expect(SharedStore.latestAside(in: folder) != nil)
    #expect(try LogStore(in: folder).sources().map(\.name) == ["run"])
  }

  /// What a viewer has open is damaged under its hands, and it keeps what comes after.
  @Test func aStoreThatIsDamagedWhileItIsOpenGoesOn() throws {
    let bench = try StoreBench()
    let archive = try bench.archive()
    try archive.join("run", app: "chat", pid: 7)
    #expect(archive.add(1, 2, Line.record("one"), of: "run"))
    _ = try archive.commit()
    for ending in ["-wal", "-shm"] { unlink(bench.path + ending) }
    try noise(bench.path)
    #expect(archive.add(2, 2, Line.record("two"), of: "run"))
    _ = try archive.commit()
    // The page was not full yet: the archive had all of it, and wrote it again.
    let store = LogStore(in: bench.folder)
    #expect(try store.summaries().map(\.lines) == [2])
    #expect(try Line.messages(store.text(of: 1)) == ["one", "two"])
    #expect(try store.sources().map(\.app) == ["chat"] && store.sources().map(\.next) == [3])
  }

  @Test func wordsOfSavedPagesAreFoundAgain() throws {
    let bench = try StoreBench()
    var page = PageSummary(id: 1, begin: 1, end: 2)
    (page.ranks[2], page.bytes) = (1, 8)
    try bench.store.commit([(page, Line.stored("a needle here") + [0x0A])], [LogSource](), [Int]())
    #expect(try bench.store.indexSome(before: 2) && bench.store.pages(with: ["needle"]) == [1])
    // Another program's version: nothing that this one can read as it is.
    try SQLiteDatabase(path: bench.path, content: "it").run("PRAGMA user_version = 99")
    let store = LogStore(in: bench.folder)
    #expect(try store.pages(with: ["needle"]) == [1])
    #expect(try store.indexSome(before: 2))
    #expect(try store.pages(with: ["needle"]) == [1] && store.pages(with: ["thread"]).isEmpty)
  }
}

/// How records become pages.
@Suite struct LogArchiveUnitTests {
  @Test func numbersAreTakenOnceAndConfirmedWhenTheyAreKept() throws {
    let bench = try StoreBench()
    let archive = try bench.archive()
    #expect(archive.next(of: "run") == 1 && !archive.add(1, 2, "{}", of: "run"))
    try archive.join("run", app: "chat", pid: 7)
    #expect(archive.add(1, 2, "{}", of: "run") && archive.add(2, 5, "{}", of: "run"))
    #expect(!archive.add(2, 2, "{}", of: "run") && !archive.add(1, 2, "{}", of: "run"))
    #expect(archive.add(9, 2, "{}", of: "run"))
    #expect(archive.next(of: "run") == 1 && archive.hasNews && archive.waiting > 0)
    let batches = try archive.commit()
    #expect(archive.next(of: "run") == 10 && !archive.hasNews && archive.waiting == 0)
    #expect(batches.count == 1 && batches[0].page.lines == 3 && batches[0].counts.values.reduce(0, +) == 3)
    #expect(try archive.commit().isEmpty)
    // Another viewer goes on where this one stopped.
    let other = try bench.archive()
    try other.join("run", app: "chat", pid: 7)
    #expect(
      other.next(of: "run") == 10 && !other.add(9, 2, "{}", of: "run") && other.add(10, 2, "{}", of: "run")
    )
    #expect(try other.commit()[0].page.id == 2)
  }

  @Test func aSourceIsForgottenWithItsLastConnectionAndComesBack() throws {
    let bench = try StoreBench()
    let archive = try bench.archive()
    try archive.join("run", app: "a", pid: 1)
    try archive.join("run", app: "a", pid: 1)
    _ = archive.add(1, 2, "{}", of: "run")
    archive.leave("run")
    _ = try archive.commit()
    #expect(archive.add(2, 2, "{}", of: "run"))
    archive.leave("run")
    #expect(archive.hasNews)
    _ = try archive.commit()
    #expect(!archive.add(3, 2, "{}", of: "run") && archive.next(of: "run") == 1)
    try archive.join("run", app: "a", pid: 1)
    #expect(archive.next(of: "run") == 3)
    archive.leave("run")
    try archive.join("run", app: "a", pid: 1)
    _ = try archive.commit()
    #expect(archive.add(3, 2, "{}", of: "run"))
  }

  /// However records come, the store has them in their order, each once, and batches tell the same.
  @Test(arguments: 0..<12)
  func whatCameIsKeptInItsOrder(_ seed: Int) throws {
    var dice = SeededGenerator(seed: seed)
    let bench = try StoreBench()
    let archive = try bench.archive()
    var expected: [String] = [], told: [String] = []
    var total = 0
    for number in 0..<300 {
      let text = "m\(number)" + String(repeating: "x", count: dice.below(3) == 0 ? dice.below(30_000) : 5)
      archive.add(1 + dice.below(3), dice.below(7), text)
      expected.append(text)
      if dice.below(20) == 0 {
        for batch in try archive.commit() {
          told += Line.messages(batch.lines ?? [])
          total += batch.counts.values.reduce(0, +)
        }
      }
    }
    for batch in try archive.commit() {
      told += Line.messages(batch.lines ?? [])
      total += batch.counts.values.reduce(0, +)
    }
    let summaries = try bench.store.summaries()
    let kept = try summaries.flatMap { Line.messages(try bench.store.text(of: $0.id)) }
    #expect(kept == expected && told == expected && total == expected.count, "seed \(seed)")
    for summary in summaries {
      let text = try bench.store.text(of: summary.id)
      #expect(summary.bytes == text.count && summary.lines == Line.messages(text).count)
      #expect(summary.begin <= summary.end && summary.begin > 0)
      // A page ends with the record that fills it.
      #expect(text.count < LogArchive.pageSize + 30_020)
    }
    #expect(summaries.dropLast().allSatisfy { $0.bytes >= LogArchive.pageSize })
  }

  @Test func boundsAreKept() throws {
    let bench = try StoreBench()
    let archive = try bench.archive(bytes: 150_000)
    for number in 0..<60 { archive.add(1, 2, "m\(number)" + String(repeating: "x", count: 10_000)) }
    _ = try archive.commit()
    while try archive.tidy() {}
    let pages = try bench.store.summaries()
    #expect(pages.reduce(0) { $0 + $1.bytes } <= 150_000 && !pages.isEmpty)
    #expect(try Line.messages(bench.store.text(of: pages[pages.count - 1].id)).last?.hasPrefix("m59") == true)
  }
}
