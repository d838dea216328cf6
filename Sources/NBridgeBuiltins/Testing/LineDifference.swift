// SPDX-License-Identifier: MIT

/// How two texts differ, line by line, for people: the lines that are only in one of them, with some equal
/// ones around.
enum LineDifference {
  /// How many equal lines stand around the others.
  static let context = 3
  /// How many lines are shown; the rest is counted.
  static let maxLines = 200
  /// Of larger texts only what they begin and end with in common is looked for: the table has a cell for each
  /// pair of lines.
  static let maxCells = 4_000_000

  private enum Line: Equatable {
    case both(Substring)
    case expected(Substring)
    case actual(Substring)

    var isEqual: Bool { if case .both = self { true } else { false } }

    var text: String {
      switch self {
      case .both(let line): "  \(line)"
      case .expected(let line): "- \(line)"
      case .actual(let line): "+ \(line)"
      }
    }
  }

  /// The lines, each behind `- ` (only in `expected`), `+ ` (only in `actual`) or two blanks; empty when the
  /// texts are the same.
  static func text(actual: String, expected: String) -> String {
    let lines = lines(actual: split(actual), expected: split(expected))
    guard lines.contains(where: { !$0.isEqual }) else { return "" }
    var shown = withContext(lines)
    if shown.count > maxLines {
      let more = shown.count - maxLines
      shown = shown.prefix(maxLines) + ["  … \(more) more lines"]
    }
    return shown.joined(separator: "\n")
  }

  private static func split(_ text: String) -> [Substring] {
    text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
  }

  private static func lines(actual: [Substring], expected: [Substring]) -> [Line] {
    var (start, actualEnd, expectedEnd) = (0, actual.count, expected.count)
    while start < min(actualEnd, expectedEnd), actual[start] == expected[start] { start += 1 }
    while actualEnd > start, expectedEnd > start, actual[actualEnd - 1] == expected[expectedEnd - 1] {
      (actualEnd, expectedEnd) = (actualEnd - 1, expectedEnd - 1)
    }
    return actual[..<start].map(Line.both)
      + middle(actual[start..<actualEnd], expected[start..<expectedEnd])
      + actual[actualEnd...].map(Line.both)
  }

  /// The longest common subsequence by the table of its lengths (Wagner and Fischer, 1974).
  private static func middle(_ actual: ArraySlice<Substring>, _ expected: ArraySlice<Substring>) -> [Line] {
    let (a, b) = (Array(actual), Array(expected))
    guard !a.isEmpty, !b.isEmpty, a.count < maxCells / b.count else {
      return b.map(Line.expected) + a.map(Line.actual)
    }
    let width = b.count + 1
    var lengths = [Int32](repeating: 0, count: (a.count + 1) * width)
    for row in a.indices.reversed() {
      for column in b.indices.reversed() {
        lengths[row * width + column] =
          a[row] == b[column]
          ? lengths[(row + 1) * width + column + 1] + 1
          : max(lengths[(row + 1) * width + column], lengths[row * width + column + 1])
      }
    }
    var (row, column) = (0, 0)
    var lines: [Line] = []
    while row < a.count || column < b.count {
      if row < a.count, column < b.count, a[row] == b[column] {
        lines.append(.both(a[row]))
        (row, column) = (row + 1, column + 1)
      } else if column < b.count,
        row == a.count || lengths[row * width + column + 1] >= lengths[(row + 1) * width + column]
      {
        lines.append(.expected(b[column]))
        column += 1
      } else {
        lines.append(.actual(a[row]))
        row += 1
      }
    }
    return lines
  }

  private static func withContext(_ lines: [Line]) -> [String] {
    var isShown = [Bool](repeating: false, count: lines.count)
    for index in lines.indices where !lines[index].isEqual {
      for near in max(0, index - context)...min(lines.count - 1, index + context) { isShown[near] = true }
    }
    var shown: [String] = []
    var hidden = 0
    func tellHidden() {
      if hidden > 0 { shown.append("  … \(hidden) equal line\(hidden == 1 ? "" : "s")") }
      hidden = 0
    }
    for (line, isShown) in zip(lines, isShown) {
      guard isShown else {
        hidden += 1
        continue
      }
      tellHidden()
      shown.append(line.text)
    }
    tellHidden()
    return shown
  }
}
