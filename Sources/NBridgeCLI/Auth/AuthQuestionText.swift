// SPDX-License-Identifier: MIT

internal import AuthPlugin
internal import LoggerPlugin
internal import NBridgeTerminal

/// What a person who is asked sees, in rows. Nothing in it does anything to a terminal, whatever a script
/// wrote.
struct AuthQuestionText {
  private let question: AuthQuestion
  /// What was typed until now, and what is said of the last answer.
  var typed = ""
  var remark = ""
  /// Whether it has stood for long enough: without the row for the answer the person can't have given one.
  var takesAnswers = false

  private static let longestName = 60

  init(_ question: AuthQuestion) { self.question = question }

  /// - Returns: rows that fit, the last of them with the answer. A reason that is too long for the window
  ///   says so.
  func rows(columns: Int, rows maximum: Int) -> [String] {
    let width = max(20, columns - 1)
    // However an app calls itself: what it is stands beside that.
    let name = VisibleText.of(String(question.app.prefix(Self.longestName)))
    let cut = question.app.count > Self.longestName ? "…" : ""
    let who = "\(name)\(cut) (\(VisibleText.of(question.id))) asks for authentication:"
    let head = ["nbridge"] + Self.fold(who, width)
    let tail =
      choices.flatMap { Self.fold($0, width).prefix(1) }
      + [remark.isEmpty ? "" : "  " + remark, "  your answer, nobody checks it: \(VisibleText.of(typed))"].map
    {
      Self.fold($0, width).first ?? ""
    }
    let room = max(1, maximum - head.count - tail.count - 2)
    return head + reason(width, room) + [""] + (takesAnswers ? tail[...] : tail.dropLast(2))
  }

  private func reason(_ width: Int, _ room: Int) -> [String] {
    let rows = Self.fold(VisibleText.of(question.reason), width - 4).map { "    " + $0 }
    guard rows.count > room else { return rows }
    let more = "[\(rows.count - room + 1) rows more: make the window larger]"
    return rows.prefix(room - 1) + Self.fold(more, width - 4).prefix(1).map { "    " + $0 }
  }

  private var choices: [String] {
    var lines: [String] = []
    let reader = question.biometry == .face ? "face" : "finger"
    if question.factors.contains(.biometrics) { lines.append("  y  the \(reader) is mine") }
    if question.factors.contains(.passcode) { lines.append("  p  I know the passcode") }
    lines.append("  n  it fails")
    if !question.factors.contains(.passcode) {
      lines.append("  f  " + (question.fallbackTitle.map { VisibleText.of($0) } ?? "another way"))
    }
    lines.append("  c  " + (question.cancelTitle.map { VisibleText.of($0) } ?? "cancel"))
    return lines
  }

  /// Rows of at most so many columns, folded behind spaces where there are some.
  static func fold(_ text: String, _ width: Int) -> [String] {
    var (rows, row, columns) = ([String](), [Character](), 0)
    for character in text {
      let wide = TextWidth.of(character)
      if columns + wide > width {
        let space = row.lastIndex(of: " ").map { $0 + 1 } ?? row.count
        // A space in front is an indent, and no place to fold.
        let end = row[..<space].contains { $0 != " " } ? space : row.count
        rows.append(String(row[..<end]))
        row.removeFirst(end)
        columns = row.reduce(0) { $0 + TextWidth.of($1) }
      }
      row.append(character)
      columns += wide
    }
    return rows + [String(row)]
  }
}
