// SPDX-License-Identifier: MIT

/// Headers as scripts know them: names and values in turn, each character one byte.
package enum HeaderTexts {
  /// What concerns the connection is libsoup's: a script that wrote these could make the next message say
  /// something else.
  private static let ofConnection: Set<String> = [
    "connection", "content-length", "expect", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
    "proxy-connection",
  ]

  private final class List { var texts: [String] = [] }

  package static func of(_ headers: OpaquePointer?, _ soup: LibSoup) -> [String] {
    let list = List()
    // The closure runs before `forEachHeader` returns.
    soup.forEachHeader(
      headers,
      { name, value, data in
        guard let name, let value, let data else { return }
        let list = Unmanaged<List>.fromOpaque(data).takeUnretainedValue()
        list.texts += [HeaderTexts.decoded(name), HeaderTexts.decoded(value)]
      }, Unmanaged.passUnretained(list).toOpaque())
    return withExtendedLifetime(list) { list.texts }
  }

  package static func append(_ texts: [String], to headers: OpaquePointer?, _ soup: LibSoup) {
    for index in stride(from: 0, to: texts.count - 1, by: 2)
    where !ofConnection.contains(texts[index].lowercased()) {
      soup.appendHeader(headers, encoded(texts[index]), encoded(texts[index + 1]))
    }
  }

  /// Text whose characters are the bytes: what a ByteString of Web IDL is.
  package static func decoded(_ text: UnsafePointer<CChar>) -> String {
    var made = ""
    var at = text
    while at.pointee != 0 {
      made.unicodeScalars.append(Unicode.Scalar(UInt8(bitPattern: at.pointee)))
      at += 1
    }
    return made
  }

  /// Characters as bytes, with a zero at the end. The standards' half lets no others pass.
  package static func encoded(_ text: String) -> [CChar] {
    text.unicodeScalars.map { CChar(bitPattern: UInt8(truncatingIfNeeded: $0.value)) } + [0]
  }
}
