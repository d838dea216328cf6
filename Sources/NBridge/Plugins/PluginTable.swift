// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// The plugins of a runtime, by service name.
final class PluginTable {
  /// A plugin with its declarations bound to the app.
  struct Entry {
    let plugin: any Plugin
    let manifest: PluginManifest
    let actions: [String: BoundAction]
    let order: [BoundAction]
  }

  private(set) var entries: [String: Entry] = [:]
  private var app: AppEnvironment?

  /// Service names that an object can't have, or that the bridge itself uses.
  private static let reserved: Set<String> = [
    "constructor", "then", "prototype", "callToNative", "resolvePromise", "finallyResolvePromise", "version",
    "services", "BridgeError", "args",
  ]

  /// Adds a plugin. Throws ``PluginError`` for a bad or taken name.
  func add(_ plugin: any Plugin, app: AppEnvironment, permissions: PermissionSet) throws {
    let manifest = type(of: plugin).manifest
    self.app = app
    try Self.check(service: manifest.service)
    if let other = entries[manifest.service] {
      throw PluginError(
        "the service '\(manifest.service)' is taken twice: by \(type(of: other.plugin)) and \(type(of: plugin))"
      )
    }
    var actions: [String: BoundAction] = [:]
    let order = plugin.body.members.map {
      BoundAction(service: manifest.service, declaration: $0, app: app)
    }
    for action in order {
      try Self.check(action: action)
      if actions.updateValue(action, forKey: action.declaration.name) != nil {
        throw PluginError("'\(action.name)' is declared twice")
      }
      action.denial = permissions.denial(of: action.permission)
    }
    try plugin.start(app)
    entries[manifest.service] = Entry(plugin: plugin, manifest: manifest, actions: actions, order: order)
  }

  /// Finds an action, or says what is nearest.
  func find(_ service: String, _ action: String) throws -> BoundAction {
    guard let entry = entries[service] else {
      throw BridgeError(
        .invalidService,
        "there is no plugin for the service '\(service)'\(NearestName.hint(for: service, among: services))")
    }
    guard let found = entry.actions[action] else {
      let names = entry.order.map(\.declaration.name)
      throw BridgeError(
        .invalidActionName,
        "the service '\(service)' has no action '\(action)'\(NearestName.hint(for: action, among: names))")
    }
    return found
  }

  /// The service names, sorted.
  var services: [String] { entries.keys.sorted() }

  /// Stops a plugin and starts it again. False when there is none of that name.
  func restart(_ service: String) throws -> Bool {
    guard let entry = entries[service], let app else { return false }
    entry.plugin.stop()
    try entry.plugin.start(app)
    return true
  }

  /// Tells every plugin that the program ends.
  func stop() {
    for service in services { entries[service]?.plugin.stop() }
    entries = [:]
  }

  private static func check(service: String) throws {
    guard isIdentifier(service), !reserved.contains(service) else {
      throw PluginError(
        "'\(service)' can't be a service name: it must be a lower-case letter, then letters and digits, and none of "
          + reserved.sorted().joined(separator: ", "))
    }
  }

  private static func check(action: BoundAction) throws {
    guard isIdentifier(action.declaration.name), action.declaration.name != "constructor",
      action.declaration.name != "then"
    else {
      throw PluginError(
        "'\(action.name)' can't be an action name: letters and digits, no 'constructor' or 'then'")
    }
  }

  private static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.utf8.first, 0x61...0x7A ~= first else { return false }
    return name.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x41...0x5A ~= $0 || 0x30...0x39 ~= $0 }
  }
}

/// A plugin that can't be added.
public struct PluginError: Error, CustomStringConvertible {
  /// What is wrong with it.
  public let description: String
  init(_ description: String) { self.description = description }
}
