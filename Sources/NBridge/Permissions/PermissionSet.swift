// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// What an app's scripts may call: `"documents.read"`, `"peers.*"`, `"*"`, or within a folder only:
/// `"documents.import:/home/ada/Pictures"`.
public struct PermissionSet: Sendable, Equatable {
  private let patterns: [String]?

  /// Every plugin, each inside the app's own container: what an app without a `permissions` key gets.
  public static let everything = PermissionSet(patterns: nil)

  /// Exactly what `patterns` name.
  public init(_ patterns: [String]) { self.init(patterns: patterns) }

  private init(patterns: [String]?) { self.patterns = patterns?.map(Self.resolved) }

  /// A scope's folder as the kernel knows it: without links, `~` being the home folder.
  private static func resolved(_ pattern: String) -> String {
    guard let colon = pattern.firstIndex(of: ":") else { return pattern }
    var folder = String(pattern[pattern.index(after: colon)...])
    if folder == "~" || folder.hasPrefix("~/"), let home = getenv("HOME") {
      folder = String(cString: home) + folder.dropFirst()
    }
    return RealPath.of(folder).map { pattern[...colon] + $0 } ?? pattern
  }

  /// Whether `permission` is among them: `service.name`, or with a path, `service.name:/a/b`, which only a pattern with that
  /// folder or one above allows.
  public func allows(_ permission: String) -> Bool {
    if permission.contains(":") { return (patterns ?? []).contains { Self.covers($0, permission) } }
    guard let patterns else { return true }
    return patterns.contains { pattern in
      if pattern == permission || pattern == "*" || pattern.hasPrefix(permission + ":") { return true }
      return pattern.hasSuffix(".*") && permission.hasPrefix(pattern.dropLast())
    }
  }

  private static func covers(_ pattern: String, _ permission: String) -> Bool {
    guard pattern.contains(":") else { return false }
    let folder = pattern.hasSuffix("/") ? String(pattern.dropLast()) : pattern
    return permission == folder || permission.hasPrefix(folder + "/")
  }

  /// The patterns; nil for everything.
  package var list: [String]? { patterns }

  /// With one more.
  func adding(_ pattern: String) -> PermissionSet {
    allows(pattern) ? self : PermissionSet((patterns ?? []) + [pattern])
  }

  /// Without what a pattern names: what else was allowed stays, by its own names.
  func removing(_ pattern: String, of all: [String]) -> PermissionSet {
    let taken = PermissionSet([pattern])
    return PermissionSet(all.filter { allows($0) && !taken.allows($0) })
  }

  /// The services that the patterns name, `*` left out.
  public var services: [String] {
    (patterns ?? []).compactMap { pattern in
      pattern == "*" ? nil : pattern.prefix { $0 != "." && $0 != ":" }.description
    }
  }

  func denial(of permission: String) -> BridgeError? {
    if allows(permission) { return nil }
    return BridgeError(
      .permissionDenied,
      "'\(permission)' is not permitted; to allow it, add \"\(permission)\" to \"permissions\" in app.json (or to --permissions)"
    )
  }
}
