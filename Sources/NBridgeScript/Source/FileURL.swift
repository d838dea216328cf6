// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// A `file:` URL of this machine: a path, and what stands behind it.
package struct FileURL {
  /// In full.
  package let path: String
  /// From `?` or `#` on; empty without.
  package let suffix: String

  /// Reads `file:///folder/name?query`; nil for one of another machine, for a path that is not UTF-8, and
  /// for one whose names hide a slash or a NUL.
  package init?(_ text: String) {
    guard Self.scheme(of: text) == "file" else { return nil }
    var rest = text.dropFirst("file:".count)
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      if rest.lowercased().hasPrefix("localhost/") { rest = rest.dropFirst("localhost".count) }
    }
    guard rest.utf8.first == UInt8(ascii: "/") else { return nil }
    let end = rest.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? rest.endIndex
    guard let path = Self.decoded(rest[..<end]) else { return nil }
    self.path = path
    suffix = String(rest[end...])
  }

  /// The scheme of a name, in lower case: `https` of `https://host/`; nil for a path and for a package's
  /// name.
  package static func scheme(of name: String) -> String? {
    guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = name[..<colon].lowercased()
    let isOne = scheme.utf8.allSatisfy { byte in
      byte &- 0x61 < 26 || byte &- 0x30 < 10 || byte == 0x2B || byte == 0x2D || byte == 0x2E
    }
    guard let first = scheme.utf8.first, isOne, first &- 0x61 < 26 else { return nil }
    return scheme
  }

  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let value = HexDigits.byte(rest.prefix(2)), value != 0, value != UInt8(ascii: "/") else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// - Parameter path: in full.
  package static func text(_ path: String) -> String { "file://" + escaped(path) }

  /// A path as it stands in a URL (WHATWG URL, path percent-encode set, and `%`).
  static func escaped(_ path: String) -> String {
    path.utf8.map { byte in
      switch byte {
      case 0x21, 0x24, 0x26...0x3B, 0x3D, 0x40...0x5D, 0x5F, 0x61...0x7A, 0x7C, 0x7E:
        String(UnicodeScalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}
