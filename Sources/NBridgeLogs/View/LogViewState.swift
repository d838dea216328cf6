// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import LoggerPlugin
internal import NBridgePlugin
internal import NBridgeTerminal

/// What the viewer shows, and what keys do to it. Knows no terminal.
struct LogViewState {
  /// What stands over the records.
  enum Overlay {
    case help, sources, detail
  }

  /// What is being typed.
  enum Prompt {
    case filter, search, save
  }

  /// Something that only a terminal can do.
  enum Effect {
    case copy(String)
  }

  var window: LogWindow
  let names: SourceNames
  let rates = SourceRates()
  var whereabouts = ""
  var overlay: Overlay?
  var prompt: Prompt?
  private(set) var typed = ""
  private(set) var filterText: String
  private(set) var minLevel = LogLevel.trace
  private(set) var searchText = ""
  private(set) var showsDeltas = false
  var message = ""
  /// Where a jump stopped that took too long, and the key that goes on with it.
  private var unfinished: (key: String, place: LogPosition)?
  private(set) var isOver = false
  private(set) var total: Int
  /// Whether a key waits for an answer on the screen.
  var isUrgent = true

  init(_ window: LogWindow, _ names: SourceNames) {
    (self.window, self.names, filterText) = (window, names, window.filter.text)
    total = window.pages.count
  }

  /// Whether time alone changes what is shown.
  var needsClock: Bool { overlay == .sources || rates.isBusy }

  mutating func take(_ batch: LogBatch) {
    let place = window.pages.append(batch)
    window.appended(at: place)
    total += rates.count(batch.counts)
  }

  // MARK: - Keys

  mutating func handle(_ key: Key, _ isLate: () -> Bool) -> Effect? {
    // Escape, and a key at once behind it.
    if case .meta(let letter) = key {
      _ = handle(.escape, isLate)
      return handle(.text(String(letter)), isLate)
    }
    if prompt != nil {
      type(key, isLate)
      return nil
    }
    message = ""
    if overlay != nil, overlay != .detail || !isMove(key) {
      if !(key == .text("s") && overlay == .sources) { overlay = nil }
      if key == .escape || key == .enter { return nil }
    }
    return command(key, isLate)
  }

  private func isMove(_ key: Key) -> Bool {
    [.up, .down, .text("e"), .text("E"), .text("j"), .text("k")].contains(key)
  }

  private mutating func command(_ key: Key, _ isLate: () -> Bool) -> Effect? {
    if ![.text("e"), .text("E"), .text("n"), .text("N")].contains(key) { unfinished = nil }
    switch key {
    case .up, .text("k"): window.move(-1, isLate)
    case .down, .text("j"): window.move(1, isLate)
    case .wheel(let lines): window.move(lines, isLate)
    case .pageUp, .text("b"): window.move(-window.height, isLate)
    case .pageDown: window.move(window.height, isLate)
    case .home, .text("g"): window.top(isLate)
    case .end, .text("G"): window.follow()
    case .click(let row): window.select(row: row - 1)
    case .text(" "), .text("p"): if window.isFollowing { window.pause() } else { window.follow() }
    case .enter: overlay = window.selected == nil ? nil : .detail
    case .text("?"), .text("h"): overlay = .help
    case .text("s"): overlay = overlay == .sources ? nil : .sources
    case .text("t"): showsDeltas.toggle()
    case .text("f"): begin(.filter, filterText)
    case .text("/"): begin(.search, "")
    case .text("w"): begin(.save, "log.jsonl")
    case .text("x"), .escape: clearFilter()
    case .text("c"): return copy()
    case .text("e"): jumpToError(true, isLate)
    case .text("E"): jumpToError(false, isLate)
    case .text("n"): search(true, isLate)
    case .text("N"): search(false, isLate)
    case .text(let text) where text.count > 1:
      // Keys that came together.
      var effect: Effect?
      for character in text { effect = handle(.text(String(character)), isLate) ?? effect }
      return effect
    case .text(let text): if let digit = Int(text), let level = LogLevel(rank: digit - 1) { setLevel(level) }
    case .control("c"), .control("d"): isOver = true
    default: break
    }
    if key == .text("q") { isOver = true }
    return nil
  }

  private mutating func copy() -> Effect? {
    guard let row = selectedRow else { return nil }
    message = "copied"
    return .copy(row.plain)
  }

  /// The record that is pointed at.
  var selectedRow: LogRow? { window.selected.flatMap { row(at: $0) } }

  func row(at place: LogPosition) -> LogRow? {
    let lines = window.pages.lines(place.page)
    guard place.line < lines.count else { return nil }
    return lines.with(place.line) { line in
      StoredLine(line).map { LogRow($0, app: names.app($0.source) ?? "?") }
    }
  }

  private mutating func jumpToError(_ isForward: Bool, _ isLate: () -> Bool) {
    let isError = { (line: UnsafeBufferPointer<UInt8>) in
      StoredLine(line).map { $0.rank >= LogLevel.error.rank } ?? false
    }
    // Behind the newest there is none: the last one is meant.
    let isForward = isForward && !window.isFollowing
    jump(
      isForward, isForward ? "e" : "E", isLate, where: isError,
      none: "no error \(isForward ? "behind" : "before") this")
  }

  private mutating func search(_ isForward: Bool, _ isLate: () -> Bool) {
    guard !searchText.isEmpty, let filter = try? LogFilter(searchText, sources: { [names] in names.app($0) })
    else {
      message = "search for what? / asks"
      return
    }
    jump(
      isForward, isForward ? "n" : "N", isLate, where: filter.matches,
      none: "'\(searchText)' is not \(isForward ? "behind" : "before") this")
  }

  /// Searches up to the deadline, so that the person does not wait for the screen; the same key looks on.
  private mutating func jump(
    _ isForward: Bool, _ key: String, _ isLate: () -> Bool,
    where holds: @escaping (UnsafeBufferPointer<UInt8>) -> Bool, none: String
  ) {
    let from = unfinished.flatMap { $0.key == key ? $0.place : nil }
    unfinished = nil
    switch window.jump(forward: isForward, from: from, isLate, where: holds) {
    case .found: break
    case .none: message = none
    case .late(let place):
      unfinished = (key, place)
      message = "nothing yet; \(key) looks on"
    }
  }

  // MARK: - Filters

  private mutating func setLevel(_ level: LogLevel) {
    minLevel = level
    applyFilter(filterText)
  }

  private mutating func clearFilter() {
    (minLevel, filterText) = (.trace, "")
    applyFilter("")
  }

  /// A filter that is not whole yet, as a pattern while it is typed, changes nothing.
  private mutating func applyFilter(_ text: String) {
    let level = minLevel == .trace ? "" : "level>=\(minLevel.rawValue) "
    do {
      window.set(try LogFilter(level + text, sources: { [names] in names.app($0) }))
      (filterText, message) = (text, "")
    } catch { message = (error as? BridgeError)?.message ?? "\(error)" }
  }

  // MARK: - Typing

  private mutating func begin(_ prompt: Prompt, _ text: String) { (self.prompt, typed) = (prompt, text) }

  private mutating func type(_ key: Key, _ isLate: () -> Bool) {
    switch key {
    case .text(let text): typed += text
    case .paste(let text): typed += text.replacing("\n", with: " ")
    case .backspace: if !typed.isEmpty { typed.removeLast() }
    case .control("u"): typed = ""
    case .escape, .control("c"):
      if prompt == .filter { applyFilter("") }
      prompt = nil
    case .enter: return finish(isLate)
    default: return
    }
    if prompt == .filter { applyFilter(typed) }
  }

  private mutating func finish(_ isLate: () -> Bool) {
    let done = prompt
    prompt = nil
    switch done {
    case .search:
      searchText = typed.isEmpty ? searchText : typed
      search(false, isLate)
    case .save: save(typed)
    case .filter: applyFilter(typed)
    case nil: break
    }
  }

  /// Writes what the filter lets through to a file.
  private mutating func save(_ path: String) {
    guard !path.isEmpty else { return }
    do {
      let file = try RecordFile(path, path.hasSuffix(".json") || path.hasSuffix(".jsonl") ? .json : .pretty)
      var count = 0
      for page in window.pages.summaries.indices {
        let lines = window.pages.lines(page)
        for line in 0..<lines.count {
          lines.with(line) { bytes in
            guard window.filter.matches(bytes) else { return }
            file.add(bytes)
            count += 1
          }
        }
      }
      try file.finish()
      message = "\(count) record(s) in '\(path)'"
    } catch { message = (error as? BridgeError)?.message ?? "\(error)" }
  }
}

/// How much each source sends.
final class SourceRates {
  /// Of one source.
  struct Rate {
    var total = 0
    var second = 0
    var inSecond = 0
    var lastSecond = 0
  }

  private(set) var rates: [Int: Rate] = [:]
  /// Of more, those that were silent longest are forgotten.
  private static let maximum = 1000

  private static var second: Int { Int(g_get_monotonic_time() / 1_000_000) }

  /// Counts records; answers how many.
  func count(_ counts: [Int: Int]) -> Int {
    let second = Self.second
    for (source, count) in counts {
      var rate = rates[source] ?? Rate()
      if rate.second != second {
        (rate.lastSecond, rate.inSecond) = (rate.second == second - 1 ? rate.inSecond : 0, 0)
        rate.second = second
      }
      rate.total += count
      rate.inSecond += count
      rates[source] = rate
    }
    if rates.count > Self.maximum {
      for (source, _) in rates.sorted(by: { $0.value.second < $1.value.second }).prefix(Self.maximum / 2) {
        rates[source] = nil
      }
    }
    return counts.values.reduce(0, +)
  }

  /// Lines in the last whole second.
  func rate(_ source: Int) -> Int {
    guard let rate = rates[source] else { return 0 }
    switch Self.second - rate.second {
    case 0: return rate.lastSecond
    case 1: return rate.inSecond
    default: return 0
    }
  }

  var rate: Int { rates.keys.reduce(0) { $0 + rate($1) } }
  /// Whether a rate is shown that will change by itself.
  var isBusy: Bool { rates.values.contains { Self.second - $0.second <= 2 } }
}
