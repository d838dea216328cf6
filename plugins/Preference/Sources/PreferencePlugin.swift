// SPDX-License-Identifier: MIT
public import NBridgePlugin
public struct PreferencePlugin: Plugin {
  public static let manifest = PluginManifest(service: "preference", version: "1.0.0", help: "The app.")
  public init() {}
  public var body: PluginBody {
    Immediate("x", "Who the app is.") { call in call.app.info }
  }
}
