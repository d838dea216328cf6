// SPDX-License-Identifier: MIT

internal import AppPlugin
internal import AuthPlugin
internal import DocumentsPlugin
internal import LoggerPlugin
internal import NBridgePlugin
internal import PasteboardPlugin
internal import PeersPlugin
internal import PreferencePlugin

/// The plugins that are part of `nbridge`.
enum BuiltInPlugins {
  /// - Parameter auth: what decides on authentication; by default a prompt that has no person to ask.
  static func all(auth: AuthSetup = AuthSetup(always: .prompt)) -> [any Plugin] {
    [
      AppPlugin(), PreferencePlugin(), PasteboardPlugin(), DocumentsPlugin(), PeersPlugin(), LoggerPlugin(),
      AuthPlugin(auth),
    ]
  }

  /// Their service names.
  static var services: [String] { all().map { type(of: $0).manifest.service } }
}
