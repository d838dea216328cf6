// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// What happens to a window.
package struct WindowEvent: Codable, Sendable, Equatable {
  /// What happened.
  package enum Kind: String, Codable, Sendable, CaseIterable {
    /// An item of the menu was chosen; `id` says which.
    case menu
    /// The window has, or has no more, the keyboard.
    case focus, blur
    /// The window can't be seen any more, or again.
    case hidden, shown
    /// The desktop's colours are dark, or light.
    case dark, light
    /// The app was started again, with these arguments.
    case arguments
    /// The window has gone: the last of its events.
    case closed
  }

  package let type: Kind
  package var id: String?
  package var arguments: [String]?

  package init(_ type: Kind, id: String? = nil, arguments: [String]? = nil) {
    (self.type, self.id, self.arguments) = (type, id, arguments)
  }

  /// Nil for what is none.
  init?(_ message: [String: String]) {
    guard let kind = message["event"].flatMap(Kind.init(rawValue:)) else { return nil }
    self.init(kind, id: message["id"])
  }
}
