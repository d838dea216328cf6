// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// A plugin as a runtime holds it, whichever way it came in. Confined to the engine's thread.
protocol HostedPlugin: AnyObject {
  var manifest: PluginManifest { get }
  var declarations: [Declaration] { get }
  /// Where it comes from, for messages: a type's name, or a file.
  var origin: String { get }
  /// What runs the calls of a loaded plugin, once it is started.
  var run: LoadedRun? { get }

  func start(_ app: AppEnvironment) throws
  func stop()
}

/// A plugin that is part of the program.
final class LinkedPlugin: HostedPlugin {
  private let plugin: any Plugin
  /// Made when somebody asks: the types of a plugin that is not used are never looked at.
  private(set) lazy var declarations: [Declaration] = plugin.body.members

  init(_ plugin: any Plugin) { self.plugin = plugin }

  var manifest: PluginManifest { type(of: plugin).manifest }

  var origin: String { "\(type(of: plugin))" }
  var run: LoadedRun? { nil }
  func start(_ app: AppEnvironment) throws { try plugin.start(app) }
  func stop() { plugin.stop() }
}
