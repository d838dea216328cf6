// SPDX-License-Identifier: MIT

@testable import NBridgeHost

/// Keeps what a run says. Sendable because a run stays on the thread that fuzzes.
final class Said: ScriptOutput, @unchecked Sendable {
  var text = ""
  func write(_ text: String) { self.text += text }
  func writeError(_ text: String) { self.text += text }
  func flush() {}
  var colours: Bool { false }
  var errorColours: Bool { false }
}
