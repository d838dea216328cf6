// SPDX-License-Identifier: MIT

internal import LoggerPlugin
internal import NBridgePlugin
internal import NBridgeTerminal

/// A record as a row of the screen, or as a page of its own.
struct LogRow {
  private let record: RecordView
  private let app: String
  /// What is longer is not looked at for a row.
  private static let maximum = 32 << 10

  init(_ stored: StoredLine, app: String) {
    record = RecordView(UnsafeBufferPointer(rebasing: stored.json.prefix(Self.maximum)))
    self.app = app
  }

  var time: String { record.time }

  /// A row of so many columns, coloured by its level.
  ///
  /// - Parameter delta: shown in place of the time.
  func text(columns: Int, delta: String?, isSelected: Bool) -> String {
    let time = delta ?? String(record.time.dropFirst(11).prefix(12))
    let whose = record.service.isEmpty || record.service == "script" ? app : "\(app)/\(record.service)"
    var rest = VisibleText.of(String(record.message.prefix(columns * 4)))
    for (name, value) in record.fields.prefix(40) where rest.utf8.count < columns * 4 {
      rest +=
        "  \(VisibleText.of(name))=\(VisibleText.of(String(RecordView.plain(value).prefix(columns * 2))))"
    }
    if !record.place.isEmpty { rest += "  (\(VisibleText.of(record.place)))" }
    let start = "\(VisibleText.of(time).padded(12)) "
    let label = PrettyRecord.label(record.level)
    let body = " \(VisibleText.of(String(whose.prefix(40)))) \(rest)"
    let plain = (start + label + body).cut(columns)
    if isSelected { return "\u{1B}[7m" + plain.padded(columns) + "\u{1B}[0m" }
    let colour = PrettyRecord.colour(record.level)
    if record.level >= .error { return "\u{1B}[\(colour)m\(plain)\u{1B}[0m" }
    let labelEnd = start.count + label.count
    guard plain.count > labelEnd else { return plain }
    let tail = plain.dropFirst(labelEnd)
    return
      """
      \u{1B}[2m\(start)\u{1B}[0m\u{1B}[\(colour)m\(label)\u{1B}[0m\
      \(record.level < .info ? "\u{1B}[2m\(tail)\u{1B}[0m" : String(tail))
      """
  }

  /// Everything, a field a row.
  func detail(columns: Int) -> [String] {
    var rows = [
      "time      \(record.time)", "level     \(record.level.rawValue)", "source    \(app)",
      "service   \(record.service)",
    ]
    if let number = record.number { rows.append("number    \(number)") }
    if let pid = record.pid { rows.append("process   \(pid)") }
    if !record.place.isEmpty { rows.append("at        \(record.place) \(record.function)") }
    rows = rows.map { VisibleText.of($0) } + [""]
    rows +=
      VisibleText.of(record.message, keepsLines: true).split(
        separator: "\n", omittingEmptySubsequences: false
      )
      .map(String.init) + [""]
    for (name, value) in record.fields {
      let text = VisibleText.of(RecordView.plain(value), keepsLines: true)
      rows.append("\(VisibleText.of(name)): \(text)")
    }
    return rows.flatMap {
      TextWidth.folded($0, columns: columns, indent: 4).split(
        separator: "\n", omittingEmptySubsequences: false
      ).map { String($0).cut(columns) }
    }
  }

  /// As it is copied: without colours.
  var plain: String { PrettyRecord.text(record, colours: false) }
}

extension String {
  /// As much as stands in so many columns.
  func cut(_ columns: Int) -> String {
    guard utf8.count > columns else { return self }
    var width = 0
    var end = startIndex
    while end < endIndex {
      width += TextWidth.of(self[end])
      if width > columns { return String(self[..<end]) }
      end = index(after: end)
    }
    return self
  }

  /// With spaces up to so many columns.
  func padded(_ columns: Int) -> String {
    let width = TextWidth.of(self)
    return width < columns ? self + String(repeating: " ", count: columns - width) : self
  }
}
