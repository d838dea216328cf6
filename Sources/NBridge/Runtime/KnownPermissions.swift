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

  /// What a pattern names that there is not, and what may have been meant; nil for one that is all right.
  package func problem(_ pattern: String) -> String? {
    let pattern = PermissionSet.fullName(
      of: PermissionSet.isDenial(pattern) ? String(pattern.dropFirst()) : pattern)
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
