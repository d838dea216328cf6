// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// The app's icon in the desktop's tray, or what of it is to be changed: what is not named stays.
struct TrayOptions: Codable, Sendable {
  /// A path from the app's folder on; "" for the one of app.json.
  var icon: String?
  /// What it is called; "" for the title of its window.
  var tooltip: String?
  /// Its menu; an empty one for none.
  var menu: [MenuItem]?

  /// In characters. More fits into no tray.
  private static let longestTooltip = 1_000

  /// As the window's program is told. It knows no empty values: what is taken back is named in `without`.
  ///
  /// - Throws: ``BridgeError`` that names the option.
  func fields(in app: AppEnvironment) throws -> [String: String] {
    var fields: [String: String] = [:]
    if let icon, !icon.isEmpty {
      fields = ["icon": try TrayIcon.read(icon, in: app), "iconPath": icon]
    }
    if let tooltip { fields["tooltip"] = try Self.checked(tooltip) }
    if let menu { fields["menu"] = try MenuItem.lines(menu, named: "option.menu", in: .tray) }
    let told = [("icon", icon?.isEmpty), ("tooltip", tooltip?.isEmpty), ("menu", menu?.isEmpty)]
    fields["without"] = told.filter { $0.1 == true }.map(\.0).joined(separator: " ")
    return fields
  }

  private static func checked(_ tooltip: String) throws -> String {
    guard !tooltip.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw BridgeError(
        .invalidParameter, "option.tooltip is one line, and '\(tooltip.prefix(200))' has a control character")
    }
    guard tooltip.count <= longestTooltip else {
      throw BridgeError(
        .invalidParameter,
        "option.tooltip has at most \(longestTooltip) characters, not \(tooltip.count): "
          + "'\(tooltip.prefix(40))…'")
    }
    return tooltip
  }
}

/// One of the icons that the program had, by its number, and what of it is to be changed.
struct TrayChange: Codable, Sendable {
  var tray: Int
  var icon: String?
  var tooltip: String?
  var menu: [MenuItem]?

  var options: TrayOptions { TrayOptions(icon: icon, tooltip: tooltip, menu: menu) }
}

/// One of the icons that the program had.
struct OneTray: Codable, Sendable {
  var tray: Int
}

/// What happens to an icon.
struct TrayEvent: Codable, Sendable, Equatable {
  /// What happened.
  enum Kind: String, Codable, Sendable, CaseIterable {
    /// It was clicked.
    case activated
    /// It was clicked with the middle button, or with the right one where it has no menu.
    case secondary
    /// An item of its menu was chosen; `id` says which.
    case menu
    /// It has gone: the last of its events.
    case closed
  }

  let type: Kind
  var id: String?

  init(_ type: Kind, id: String? = nil) { (self.type, self.id) = (type, id) }

  /// Nil for what is none.
  init?(_ message: [String: String]) {
    guard let kind = message["event"].flatMap(Kind.init(rawValue:)) else { return nil }
    self.init(kind, id: message["id"])
  }
}

extension WindowPlugin {
  /// What `tray` of the plugin's script, and the object that it answers, do.
  @PluginBuilder var trayBody: PluginBody {
    Action("openTray", "Puts an icon into the desktop's tray; answers its number.") {
      (options: TrayOptions, call) -> Int in
      try await seat.openTray(options.fields(in: call.app), for: call.session)
    }
    .hidden(behind: "tray").permission("tray").errors(Self.trayErrors)
    Action("setTray", "Changes the icon, the tooltip or the menu.") { (change: TrayChange, call) in
      // One that has gone says so, and not what is wrong with its icon.
      _ = try seat.trays.window(of: change.tray)
      try await seat.setTray(change.tray, change.options.fields(in: call.app))
    }
    .positional("tray").hidden(behind: "set").permission("tray").errors(Self.trayErrors)
    Action("closeTray", "Takes it away.") { (one: OneTray, call) in seat.closeTray(one.tray) }
      .positional("tray").hidden(behind: "close").permission("tray")
    Watch("trayEvents", "Tells what happens to it, until it has gone.") { (one: OneTray, call) in
      try seat.trays.events(of: one.tray)
    }
    .positional("tray").holdsOpen(false).hidden(behind: "events").permission("tray").errors(Self.gone)
  }

  private static let trayErrors: [BridgeError.Code] = gone + [.notFound, .permissionDenied, .ioError]
}
