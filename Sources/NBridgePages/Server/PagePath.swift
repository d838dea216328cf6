// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgePlugin

/// A page of the app as a script names it: a path from the app's folder on, perhaps with a query and a
/// fragment.
package struct PagePath: Sendable {
  /// Of its file.
  package let path: String
  /// The same as a URL has it, with what stands behind the path.
  let address: String

  /// - Throws: `invalid_parameter` for what leads elsewhere, or to no page. Whether there is such a file,
  ///   only the server knows.
  package init(_ given: String) throws {
    func refused(_ why: String) -> BridgeError {
      BridgeError(
        .invalidParameter,
        "option.page '\(given)' \(why): it is a path from the app's folder on, as settings.html")
    }
    let end = given.firstIndex { $0 == "?" || $0 == "#" } ?? given.endIndex
    path = String(given[..<end])
    guard !given.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw refused("has a control character")
    }
    guard !Self.hasScheme(path), !path.hasPrefix("//") else {
      throw refused("is an address, and windows show the app's own pages only")
    }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard !path.hasPrefix("/"), !parts.contains("..") else { throw refused("leads out of the app's folder") }
    guard !parts.contains(where: { $0.isEmpty || $0.hasPrefix(".") }) else {
      throw refused("has an empty or a hidden part")
    }
    guard ProgramFiles.isPage(path) else { throw refused("is no page (.html, .htm)") }
    address = path.escapedForPath + String(given[end...]).escapedBehindPath
  }

  /// Whether a URL begins with what stands before the first colon (RFC 3986, 3.1).
  private static func hasScheme(_ path: String) -> Bool {
    guard let colon = path.firstIndex(of: ":"), path.first?.isLetter == true else { return false }
    return path[..<colon].utf8.allSatisfy { $0.isLetterOrDigit || "+-.".utf8.contains($0) }
  }
}

extension String {
  /// As a URL's path has it: what means something else there in percent signs.
  var escapedForPath: String { escaped { $0.isLetterOrDigit || "-._/".utf8.contains($0) } }

  /// As a URL has it behind its path: what is in percent signs already stays so.
  fileprivate var escapedBehindPath: String {
    escaped { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }
  }

  private func escaped(unless isPlain: (UInt8) -> Bool) -> String {
    utf8.map { byte in
      isPlain(byte) ? String(UnicodeScalar(byte)) : "%" + String(Int(byte) + 0x100, radix: 16).suffix(2)
    }.joined()
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
