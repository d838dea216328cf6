// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// The status line and headers of an answer.
struct ResponseHead {
  let status: Int
  let reason: String
  /// Names and values in turn, each character one byte.
  let headers: [String]

  init(_ message: OpaquePointer, _ soup: LibSoup) {
    status = Int(soup.status(message))
    reason = soup.reason(message).map(Self.latin1) ?? ""
    let list = HeaderList()
    // The closure runs before `forEachHeader` returns.
    soup.forEachHeader(
      soup.responseHeaders(message),
      { name, value, data in
        guard let name, let value, let data else { return }
        let list = Unmanaged<HeaderList>.fromOpaque(data).takeUnretainedValue()
        list.texts += [ResponseHead.latin1(name), ResponseHead.latin1(value)]
      }, Unmanaged.passUnretained(list).toOpaque())
    headers = withExtendedLifetime(list) { list.texts }
  }

  private final class HeaderList { var texts: [String] = [] }

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

  /// Text whose characters are the bytes: what a ByteString of Web IDL is.
  static func latin1(_ text: UnsafePointer<CChar>) -> String {
    var made = ""
    var at = text
    while at.pointee != 0 {
      made.unicodeScalars.append(Unicode.Scalar(UInt8(bitPattern: at.pointee)))
      at += 1
    }
    return made
  }
}
