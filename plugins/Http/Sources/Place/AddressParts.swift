// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSystem

/// The parts of an address as URL serializes it (URL standard, 4.5), each as it stands there. GLib's parser
/// refuses a `%` that escapes nothing, which a URL may have, and makes `~` of `%7E`, which would not be the
/// address that was signed.
struct AddressParts {
  /// What there is before the path: the scheme, and the host with its port.
  let beginning: String
  /// A name and password, with nothing escaped.
  private let user: [UInt8]?
  /// From its slash on.
  let path: String
  /// What follows the question mark, without it.
  let query: String?

  /// - Throws: for what URL does not write: blanks, control characters, what is not ASCII.
  init(_ url: String) throws(BridgeError) {
    guard url.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw BridgeError(.invalidParameter, "the address of the request is no URL")
    }
    let text = url.utf8.prefix { $0 != UInt8(ascii: "#") }
    let slashes = text.firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
    let host = text.index(slashes, offsetBy: 2, limitedBy: text.endIndex) ?? text.endIndex
    let end = text[host...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? text.endIndex
    let mark = text[end...].firstIndex(of: UInt8(ascii: "?"))
    let at = text[host..<end].lastIndex(of: UInt8(ascii: "@"))
    beginning =
      (String(text[..<host]) ?? "") + (String(text[(at.map(text.index(after:)) ?? host)..<end]) ?? "")
    user = at.map { Self.decoded(text[host..<$0]) }
    path = end == (mark ?? text.endIndex) ? "/" : String(text[end..<(mark ?? text.endIndex)]) ?? "/"
    query = mark.flatMap { String(text[text.index(after: $0)...]) }
  }

  /// A name and password in it, as the header Authorization has them (RFC 7617); nil where there is none.
  var authorization: String? {
    guard let user else { return nil }
    let pair = user.contains(UInt8(ascii: ":")) ? user : user + [UInt8(ascii: ":")]
    let encoded = g_base64_encode(pair, gsize(pair.count))
    defer { g_free(encoded) }
    return encoded.map { "Basic " + String(cString: $0) }
  }

  /// "Percent-decode" (URL standard, 1.3): a `%` that escapes nothing stays.
  private static func decoded(_ text: some Collection<UInt8>) -> [UInt8] {
    let bytes = Array(text)
    var made: [UInt8] = []
    var at = 0
    while at < bytes.count {
      if bytes[at] == UInt8(ascii: "%"), let byte = HexDigits.byte(bytes[at...].dropFirst().prefix(2)) {
        made.append(byte)
        at += 3
      } else {
        made.append(bytes[at])
        at += 1
      }
    }
    return made
  }

  /// As requests have it.
  var target: String { query.map { path + "?" + $0 } ?? path }
}
