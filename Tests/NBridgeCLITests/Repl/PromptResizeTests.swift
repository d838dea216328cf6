// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// A prompt whose terminal changes its size.
@Suite struct PromptResizeTests {
  /// A terminal that has been in use: what was printed before fills it.
  private func filled(_ prompt: PromptDriver, rows: Int) throws {
    try prompt.enter("for (let i = 0; i < \(rows); i++) console.log('printed ' + i)")
    prompt.expectEnd("printed \(rows - 1)\n>")
  }

  private static let entry =
    "const alphabet = \"abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789\""
    + " + nbridge.preference.get("

  private static func count(_ text: String, in screen: String) -> Int {
    screen.components(separatedBy: text).count - 1
  }

  /// Where the entry and what is printed above it stand, without the ends of rows.
  private func expectOnce(_ prompt: PromptDriver, _ columns: Int, isFresh: Bool) {
    prompt.wait("the entry once at \(columns) columns", all: !isFresh) { screen in
      let rows = screen.split(separator: "\n", omittingEmptySubsequences: false)
      let text = rows.joined()
      return Self.count("> const alphabet", in: text) == 1 && Self.count("0123456789", in: text) == 1
        && Self.count("get(key: string", in: text) == 1 && (isFresh || text.contains("printed 3"))
    }
  }

  @Test(arguments: [true, false])
  func noCopyOfTheEntryStaysInAnyWidth(_ isFresh: Bool) throws {
    let prompt = try PromptDriver(columns: 80, rows: 24)
    if !isFresh { try filled(prompt, rows: 30) }
    try prompt.type(Self.entry)
    prompt.expect("get(key: string")
    for columns in [60, 50, 70, 100, 66, 80, 40, 120] {
      try prompt.resize(columns: columns, rows: 24)
      expectOnce(prompt, columns, isFresh: isFresh)
    }
    try prompt.enter("\"k\")")
    prompt.wait("the next prompt") { $0.hasSuffix("\n>") }
  }
}
