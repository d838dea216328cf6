// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Finds and makes an app's container.
enum AppContainer {
  /// `path`, or the app's place: `$NBRIDGE_HOME/<id>`, else `$XDG_DATA_HOME/nbridge/<id>`, else
  /// `~/.local/share/nbridge/<id>` (XDG Base Directory Specification 0.8). Folders are made when first
  /// needed; that there is no place for them is an error then, and none of an app that keeps nothing.
  static func open(_ path: String?, app: AppInfo) -> Container {
    if let path { return Container(path: path) }
    return Container(path: (SharedFolders.dataRoot ?? Folders.nowhere) + "/" + app.id)
  }
}
