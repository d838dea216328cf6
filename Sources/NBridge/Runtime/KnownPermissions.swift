// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem

/// What permissions may name.
package struct KnownPermissions {
  private let services: [String]
  private let actions: (String) -> [String]?
  private let isScoped: (String) -> Bool

  /// - Parameters:
  ///   - services: the plugins that there are.
  ///   - actions: the permissions of one, as `service.name`; nil where they aren't known.
  ///   - isScoped: whether a permission may have a scope.
  package init(
    services: [String], actions: @escaping (String) -> [String]?, isScoped: @escaping (String) -> Bool
  ) {
    (self.services, self.actions, self.isScoped) = (services, actions, isScoped)
  }

  /// What is wrong with a list that forbids something and allows nothing; nil for another.
  package static func problem(of list: [String]) -> String? {
    if list.contains(where: { PermissionSet.isDenial($0) && PermissionSet.nameDenied(by: $0) == "*" }) {
      return "'!*', which forbids all that there is, whatever else is allowed"
    }
    guard let first = list.first, list.allSatisfy(PermissionSet.isDenial) else { return nil }
    return "only what is forbidden, which allows nothing; did you mean '*,\(first)'?"
  }

  /// Whether a pattern opens more than it looks: it forbids something that is not known by this name, so that
  /// all that it meant would be allowed, or has a scope that nobody looks at. A plugin that is not on this
  /// machine, and whose name is near to no other, is none.
  package func isSlip(_ pattern: String) -> Bool {
    let isDenial = PermissionSet.isDenial(pattern)
    if Self.flaw(of: pattern) != nil { return isDenial || !Self.beginsAsName(pattern) }
    guard problem(pattern) != nil else { return false }
    let name = Self.name(in: pattern)
    if hasIdleScope(name) { return true }
    guard isDenial else { return false }
    let head = String(name.prefix { $0 != ":" })
    let service = String(head.prefix { $0 != "." })
    // What has no service in front is near to what has none.
    let plain = head == service ? ["import", "fetch"] : head == service + ".*" ? ["fetch"] : []
    let known = services + RuntimePermission.all + plain
    return known.contains(service) || NearestName.of(service, among: known) != nil
  }

  /// What a pattern names that there is not, and what may have been meant; nil for one that is all right.
  package func problem(_ pattern: String) -> String? {
    if let flaw = Self.flaw(of: pattern) { return flaw }
    let isDenial = PermissionSet.isDenial(pattern)
    let pattern = Self.name(in: pattern)
    let name = String(pattern.prefix { $0 != ":" })
    let service = String(name.prefix { $0 != "." })
    if name == "*" { return nil }
    if let problem = Self.placeProblem(pattern, name) { return problem }
    // It is about modules, which no plugin has.
    if name == "import" {
      return pattern == name && !isDenial ? "'import' without a path, as import:/home/ada/lib" : nil
    }
    if RuntimePermission.all.contains(service) {
      return pattern == service ? nil : "'\(pattern)'; did you mean '\(service)', which has no parts?"
    }
    if let problem = ServerScope.problem(pattern, isDenial: isDenial) { return problem }
    guard services.contains(service) else {
      return "the unknown plugin '\(service)'" + NearestName.hint(for: service, among: services)
    }
    if let known = actions(service), !known.contains(where: PermissionSet([name]).allows) {
      let hint = name == service ? "; did you mean '\(name).*'?" : NearestName.hint(for: name, among: known)
      return "the unknown permission '\(name)'" + hint
    }
    return hasIdleScope(pattern) ? "'\(pattern)', and '\(name)' has no scopes: name it alone" : nil
  }

  /// The whole name that a pattern allows or forbids.
  private static func name(in pattern: String) -> String {
    PermissionSet.fullName(
      of: PermissionSet.isDenial(pattern)
        ? PermissionSet.nameDenied(by: pattern) : PermissionSet.trimmed(pattern))
  }

  /// Whether a pattern has a scope that its permission does not look at, so that it stands for none or for
  /// all.
  private func hasIdleScope(_ pattern: String) -> Bool {
    guard let scoped = ScopedPermission(pattern) else { return false }
    return !isScoped(String(scoped.name))
  }

  /// A place that is not a whole path is one in another folder each time. One that is there was made a whole
  /// one where the list was read.
  private static func placeProblem(_ pattern: String, _ name: String) -> String? {
    guard name != pattern, ScopedPermission.takesPath(name) else { return nil }
    let place = PermissionSet.resolved(pattern).utf8.dropFirst(name.utf8.count + 1)
    if place.contains(UInt8(ascii: "*")), RealPath(String(decoding: place, as: UTF8.self)) == nil {
      return "'\(pattern)', whose place has a '*': a folder alone stands for all that is below it"
    }
    if place.first == UInt8(ascii: "/") || place.first == UInt8(ascii: "~") { return nil }
    return "'\(pattern)', whose place must be a whole path, as \(name):/home/ada"
  }

  // MARK: - Form

  /// What is wrong with a pattern's form, whatever plugins there are; nil for one that may name something.
  private static func flaw(of pattern: String) -> String? {
    var name = PermissionSet.trimmed(pattern)
    if PermissionSet.isDenial(name) {
      name = PermissionSet.trimmed(String(name.dropFirst()))
      if PermissionSet.isDenial(name) { return "'\(pattern)' with more than one '!'" }
    }
    if name.isEmpty { return "'\(pattern)', which is no name" }
    let head = name.prefix { $0 != ":" }
    let parts = head.split(separator: ".", omittingEmptySubsequences: false)
    let isWhole = parts.last == "*"
    if head.utf8.count < name.utf8.count {
      if isWhole { return "'\(pattern)', whose scope needs the whole name of one permission" }
      if head.utf8.count + 1 == name.utf8.count { return "'\(pattern)' with nothing behind its ':'" }
    }
    if head == "*" { return nil }
    let named = isWhole ? parts.dropLast() : parts[...]
    guard let service = parts.first, beginsAsName(name), !named.isEmpty, service.utf8.allSatisfy(isOfName),
      named.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(where: isOfNone) })
    else { return "'\(pattern)', which can be no permission's name" }
    return nil
  }

  /// Whether the first that stands there is a letter or `*`, and none of the marks that may be meant as `!`.
  private static func beginsAsName(_ pattern: String) -> Bool {
    guard let first = PermissionSet.trimmed(pattern).utf8.first else { return true }
    return first == UInt8(ascii: "*") || 0x61...0x7A ~= first | 0x20
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    0x61...0x7A ~= byte | 0x20 || 0x30...0x39 ~= byte || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: "-")
  }

  private static func isOfNone(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == UInt8(ascii: "!") || byte == UInt8(ascii: "*")
  }
}
