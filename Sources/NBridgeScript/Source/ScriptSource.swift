// SPDX-License-Identifier: MIT

/// A script: what its author wrote, and what the engine is given.
package struct ScriptSource {
  /// What reports and stack lines call it: the path as the user gave it.
  package let url: String
  package let text: String

  /// The text with a byte-order mark and a `#!` line taken out, its lines kept.
  package init(url: String, text: String) {
    self.url = url
    var text = text
    if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
    if text.hasPrefix("#!") { text = "//" + text.dropFirst(2) }
    self.text = text
  }

  /// A line, 1-based, without its end.
  package func line(_ number: Int) -> Substring? {
    var lines = text.split(separator: "\n", maxSplits: number, omittingEmptySubsequences: false).dropFirst(
      number - 1)
    guard let line = lines.popFirst() else { return nil }
    return line.last == "\r" ? line.dropLast() : line
  }
}

extension Sequence<UInt8> {
  /// Whether an ASCII text occurs.
  package func containsText(_ text: StaticString) -> Bool {
    let pattern = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    var matched = 0
    for byte in self {
      matched = byte == pattern[matched] ? matched + 1 : byte == pattern[0] ? 1 : 0
      if matched == pattern.count { return true }
    }
    return false
  }
}
