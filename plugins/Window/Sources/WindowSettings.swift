// SPDX-License-Identifier: MIT

package import NBridgePlugin

/// What `app.json` says of the window, under `plugins.window`.
package struct WindowSettings: Codable, Sendable {
  /// Instead of the page's own.
  package var title: String?
  package var width: Int?
  package var height: Int?
  package var minWidth: Int?
  package var minHeight: Int?
  /// A picture beside `app.json`.
  package var icon: String?
  package var menu: [MenuItem]?
  /// Whether a second start gives its arguments to the first, and ends.
  package var single: Bool?
  /// Whether the window comes back where it was; true without it.
  package var restores: Bool?

  private static let name = "plugins.window"

  /// - Throws: ``BridgeError`` that names what is wrong.
  package init(_ settings: Value?) throws {
    guard let settings else { return }
    self = try settings.decode(settings: Self.self, named: Self.name)
    _ = try fields()
    if let icon, icon.hasPrefix("/") || icon.split(separator: "/").contains("..") {
      throw BridgeError(.invalidParameter, "\(Self.name).icon is a path from app.json on, not '\(icon)'")
    }
  }

  /// As the window is told: all but the icon.
  ///
  /// - Throws: ``BridgeError`` that names what is wrong.
  package func fields() throws -> [String: String] {
    let change = WindowChange(
      title: title, width: width, height: height, minWidth: minWidth, minHeight: minHeight)
    do {
      var fields = try change.fields()
      if let menu { fields["menu"] = try MenuItem.lines(menu, named: "menu") }
      return fields
    } catch let error as BridgeError {
      throw BridgeError(error.code, "\(Self.name): \(error.message)")
    }
  }
}
