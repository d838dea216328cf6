// SPDX-License-Identifier: MIT

internal import AppPlugin
internal import DocumentsPlugin
internal import LoggerPlugin
internal import NBridgePlugin
internal import PasteboardPlugin
internal import PeersPlugin
internal import PreferencePlugin

/// The plugins that are part of `nbridge`.
enum BuiltInPlugins {
  static var all: [any Plugin] {
    [
      AppPlugin(), PreferencePlugin(), PasteboardPlugin(), DocumentsPlugin(), PeersPlugin(), LoggerPlugin(),
    ]
  }

  /// Their service names.
  static var services: [String] { all.map { type(of: $0).manifest.service } }
}
