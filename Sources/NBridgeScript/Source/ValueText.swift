// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Texts as JSON literals, which are JavaScript's too.
package enum ValueText {
  package static func quoted(_ text: String) -> String {
    guard let value = try? Value(encoding: text) else { return "\"\"" }
    return String(decoding: value.text, as: UTF8.self)
  }
}
