// SPDX-License-Identifier: MIT

/// The servers that a permission names: `http.fetch:https://example.org`, an origin as `URL.origin` writes
/// it, and `http.serve:127.0.0.1:8080`, where a script may listen; or the beginning of some with `*` at its
/// end.
package enum ServerScope {
  /// A permission in the one way of writing its scope; others as they are. What is no scope names nothing.
  package static func normalized(_ pattern: String) -> String {
    guard let (prefix, kind) = kind(of: pattern) else { return pattern }
    return prefix + (kind.canonical(String(pattern.dropFirst(prefix.count))) ?? "")
  }

  /// Whether a permission is for servers, so that its plugin asks for each by its address: no caller is
  /// refused before that, and nothing but those addresses was needed.
  package static func isAskedByAddress(_ permission: String) -> Bool {
    permission == "http.fetch" || permission == "http.serve"
  }

  /// What is wrong with a permission whose scope is no server's; nil for all others.
  ///
  /// - Parameter isDenial: whether it forbids, so that what it may be meant for must not be missed.
  package static func problem(_ pattern: String, isDenial: Bool = false) -> String? {
    guard let (prefix, kind) = kind(of: pattern) else { return nil }
    let scope = String(pattern.dropFirst(prefix.count))
    if kind.canonical(scope) != nil, !isDenial || !OriginScope.misses(scope) { return nil }
    return "'\(prefix == "http.fetch:" ? "fetch:" : prefix)\(scope)', which \(kind.expected)"
  }

  /// Whether a scope, in the one way of writing it, names an address that a plugin asks for.
  static func names(_ scope: String, _ address: String, of permission: Substring, isDenial: Bool) -> Bool {
    permission == "http.fetch"
      ? OriginScope.names(scope, address) : ListeningScope.names(scope, address, isDenial: isDenial)
  }

  private typealias Kind = (canonical: (String) -> String?, expected: String)

  private static func kind(of pattern: String) -> (prefix: String, kind: Kind)? {
    if pattern.hasPrefix("http.fetch:") {
      return ("http.fetch:", (OriginScope.canonical, OriginScope.expected))
    }
    if pattern.hasPrefix("http.serve:") {
      return ("http.serve:", (ListeningScope.canonical, ListeningScope.expected))
    }
    return nil
  }
}
