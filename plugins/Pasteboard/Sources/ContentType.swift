// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// A representation's type: a MIME type (RFC 6838), a short name for a common one, or any name that programs
/// agree on. ASCII letters in it are lower-case, because MIME types are compared so (RFC 2045, 5.1).
struct ContentType: Hashable, Sendable {
  let name: String

  static let text = ContentType(known: "text/plain")
  /// URLs, also of files, a line each (RFC 2483, 5).
  static let uriList = ContentType(known: "text/uri-list")
  static let longest = 255

  private static let short = [
    "text": "text/plain", "url": "text/uri-list", "files": "text/uri-list", "html": "text/html",
    "rtf": "text/rtf", "png": "image/png", "json": "application/json",
  ]

  private init(known name: String) { self.name = name }

  /// - Parameter option: what the name is called in errors.
  init(_ text: String, _ option: String = "option.type") throws {
    // A short name is one in whatever case: as a name of its own no script could read it again.
    let lower = String(decoding: text.utf8.map { 0x41...0x5A ~= $0 ? $0 + 0x20 : $0 }, as: UTF8.self)
    if let known = Self.short[lower] {
      name = known
      return
    }
    let bytes = text.utf8
    let isPlain = bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    guard 1...Self.longest ~= bytes.count, isPlain, bytes.first != 0x20, bytes.last != 0x20 else {
      throw BridgeError(
        .invalidParameter,
        """
        \(option) must have 1 to \(Self.longest) bytes, no control characters and no spaces at its ends, \
        as "image/png" or "text"
        """
      )
    }
    name = lower
  }

  /// Whether its bytes are text, in UTF-8 unless the type says something else.
  var isText: Bool {
    name.hasPrefix("text/") || name == "application/json" || name.hasSuffix("+json") || name.hasSuffix("+xml")
  }
}
