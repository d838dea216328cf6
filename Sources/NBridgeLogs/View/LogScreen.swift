// SPDX-License-Identifier: MIT

internal import NBridgeTerminal

/// A terminal's whole screen; rows that did not change are not written.
final class LogScreen {
  private let terminal: Terminal
  private var shown: [String] = []
  private var size = (columns: 0, rows: 0)

  init(_ terminal: Terminal) { self.terminal = terminal }

  /// Takes the other screen (xterm: 1049), hides the cursor, asks for the mouse (1000, 1006).
  func open() {
    terminal.enterRawMode()
    terminal.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?1000h\u{1B}[?1006h\u{1B}[2J")
  }

  func close() {
    terminal.write("\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?25h\u{1B}[?1049l")
    terminal.restore()
  }

  /// Writes rows that are other than before. Each ends its own colours.
  func draw(_ rows: [String], _ size: (columns: Int, rows: Int)) {
    if size != self.size {
      (shown, self.size) = ([], size)
      terminal.write("\u{1B}[2J")
    }
    var text = ""
    for row in 0..<size.rows {
      let line = row < rows.count ? rows[row] : ""
      if row < shown.count, shown[row] == line { continue }
      text += "\u{1B}[\(row + 1);1H\u{1B}[0m\(line)\u{1B}[0m\u{1B}[K"
    }
    shown = (0..<size.rows).map { $0 < rows.count ? rows[$0] : "" }
    if !text.isEmpty { terminal.write("\u{1B}[?2026h" + text + "\u{1B}[?2026l") }
  }

  /// Puts a text into the clipboard of the terminal's user (xterm: OSC 52).
  func copy(_ text: String) {
    terminal.write("\u{1B}]52;c;\(Base64.encode(Array(text.utf8.prefix(70_000))))\u{07}")
  }
}

/// RFC 4648, 4.
enum Base64 {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
      for place in 0..<4 {
        text.append(place <= part.count ? letters[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
