// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSoup

/// The status line and headers of an answer.
struct ResponseHead {
  let status: Int
  let reason: String
  /// Names and values in turn, each character one byte.
  let headers: [String]

  /// One of HTTP/2, which has no reason.
  init(status: Int, headers: [String]) { (self.status, self.headers, reason) = (status, headers, "") }

  /// - Parameter isToldToClose: whether libsoup was told, as if by a header, that the connection ends.
  init(_ message: OpaquePointer, _ soup: LibSoup, isToldToClose: Bool) {
    status = Int(soup.status(message))
    let reason = soup.reason(message).map(HeaderTexts.decoded) ?? ""
    // libsoup takes a lone CR for a part of it, others for the end of a line.
    self.reason = reason.filter { $0 == "\t" || $0 >= " " && $0 != "\u{7F}" }
    var headers = HeaderTexts.of(soup.responseHeaders(message), soup)
    if isToldToClose {
      let told = stride(from: 0, to: headers.count - 1, by: 2).reversed().first {
        headers[$0].lowercased() == "connection" && headers[$0 + 1] == "close"
      }
      if let told { headers.removeSubrange(told...told + 1) }
    }
    self.headers = headers
  }

  /// What compresses the body, as it was put on it, in small letters.
  var encodings: [String] {
    var found: [String] = []
    for index in stride(from: 0, to: headers.count - 1, by: 2)
    where headers[index].lowercased() == "content-encoding" {
      found += headers[index + 1].lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
    }
    return found.filter { $0 != "identity" }
  }

  /// The first value of a header, whose name is given in small letters.
  func value(of name: String) -> String? {
    stride(from: 0, to: headers.count - 1, by: 2).first { headers[$0].lowercased() == name }
      .map { headers[$0 + 1] }
  }

  /// Whether its status says that no body comes (RFC 9110, 6.4.1).
  var hasNoBody: Bool { status == 204 || status == 205 || status == 304 }
}
