// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem

/// A permission as a command line names it: one that can allow nothing is a slip of the pen.
enum PermissionName {
  /// Throws ``UsageError`` for a pattern that no call and no module can match.
  ///
  /// - Parameters:
  ///   - services: the services that there are.
  ///   - actions: the permissions of one; nil where they are not known.
  static func check(_ pattern: String, services: [String], actions: @escaping (String) -> [String]?) throws {
    let known = KnownPermissions(services: services, actions: actions, isScoped: isScoped)
    if let problem = known.problem(pattern) { throw UsageError("--permissions names \(problem)") }
  }

  /// Whether a permission may have a scope. What plugins in libraries ask for is known to them alone.
  static func isScoped(_ name: String) -> Bool {
    let service = String(name.prefix { $0 != "." })
    return ScopedPermission.isScoped(name) || !BuiltInPlugins.services.contains(service)
  }

  /// The permissions of a plugin of a program; nil for one that is not there, or can't say it.
  static func known(_ service: String, _ options: RuntimeOptions) throws -> [String]? {
    if let permissions = builtIn(service) { return permissions }
    for opening in options.openings {
      let library = try opening.library()
      if library.service == service { return names(library.descriptor) }
    }
    guard let plugin = options.installedPlugins.first(where: { $0.service == service }) else { return nil }
    // As it was described when it was installed; its library is opened only where that can't be read.
    if let library = try plugin.record().library, !library.hasSlash,
      let description = KnownDescription.of(plugin.folder + "/" + library)
    {
      return names(description)
    }
    let isIsolated = !options.isolatedPlugins.isDisjoint(with: [service, "*"])
    return names(try plugin.open(isIsolated: isIsolated).descriptor)
  }

  private static func names(_ plugin: PluginDescriptor) -> [String] {
    Set(plugin.members.map { "\(plugin.service).\($0.permission ?? $0.name)" }).sorted()
  }

  /// The permissions of a plugin that is part of the program; nil for another.
  private static func builtIn(_ service: String) -> [String]? {
    BuiltInPlugins.all().lazy.map { PluginContract($0) }.first { $0.service == service }.map { contract in
      Set(contract.members.map { "\(service).\($0.permission ?? $0.name)" }).sorted()
    }
  }
}
