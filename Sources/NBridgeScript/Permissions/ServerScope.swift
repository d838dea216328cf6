// SPDX-License-Identifier: MIT

/// The servers that a permission names: `http.fetch:https://example.org`, an origin as `URL.origin` writes
/// it, or the beginning of some with `*` at its end.
package enum ServerScope {
  private static let prefix = "http.fetch:"

  /// A permission in the one way of writing its origin; others as they are.
  package static func normalized(_ pattern: String) -> String {
    guard pattern.hasPrefix(prefix) else { return pattern }
    var scope = pattern.dropFirst(prefix.count).lowercased()
    // A WebSocket is a request first.
    if scope.hasPrefix("ws://") || scope.hasPrefix("wss://") { scope = "http" + scope.dropFirst(2) }
    if scope.hasSuffix("*") { return prefix + scope }
    if scope.hasSuffix("/") { scope.removeLast() }
    for (scheme, port) in [("http://", ":80"), ("https://", ":443")]
    where scope.hasPrefix(scheme) && scope.hasSuffix(port) {
      scope.removeLast(port.count)
    }
    if scope.hasSuffix(".") { scope.removeLast() }
    return prefix + ofThisMachine(scope)
  }

  /// This machine has one name, however it is written.
  private static func ofThisMachine(_ origin: String) -> String {
    guard let start = origin.firstRange(of: "://")?.upperBound else { return origin }
    let rest = origin[start...]
    let end =
      rest.hasPrefix("[") ? rest.firstIndex(of: "]").map { rest.index(after: $0) } : rest.firstIndex(of: ":")
    let host = rest[..<(end ?? rest.endIndex)]
    let isHere =
      ["localhost", "[::1]", "[::]", "0.0.0.0"].contains(String(host)) || host.hasSuffix(".localhost")
    return isHere ? origin[..<start] + "127.0.0.1" + rest[(end ?? rest.endIndex)...] : origin
  }

  /// Whether a permission is for servers, so that its plugin asks for each by its address: no caller is
  /// refused before that, and nothing but those addresses was needed.
  package static func isAskedByAddress(_ permission: String) -> Bool {
    permission == "http.fetch" || permission == "http.serve"
  }

  /// What is wrong with a permission whose scope is no origin; nil for all others.
  package static func problem(_ pattern: String) -> String? {
    let pattern = normalized(pattern)
    guard pattern.hasPrefix(prefix) else { return nil }
    let scope = pattern.dropFirst(prefix.count)
    if scope.hasSuffix("*") { return nil }
    let schemes = ["http://", "https://"]
    if let scheme = schemes.first(where: scope.hasPrefix), scope.count > scheme.count,
      !scope.dropFirst(scheme.count).contains(where: { "/?#@".contains($0) })
    {
      return nil
    }
    return "'fetch:\(scope)', which is no origin, as fetch:https://example.org"
  }
}
