// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeScript

/// What permissions may name.
package struct KnownPermissions {
  private let services: [String]
  private let actions: (String) -> [String]?

  /// - Parameters:
  ///   - services: the plugins that there are.
  ///   - actions: the permissions of one, as `service.name`; nil where they aren't known.
  package init(services: [String], actions: @escaping (String) -> [String]?) {
    (self.services, self.actions) = (services, actions)
  }

  /// What is wrong with a list that forbids something and allows nothing; nil for another.
  package static func problem(of list: [String]) -> String? {
    guard let first = list.first, list.allSatisfy(PermissionSet.isDenial) else { return nil }
    return "only what is forbidden, which allows nothing; did you mean '*,\(first)'?"
  }

  /// Whether a pattern forbids something that is not known by this name, and may be a slip: all that it meant
  /// would be allowed. A plugin that is not on this machine, and whose name is near to no other, is none.
  package func isSlip(_ pattern: String) -> Bool {
    guard PermissionSet.isDenial(pattern), problem(pattern) != nil else { return false }
    let name = PermissionSet.fullName(of: String(pattern.dropFirst()))
    let service = String(name.prefix { $0 != "." && $0 != ":" })
    return services.contains(service) || NearestName.of(service, among: services) != nil
  }

  /// What a pattern names that there is not, and what may have been meant; nil for one that is all right.
  package func problem(_ pattern: String) -> String? {
    let pattern = PermissionSet.fullName(
      of: PermissionSet.isDenial(pattern)
        ? PermissionSet.wholeName(ofDenied: String(pattern.dropFirst())) : pattern)
    let name = String(pattern.prefix { $0 != ":" })
    let service = String(name.prefix { $0 != "." })
    if name == "*" { return nil }
    // It is about modules, which no plugin has.
    if name == "import" {
      return pattern == name ? "'import' without a path, as import:/home/ada/lib" : nil
    }
    if RuntimePermission.all.contains(service) {
      return pattern == service ? nil : "'\(pattern)'; did you mean '\(service)', which has no parts?"
    }
    if let problem = ServerScope.problem(pattern) { return problem }
    guard services.contains(service) else {
      return "the unknown plugin '\(service)'" + NearestName.hint(for: service, among: services)
    }
    guard let known = actions(service) else { return nil }
    let asked = PermissionSet([name])
    if known.contains(where: asked.allows) { return nil }
    let hint = name == service ? "; did you mean '\(name).*'?" : NearestName.hint(for: name, among: known)
    return "the unknown permission '\(name)'" + hint
  }
}
