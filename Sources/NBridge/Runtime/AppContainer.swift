// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// Finds and makes an app's container.
enum AppContainer {
  /// `path`, or the app's place: `$NBRIDGE_HOME/<id>`, else `$XDG_DATA_HOME/nbridge/<id>`, else
  /// `~/.local/share/nbridge/<id>` (XDG Base Directory Specification 0.8). Folders are made when first needed.
  static func open(_ path: String?, app: AppInfo) throws -> Container {
    if let path { return Container(path: path) }
    return Container(path: try root() + "/" + app.id)
  }

  private static func root() throws -> String {
    if let home = environment("NBRIDGE_HOME") { return home }
    if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/nbridge" }
    guard let home = environment("HOME") else {
      throw BridgeError(.unavailable, "no place for the app's files: set HOME, XDG_DATA_HOME or NBRIDGE_HOME")
    }
    return home + "/.local/share/nbridge"
  }

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
