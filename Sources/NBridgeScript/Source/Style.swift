// SPDX-License-Identifier: MIT

/// Colours, or none.
struct Style {
  let colours: Bool
  func red(_ text: String) -> String { wrap(text, "31") }
  func dim(_ text: String) -> String { wrap(text, "2") }
  private func wrap(_ text: String, _ code: String) -> String {
    colours ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
