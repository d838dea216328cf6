// SPDX-License-Identifier: MIT

/// Turns keys into a text: Emacs' keys as readline has them, history, search. Knows no terminal.
package struct LineEditor {
  /// What the caller has to do.
  package enum Action: Equatable {
    case redraw
    /// Enter: the caller says whether the text is whole.
    case enter
    case complete
    case endOfInput
    case suspend
    case clearScreen
    case none
  }

  /// A search backwards through the history.
  package struct Search: Equatable {
    package var query = ""
    package var found: String?
    package var index: Int
    package let before: EditBuffer
  }

  package init() {}

  package var buffer = EditBuffer()
  package private(set) var search: Search?
  /// Whether Enter only makes lines and ^D ends the text: `.editor`.
  package var isComposing = false
  private var history: [String] = []
  /// Where in the history the text comes from; the count for a new one.
  private var place = 0
  /// The new text while an old one is shown.
  private var draft = EditBuffer()
  /// What the old texts that are walked through begin with.
  private var prefix = ""
  private var killed = ""
  /// Whether the key before took something out, and whether this one does.
  private var hasJustKilled = false
  private var isKilling = false
  private var undo: [EditBuffer] = []
  private static let undoLimit = 200

  /// Begins a new text.
  package mutating func reset(history: [String]) {
    buffer = EditBuffer()
    draft = EditBuffer()
    search = nil
    isComposing = false
    self.history = history
    place = history.count
    undo = []
  }

  package mutating func handle(_ key: Key) -> Action {
    if search != nil, let action = handleInSearch(key) { return action }
    let before = buffer
    (hasJustKilled, isKilling) = (isKilling, false)
    let action = edit(key)
    if buffer.characters != before.characters, key != .control("_") {
      undo.append(before)
      // Each is a whole copy: of long texts only a few are kept.
      let limit = before.characters.count > 10_000 ? 5 : Self.undoLimit
      if undo.count > limit { undo.removeFirst(undo.count - limit) }
    }
    return action
  }

  private mutating func edit(_ key: Key) -> Action {
    switch key {
    case .text(let text):
      if let first = text.first, "}])".contains(first) { outdent() }
      buffer.insert(text)
    case .paste(let text): buffer.insert(text)
    case .enter:
      guard isComposing else { return .enter }
      buffer.insert("\n")
    case .metaEnter: buffer.insert("\n")
    case .tab: return .complete
    case .backTab, .escape, .meta: return editWithMeta(key)
    case .backspace: buffer.backspace()
    case .delete: buffer.delete()
    case .left: buffer.move(to: buffer.cursor - 1)
    case .right: buffer.move(to: buffer.cursor + 1)
    case .up: buffer.isOnFirstLine ? showOlder() : buffer.moveLine(by: -1)
    case .down: buffer.isOnLastLine ? walkHistory(by: 1) : buffer.moveLine(by: 1)
    case .pageUp: showOldest()
    case .pageDown: showHistory(history.count)
    case .home: buffer.move(to: buffer.lineRange.lowerBound)
    case .end: buffer.move(to: buffer.lineRange.upperBound)
    case .metaBackspace: kill(buffer.wordStart..<buffer.cursor)
    case .control(let letter): return editWithControl(letter)
    case .wheel, .click, .place: return .none  // the editor did not ask for them
    }
    return .redraw
  }

  private mutating func editWithControl(_ letter: Character) -> Action {
    switch letter {
    case "a": buffer.move(to: buffer.lineRange.lowerBound)
    case "b": buffer.move(to: buffer.cursor - 1)
    case "d":
      if isComposing || buffer.isEmpty { return .endOfInput }
      buffer.delete()
    case "e": buffer.move(to: buffer.lineRange.upperBound)
    case "f": buffer.move(to: buffer.cursor + 1)
    case "k":
      let end = buffer.lineRange.upperBound
      kill(buffer.cursor..<(end == buffer.cursor ? min(end + 1, buffer.characters.count) : end))
    case "l": return .clearScreen
    case "n": return edit(.down)
    case "p": return edit(.up)
    case "r": startSearch()
    case "t": buffer.transpose()
    case "u": kill(buffer.lineRange.lowerBound..<buffer.cursor)
    case "w": kill(buffer.wordStart..<buffer.cursor)
    case "y": buffer.insert(killed)
    case "z": return .suspend
    case "_": if let last = undo.popLast() { buffer = last }
    default: return .none
    }
    return .redraw
  }

  private mutating func editWithMeta(_ key: Key) -> Action {
    guard case .meta(let letter) = key else { return .none }
    switch letter {
    case "b": buffer.move(to: buffer.wordStart)
    case "f": buffer.move(to: buffer.wordEnd)
    case "d": kill(buffer.cursor..<buffer.wordEnd)
    case "<": showOldest()
    case ">": showHistory(history.count)
    default: return .none
    }
    return .redraw
  }

  /// What is taken out at once after another is put to it: ^Y brings all of it back (readline, "kill ring").
  private mutating func kill(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    let isForward = range.lowerBound == buffer.cursor
    let taken = buffer.remove(range)
    killed = !hasJustKilled ? taken : isForward ? killed + taken : taken + killed
    isKilling = true
  }

  /// A new line for a text that is not whole, indented as far as its brackets are open; in a template nothing
  /// that was not typed.
  package mutating func newLine() {
    if OpenBrackets.endInTemplate(buffer.textBeforeCursor) { return buffer.insert("\n") }
    let line = String(buffer.characters[buffer.lineRange.lowerBound..<buffer.cursor])
    let indent = line.prefix { $0 == " " }.count
    let opens = ["{", "[", "("].contains(line.last { $0 != " " })
    buffer.insert("\n" + String(repeating: " ", count: indent + (opens ? 2 : 0)))
  }

  /// A closing bracket that begins its line stands below the line that opened it.
  private mutating func outdent() {
    let line = buffer.lineRange.lowerBound..<buffer.cursor
    guard buffer.characters[line].allSatisfy({ $0 == " " || $0 == "\t" }),
      let indent = OpenBrackets(buffer.textBeforeCursor).indent
    else { return }
    buffer.remove(line)
    buffer.insert(indent)
  }

  // MARK: - History

  /// Takes what other prompts added since, unless the person is looking through the history.
  package mutating func extend(history: [String]) {
    guard place == self.history.count, search == nil else { return }
    self.history = history
    place = history.count
  }

  /// The next older entry that begins as the new text does before the cursor. An old entry that was changed
  /// is a new text.
  private mutating func showOlder() {
    if place < history.count, buffer.characters != EditBuffer(history[place]).characters {
      place = history.count
    }
    if place == history.count { prefix = buffer.textBeforeCursor }
    walkHistory(by: -1)
  }

  /// To the next entry that begins with the prefix and is another than the one that is shown; behind the
  /// newest to the new text.
  private mutating func walkHistory(by direction: Int) {
    let shown = history.indices.contains(place) ? history[place] : buffer.text
    var index = place + direction
    while history.indices.contains(index), !history[index].hasPrefix(prefix) || history[index] == shown {
      index += direction
    }
    showHistory(index)
  }

  private mutating func showOldest() {
    prefix = ""
    showHistory(0)
  }

  private mutating func showHistory(_ index: Int) {
    guard index != place, history.indices.contains(index) || index == history.count else { return }
    if place == history.count { draft = buffer }
    place = index
    buffer = index == history.count ? draft : EditBuffer(history[index])
  }

  private mutating func startSearch() { search = Search(index: history.count, before: buffer) }

  private mutating func handleInSearch(_ key: Key) -> Action? {
    guard var search else { return nil }
    switch key {
    case .text(let text):
      search.query += text
      find(&search, from: search.index)
    case .backspace:
      if !search.query.isEmpty { search.query.removeLast() }
      find(&search, from: history.count)
    case .control("r"): find(&search, from: search.index - 1)
    case .control("g"):
      buffer = search.before
      self.search = nil
      return .redraw
    default:
      // Any other key takes what was found, and does what it does.
      if let found = search.found { take(found, search) }
      self.search = nil
      return key == .escape ? .redraw : nil
    }
    self.search = search
    return .redraw
  }

  private mutating func take(_ found: String, _ search: Search) {
    if place == history.count { draft = search.before }
    prefix = ""
    undo.append(search.before)
    buffer = EditBuffer(found)
    place = search.index
  }

  private func find(_ search: inout Search, from start: Int) {
    guard !search.query.isEmpty else {
      (search.found, search.index) = (nil, history.count)
      return
    }
    let end = min(start, history.count - 1)
    guard end >= 0, let index = history[...end].lastIndex(where: { $0.contains(search.query) }) else {
      return
    }
    search.index = index
    search.found = history[index]
  }

  /// Leaves a search or a history place without taking anything: ^C.
  package mutating func cancel() {
    search = nil
    isComposing = false
    buffer = EditBuffer()
    place = history.count
  }
}
