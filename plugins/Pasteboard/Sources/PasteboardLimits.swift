// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// The limits of a pasteboard. Scripts may ask for them: `pasteboard.limits()`.
struct PasteboardLimits: Codable, Sendable {
  /// All representations of one item together, in bytes.
  var itemBytes = 64 << 20
  /// Everything on all pasteboards and in their histories, in bytes.
  var totalBytes = 256 << 20
  /// Items on one pasteboard.
  var items = 1024
  /// Representations of one item.
  var representations = 64
  /// A type's name, in bytes.
  var typeBytes = ContentType.longest
  /// A pasteboard's name, in bytes.
  var nameBytes = PasteboardName.longest
  /// Earlier contents that the general pasteboard keeps.
  var history = 32
  /// Changes that a watch may be behind before it hears of several as one.
  var changes = 4096

  static let standard = PasteboardLimits()
}

/// The name of a pasteboard.
struct PasteboardName: Sendable {
  static let longest = 255
  /// The pasteboard that all apps share.
  static let general = "general"

  let text: String
  var isGeneral: Bool { text == Self.general }

  /// Nil is the general one.
  init(_ text: String?) throws {
    let text = text ?? Self.general
    guard 1...Self.longest ~= text.utf8.count, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw BridgeError(
        .invalidParameter, "option.name must have 1 to \(Self.longest) bytes and no control characters")
    }
    self.text = text
  }
}
