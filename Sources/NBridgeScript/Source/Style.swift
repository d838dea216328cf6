// SPDX-License-Identifier: MIT

/// Colours, or none.
package struct Style {
  package let colours: Bool

  package init(colours: Bool) {
    self.colours = colours
  }
  package func red(_ text: String) -> String { wrap(text, "31") }
  package func dim(_ text: String) -> String { wrap(text, "2") }
  private func wrap(_ text: String, _ code: String) -> String {
    colours ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
