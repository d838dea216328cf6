// SPDX-License-Identifier: MIT

/// Origins: `https://example.org`, `http://127.0.0.1:8080`, `http://localhost:*`, `https://api.*`.
enum OriginScope {
  static let expected = """
    is no origin, as fetch:https://example.org, and no beginning of one with a '*' at its end; an address \
    of IPv6 is whole there, as fetch:http://[2001:db8::1]:*, and letters beyond ASCII are as URL.origin \
    writes them (xn--…)
    """

  /// Nil for what is no origin, nor the beginning of one.
  static func canonical(_ scope: String) -> String? {
    var text = scope.lowercased()
    // A WebSocket is a request first.
    if text.hasPrefix("ws://") || text.hasPrefix("wss://") { text = "http" + text.dropFirst(2) }
    // All that is there is the server itself.
    if text.hasSuffix("/*") && !text.hasSuffix("//*") { text.removeLast() }
    if text.hasSuffix("/") { text.removeLast() }
    return text.hasSuffix("*") ? beginning(String(text.dropLast())).map { $0 + "*" } : whole(text)
  }

  private static func whole(_ text: String) -> String? {
    for (scheme, usual) in [("http://", "80"), ("https://", "443")] where text.hasPrefix(scheme) {
      let (host, rest) = split(text.dropFirst(scheme.count))
      guard let name = ServerHost.canonical(host) else { return nil }
      let shown = ServerHost.isThisMachine(name) ? "127.0.0.1" : ServerHost.bracketed(name)
      if rest.isEmpty { return scheme + shown }
      guard rest.hasPrefix(":"), let port = ServerPort.canonical(rest.dropFirst()) else { return nil }
      return scheme + shown + (port == usual ? "" : ":\(port)")
    }
    return nil
  }

  /// What stands before a `*`. A host that is whole there, as what follows it shows, is written as
  /// ``whole(_:)`` does.
  private static func beginning(_ text: String) -> String? {
    for scheme in ["http://", "https://"] where text.hasPrefix(scheme) {
      let (host, rest) = split(text.dropFirst(scheme.count))
      if rest.isEmpty && !host.hasSuffix("]") { return isBeginning(host) ? text : nil }
      guard rest.isEmpty || rest.hasPrefix(":"), let name = ServerHost.canonical(host),
        ServerPort.isBeginning(rest.dropFirst())
      else { return nil }
      let shown = ServerHost.isThisMachine(name) ? "127.0.0.1" : ServerHost.bracketed(name)
      return scheme + shown + (rest.isEmpty ? ":" : rest)
    }
    return "https://".hasPrefix(text) || "http://".hasPrefix(text) ? text : nil
  }

  /// Whether a host may begin so. No address of IPv6: it has many spellings, and what begins one of them does
  /// not begin the others.
  private static func isBeginning(_ text: Substring) -> Bool {
    // A name has no empty part.
    if text.hasPrefix("[") || text.hasPrefix(".") || text.contains("..") { return false }
    // Of this machine's own network no other address is written.
    if text.hasPrefix("127.") && !"127.0.0.1".hasPrefix(text) { return false }
    return text.isEmpty || ServerHost.canonical(text + "a") != nil
  }

  /// Whether a beginning, which forbids, would miss what it may be meant for: an address of IPv4 in another
  /// way than URLs write it, as `0x7f`, `0177.` or `2130706433`. Names begin so, too.
  static func misses(_ scope: String) -> Bool {
    let halves = scope.lowercased().split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    return scope.hasSuffix("*") && halves.count == 2 && ServerHost.isOtherNumber(halves[1].dropLast())
  }

  /// The host, and what follows it.
  private static func split(_ text: Substring) -> (host: Substring, rest: Substring) {
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      return (text[...end], text[text.index(after: end)...])
    }
    let end = text.hasPrefix("[") ? text.endIndex : text.firstIndex(of: ":") ?? text.endIndex
    return (text[..<end], text[end...])
  }

  /// An origin without a port has its scheme's, which may be named, too; this machine has all its names, and
  /// a whole name may have a dot behind it.
  static func names(_ scope: String, _ origin: String) -> Bool {
    guard scope.utf8.last == UInt8(ascii: "*") else { return scope == origin }
    let start = String(scope.dropLast())
    return spellings(of: origin).contains { $0.hasPrefix(start) }
  }

  private static func spellings(of origin: String) -> [String] {
    for (scheme, usual) in [("http://", ":80"), ("https://", ":443")] where origin.hasPrefix(scheme) {
      let (host, rest) = split(origin.dropFirst(scheme.count))
      let names = host == "127.0.0.1" ? ["127.0.0.1", "localhost", "0.0.0.0"] : [String(host)]
      let port = rest.isEmpty ? usual : String(rest)
      return names.flatMap { [scheme + $0 + port, scheme + $0 + "." + port] }
    }
    return [origin]
  }
}
