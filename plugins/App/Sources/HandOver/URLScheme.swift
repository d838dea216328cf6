// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Checks a URL before an app or a program of the desktop gets it: it comes from outside, and only its scheme
/// says anything about it.
enum URLScheme {
  /// Bytes that a URL may have.
  static let longestURL = 65_536
  /// A URL of these would run or show what the script can't reach itself.
  static let refused = ["file", "data", "javascript"]
  /// Schemes that an app can't claim: the ones above, and the ones that belong to other programs of every
  /// desktop.
  static let reserved = refused + ["http", "https", "mailto", "about", "blob", "ftp", "ws", "wss"]

  /// The URL's scheme in lower case (RFC 3986, 3.1: a letter, then letters, digits, `+`, `-`, `.`).
  ///
  /// - Throws: `invalid_parameter` for what is no whole URL, without showing it: there may be a secret in it.
  static func of(_ url: String) throws -> String {
    guard url.utf8.count <= longestURL else {
      throw BridgeError(.tooLarge, "a URL may have \(longestURL) bytes, not \(url.utf8.count)")
    }
    // In ASCII before its case is changed: letters of others become some of it (U+212A a "k").
    let name = url.prefix { $0 != ":" }
    let scheme = name.lowercased()
    guard name.utf8.allSatisfy({ $0 < 0x80 }), isScheme(scheme), scheme.count < url.count,
      url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
    else {
      throw BridgeError(.invalidParameter, "option.url must be a whole URL, as 'https://example.org/'")
    }
    return scheme
  }

  /// Whether a name is a scheme, in lower case.
  static func isScheme(_ name: String) -> Bool {
    1...64 ~= name.utf8.count
      && name.utf8.enumerated().allSatisfy { index, byte in
        switch byte {
        case 0x61...0x7A: true
        case 0x30...0x39, 0x2B, 0x2D, 0x2E: index > 0
        default: false
        }
      }
  }

  /// Throws for a scheme that no app can claim.
  static func checkClaim(_ scheme: String) throws {
    guard isScheme(scheme) else {
      throw BridgeError(
        .invalidParameter,
        "'\(scheme)' is no URL scheme: 1 to 64 lower-case letters, digits, '+', '-' or '.', a letter first")
    }
    guard !reserved.contains(scheme) else {
      throw BridgeError(.invalidParameter, "'\(scheme):' is not an app's to handle")
    }
  }
}
