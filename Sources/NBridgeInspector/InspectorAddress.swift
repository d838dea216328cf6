// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// Where debuggers find a program: an address that is a number, and a port.
package struct InspectorAddress: Equatable, Sendable {
  package var host = "127.0.0.1"
  /// 0 for one that the system chooses.
  package var port: UInt16 = 9229

  package init() {}

  /// Reads `PORT`, `HOST:PORT` or `HOST`; an IPv6 address stands in brackets. Nil for anything else.
  package init?(_ text: String) {
    if let port = UInt16(text) {
      self.port = port
      return
    }
    var host = text[...]
    if text.hasPrefix("["), let end = text.lastIndex(of: "]") {
      host = text[text.index(after: text.startIndex)..<end]
      guard take(port: text[text.index(after: end)...]), host.contains(":") else { return nil }
    } else if let colon = text.lastIndex(of: ":") {
      host = text[..<colon]
      guard take(port: text[colon...]) else { return nil }
    }
    self.host = host == "localhost" ? "127.0.0.1" : String(host)
    guard self.host.contains(where: { $0 == "." || $0 == ":" }),
      self.host.allSatisfy({ $0.isHexDigit || $0 == "." || $0 == ":" })
    else { return nil }
  }

  private mutating func take(port text: Substring) -> Bool {
    if text.isEmpty { return true }
    guard text.first == ":", let port = UInt16(text.dropFirst()) else { return false }
    self.port = port
    return true
  }

  /// Whether only this machine's processes can connect.
  var isLocal: Bool { host.hasPrefix("127.") || host == "::1" }

  /// As it stands in a URL.
  package var text: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}
