// SPDX-License-Identifier: MIT

internal import LoggerPlugin
internal import NBridgePlugin

/// The rows of the screen: a head, the records or what stands over them, a foot.
struct LogFrame {
  private let state: LogViewState
  private let size: (columns: Int, rows: Int)

  init(_ state: LogViewState, _ size: (columns: Int, rows: Int)) { (self.state, self.size) = (state, size) }

  var rows: [String] {
    var body: [String]
    switch state.overlay {
    case .help: body = Self.help.map { $0.cut(size.columns) }
    case .sources: body = sources.map { $0.cut(size.columns) }
    case .detail: body = state.selectedRow?.detail(columns: size.columns) ?? []
    case nil: body = records
    }
    let height = max(0, size.rows - 2)
    body = Array(body.prefix(height)) + Array(repeating: "", count: max(0, height - body.count))
    return [head] + body + [foot]
  }

  private var head: String {
    let mode = state.window.isLooking ? "looking…" : state.window.isFollowing ? "following" : "paused"
    var text = " nbridge logs  \(mode)  \(grouped(state.total)) records  \(grouped(state.rates.rate))/s"
    if state.minLevel > .trace { text += "  level ≥ \(state.minLevel.rawValue)" }
    if !state.filterText.isEmpty { text += "  filter: \(VisibleText.of(state.filterText))" }
    return "\u{1B}[7m" + text.cut(size.columns).padded(size.columns) + "\u{1B}[0m"
  }

  private var foot: String {
    switch state.prompt {
    case .filter: return ("filter: " + VisibleText.of(state.typed + "▏ " + state.message)).cut(size.columns)
    case .search: return ("search: " + VisibleText.of(state.typed) + "▏").cut(size.columns)
    case .save: return ("save as: " + VisibleText.of(state.typed) + "▏").cut(size.columns)
    case nil: break
    }
    if !state.message.isEmpty { return VisibleText.of(state.message).cut(size.columns) }
    let keys =
      "? keys  f filter  1-7 level  / search  e next error  space pause  enter details  s sources  q quit"
    return "\u{1B}[2m" + keys.cut(size.columns) + "\u{1B}[0m"
  }

  private var records: [String] {
    if state.total == 0 {
      return [
        "", "  Nothing has come yet. Programs that log find this by themselves:", "",
        "    nbridge run script.js        with  nbridge.logger.info(\"hello\", { from: \"a script\" })",
        "    echo hello | nc -N 127.0.0.1 \(ViewerWire.port)", "", "  It listens at \(state.whereabouts).",
      ].map { $0.cut(size.columns) }
    }
    var before: String?
    return state.window.rows.enumerated().map { index, place in
      guard let row = state.row(at: place) else { return "" }
      defer { before = row.time }
      let delta = state.showsDeltas ? LogDelta.text(from: before, to: row.time) : nil
      let isSelected = index == state.window.cursor && !state.window.isFollowing
      return row.text(columns: size.columns, delta: delta, isSelected: isSelected)
    }
  }

  private var sources: [String] {
    let rows = state.rates.rates.sorted { $0.value.total > $1.value.total }.map { id, rate in
      let source = state.names.source(id)
      let name = VisibleText.of(source?.app ?? "?").cut(40).padded(40)
      let pid = source.map { $0.pid > 0 ? "\($0.pid)" : "" } ?? ""
      return
        ("  \(name) \(pid.padded(10)) \(grouped(rate.total).padded(14)) \(grouped(state.rates.rate(id)))/s")
        .cut(
          size.columns)
    }
    return [
      "", "  " + "source".padded(40) + " " + "process".padded(10) + " " + "records".padded(14) + " rate", "",
    ] + rows
  }

  private func grouped(_ number: Int) -> String {
    var text = "", count = 0
    for digit in String(number).reversed() {
      if count > 0, count.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
      count += 1
    }
    return String(text.reversed())
  }

  private static let help = """

      ↑ ↓ PgUp PgDn wheel    move; at the end it follows again
      g  G                   the first, the newest
      space                  stop and go on
      f                      filter, as it is typed:  timeout -noise "two words" /conn.*refused/
                                                      level>=warning service:db source:chat user:ada \
    path:/api/*
      1 … 7                  trace, debug, info, notice, warning, error, critical and what matters more
      x                      no filter
      /  n  N                search, again, the other way
      e  E                   the next error, the one before
      enter                  all of a record
      t                      times as differences
      c                      copy the record (OSC 52)
      w                      write what is shown to a file
      s                      sources and their rates
      q  ^C                  quit; what came is kept:  nbridge logs query
    """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
}

/// How long after another something happened.
enum LogDelta {
  static func text(from before: String?, to after: String) -> String {
    guard let before, let start = milliseconds(before), let end = milliseconds(after) else { return "+0.000" }
    let difference = end - start
    let sign = difference < 0 ? "-" : "+"
    let size = abs(difference)
    return "\(sign)\(size / 1000).\(String(1000 + size % 1000).dropFirst())"
  }

  private static func milliseconds(_ time: String) -> Int? {
    guard time.utf8.count >= 23, let seconds = LogTime.parse(String(time.prefix(19)) + "Z", now: 0),
      let rest = Int(time.dropFirst(20).prefix(3))
    else { return nil }
    return seconds * 1000 + rest
  }
}
