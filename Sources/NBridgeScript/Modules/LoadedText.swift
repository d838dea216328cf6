// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// Whether a file still holds what a program was loaded of.
package enum LoadedText {
  /// The text of a file's bytes as it would be loaded now, when it is the one that was; nil when it is not.
  ///
  /// - Parameter loaded: what a registry of sources knows of it.
  /// - Returns: in bytes, how much stands before that text in the file: a byte-order mark.
  package static func offset(of loaded: String, in bytes: [UInt8]) -> Int? {
    guard let whole = String(whole: bytes) else { return nil }
    let text = ScriptSource(url: "", text: whole).text
    let isSame =
      text.utf8.elementsEqual(loaded.utf8)
      || ProcessEnvironment.replaced(text).utf8.elementsEqual(loaded.utf8)
    return isSame ? bytes.count - text.utf8.count : nil
  }
}
