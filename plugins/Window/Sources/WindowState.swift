// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// How a window is.
package struct WindowState: Codable, Sendable, Equatable {
  var title = ""
  /// Of what it shows, in the desktop's pixels.
  var width = 0
  var height = 0
  /// Of its upper left corner. On Wayland no program is told where its windows are: 0 then.
  var x = 0
  var y = 0
  var fullScreen = false
  var maximized = false
  var minimized = false
  var focused = false
  /// 1 is the page's own size.
  var zoom = 1.0
  /// Whether the desktop's colours are dark.
  var dark = false

  init(_ message: [String: String]) {
    func number(_ name: String) -> Int { message[name].flatMap { Int($0) } ?? 0 }
    func isSet(_ name: String) -> Bool { message[name] == "1" }
    title = message["title"] ?? ""
    (width, height, x, y) = (number("width"), number("height"), number("x"), number("y"))
    (fullScreen, maximized) = (isSet("fullScreen"), isSet("maximized"))
    (minimized, focused, dark) = (isSet("minimized"), isSet("focused"), isSet("dark"))
    // In hundredths.
    zoom = Double(message["zoom"].flatMap { Int($0) } ?? 100) / 100
  }
}

/// What of a window is to be changed; what is not named stays.
struct WindowChange: Codable, Sendable {
  var title: String?
  var width: Int?
  var height: Int?
  var minWidth: Int?
  var minHeight: Int?
  var x: Int?
  var y: Int?
  var fullScreen: Bool?
  var maximized: Bool?
  var minimized: Bool?
  var zoom: Double?

  private static let largest = 20_000
  private static let zooms = 0.25...5.0

  /// As the window is told.
  ///
  /// - Throws: `invalid_parameter`.
  func fields() throws -> [String: String] {
    var fields: [String: String] = [:]
    if let title { fields[title.isEmpty ? "untitled" : "title"] = title.isEmpty ? "1" : title }
    for (name, value) in [
      ("width", width), ("height", height), ("minWidth", minWidth), ("minHeight", minHeight),
    ] {
      guard let value else { continue }
      guard 1...Self.largest ~= value else { throw Self.refused(name, value, "1 to \(Self.largest) pixels") }
      fields[name] = "\(value)"
    }
    for (name, value) in [("x", x), ("y", y)] {
      guard let value else { continue }
      guard -Self.largest...Self.largest ~= value else {
        throw Self.refused(name, value, "\(-Self.largest) to \(Self.largest) pixels")
      }
      fields[name] = "\(value)"
    }
    for (name, value) in [
      ("fullScreen", fullScreen), ("maximized", maximized), ("minimized", minimized),
    ] {
      if let value { fields[name] = value ? "1" : "0" }
    }
    if let zoom {
      guard Self.zooms ~= zoom else { throw Self.refused("zoom", zoom, "0.25 to 5") }
      fields["zoom"] = "\(Int((zoom * 100).rounded()))"
    }
    if (x == nil) != (y == nil) {
      throw BridgeError(.invalidParameter, "option.x and option.y belong together")
    }
    return fields
  }

  private static func refused(_ name: String, _ value: some Any, _ range: String) -> BridgeError {
    BridgeError(.invalidParameter, "option.\(name) must be \(range), not \(value)")
  }
}
