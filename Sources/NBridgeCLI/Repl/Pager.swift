// SPDX-License-Identifier: MIT

internal import Glibc

/// Shows a long text a screen at a time.
struct Pager {
  let terminal: Terminal
  /// Whether ^C came.
  let isInterrupted: () -> Bool
  /// Takes what was typed before the question: it is meant for the prompt.
  let keep: ([UInt8]) -> Void

  func show(_ text: String) {
    let (columns, rows) = terminal.size
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let heights = lines.map { max(1, (TextWidth.of($0) + columns - 1) / columns) }
    guard heights.reduce(0, +) > rows - 1 else { return terminal.write(text) }
    var room = rows - 1
    for (index, line) in lines.enumerated() {
      if index == lines.count - 1, line.isEmpty { break }
      if heights[index] > room {
        let question = NameTable.cut("-- \(lines.count - index) more lines: space, enter, q --", columns)
        terminal.write("\u{1B}[7m\(question.text)\u{1B}[0m")
        let answer = ask()
        terminal.write("\r\u{1B}[K")
        guard let more = answer else { return terminal.write("... \(lines.count - index) more lines\n") }
        room = more ? max(1, rows - 1) : 1
      }
      terminal.write(String(line) + "\n")
      room -= heights[index]
    }
  }

  /// True for a screen, false for a line, nil to stop.
  private func ask() -> Bool? {
    var isFirst = true
    while true {
      var poller = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      if isFirst, poll(&poller, 1, 0) > 0 { keep(terminal.read()) }
      isFirst = false
      let ready = poll(&poller, 1, 100)
      if isInterrupted() { return nil }
      guard ready > 0 else { continue }
      let bytes = terminal.read()
      guard let key = bytes.first else { return nil }
      switch key {
      case 0x20: return true
      case 0x0D, 0x0A: return false
      case 0x71, 0x51, 0x1B, 0x04: return nil
      default: continue
      }
    }
  }
}
