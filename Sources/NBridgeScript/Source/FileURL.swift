// SPDX-License-Identifier: MIT

/// A path as a `file:` URL.
package enum FileURL {
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
