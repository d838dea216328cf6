// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgeScript

/// Text that a terminal shows and does not obey, in every form.
@Suite struct DisplayTextTests {
  private static let text = "a\t\u{1B}[1m\n\u{7F}\u{9B}\u{202E}\u{200B}\u{E000}\u{E9}\u{1F600}"

  @Test(arguments: [
    (DisplayText.Form.mark, "a\u{FFFD}\u{FFFD}[1m\u{FFFD}\u{FFFD}\u{FFFD}"),
    (.picture, "a\u{2409}\u{241B}[1m\u{240A}\u{2421}\u{FFFD}"),
    (.escape, #"a\x09\x1B[1m\x0A\x7F\x9B"#), (.number, #"a\u{9}\u{1b}[1m\u{a}\u{7f}\u{9b}"#),
  ])
  func controlsAreShown(_ form: DisplayText.Form, _ shown: String) {
    let rest = "\u{202E}\u{200B}\u{E000}\u{E9}\u{1F600}"
    #expect(DisplayText.printable(Self.text, .controls, as: form) == shown + rest)
  }

  @Test func soMuchIsHidden() {
    let start = "a\t\u{FFFD}[1m\n\u{FFFD}\u{FFFD}"
    let kept = "\t\n".unicodeScalars
    #expect(
      DisplayText.printable(Self.text, .steering, keeps: kept)
        == start + "\u{FFFD}\u{200B}\u{E000}\u{E9}\u{1F600}")
    #expect(
      DisplayText.printable(Self.text, .unseen, keeps: kept)
        == start + "\u{FFFD}\u{FFFD}\u{FFFD}\u{E9}\u{1F600}")
  }

  @Test func anExcerptTurnsNoDirection() {
    let shown = SourceExcerpt.text("\tif (a\u{202E}) b", column: 7, Style(colours: false))
    #expect(shown == "\tif (a\u{FFFD}) b\n\t     ^\n")
  }
}
