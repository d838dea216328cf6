// SPDX-License-Identifier: MIT

internal import Glibc
package import NBridgePlugin
internal import NBridgeSystem

/// What an app's scripts may call: `"documents.read"`, `"peers.*"`, `"*"`, or within a folder only:
/// `"documents.import:/home/ada/Pictures"`. Of some, the scope is a name and no folder:
/// `"process.env:HOME"`, or the beginning of one: `"process.env:LC_*"`.
///
/// What begins with `!` is forbidden, whatever else is allowed and wherever it stands: `"!documents.remove"`.
/// It opens nothing by itself.
public struct PermissionSet: Sendable, Equatable {
  private let patterns: [String]?
  /// What is forbidden, without the mark.
  private let denied: [String]

  /// Every plugin, each inside the app's own container: what an app without a `permissions` key gets.
  public static let everything = PermissionSet(patterns: nil)

  /// Exactly what `patterns` name.
  public init(_ patterns: [String]) { self.init(patterns: patterns) }

  private init(patterns: [String]?) {
    self.patterns = patterns?.filter { !Self.isDenial($0) }.map(Self.resolved)
    denied = (patterns ?? []).filter(Self.isDenial).map { Self.resolved(Self.nameDenied(by: $0)) }
  }

  /// Whether a pattern forbids what it names.
  package static func isDenial(_ pattern: String) -> Bool {
    trimmed(pattern).utf8.first == UInt8(ascii: "!")
  }

  /// What a denial names, without its mark. Who forbids a service by its name alone forbids all of it: what
  /// is forbidden is never less than it looks.
  package static func nameDenied(by denial: String) -> String {
    var name = trimmed(denial)
    while name.utf8.first == UInt8(ascii: "!") { name = trimmed(String(name.dropFirst())) }
    return wholeName(ofDenied: name)
  }

  /// Without the blanks around it, which no name has; a path may end in one.
  package static func trimmed(_ pattern: String) -> String {
    let isBlank = { (byte: UInt8) in byte == 0x20 || 0x09...0x0D ~= byte }
    var text = pattern.utf8[...]
    while let first = text.first, isBlank(first) { text = text.dropFirst() }
    if !text.contains(UInt8(ascii: ":")) {
      while let last = text.last, isBlank(last) { text = text.dropLast() }
    }
    return String(Substring(text))
  }

  private static func wholeName(ofDenied pattern: String) -> String {
    let full = fullName(of: pattern)
    if full == "*" || full.contains(where: { $0 == "." || $0 == ":" }) { return pattern }
    return full == "import" || RuntimePermission.all.contains(full) ? pattern : pattern + ".*"
  }

  /// `fetch` is the plugin `http`'s, and known by its own name.
  package static func fullName(of pattern: String) -> String {
    pattern == "fetch" || pattern.hasPrefix("fetch:") ? "http." + pattern : pattern
  }

  /// A scope's folder as the kernel knows it: without links, `~` being the home folder.
  package static func resolved(_ pattern: String) -> String {
    let pattern = ServerScope.normalized(fullName(of: trimmed(pattern)))
    guard let scoped = ScopedPermission(pattern), !scoped.isByName else { return pattern }
    var folder = PathText.encode(scoped.pathText)
    if folder.first == UInt8(ascii: "~"), folder.count == 1 || folder[1] == UInt8(ascii: "/"),
      let home = getenv("HOME")
    {
      folder = Array(UnsafeRawBufferPointer(start: home, count: strlen(home))) + folder.dropFirst()
    }
    return RealPath(resolving: folder).map { "\(scoped.name):\($0.text)" } ?? pattern
  }

  /// Whether `permission` is among them: `service.name`, or with a path, `service.name:/a/b`, which only a
  /// pattern with that folder or one above allows.
  public func allows(_ permission: String) -> Bool {
    if !denied.isEmpty, denial(against: permission) != nil { return false }
    if let asked = ScopedPermission(permission) {
      if asked.isOpenByItself, opens(String(asked.name)) { return true }
      if asked.isByName { return (patterns ?? []).contains { Self.names($0, asked) } }
      let path = asked.path
      return (patterns ?? []).contains { Self.covers($0, asked.name, path) }
    }
    return opens(permission) || patterns?.contains { $0.hasPrefix(permission + ":") } == true
  }

  /// Whether a permission is given without a scope.
  private func opens(_ permission: String) -> Bool {
    patterns?.contains { Self.isNamed(permission, by: $0) } ?? true
  }

  /// The denial that takes a permission away, whatever else gives it, as `!documents.*`; nil for none.
  package func forbidding(_ permission: String) -> String? {
    denied.isEmpty ? nil : denial(against: permission).map { "!\($0)" }
  }

  /// Whether a pattern without a scope names a permission without one.
  private static func isNamed(_ permission: String, by pattern: String) -> Bool {
    if pattern == permission || pattern == "*" { return true }
    return pattern.hasSuffix(".*") && permission.hasPrefix(pattern.dropLast())
  }

  /// What forbids a permission. A folder is forbidden together with those above it: who reads one of them
  /// reads what is in there.
  private func denial(against permission: String) -> String? {
    guard let asked = ScopedPermission(permission) else {
      return denied.first { Self.isNamed(permission, by: $0) }
    }
    return denied.first { pattern in
      guard let closed = ScopedPermission(pattern) else {
        return Self.isNamed(String(asked.name), by: pattern)
      }
      if asked.isByName || closed.isByName { return Self.names(pattern, asked, isDenial: true) }
      return closed.name == asked.name
        && (asked.path.lies(in: closed.path) || closed.path.lies(in: asked.path))
    }
  }

  private static func covers(_ pattern: String, _ name: Substring, _ path: RealPath) -> Bool {
    guard let open = ScopedPermission(pattern), open.name == name else { return false }
    return path.lies(in: open.path)
  }

  private static func names(_ pattern: String, _ asked: ScopedPermission, isDenial: Bool = false) -> Bool {
    guard let open = ScopedPermission(pattern), open.name == asked.name else { return false }
    if asked.isOpenByItself {
      return ServerScope.names(open.pathText, asked.pathText, of: asked.name, isDenial: isDenial)
    }
    if open.pathText.utf8.last == UInt8(ascii: "*") {
      return asked.pathText.utf8.starts(with: open.pathText.utf8.dropLast())
    }
    return open.pathText.utf8.elementsEqual(asked.pathText.utf8)
  }

  /// The patterns, what is forbidden last; nil for everything.
  package var list: [String]? { patterns.map { $0 + denied.map { "!\($0)" } } }

  /// With one more. What a list forbids stays forbidden.
  package func adding(_ pattern: String) -> PermissionSet {
    allows(pattern) ? self : PermissionSet((patterns ?? []) + [pattern] + denied.map { "!\($0)" })
  }

  /// Without what a pattern names: what else was allowed stays, by its own names.
  package func removing(_ pattern: String, of all: [String]) -> PermissionSet {
    let taken = PermissionSet([pattern])
    return PermissionSet(all.filter { allows($0) && !taken.allows($0) } + denied.map { "!\($0)" })
  }

  /// The services that the patterns name, `*` left out.
  public var services: [String] {
    ((patterns ?? []) + denied).compactMap { pattern in
      pattern == "*" ? nil : pattern.prefix { $0 != "." && $0 != ":" }.description
    }
  }

  /// Why a permission is not given; nil when it is.
  package func denial(of permission: String) -> BridgeError? {
    if allows(permission) || ServerScope.isAskedByAddress(permission) { return nil }
    if let pattern = denial(against: permission) {
      return BridgeError(
        .permissionDenied,
        "'\(permission)' is not permitted: \"!\(pattern)\" in \"permissions\" of app.json (or in "
          + "--permissions) forbids it")
    }
    return BridgeError(
      .permissionDenied,
      """
      '\(permission)' is not permitted; to allow it, add "\(permission)" to "permissions" in app.json (or to \
      --permissions)
      """
    )
  }
}
