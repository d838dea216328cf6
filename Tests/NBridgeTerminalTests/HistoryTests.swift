// SPDX-License-Identifier: MIT

import NBridgeTerminal
import Testing

/// Old entries, and the search through them.
@Suite struct HistoryTests {
  private let history = ["let apple = 1", "let pear = 2", "apple + pear"]

  private func edited(_ keys: [Key], _ history: [String]? = nil) -> LineEditor {
    var editor = LineEditor()
    editor.reset(history: history ?? self.history)
    for key in keys { _ = editor.handle(key) }
    return editor
  }

  @Test(
    arguments: [
      ([.up], "apple + pear"), ([.up, .up], "let pear = 2"), ([.up, .up, .up, .up], "let apple = 1"),
      ([.up, .down], ""), ([.down], ""), ([.control("p"), .control("p"), .control("n")], "apple + pear"),
      ([.pageUp], "let apple = 1"), ([.pageUp, .pageDown], ""), ([.meta("<"), .down], "let pear = 2"),
      ([.meta("<"), .meta(">")], ""), ([.text("draft"), .up, .down], "draft"),
      ([.text("draft"), .up, .up, .down, .down, .down], "draft"),
      ([.text("draft"), .pageUp, .pageDown], "draft"),
      // A changed old entry is a new text.
      ([.up, .text("!"), .down, .up], "apple + pear"),
    ] as [([Key], String)])
  func oldEntriesComeBack(_ keys: [Key], _ expected: String) {
    #expect(edited(keys).buffer.text == expected)
  }

  private static let calls = [
    "nbridge.app", "let x = 1", "nbridge.peers", "let z = 3", "nbridge.peers",
    "let y = 2",
  ]

  /// What is typed says which old entries are walked through; at the bottom it is there again.
  @Test(
    arguments: [
      ([.up], "nbridge.peers"), ([.up, .up], "nbridge.app"), ([.up, .up, .up], "nbridge.app"),
      ([.up, .up, .down], "nbridge.peers"), ([.up, .up, .down, .down], "nbr"),
      ([.up, .up, .down, .down, .down], "nbr"),
      ([.control("p"), .control("p"), .control("n")], "nbridge.peers"),
      ([.down], "nbr"),
      // Another text, another walk.
      ([.up, .control("u"), .text("let"), .up], "let y = 2"),
      ([.up, .control("u"), .text("let"), .up, .up], "let z = 3"),
      ([.up, .control("u"), .text("let"), .up, .down], "let"), ([.up, .control("u"), .up], "let y = 2"),
      // What is before the cursor counts.
      ([.home, .up], "let y = 2"), ([.left, .left, .up, .up], "nbridge.app"),
      // The ends of the history are those of the whole.
      ([.up, .pageUp, .down], "let x = 1"), ([.up, .pageDown], "nbr"),
    ] as [([Key], String)])
  func upWalksThroughWhatBeginsAsTheTextDoes(_ keys: [Key], _ expected: String) {
    let editor = edited([.text("nbr")] + keys, Self.calls)
    #expect(editor.buffer.text == expected)
  }

  @Test func theCursorIsAtTheEndOfWhatWasFound() {
    let editor = edited([.text("nbr"), .up], Self.calls)
    #expect(editor.buffer.cursor == "nbridge.peers".count)
  }

  @Test func whereNothingBeginsSoTheTextStays() {
    let editor = edited([.text("xyz"), .up, .up, .down], Self.calls)
    #expect(editor.buffer.text == "xyz" && editor.buffer.cursor == 3)
  }

  @Test func thereIsNothingInAnEmptyHistory() {
    for key in [Key.up, .down, .pageUp, .pageDown, .meta("<")] {
      #expect(edited([.text("x"), key], []).buffer.text == "x")
    }
    #expect(edited([.control("r"), .text("a"), .enter], []).buffer.text == "")
  }

  @Test func inATextOfSeveralLinesUpLeavesItAtItsFirst() {
    var editor = edited([.paste("a\nb"), .up])
    #expect(editor.buffer.text == "a\nb" && editor.buffer.cursor == 1)
    _ = editor.handle(.up)
    #expect(editor.buffer.text == "apple + pear")
    _ = editor.handle(.down)
    #expect(editor.buffer.text == "a\nb")
  }

  @Test func whatOtherPromptsAddIsNotPushedUnderSomebodyWhoLooks() {
    var editor = edited([])
    editor.extend(history: history + ["new"])
    _ = editor.handle(.up)
    #expect(editor.buffer.text == "new")
    editor.extend(history: ["other"])
    _ = editor.handle(.up)
    #expect(editor.buffer.text == "apple + pear")
    editor = edited([.control("r")])
    editor.extend(history: ["other"])
    _ = editor.handle(.text("apple"))
    #expect(editor.search?.found == "apple + pear")
  }

  // MARK: - Search

  @Test(arguments: [
    ("apple", 0, "apple + pear"), ("apple", 1, "let apple = 1"), ("apple", 2, "let apple = 1"),
    ("pear", 1, "let pear = 2"), ("let", 0, "let pear = 2"), ("+", 0, "apple + pear"),
  ])
  func theNewestThatHoldsIsFoundThenOlderOnes(_ query: String, _ again: Int, _ expected: String) {
    let editor = edited([.control("r"), .text(query)] + Array(repeating: .control("r"), count: again))
    #expect(editor.search?.found == expected && editor.search?.query == query)
    #expect(editor.buffer.isEmpty)
  }

  @Test func whatIsNowhereLeavesWhatWasFound() {
    let editor = edited([.control("r"), .text("app"), .text("zzz")])
    #expect(editor.search?.found == "apple + pear" && editor.search?.query == "appzzz")
    #expect(edited([.control("r"), .text("zzz")]).search?.found == nil)
  }

  /// A query that was wiped out begins at the newest again.
  @Test func aNewQueryLooksFromTheNewestOn() {
    let wiped = edited([
      .control("r"), .text("apple ="), .backspace, .backspace, .backspace, .backspace, .backspace, .backspace,
      .backspace,
    ])
    #expect(wiped.search?.found == nil && wiped.search?.query == "")
    var editor = wiped
    _ = editor.handle(.text("apple"))
    #expect(editor.search?.found == "apple + pear")
  }

  @Test func backspaceWidensTheSearchAgain() {
    let editor = edited([.control("r"), .text("apple"), .control("r"), .backspace])
    #expect(editor.search?.query == "appl" && editor.search?.found == "apple + pear")
  }

  @Test func leavingASearchGivesTheTextBack() {
    let editor = edited([.text("mine"), .control("r"), .text("pear"), .control("g")])
    #expect(editor.buffer.text == "mine" && editor.search == nil)
  }

  @Test func aKeyTakesWhatWasFoundAndDoesWhatItDoes() {
    var editor = edited([.control("r"), .text("let"), .home])
    #expect(editor.buffer.text == "let pear = 2" && editor.buffer.cursor == 0 && editor.search == nil)
    _ = editor.handle(.up)
    #expect(editor.buffer.text == "let apple = 1")
    editor = edited([.control("r"), .text("let"), .escape])
    #expect(editor.buffer.text == "let pear = 2")
    editor = edited([.control("r"), .text("let")])
    #expect(editor.handle(.enter) == .enter && editor.buffer.text == "let pear = 2")
  }

  @Test func aKeyAfterNothingWasFoundKeepsTheText() {
    #expect(edited([.text("mine"), .control("r"), .text("zzz"), .escape]).buffer.text == "mine")
  }

  /// A person who takes an old entry and changes his mind finds at the end what he had begun.
  @Test func theTextBeforeASearchIsAtTheEndOfTheHistory() {
    #expect(edited([.text("mine"), .control("r"), .text("pear ="), .escape, .pageDown]).buffer.text == "mine")
    #expect(
      edited([.text("mine"), .control("r"), .text("pear ="), .escape, .control("_")]).buffer.text == "mine"
    )
  }

  @Test func cancellingDropsEverything() {
    var editor = edited([.text("mine"), .up, .control("r"), .text("let")])
    editor.isComposing = true
    editor.cancel()
    #expect(editor.buffer.isEmpty && editor.search == nil && !editor.isComposing)
    _ = editor.handle(.up)
    #expect(editor.buffer.text == "apple + pear")
  }

  @Test func aNewEntryKnowsNothingOfTheLast() {
    var editor = edited([.text("x"), .up, .control("r"), .text("let")])
    editor.reset(history: ["only"])
    #expect(editor.buffer.isEmpty && editor.search == nil)
    _ = editor.handle(.control("_"))
    #expect(editor.buffer.isEmpty)
    _ = editor.handle(.up)
    #expect(editor.buffer.text == "only")
  }
}
