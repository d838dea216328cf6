// SPDX-License-Identifier: MIT

/// Where a person looks for a fault in a line. The engine's place of a call is the parenthesis behind the
/// name of what is called, and that of an unknown variable is behind it: the reader's is where the statement
/// `throw`, the word `new` or the name begins.
package enum FaultColumn {
  /// - Parameters:
  ///   - column: the engine's, 1-based, in UTF-16 units.
  ///   - message: the error's; it names a variable that is not there.
  package static func start(in line: Substring, column: Int, message: String) -> Int {
    let units = Array(line.utf16)
    guard column > 1, column <= units.count + 1 else { return column }
    let end = column - 1
    if end < units.count, units[end] == UInt16(ascii: "(") { return called(units, end) + 1 }
    let start = wordStart(units, end)
    // A source map leads to the name itself.
    if start == end, end < units.count, isNamePart(units[end]) { return constructed(units, end) + 1 }
    let word = String(decoding: units[start..<end], as: UTF16.self)
    return !word.isEmpty && MissingName.name(in: message) == Substring(word) ? start + 1 : column
  }

  /// The start of what is called, whose parenthesis stands at `end`.
  private static func called(_ units: [UInt16], _ end: Int) -> Int {
    let last = spaceStart(units, end)
    let name = wordStart(units, last)
    return name < last ? constructed(units, name) : end
  }

  /// The start of the `new` that a class's name, or of the `throw` that both, stand behind.
  private static func constructed(_ units: [UInt16], _ name: Int) -> Int {
    var path = name
    while path > 0, units[path - 1] == UInt16(ascii: ".") { path = wordStart(units, path - 1) }
    guard let new = word("new", before: path, units) else { return name }
    return thrown(new, units) ?? new
  }

  /// The start of the `throw` that an expression stands behind, also as the first argument of a call, as in
  /// `throw Object.assign(new Error(), …)`.
  private static func thrown(_ start: Int, _ units: [UInt16]) -> Int? {
    var start = start
    while true {
      if let word = word("throw", before: start, units) { return word }
      let bracket = spaceStart(units, start) - 1
      guard bracket > 0, units[bracket] == UInt16(ascii: "(") else { return nil }
      start = wordStart(units, spaceStart(units, bracket))
      while start > 0, units[start - 1] == UInt16(ascii: ".") { start = wordStart(units, start - 1) }
      guard start < bracket else { return nil }
    }
  }

  /// Where `word` begins when it stands before `end`, with space between them.
  private static func word(_ word: String, before end: Int, _ units: [UInt16]) -> Int? {
    let last = spaceStart(units, end)
    guard last < end else { return nil }
    let start = wordStart(units, last)
    return units[start..<last].elementsEqual(word.utf16) ? start : nil
  }

  private static func wordStart(_ units: [UInt16], _ end: Int) -> Int {
    units[..<end].lastIndex { !isNamePart($0) }.map { $0 + 1 } ?? 0
  }

  private static func spaceStart(_ units: [UInt16], _ end: Int) -> Int {
    units[..<end].lastIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 + 1 } ?? 0
  }

  static func isNamePart(_ unit: UInt16) -> Bool {
    switch unit {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x24, 0x5F, 0x80...: true
    default: false
    }
  }
}

extension SourceRegistry {
  /// A frame with the column that a person looks for: above the message and below it one place has one.
  ///
  /// - Parameter message: of the error that the frame belongs to.
  package func told(_ frame: StackFrame, message: String) -> StackFrame {
    guard let line = line(frame.url, frame.line) else { return frame }
    var frame = frame
    frame.column = FaultColumn.start(in: line, column: frame.column, message: message)
    return frame
  }
}

extension UInt16 {
  fileprivate init(ascii character: Unicode.Scalar) { self = UInt16(truncatingIfNeeded: character.value) }
}
