// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// What an app's scripts may call: `"documents.read"`, `"peers.*"`, `"*"`.
public struct PermissionSet: Sendable, Equatable {
  private let patterns: [String]?

  /// Every plugin, each inside the app's own container: what an app without a `permissions` key gets.
  public static let everything = PermissionSet(patterns: nil)

  /// Exactly what `patterns` name.
  public init(_ patterns: [String]) { self.init(patterns: patterns) }

  private init(patterns: [String]?) { self.patterns = patterns }

  /// Whether `permission` (`service.name`) is among them.
  public func allows(_ permission: String) -> Bool {
    guard let patterns else { return true }
    return patterns.contains { pattern in
      if pattern == permission || pattern == "*" { return true }
      return pattern.hasSuffix(".*") && permission.hasPrefix(pattern.dropLast())
    }
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
      pattern == "*" ? nil : pattern.split(separator: ".").first.map(String.init)
    }
  }

  func denial(of permission: String) -> BridgeError? {
    if allows(permission) { return nil }
    return BridgeError(
      .permissionDenied,
      "app.json does not allow '\(permission)'; to allow it, add \"\(permission)\" to its \"permissions\"")
  }
}
