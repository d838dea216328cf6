// SPDX-License-Identifier: MIT

internal import Glibc

/// Headers as scripts know them: names and values in turn, each character one byte.
package enum HeaderTexts {
  /// What concerns the connection is libsoup's: a script that wrote these could make the next message say
  /// something else.
  private static let ofConnection: Set<String> = [
    "connection", "content-length", "expect", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
    "proxy-connection",
  ]

  /// - Parameter name: in small letters.
  package static func isOfConnection(_ name: String) -> Bool { ofConnection.contains(name) }

  private final class List {
    var texts: [String] = []
  }

  package static func of(_ headers: OpaquePointer?, _ soup: LibSoup) -> [String] {
    let list = List()
    // The closure runs before `forEachHeader` returns.
    soup.forEachHeader(
      headers,
      { name, value, data in
        guard let name, let value, let data else { return }
        let list = Unmanaged<List>.fromOpaque(data).takeUnretainedValue()
        list.texts.append(HeaderTexts.decoded(name))
        list.texts.append(HeaderTexts.decoded(value))
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
    decoded(UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }

  /// The same of bytes that no zero ends.
  package static func decoded(_ bytes: UnsafeRawBufferPointer) -> String {
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    var made = ""
    for byte in bytes { made.unicodeScalars.append(Unicode.Scalar(byte)) }
    return made
  }

  /// Characters as bytes, with a zero at the end. The standards' half lets no others pass.
  package static func encoded(_ text: String) -> [CChar] {
    // An ASCII text is its own bytes.
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return Array(text.utf8CString) }
    return text.unicodeScalars.map { CChar(bitPattern: UInt8(truncatingIfNeeded: $0.value)) } + [0]
  }
}

extension SoupServers {
  /// Adds headers to an answer. libsoup has said its time by then: who says another one is not contradicted.
  ///
  /// - Parameter headers: names and values in turn, each character one byte.
  package func append(_ headers: [String], to message: OpaquePointer, _ soup: LibSoup) {
    let there = responseHeaders(message)
    let hasTime = stride(from: 0, to: headers.count, by: 2).contains { headers[$0].lowercased() == "date" }
    if hasTime { removeHeader(there, "Date") }
    HeaderTexts.append(headers, to: there, soup)
  }
}
