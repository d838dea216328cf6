// SPDX-License-Identifier: MIT

package import NBridgePlugin

/// The window that shows the program's page (`nbridge window`). In other programs its calls are
/// `unavailable`.
package struct WindowPlugin: Plugin {
  /// `nbridge.window`.
  package static let manifest = PluginManifest(
    service: "window", version: "1.0.0",
    help: "The window that shows the page: its title, size and menu, and the desktop's dialogs.",
    script: PluginScript(
      files: [PackageResources.window_js], members: PackageResources.members_d_ts,
      types: PackageResources.types_d_ts))

  let seat: WindowSeat

  /// There is no window, or no more.
  static let gone: [BridgeError.Code] = [.unavailable, .closed]

  /// - Parameter seat: the way to the window.
  package init(_ seat: WindowSeat = WindowSeat()) { self.seat = seat }

  package func start(_ app: AppEnvironment) throws {
    _ = try WindowSettings(app.settings)
  }

  package func stop() { seat.disconnect() }

  /// The plugin's actions.
  package var body: PluginBody {
    stateBody
    dialogBody
    otherBody
    trayBody
  }

  /// Asks the window that shows the page of the caller.
  private func ask(
    _ call: Call, _ what: String, _ fields: [String: String] = [:]
  ) async throws -> [String: String] {
    try await seat.ask(what, fields, in: seat.window(of: call.session))
  }

  @PluginBuilder private var stateBody: PluginBody {
    Action("state", "Tells how the window is.") { call in
      WindowState(try await ask(call, "state"))
    }
    .errors(Self.gone)
    Action("set", "Changes the window's title, size, place, zoom or state; answers how it is then.") {
      (options: WindowChange, call) in
      WindowState(try await ask(call, "set", options.fields()))
    }
    .parameter("title", "Instead of the page's own.")
    .parameter("width", "In pixels, as height, minWidth and minHeight.")
    .parameter("x", "Of the upper left corner, with y; Wayland places windows itself.")
    .parameter("zoom", "0.25 to 5.").errors(Self.gone)
    Action("focus", "Puts the window before the others, where the desktop lets it.") { call in
      _ = try await ask(call, "focus")
    }
    .errors(Self.gone)
    Action("close", "Closes the window as its own button does: a page with beforeunload asks first.") {
      call in
      _ = try await ask(call, "close")
    }
    .errors(Self.gone)
    Action("print", "Shows the desktop's print dialog.") { call in _ = try await ask(call, "print") }
      .errors(Self.gone)
    Action("setMenu", "Puts a menu bar over the page; an empty list takes it away.") {
      (options: MenuOptions, call) in
      _ = try await ask(call, "menu", ["menu": MenuItem.lines(options.items, named: "items")])
    }
    .positional("items").permission("set").errors(Self.gone)
    Watch("events", "Tells what happens to the window: menu, focus, hidden, dark, arguments …") { call in
      try seat.events(of: seat.window(of: call.session))
    }
    .holdsOpen(false).permission("state").errors(Self.gone)
  }

  @PluginBuilder private var dialogBody: PluginBody {
    Action("openFile", "Asks for files; answers their paths, none when the person gave none.") {
      (options: OpenFileOptions, call) -> [String] in
      let paths = Self.paths(try await ask(call, "openFile", options.fields()))
      for path in paths { call.app.choose(path) }
      return paths
    }
    .parameter("multiple", "Whether several may be chosen.")
    .parameter("folder", "Whether a folder is asked for.")
    .parameter("kinds", "Kinds of files to choose from.").errors(Self.gone)
    Action("saveFile", "Asks where a file is to be written; answers the path, null when nowhere.") {
      (options: SaveFileOptions, call) -> String? in
      let path = Self.paths(try await ask(call, "saveFile", options.fields())).first
      if let path { call.app.choose(path) }
      return path
    }
    .parameter("name", "What the file is called unless the person changes it.").errors(Self.gone)
    Watch("drops", "Tells of files that a person drags over the window and drops on it.") { call in
      try seat.drops(of: seat.window(of: call.session)) { [app = call.app] path in app.choose(path) }
    }
    .holdsOpen(false).errors(Self.gone)
    Action("ask", "Asks a question; answers the number of the button, -1 when it was closed.") {
      (options: AskOptions, call) -> Int in
      try await ask(call, "ask", options.fields())["button"].flatMap { Int($0) } ?? -1
    }
    .positional("message").orObject()
    .parameter("buttons", "The one that counts last; one that says OK without them.").errors(Self.gone)
  }

  /// In the order of the dialog, or of what was dropped.
  static func paths(_ answer: [String: String]) -> [String] {
    var paths: [String] = []
    while let path = answer["path\(paths.count)"] { paths.append(path) }
    return paths
  }
}

/// What a menu bar is to have.
struct MenuOptions: Codable, Sendable {
  var items: [MenuItem]
}
