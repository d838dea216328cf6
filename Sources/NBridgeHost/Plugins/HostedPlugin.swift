// SPDX-License-Identifier: MIT

package import NBridgePlugin

/// A plugin as a runtime holds it, whichever way it came in. Confined to the engine's thread.
package protocol HostedPlugin: AnyObject {
  var manifest: PluginManifest { get }
  var declarations: [Declaration] { get }
  /// Where it comes from, for messages: a type's name, or a file.
  var origin: String { get }
  /// What runs the calls of a loaded plugin, once it is started.
  var instance: (any PluginInstance)? { get }

  func start(_ app: AppEnvironment) throws
  func stop()
}

/// A plugin that is part of the program.
package final class LinkedPlugin: HostedPlugin {
  private let plugin: any Plugin
  private var handles: HandleTable?
  /// Made when first asked for: the types of a plugin that is not used are never looked at.
  package private(set) lazy var declarations: [Declaration] = plugin.body.members

  package init(_ plugin: any Plugin) { self.plugin = plugin }

  package var manifest: PluginManifest { type(of: plugin).manifest }

  package var origin: String { "\(type(of: plugin))" }
  package var instance: (any PluginInstance)? { nil }
  package func start(_ app: AppEnvironment) throws {
    handles = app.handles
    try plugin.start(app)
  }
  package func stop() {
    handles?.closeAll()
    plugin.stop()
  }
}

/// A plugin that was found in a plugin folder. Nothing of it is read until it is opened.
package protocol FoundPlugin {
  /// The name that scripts use.
  var service: String { get }
  /// Where it lies.
  var folder: String { get }
  /// Opens it. Throws ``PluginError`` when it can't be used.
  func open() throws -> any HostedPlugin
}
