// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Finds and makes an app's container.
enum AppContainer {
  /// `path`, or the app's place: `$NBRIDGE_HOME/<id>`, else `$XDG_DATA_HOME/nbridge/<id>`, else
  /// `~/.local/share/nbridge/<id>` (XDG Base Directory Specification 0.8). Folders are made when first needed.
  static func open(_ path: String?, app: AppInfo) throws -> Container {
    if let path { return Container(path: path) }
    guard let root = SharedFolders.dataRoot else {
      throw BridgeError(.unavailable, "no place for the app's files: set HOME, XDG_DATA_HOME or NBRIDGE_HOME")
    }
    return Container(path: root + "/" + app.id)
  }
}
