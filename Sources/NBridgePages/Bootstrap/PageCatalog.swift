// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin

/// What a page must know of the plugins before it can call them: a page can ask nothing and wait for the
/// answer. Made once for a program.
struct PageCatalog {
  /// The actions that pages call by their places here.
  private(set) var actions: [BoundAction] = []
  /// JavaScript: the members of an object, one for each service's facade.
  private(set) var facades = ""
  /// The rest, as JSON.
  private(set) var json = ""

  /// Opens the plugins that are installed, too: their declarations are in them.
  init(_ registry: PluginRegistry, settings: [String: Value]) throws {
    var listed: [String] = []
    var failures: [String] = []
    for service in registry.services {
      do {
        guard let entry = try registry.entry(service) else { continue }
        let facade = try FacadeGenerator.expression(entry.order.map(\.declaration), entry.manifest.script)
        facades += "\(service.quotedForScript): \(facade),\n"
        let members = try entry.order.map { try member($0) }.joined(separator: ",\n")
        listed.append("\(service.quotedForScript): { __proto__: null,\n\(members)\n}")
      } catch {
        let failure = Reply(error, action: nil)
        guard case .text(let text) = failure.payload else { continue }
        failures.append(
          "\(service.quotedForScript): \(String(decoding: text, as: UTF8.self).quotedForScript)")
      }
    }
    let given = settings.keys.sorted().compactMap { service -> String? in
      guard let value = settings[service] else { return nil }
      return "\(service.quotedForScript): \(String(decoding: value.text, as: UTF8.self).quotedForScript)"
    }
    json = """
      {
      version: \(NBridgeVersion.current.quotedForScript),
      services: [\(registry.services.map(\.quotedForScript).joined(separator: ", "))],
      actions: { __proto__: null, \(listed.joined(separator: ",\n")) },
      failures: { __proto__: null, \(failures.joined(separator: ",\n")) },
      settings: { __proto__: null, \(given.joined(separator: ",\n")) },
      }
      """
  }

  private mutating func member(_ action: BoundAction) throws -> String {
    let declaration = action.declaration
    var told = "index: \(actions.count), watch: \(declaration.kind == .watch)"
    told += ", limit: \(declaration.buffering.limit), policy: \(declaration.buffering.place)"
    if !declaration.isPublic { told += ", hidden: true" }
    if let inlets = declaration.inletsText { told += ", inlets: \(inlets.quotedForScript)" }
    actions.append(action)
    return "\(declaration.key.quotedForScript): { \(told) }"
  }
}

extension Buffering {
  /// Its place in the list of `www/nbridge.js`.
  fileprivate var place: Int {
    switch self {
    case .wait: 0
    case .dropOldest: 1
    case .dropNewest: 2
    }
  }
}
