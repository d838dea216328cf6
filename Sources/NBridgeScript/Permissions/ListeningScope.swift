// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// Where a script may listen: `127.0.0.1:8080`, `[::1]:*`, `unix:/run/mine.sock`, `unix:/srv/app/*`.
enum ListeningScope {
  static let expected = """
    is no address to listen at, as http.serve:127.0.0.1:8080, http.serve:[::1]:* or \
    http.serve:unix:/run/mine.sock
    """
  private static let unix = "unix:"

  /// Nil for what is no address, nor the beginning of one.
  static func canonical(_ scope: String) -> String? {
    if scope.hasPrefix(unix) { return path(String(scope.dropFirst(unix.count))).map { unix + $0 } }
    if scope == "*" || scope == "unix:*" { return scope }
    guard let colon = scope.lastIndex(of: ":"), let host = ServerHost.canonical(scope[..<colon]) else {
      return scope.hasSuffix("*") ? beginning(String(scope.dropLast())) : nil
    }
    let shown = host == "localhost" ? "127.0.0.1" : ServerHost.bracketed(host)
    let text = scope[scope.index(after: colon)...]
    if text.hasSuffix("*") {
      return ServerPort.isBeginning(text.dropLast()) ? "\(shown):\(text)" : nil
    }
    return ServerPort.canonical(text).map { "\(shown):\($0)" }
  }

  /// The beginning of an address of IPv4, with what is to follow.
  private static func beginning(_ text: String) -> String? {
    let isAddress = !text.isEmpty && text.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ".") }
    return isAddress && text.contains(".") && !ServerHost.isOtherNumber(text[...]) ? text + "*" : nil
  }

  /// Without the links that lead to it; nil for what is no whole path of a socket, as a folder without `/*`.
  private static func path(_ text: String) -> String? {
    guard text.hasPrefix("/"), let slash = text.lastIndex(of: "/") else { return text == "*" ? text : nil }
    let name = text[text.index(after: slash)...]
    guard !name.isEmpty, name != ".", name != "..", !name.dropLast().contains("*") else { return nil }
    if !name.hasSuffix("*"), ScriptFile.isFolder(text) { return nil }
    return RealPath.inRealFolder(text)
  }

  /// A server at all addresses is at each of them, so that it is forbidden with any.
  static func names(_ scope: String, _ address: String, isDenial: Bool) -> Bool {
    if isNamed(address, by: scope) { return true }
    guard isDenial, !scope.hasPrefix(unix), let colon = address.lastIndex(of: ":"),
      ["0.0.0.0", "[::]"].contains(String(address[..<colon]))
    else { return false }
    guard let other = scope.lastIndex(of: ":") else { return true }
    return isNamed(String(address[colon...]), by: String(scope[other...]))
  }

  private static func isNamed(_ address: String, by scope: String) -> Bool {
    scope.utf8.last == UInt8(ascii: "*") ? address.hasPrefix(scope.dropLast()) : scope == address
  }
}
