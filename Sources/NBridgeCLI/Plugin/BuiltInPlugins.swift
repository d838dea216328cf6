// SPDX-License-Identifier: MIT

internal import AppPlugin
internal import AuthPlugin
internal import DocumentsPlugin
internal import HttpPlugin
internal import LoggerPlugin
internal import NBridgePlugin
internal import PasteboardPlugin
internal import PeersPlugin
internal import PreferencePlugin
internal import ProcessPlugin
internal import WindowPlugin

/// The plugins that are part of `nbridge`.
enum BuiltInPlugins {
  /// - Parameters:
  ///   - auth: what decides on authentication; by default a prompt that has no person to ask.
  ///   - lendsInput: whether stdin is the scripts'; false where a prompt reads it.
  ///   - window: the way to the program's window, which most have not.
  static func all(
    auth: AuthSetup = AuthSetup(always: .prompt), lendsInput: Bool = true,
    window: WindowSeat = WindowSeat()
  ) -> [any Plugin] {
    [
      AppPlugin(), PreferencePlugin(), PasteboardPlugin(), DocumentsPlugin(), PeersPlugin(), LoggerPlugin(),
      ProcessPlugin(lendsInput: lendsInput), AuthPlugin(auth), HttpPlugin(), WindowPlugin(window),
    ]
  }

  /// Makes those of a worker, which has its own: stdin stays with the program.
  static func ofWorkers(auth: AuthSetup) -> @Sendable () -> [any Plugin] {
    { all(auth: auth, lendsInput: false) }
  }

  /// Their service names.
  static var services: [String] { all().map { type(of: $0).manifest.service } }
}
