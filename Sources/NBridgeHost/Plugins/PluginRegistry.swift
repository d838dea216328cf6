// SPDX-License-Identifier: MIT

package import NBridgePlugin

/// The plugins of a runtime, by service name. Confined to the engine's thread.
package final class PluginRegistry {
  /// A plugin with its declarations bound to the app.
  package struct Entry {
    package let plugin: any HostedPlugin
    package let actions: [String: BoundAction]
    package let order: [BoundAction]

    package var manifest: PluginManifest { plugin.manifest }
  }

  /// A plugin that is started. Its declarations are made when a call or a question first needs them: an app
  /// pays for what it uses.
  private final class Started {
    let plugin: any HostedPlugin
    let app: AppEnvironment
    var entry: Entry?

    init(_ plugin: any HostedPlugin, _ app: AppEnvironment) { (self.plugin, self.app) = (plugin, app) }

    func bound() throws -> Entry {
      if let entry { return entry }
      let made = try Entry(plugin, app)
      entry = made
      return made
    }
  }

  /// The plugins that are started.
  private var started: [String: Started] = [:]
  /// The plugins that lie in a plugin folder and are loaded when first asked for.
  private var installed: [String: any FoundPlugin] = [:]
  private var failures: [String: BridgeError] = [:]
  private let app: AppEnvironment
  private let settings: [String: Value]

  package init(app: AppEnvironment, settings: [String: Value] = [:]) {
    (self.app, self.settings) = (app, settings)
  }

  /// Adds a plugin and starts it. Throws ``PluginError`` for a bad or taken name, and what its start throws.
  package func add(_ plugin: any HostedPlugin) throws {
    let service = plugin.manifest.service
    try PluginNames.check(service: service)
    if let other = started[service] {
      throw PluginError(
        "the service '\(service)' is taken twice: by \(other.plugin.origin) and \(plugin.origin)")
    }
    installed[service] = nil
    let app = self.app.scoped(to: service, settings: settings[service])
    try plugin.start(app)
    started[service] = Started(plugin, app)
  }

  /// Notes what lies in a plugin folder; nothing is read of it yet.
  package func note(_ plugin: any FoundPlugin) {
    if let other = started[plugin.service] {
      let text = "the service '\(plugin.service)' is \(other.plugin.origin)'s; '\(plugin.folder)' is not used"
      return app.note("nbridge: \(text)")
    }
    if let other = installed[plugin.service] {
      failures[plugin.service] = BridgeError(
        .unavailable,
        """
        the service '\(plugin.service)' is taken twice: by '\(other.folder)' and '\(plugin.folder)'; \
        remove one
        """
      )
    }
    installed[plugin.service] = plugin
  }

  /// The plugin of a service, loaded and started if need be; nil when there is none. Throws ``BridgeError``
  /// when it can't be used.
  package func entry(_ service: String) throws -> Entry? {
    if let entry = started[service]?.entry { return entry }
    if let failure = failures[service] { throw failure }
    do {
      if let found = installed[service] { try add(found.open()) }
      return try started[service]?.bound()
    } catch {
      let failure =
        error as? BridgeError
        ?? BridgeError(.unavailable, "the plugin '\(service)' can't be used: \(error)")
      failures[service] = failure
      throw failure
    }
  }

  /// Finds an action, or says what is nearest.
  package func find(_ service: String, _ action: String) throws -> BoundAction {
    guard let entry = try entry(service) else { throw unknown(service: service) }
    guard let found = entry.actions[action] else { throw unknown(service, action) }
    return found
  }

  /// Says that there is no such service, and which is nearest.
  package func unknown(service: String) -> BridgeError {
    BridgeError(
      .invalidService,
      "there is no plugin for the service '\(service)'\(NearestName.hint(for: service, among: services))")
  }

  /// An action that stands for one of a plugin that is not here: a recording answers its calls.
  package func standIn(_ service: String, _ declaration: Declaration) -> BoundAction {
    BoundAction(service: service, declaration: declaration, app: app, index: 0)
  }

  /// Says of an action that there is none, as far as scripts see, and which is nearest.
  package func unknown(_ service: String, _ action: String) -> BridgeError {
    let order = started[service]?.entry?.order ?? []
    let names = order.filter(\.declaration.isPublic).map(\.declaration.name)
    return BridgeError(
      .invalidActionName,
      "the service '\(service)' has no action '\(action)'\(NearestName.hint(for: action, among: names))")
  }

  /// The service names, sorted, loaded or not.
  package var services: [String] {
    installed.isEmpty ? started.keys.sorted() : Set(started.keys).union(installed.keys).sorted()
  }

  /// Every plugin that can be used, in the order of names; installed ones are loaded for it.
  package var all: [Entry] { services.compactMap { try? entry($0) } }

  /// Stops a plugin and starts it again. False when there is none of that name.
  package func restart(_ service: String) throws -> Bool {
    guard let entry = try entry(service) else { return false }
    entry.plugin.stop()
    for action in entry.order { action.instance = nil }
    try entry.plugin.start(app.scoped(to: service, settings: settings[service]))
    for action in entry.order { action.instance = entry.plugin.instance }
    return true
  }

  /// Tells every plugin that the program ends, in the order of names.
  package func stop() {
    for service in started.keys.sorted() { started[service]?.plugin.stop() }
    started = [:]
    installed = [:]
  }
}

extension PluginRegistry.Entry {
  /// Throws ``PluginError`` for names that actions can't have.
  fileprivate init(_ plugin: any HostedPlugin, _ app: AppEnvironment) throws {
    let service = plugin.manifest.service
    let order = plugin.declarations.enumerated().map { index, declaration in
      BoundAction(service: service, declaration: declaration, app: app, index: UInt32(index))
    }
    var actions: [String: BoundAction] = [:]
    for action in order {
      try PluginNames.check(action.declaration.name, action.declaration.handle, of: service)
      if actions.updateValue(action, forKey: action.declaration.key) != nil {
        throw PluginError("'\(action.name)' is declared twice")
      }
      action.instance = plugin.instance
    }
    self.init(plugin: plugin, actions: actions, order: order)
  }
}
