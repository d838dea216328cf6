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
  /// - Parameter services: the services that there are. What those of libraries can do is not known before
  ///   they are opened.
  static func check(_ pattern: String, services: [String]) throws {
    if PermissionSet.isDenial(pattern) { return try check(String(pattern.dropFirst()), services: services) }
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
    let known = KnownPermissions(services: services, actions: builtIn)
    if let problem = known.problem(pattern) { throw UsageError("--permissions names \(problem)") }
  }

  /// Whether the scope of a permission is a path. What plugins in libraries ask for is known to them alone.
  private static func takesPath(_ name: String) -> Bool {
    let service = String(name.prefix { $0 != "." })
    if name == "process.env" || service == "http" { return false }
    return name == "import" || BuiltInPlugins.services.contains(service)
  }

  /// The permissions of a plugin that is part of the program, or that is installed and was described when it
  /// was: no library is opened. Nil for another.
  static func known(_ service: String) -> [String]? {
    if let permissions = builtIn(service) { return permissions }
    let installed = InstalledPlugin.all(in: PluginPaths.folders).first { $0.service == service }
    guard let plugin = installed, let library = try? plugin.record().library, !library.hasSlash,
      let description = KnownDescription.of(plugin.folder + "/" + library)
    else { return nil }
    return Set(description.members.map { "\(service).\($0.permission ?? $0.name)" }).sorted()
  }

  /// The permissions of a plugin that is part of the program; nil for another.
  private static func builtIn(_ service: String) -> [String]? {
    BuiltInPlugins.all().lazy.map { PluginContract($0) }.first { $0.service == service }.map { contract in
      Set(contract.members.map { "\(service).\($0.permission ?? $0.name)" }).sorted()
    }
  }
}
