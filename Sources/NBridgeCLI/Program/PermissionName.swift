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
    if PermissionSet.isDenial(pattern) {
      let denied = PermissionSet.wholeName(ofDenied: String(pattern.dropFirst()))
      return try check(denied, services: services, actions: actions)
    }
    if pattern == "*" { return }
    let pattern = PermissionSet.fullName(of: pattern)
    let name = String(pattern.prefix { $0 != ":" })
    if name.utf8.count < pattern.utf8.count, takesPath(name) {
      let place = pattern.utf8.dropFirst(name.utf8.count + 1)
      // One that is there was made a whole path before.
      guard place.first == UInt8(ascii: "/") || place.first == UInt8(ascii: "~") else {
        throw UsageError(
          "--permissions names '\(pattern)', whose place must be a whole path, as \(name):/home/ada")
      }
      if name == "import" { return }
    }
    let known = KnownPermissions(services: services, actions: actions)
    if let problem = known.problem(pattern) { throw UsageError("--permissions names \(problem)") }
  }

  /// Whether the scope of a permission is a path. What plugins in libraries ask for is known to them alone.
  private static func takesPath(_ name: String) -> Bool {
    let service = String(name.prefix { $0 != "." })
    if name == "process.env" || service == "http" { return false }
    return name == "import" || BuiltInPlugins.services.contains(service)
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
