// SPDX-License-Identifier: MIT

/// A terminal as far as the prompt needs one: text, the sequences that `Screen` sends, rows that scroll out
/// at the top.
struct PaperTerminal {
  let columns: Int
  let height: Int
  /// The lines that have scrolled out, and the lines that are shown.
  private(set) var lines: [[Character]] = [[]]
  private(set) var row = 0
  private(set) var column = 0
  /// Sequences that it does not know.
  private(set) var unknown: [String] = []

  init(columns: Int, height: Int) { (self.columns, self.height) = (columns, height) }

  /// How many lines have scrolled out.
  private var top: Int { max(0, lines.count - height) }

  var shown: [String] { lines[top...].map { trimmed($0) } }
  var all: [String] { lines.map { trimmed($0) } }

  private func trimmed(_ line: [Character]) -> String {
    var line = line
    while line.last == " " { line.removeLast() }
    return String(line)
  }

  mutating func write(_ text: String) {
    var rest = Array(text.unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\r": column = 0
      case "\n": lineFeed()
      case "\u{1B}": sequence(&rest)
      default: put(Character(scalar))
      }
    }
  }

  private mutating func lineFeed() {
    row += 1
    if row == lines.count { lines.append([]) }
  }

  private mutating func put(_ character: Character) {
    while lines[row].count <= column { lines[row].append(" ") }
    lines[row][column] = character
    column += 1
  }

  private mutating func sequence(_ rest: inout ArraySlice<Unicode.Scalar>) {
    guard rest.popFirst() == "[" else {
      unknown.append("no CSI")
      return
    }
    var digits = ""
    while let scalar = rest.first, "0"..."9" ~= scalar || scalar == ";" {
      digits.unicodeScalars.append(scalar)
      rest.removeFirst()
    }
    let count = Int(digits) ?? 1
    switch rest.popFirst() {
    case "A": row = max(top, row - count)
    case "B": row = min(lines.count - 1, row + count)
    case "C": column = min(columns - 1, column + count)
    case "K": lines[row] = Array(lines[row].prefix(column))
    case "J":
      lines[row] = Array(lines[row].prefix(column))
      lines.removeSubrange((row + 1)...)
    case "m": break
    case let final: unknown.append(digits + (final.map { String($0) } ?? ""))
    }
  }
}
