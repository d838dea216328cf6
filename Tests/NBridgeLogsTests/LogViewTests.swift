// SPDX-License-Identifier: MIT

import Foundation
import LoggerPlugin
import NBridgePlugin
import NBridgeTerminal
import TestSupport
import Testing

@testable import NBridgeLogs

/// The effects of keys on the viewer, and its display.
@Suite struct LogViewUnitTests {
  private final class Bench {
    let store: StoreBench
    let archive: LogArchive
    var state: LogViewState

    /// A viewer with records of these levels: `t d i n w e c`.
    init(_ levels: String = "") throws {
      store = try StoreBench()
      archive = try store.archive()
      state = LogViewState(LogWindow(try LogPages(store.store, since: 0), try LogFilter("")), SourceNames())
      state.window.set(height: 10)
      try add(levels)
    }

    func add(_ levels: String) throws {
      for (number, level) in levels.enumerated() {
        let rank = "tdinwec".map { $0 }.firstIndex(of: level) ?? 0
        archive.add(1, rank, Line.record("m\(number) \(level)", rank))
      }
      for batch in try archive.commit() { state.take(batch) }
      _ = state.window.look { false }
    }

    @discardableResult
    func press(_ keys: Key...) -> LogViewState.Effect? {
      var effect: LogViewState.Effect?
      for key in keys {
        effect = state.handle(key) { false } ?? effect
        _ = state.window.look { false }
      }
      return effect
    }

    /// The part of each row's message that is shown.
    var shown: [String] {
      state.window.rows.compactMap { state.row(at: $0)?.plain }.map { String($0.split(separator: " ")[3]) }
    }

    var selected: String? { state.selectedRow.map { String($0.plain.split(separator: " ")[3]) } }
  }

  private func plain(_ text: String) -> String { text.replacing(/\u{1B}\[[0-9;]*m/, with: "") }

  @Test func whatComesIsFollowedUntilSomebodyStops() throws {
    let bench = try Bench(String(repeating: "i", count: 12))
    #expect(bench.shown == (2...11).map { "m\($0)" } && bench.state.total == 12)
    bench.press(.text(" "))
    try bench.add("i")
    #expect(bench.shown == (2...11).map { "m\($0)" } && bench.state.total == 13)
    bench.press(.text("p"))
    #expect(bench.shown.last == "m0" && bench.state.window.isFollowing)
  }

  static let moves: [([Key], String)] = [
    ([.up], "m10"), ([.text("k"), .text("k")], "m9"), ([.up, .down], "m11"), ([.pageUp], "m1"),
    ([.text("b")], "m1"),
    ([.home], "m0"), ([.text("g")], "m0"), ([.text("g"), .text("G")], "m11"), ([.home, .end], "m11"),
    ([.wheel(-3)], "m8"),
    ([.home, .wheel(3)], "m3"), ([.home, .pageDown], "m10"), ([.click(row: 1)], "m2"),
    ([.click(row: 99)], "m11"),
    ([.home, .text("jjj")], "m3"), ([.home, .text("j"), .text("z")], "m1"),
  ]

  @Test(arguments: moves)
  func keysMove(_ keys: [Key], _ selected: String) throws {
    let bench = try Bench(String(repeating: "i", count: 12))
    for key in keys { bench.press(key) }
    #expect(bench.selected == selected)
  }

  @Test func errorsAreJumpedTo() throws {
    let bench = try Bench("eiiciiei" + String(repeating: "i", count: 10))
    bench.press(.text("e"))
    #expect(bench.selected == "m6")
    bench.press(.text("E"))
    #expect(bench.selected == "m3")
    bench.press(.text("E"), .text("E"))
    #expect(bench.selected == "m0" && bench.state.message == "no error before this")
    bench.press(.text("e"))
    #expect(bench.selected == "m3" && bench.state.message == "")
    bench.press(.text("e"), .text("e"))
    #expect(bench.state.message == "no error behind this")
  }

  /// A jump that takes too long says so; the same key looks on, any other begins anew.
  @Test func aLateJumpGoesOn() throws {
    let bench = try Bench("e")
    for _ in 0..<4 {
      bench.archive.add(
        1, 2, Line.record(String(repeating: "x", count: LogArchive.pageSize))
      )
    }
    try bench.add("i")
    bench.press(.text(" "))
    var presses = 0
    repeat {
      let patience = Patience(1)
      _ = bench.state.handle(.text("E")) { patience.isOver() }
      presses += 1
    } while bench.state.message == "nothing yet; E looks on" && presses < 50
    #expect(presses > 1 && bench.selected == "m0", "\(presses): \(bench.state.message)")
  }

  @Test func searchesGoOnInBothDirections() throws {
    let bench = try Bench("iwiwiwii")
    bench.press(.text("/"))
    #expect(bench.state.prompt == .search)
    bench.press(.text("w"), .enter)
    #expect(bench.selected == "m5" && bench.state.prompt == nil)
    bench.press(.text("N"))
    #expect(bench.selected == "m3")
    bench.press(.text("n"), .text("n"))
    #expect(bench.selected == "m5" && bench.state.message == "'w' is not behind this")
    // Enter alone searches for the same again.
    bench.press(.text("/"), .enter)
    #expect(bench.selected == "m3" && bench.state.searchText == "w")
    let other = try Bench("i")
    other.press(.text("n"))
    #expect(other.state.message == "search for what? / asks")
  }

  @Test func theFilterIsAppliedWhileItIsTyped() throws {
    let bench = try Bench("iwiwi")
    bench.press(.text("f"), .text("w"))
    #expect(bench.shown == ["m1", "m3"] && bench.state.filterText == "w")
    bench.press(.backspace, .text("/("))
    // A text that is no pattern yet changes nothing, and the message says why.
    #expect(bench.shown.count == 5 && bench.state.message.contains("'/(/'"))
    bench.press(.control("u"), .text("-w"), .enter)
    #expect(bench.shown == ["m0", "m2", "m4"] && bench.state.prompt == nil)
    bench.press(.text("f"))
    #expect(bench.state.typed == "-w")
    bench.press(.escape)
    #expect(bench.shown.count == 5 && bench.state.filterText == "")
  }

  @Test func levelsAndFiltersHoldTogether() throws {
    let bench = try Bench("tdinwec")
    for (key, count) in [("1", 7), ("4", 4), ("5", 3), ("7", 1)] {
      bench.press(.text(key))
      #expect(bench.shown.count == count, "\(key)")
    }
    bench.press(.text("5"), .text("f"), .text("e"), .enter)
    #expect(bench.shown == ["m5"] && bench.state.minLevel == .warning)
    bench.press(.text("x"))
    #expect(bench.shown.count == 7 && bench.state.minLevel == .trace && bench.state.filterText == "")
    for key in ["0", "8", "9"] {
      bench.press(.text(key))
      #expect(bench.shown.count == 7)
    }
  }

  @Test func overlaysComeAndGo() throws {
    let bench = try Bench("ii")
    bench.press(.text("?"))
    #expect(bench.state.overlay == .help)
    bench.press(.escape)
    #expect(bench.state.overlay == nil)
    bench.press(.text("s"))
    #expect(bench.state.overlay == .sources && bench.state.needsClock)
    bench.press(.text("s"))
    #expect(bench.state.overlay == nil)
    bench.press(.enter)
    #expect(bench.state.overlay == .detail && bench.selected == "m1")
    bench.press(.up)
    #expect(bench.state.overlay == .detail && bench.selected == "m0")
    bench.press(.text("h"))
    #expect(bench.state.overlay == .help)
    // A key that is not Escape does what it does, too.
    bench.press(.text("t"))
    #expect(bench.state.overlay == nil && bench.state.showsDeltas)
    // Alt is Escape with a key behind it.
    bench.press(.text("?"), .meta("t"))
    #expect(bench.state.overlay == nil && !bench.state.showsDeltas)
    #expect(try Bench().state.handle(.enter) { false } == nil)
  }

  @Test(arguments: [Key.text("q"), .control("c"), .control("d")])
  func somebodyLeaves(_ key: Key) throws {
    let bench = try Bench("i")
    #expect(!bench.state.isOver)
    bench.press(key)
    #expect(bench.state.isOver)
  }

  @Test func whatIsTypedIsNoCommand() throws {
    let bench = try Bench("i")
    bench.press(.text("/"), .text("q"), .paste("a\nb"), .backspace, .up, .control("d"))
    #expect(!bench.state.isOver && bench.state.typed == "qa ")
    bench.press(.control("c"))
    #expect(bench.state.prompt == nil && !bench.state.isOver)
  }

  @Test func aRecordIsCopiedWithoutColours() throws {
    let bench = try Bench("e")
    guard case .copy(let text)? = bench.press(.text("c")) else {
      return _ = Issue.record("nothing was copied")
    }
    #expect(text == "10:00:00.000 ERROR db m0 e" && bench.state.message == "copied")
    #expect(try Bench().state.handle(.text("c")) { false } == nil)
  }

  @Test func whatIsShownIsWritten() throws {
    let bench = try Bench("iwiw")
    let path = bench.store.folder + "/out.jsonl"
    bench.press(.text("f"), .text("w"), .enter, .text("w"))
    #expect(bench.state.prompt == .save && bench.state.typed == "log.jsonl")
    bench.press(.control("u"), .text(path), .enter)
    #expect(bench.state.message == "2 record(s) in '\(path)'")
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("{") && $0.contains(" w\"") })
    bench.press(.text("w"), .control("u"), .text("/nowhere/at/all.jsonl"), .enter)
    #expect(bench.state.message.contains("/nowhere/at/all.jsonl"))
    bench.press(.text("w"), .control("u"), .enter)
    #expect(bench.state.message == "" && bench.state.prompt == nil)
  }

  // MARK: - The screen

  /// Whatever is shown, the screen has its rows, none is wider than it, and nothing steers it.
  @Test(arguments: 0..<20)
  func framesFit(_ seed: Int) throws {
    var dice = SeededGenerator(seed: seed)
    let bench = try Bench("tdinwec")
    bench.archive.add(2, 5, #"{"message":"\u001b[2J日本日本日本日本日本日本日本日本日本","f":"\u009b\n"}"#)
    try bench.add("i")
    bench.state.whereabouts = "somewhere far away, and on a port of this machine"
    let keys: [Key] = [
      .up, .down, .home, .enter, .escape, .text("?"), .text("s"), .text("t"), .text("f"), .text("/"),
      .text("日"),
      .text(" "), .text("e"), .text("n"), .text("x"), .text("3"), .backspace, .text("/("), .wheel(1),
      .control("u"),
    ]
    for _ in 0..<60 {
      bench.press(dice.pick(keys))
      if dice.below(10) == 0 {
        bench.state.message =
          "a message \u{1B}[31m that is long, and longer than "
          + "the row"
      }
      let size = (columns: 1 + dice.below(100), rows: 1 + dice.below(30))
      let rows = LogFrame(bench.state, size).rows
      #expect(rows.count == max(2, size.rows))
      for row in rows.map(plain) {
        #expect(TextWidth.of(row) <= size.columns, "seed \(seed), \(size.columns) columns: '\(row)'")
        #expect(!row.unicodeScalars.contains { $0.value < 0x20 || 0x7F..<0xA0 ~= $0.value }, "'\(row)'")
      }
    }
  }

  @Test func theHeadTellsWhatIsShown() throws {
    let bench = try Bench(String(repeating: "i", count: 1234))
    let head = { plain(LogFrame(bench.state, (columns: 120, rows: 12)).rows[0]) }
    #expect(head().hasPrefix(" nbridge logs  following  1,234 records  ") && TextWidth.of(head()) == 120)
    bench.press(.text(" "), .text("5"), .text("f"), .text("x\u{9B}y"), .enter)
    #expect(head().contains("level ≥ warning  filter: x<U+9B>y"), "\(head())")
  }

  @Test func anEmptyViewerSaysHowToBegin() throws {
    let bench = try Bench()
    bench.state.whereabouts = "a socket"
    let rows = LogFrame(bench.state, (columns: 100, rows: 20)).rows.joined(separator: "\n")
    #expect(
      rows.contains("Nothing has come yet")
        && rows.contains(
          "127.0.0.1 "
            + "\(ViewerWire.port)")
        && rows.contains("a socket")
    )
  }

  @Test func differencesStandInPlaceOfTimes() throws {
    let bench = try Bench("ii")
    bench.press(.text("t"))
    let rows = LogFrame(bench.state, (columns: 80, rows: 8)).rows.map(plain)
    #expect(rows[1].hasPrefix("+0.000 ") && rows[2].hasPrefix("+0.000 "))
  }

  // MARK: - Rates

  @Test func sourcesAreCounted() {
    let rates = SourceRates()
    #expect(rates.count([1: 3, 2: 4]) == 7 && rates.count([1: 2]) == 2)
    #expect(rates.rates[1]?.total == 5 && rates.rates[2]?.total == 4 && rates.rate(9) == 0 && rates.isBusy)
  }

  @Test func ofTooManySourcesTheSilentOnesAreForgotten() {
    let rates = SourceRates()
    for source in 0..<3000 { _ = rates.count([source: 1]) }
    #expect(rates.rates.count <= 1000 && !rates.rates.isEmpty)
  }
}
