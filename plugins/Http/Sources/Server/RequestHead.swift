// SPDX-License-Identifier: MIT

/// The head of a request as it came over the wire.
enum RequestHead {
  /// Whether all who read it agree where it ends (RFC 9112, 6.3 and 11.2) and for whom it is (RFC 9110, 7.2),
  /// and its method is a token.
  ///
  /// - Parameter headers: names in small letters and values in turn.
  static func isSound(_ method: String, _ headers: [String]) -> Bool {
    var lengths: [String] = [], codings: [String] = [], hosts: [String] = []
    for index in stride(from: 0, to: headers.count - 1, by: 2) {
      switch headers[index] {
      case "content-length": lengths.append(headers[index + 1])
      case "transfer-encoding": codings.append(headers[index + 1].lowercased())
      case "host": hosts.append(headers[index + 1])
      default: continue
      }
    }
    if hosts.count > 1 || hosts.contains("") { return false }
    let isMethod = !method.isEmpty && method.utf8.allSatisfy(isToken)
    if codings.count > 1 || codings.contains(where: { $0 != "chunked" }) { return false }
    if !codings.isEmpty { return isMethod && lengths.isEmpty }
    guard let length = lengths.first else { return isMethod }
    let isLength = !length.isEmpty && length.utf8.count <= 18 && length.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    return isMethod && isLength && lengths.count == 1
  }

  /// RFC 9110, 5.6.2.
  static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
