// SPDX-License-Identifier: MIT

import FoundationEssentials
import LoggerPlugin
import TestSupport
import Testing

@testable import NBridgeLogs

/// Records in pages, of which some are in memory.
@Suite struct LogPagesUnitTests {
  @Test(arguments: [
    ("", 0, []), ("a\n", 1, ["a"]), ("a\nb\n", 2, ["a", "b"]), ("\n\n", 2, ["", ""]),
    ("日本\nx\n", 2, ["日本", "x"]),
  ])
  func linesOfAPageAreFound(_ text: String, _ count: Int, _ lines: [String]) {
    let page = PageLines(Array(text.utf8))
    #expect(page.count == count)
    #expect((0..<page.count).map { page.with($0) { String(decoding: $0, as: UTF8.self) } } == lines)
    page.append(Array("more\n".utf8))
    #expect(page.count == count + 1 && page.with(count) { String(decoding: $0, as: UTF8.self) } == "more")
  }

  @Test func batchesExtendTheLastPageOrBeginOne() throws {
    let bench = try StoreBench()
    let archive = try bench.archive()
    let pages = try LogPages(bench.store, since: 0)
    #expect(pages.end == LogPosition(page: 0, line: 0) && pages.count == 0)
    archive.add(1, 2, "one")
    #expect(try archive.commit().map { pages.append($0) } == [LogPosition(page: 0, line: 0)])
    archive.add(1, 2, "two")
    archive.add(1, 2, "three")
    #expect(try archive.commit().map { pages.append($0) } == [LogPosition(page: 0, line: 1)])
    #expect(pages.count == 3 && pages.end == LogPosition(page: 0, line: 3) && pages.lines(0).count == 3)
    archive.add(1, 2, String(repeating: "x", count: LogArchive.pageSize))
    archive.add(1, 2, "next page")
    #expect(
      try archive.commit().map { pages.append($0) } == [
        LogPosition(page: 0, line: 3), LogPosition(page: 1, line: 0),
      ])
    #expect(Line.messages(pages.lines(1).bytes) == ["next page"])
  }

  /// A batch without its lines, or one that the store gave away already, is read from there.
  @Test func whatIsNotInMemoryIsRead() throws {
    let bench = try StoreBench()
    let archive = try bench.archive()
    archive.add(1, 2, "one")
    _ = try archive.commit()
    let pages = try LogPages(bench.store, since: 0)
    archive.add(1, 2, "two")
    var batch = try archive.commit()[0]
    // Read in between: it has the second line before it is told of.
    #expect(pages.lines(0).count == 2)
    _ = pages.append(batch)
    #expect(pages.lines(0).count == 2 && Line.messages(pages.lines(0).bytes) == ["one", "two"])
    archive.add(1, 2, "three")
    batch = try archive.commit()[0]
    batch.lines = nil
    _ = pages.append(batch)
    #expect(Line.messages(pages.lines(0).bytes) == ["one", "two", "three"])
  }

  @Test func aPageThatIsGoneHasNoLines() throws {
    let bench = try StoreBench()
    let archive = try bench.archive()
    archive.add(1, 2, "one")
    _ = try archive.commit()
    let pages = try LogPages(bench.store, since: 0)
    try bench.store.trim(bytes: 0, before: 0)
    #expect(pages.lines(0).count == 0)
    #expect(try pages.mayMatch(0, LogFilter("x")) == false)
  }
}

/// Which records stand on the screen.
@Suite struct LogWindowUnitTests {
  /// How many stores of chance are looked at; `NBRIDGE_SEEDS` says how many else.
  static let seeds = ProcessInfo.processInfo.environment["NBRIDGE_SEEDS"].flatMap { Int($0) } ?? 6

  /// A store with several pages, a window over it, and what a plain list of its records says.
  private final class Bench {
    let store: StoreBench
    let archive: LogArchive
    let pages: LogPages
    var records: [(place: LogPosition, text: String, rank: Int)] = []
    private var number = 0

    init() throws {
      store = try StoreBench()
      archive = try store.archive()
      pages = try LogPages(store.store, since: 0)
    }

    func add(_ count: Int, _ dice: inout SeededGenerator, _ window: inout LogWindow?) throws {
      for _ in 0..<count {
        let padding = String(repeating: "x", count: dice.below(4) == 0 ? 20_000 : 10)
        let rank = dice.below(7)
        let text = "\(dice.pick(["red", "green", "blue"])) n\(number) \(padding)"
        archive.add(1, rank, Line.record(text, rank))
        records.append((LogPosition(page: 0, line: 0), text, rank))
        number += 1
      }
      for batch in try archive.commit() {
        let place = pages.append(batch)
        window?.appended(at: place)
      }
      var at = 0
      for page in pages.summaries.indices {
        for line in 0..<pages.summaries[page].lines {
          records[at].place = LogPosition(page: page, line: line)
          at += 1
        }
      }
      #expect(at == records.count)
    }

    func matching(_ filter: LogFilter) -> [LogPosition] {
      records.filter { Line.matches(filter, Line.record($0.text, $0.rank), rank: $0.rank) }.map(\.place)
    }
  }

  /// Whatever is done, the rows are neighbours among the records that the filter lets through.
  @Test(arguments: 0..<max(2, seeds / 5))
  func rowsAreNeighbours(_ seed: Int) throws {
    var dice = SeededGenerator(seed: seed)
    let bench = try Bench()
    var none: LogWindow?
    try bench.add(dice.below(60), &dice, &none)
    var window: LogWindow? = LogWindow(bench.pages, try LogFilter(""))
    window?.set(height: 6)
    for step in 0..<120 {
      let patience = Patience(dice.below(3) == 0 ? dice.below(3) : 1000)
      let isOver = { patience.isOver() }
      let action = dice.below(12)
      switch action {
      case 0: try bench.add(1 + dice.below(6), &dice, &window)
      case 1:
        window?.set(
          try LogFilter(dice.pick(["", "red", "level>=error", "-blue", "nothing", "level<info green"]))
        )
      case 2: window?.set(height: 1 + dice.below(9))
      case 3: window?.follow()
      case 4: window?.pause()
      case 5: window?.top(isOver)
      case 6: window?.select(row: dice.below(8) - 1)
      case 7, 8: window?.move(dice.pick([-1, -1, -5, -20]), isOver)
      case 9, 10: window?.move(dice.pick([1, 1, 5, 20]), isOver)
      default:
        _ = window?.jump(forward: dice.below(2) == 0, isOver) { StoredLine($0).map { $0.rank >= 5 } ?? false }
      }
      if dice.below(2) == 0 { _ = window?.look(isOver) }
      guard let window else { return }
      let all = bench.matching(window.filter)
      let text = "seed \(seed), step \(step), action \(action)"
      #expect(window.rows.count <= window.height, "\(text)")
      if let first = window.rows.first {
        let start = all.firstIndex(of: first)
        let end = start.map { min(all.count, $0 + window.rows.count) }
        #expect(start.map { Array(all[$0..<(end ?? $0)]) } == window.rows, "\(text)")
        #expect(window.rows.indices.contains(window.cursor), "\(text)")
      }
      if window.isFollowing,
        !window.isLooking
      {
        #expect(window.rows == Array(all.suffix(window.height)), "\(text)")
      }
    }
  }

  /// With time enough, looking ends with a full screen or with all there is.
  @Test(arguments: 0..<seeds)
  func lookingFillsTheScreen(_ seed: Int) throws {
    var dice = SeededGenerator(seed: seed)
    let bench = try Bench()
    var none: LogWindow?
    try bench.add(80, &dice, &none)
    let filter = try LogFilter(dice.pick(["", "red", "level>=error", "nothing"]))
    var window = LogWindow(bench.pages, filter)
    window.set(height: 1 + dice.below(30))
    var looks = 0
    while window.isLooking, looks < 1000 {
      let patience = Patience(1)
      _ = window.look { patience.isOver() }
      looks += 1
    }
    #expect(window.rows == Array(bench.matching(filter).suffix(window.height)), "seed \(seed)")
    window.top { false }
    #expect(window.rows == Array(bench.matching(filter).prefix(window.height)) && window.cursor == 0)
  }

  /// A jump that is cut short goes on where it stopped, and comes to the same as one with time enough.
  @Test(arguments: 0..<seeds)
  func jumpsFindTheNextThatHolds(_ seed: Int) throws {
    var dice = SeededGenerator(seed: seed)
    let bench = try Bench()
    var none: LogWindow?
    try bench.add(100, &dice, &none)
    let all = bench.records.map(\.place)
    let isWanted = { (line: UnsafeBufferPointer<UInt8>) in StoredLine(line)?.rank == 6 }
    for isForward in [true, false] {
      var window = LogWindow(bench.pages, try LogFilter(""))
      window.set(height: 8)
      window.top { false }
      if !isForward {
        window.follow()
        _ = window.look { false }
      }
      var at = window.selected.flatMap { all.firstIndex(of: $0) } ?? 0
      var hops = 0
      while hops < 100 {
        hops += 1
        var from: LogPosition?, end: LogWindow.Jump = .none
        repeat {
          let patience = Patience(1)
          end = window.jump(forward: isForward, from: from, { patience.isOver() }, where: isWanted)
          if case .late(let place) = end { from = place } else { from = nil }
        } while from != nil
        let next =
          isForward
          ? bench.records.indices.first { $0 > at && bench.records[$0].rank == 6 }
          : bench.records.indices.last { $0 < at && bench.records[$0].rank == 6 }
        guard let next else {
          guard case .none = end else { return _ = Issue.record("seed \(seed): found what is not there") }
          break
        }
        #expect(window.selected == all[next] && !window.isFollowing, "seed \(seed), \(isForward)")
        at = next
      }
    }
  }

  @Test func anEmptyStoreShowsNothingAndBreaksNothing() throws {
    let bench = try Bench()
    var window = LogWindow(bench.pages, try LogFilter(""))
    _ = window.look { false }
    for count in [-5, -1, 0, 1, 5] { window.move(count) { false } }
    window.top { false }
    window.select(row: 0)
    #expect(window.rows.isEmpty && window.selected == nil)
    guard case .none = window.jump(forward: true, { false }, where: { _ in true }) else {
      return _ = Issue.record("found something")
    }
  }
}
