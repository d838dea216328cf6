// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// A window that is to be opened.
struct OpenWindowOptions: Codable, Sendable {
  /// A path from the app's folder on, with what stands behind it in a URL.
  var page: String
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

  /// As the window is told.
  func fields() throws -> [String: String] {
    let change = WindowChange(
      title: title, width: width, height: height, minWidth: minWidth, minHeight: minHeight, x: x, y: y,
      fullScreen: fullScreen, maximized: maximized, minimized: minimized, zoom: zoom)
    return try change.fields().merging(["page": page]) { $1 }
  }
}

/// One of the program's windows, by its number. Each page is the app's own, and may ask for each.
struct OtherWindow: Codable, Sendable {
  var window: Int
}

/// What of it is to be changed.
struct OtherWindowChange: Codable, Sendable {
  var window: Int
  var change: WindowChange
}

extension WindowPlugin {
  /// What `open` of the plugin's script, and the object that it answers, do.
  @PluginBuilder var otherBody: PluginBody {
    Action("openWindow", "Opens a window with a page; answers its number.") {
      (options: OpenWindowOptions, call) -> Int in
      let fields = try options.fields()
      let answer = try await seat.ask("open", fields, in: seat.window(of: call.session))
      return answer["window"].flatMap { Int($0) } ?? 0
    }
    .positional("page").orObject().hidden(behind: "open").permission("open").errors(Self.gone + [.notFound])
    Action("stateOf", "Tells how another window is.") { (other: OtherWindow, call) in
      WindowState(try await seat.ask("state", in: other.window))
    }
    .positional("window").hidden(behind: "state").permission("state").errors(Self.gone)
    Action("setOf", "Changes another window; answers how it is then.") { (options: OtherWindowChange, call) in
      WindowState(try await seat.ask("set", options.change.fields(), in: options.window))
    }
    .positional("window").hidden(behind: "set").permission("set").errors(Self.gone)
    Action("focusOf", "Puts another window before the others.") { (other: OtherWindow, call) in
      _ = try await seat.ask("focus", in: other.window)
    }
    .positional("window").hidden(behind: "focus").permission("focus").errors(Self.gone)
    Action("closeOf", "Closes another window as its own button does.") { (other: OtherWindow, call) in
      _ = try await seat.ask("close", in: other.window)
    }
    .positional("window").hidden(behind: "close").permission("close").errors(Self.gone)
    Watch("eventsOf", "Tells what happens to another window, until it is closed.") {
      (other: OtherWindow, call) in
      try seat.events(of: other.window)
    }
    .positional("window").holdsOpen(false).hidden(behind: "events").permission("state").errors(Self.gone)
  }
}
