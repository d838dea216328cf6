// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// The pages that a program serves, for the person at its prompt: which there are, and what one of them makes
/// of something that was entered. A page can ask nothing of another; a server without this asks nothing at
/// all, and its pages have nothing that would run it. Confined to the engine's thread.
package final class PageTabs {
  /// A page that is there: a tab, or a frame of the page's own address in one.
  package struct Tab: Sendable {
    /// From 1 on; no other page of the program has had it.
    package let number: Int
    /// Its path, as it says itself.
    package fileprivate(set) var place = ""
    package fileprivate(set) var title = ""
    package fileprivate(set) var isFrame = false
    /// Whether its link is there; one whose link was cut has some time to come back.
    package fileprivate(set) var isLinked = true
  }

  /// What a person entered.
  package struct Entry: Encodable, Sendable {
    /// JavaScript: an expression that is a promise of a list with the value, or of an empty one.
    package var code: String
    /// The names that it declares, and those of them that are constants once it has run.
    package var names: [String]
    package var constants: [String]
    /// How wide its value is shown, in columns, and whether in colours.
    package var width: Int
    package var colours: Bool

    package init(code: String, names: [String], constants: [String], width: Int, colours: Bool) {
      (self.code, self.names, self.constants) = (code, names, constants)
      (self.width, self.colours) = (width, colours)
    }
  }

  /// What it came to in the page, as the page says.
  package enum Outcome: Sendable, Equatable {
    case value(String)
    case nothing
    /// What it threw.
    case failed(String)
    /// The page went before it told.
    case gone
  }

  /// Called when a page has gone, with its number: its tab was closed or shows another, or its link was cut
  /// for good.
  package var left: (Int) -> Void = { _ in }

  private struct Known {
    var tab: Tab
    weak var session: PageSession?
    /// What waits for the page's word, by the numbers of the questions.
    var waiting: [UInt32: (Outcome) -> Void] = [:]
    /// The last question that it was asked.
    var last: UInt32 = 0
  }

  private var known: [Known] = []
  private var lastTab = 0

  /// An entry is so long at the most, and so is what a page tells of one, in bytes.
  private static let longest = 1 << 20
  /// So many entries may wait for a page's word.
  private static let mostWaiting = 1000

  /// What a page tells: `js/attached.js`.
  private enum Told {
    static let value: UInt8 = 0
    static let nothing: UInt8 = 1
    static let failed: UInt8 = 2
    static let place: UInt8 = 3
  }

  package init() {}

  /// Those that are there, in the order in which they came.
  package var all: [Tab] {
    known.map { one in
      var tab = one.tab
      tab.isLinked = one.session?.isLinked == true
      return tab
    }
  }

  /// Has a page run something.
  ///
  /// - Parameter done: called once, later, with what came of it; not if it is forgotten.
  /// - Returns: the question's number.
  /// - Throws: `not_found` where there is no such page, `too_large`, and `unavailable` for a page that
  ///   answers nothing.
  package func ask(
    _ tab: Int, _ entry: Entry, _ done: @escaping (Outcome) -> Void
  ) throws -> UInt32 {
    guard let index = index(of: tab), let session = known[index].session else {
      throw BridgeError(.notFound, "there is no page \(tab) any more")
    }
    let text = String(decoding: try Value(encoding: entry).text, as: UTF8.self)
    guard text.utf8.count <= Self.longest else {
      throw BridgeError(
        .tooLarge, "the entry has \(text.utf8.count) bytes as it is sent; a page takes \(Self.longest)")
    }
    guard known[index].waiting.count < Self.mostWaiting else {
      throw BridgeError(
        .unavailable, "page \(tab) has not answered \(Self.mostWaiting) entries; close its tab")
    }
    known[index].last += 1
    let number = known[index].last
    known[index].waiting[number] = done
    session.ask(number, text)
    return number
  }

  /// Waits no more for what was asked; the page goes on with it.
  package func forget(_ number: UInt32, of tab: Int) {
    if let index = index(of: tab) { known[index].waiting[number] = nil }
  }

  // MARK: - Pages come and go

  func add(_ session: PageSession) {
    lastTab += 1
    known.append(Known(tab: Tab(number: lastTab), session: session))
    session.onTold = { [weak self, weak session] what, number, text in
      guard let self, let session else { return false }
      return take(session, what, number, text)
    }
  }

  func remove(_ session: PageSession) {
    guard let index = index(of: session) else { return }
    let gone = known.remove(at: index)
    for done in gone.waiting.values { done(.gone) }
    left(gone.tab.number)
  }

  private func index(of session: PageSession) -> Int? { known.firstIndex { $0.session === session } }
  private func index(of tab: Int) -> Int? { known.firstIndex { $0.tab.number == tab } }

  /// Takes what a page tells. Answers false for what none of ours tells.
  private func take(
    _ session: PageSession, _ what: UInt8, _ number: UInt32, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard let index = index(of: session), bytes.count <= Self.longest, number <= known[index].last else {
      return false
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let outcome: Outcome
    switch what {
    case Told.value: outcome = .value(text)
    case Told.nothing: outcome = .nothing
    case Told.failed: outcome = .failed(text)
    case Told.place: return place(index, text)
    default: return false
    }
    // One that nobody waits for any more is told to nobody.
    known[index].waiting.removeValue(forKey: number)?(outcome)
    return true
  }

  private func place(_ index: Int, _ text: String) -> Bool {
    let parts = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3 else { return false }
    known[index].tab.place = parts[0]
    known[index].tab.isFrame = !parts[1].isEmpty
    known[index].tab.title = parts[2]
    return true
  }
}
