// SPDX-License-Identifier: MIT

/// A script as its author has it and as the engine runs it, for a debugger: the way from each one's places to
/// the other's. Lines and columns count from 0, columns in UTF-16 units, as debuggers count.
package struct ScriptPlaces: Sendable {
  package struct Place: Equatable, Sendable {
    package var line: Int
    package var column: Int

    package init(line: Int, column: Int) { (self.line, self.column) = (line, column) }
  }

  /// What the engine calls it.
  package let url: String
  /// What its author wrote.
  package let text: String
  private let plan: PreparedScript
  /// Where a generator made it of another.
  private let map: SourceMap?

  init(_ source: ScriptSource, _ plan: PreparedScript, _ map: SourceMap?, authored: String?) {
    url = source.url
    text = map == nil ? source.text : authored ?? source.text
    self.plan = plan
    self.map = authored == nil ? nil : map
  }

  /// The last line's number, and its length.
  package var end: Place {
    let lines = text.utf8.reduce(into: 0) { if $1 == 0x0A { $0 += 1 } }
    let last = text.utf8.lastIndex(of: 0x0A).map { text[text.utf8.index(after: $0)...] } ?? text[...]
    return Place(line: lines, column: last.utf16.count)
  }

  /// The author's place of one of the engine's; the nearest before it for what the author did not write.
  package func authored(_ place: Place) -> Place {
    let column = plan.column(line: place.line + 1, column: place.column + 1)
    guard let map else { return Place(line: place.line, column: column - 1) }
    guard let found = map.place(line: place.line + 1, column: column) ?? map.nearest(line: place.line + 1)
    else { return Place(line: 0, column: 0) }
    return Place(line: found.line - 1, column: found.column - 1)
  }

  /// The engine's place of one of the author's; nil where nothing behind it runs.
  package func running(_ place: Place) -> Place? {
    var place = place
    if let map {
      guard let found = map.generated(line: place.line + 1, column: place.column + 1) else { return nil }
      place = Place(line: found.line - 1, column: found.column - 1)
    }
    place.column = plan.runningColumn(line: place.line + 1, column: place.column + 1) - 1
    return place
  }

  /// Whether one of the engine's places lies before the author's part.
  package func isHead(_ place: Place) -> Bool { plan.isHead(line: place.line + 1, column: place.column + 1) }
}

extension PreparedScript {
  /// The engine's column of an author's; both from 1 on.
  fileprivate func runningColumn(line: Int, column: Int) -> Int {
    insertions.reduce(column) { $1.line == line && $1.column <= column ? $0 + $1.length : $0 }
  }
}
