// SPDX-License-Identifier: MIT

/// How long an answer's body is, as its head says (RFC 9112, 6.3).
enum BodyLength: Equatable {
  case chunked
  /// In bytes.
  case bytes(Int)
  /// As long as the connection.
  case untilEnd

  /// Nil where the head says none that there can be, or several.
  ///
  /// - Parameter headers: names and values in turn. Of codings libsoup lets no other pass than chunks.
  init?(_ headers: [String]) {
    var lengths: Set<Substring> = []
    for index in stride(from: 0, to: headers.count - 1, by: 2) {
      switch headers[index].lowercased() {
      case "transfer-encoding":
        self = .chunked
        return
      case "content-length":
        for part in headers[index + 1].split(separator: ",", omittingEmptySubsequences: false) {
          lengths.insert(part.trimmingPrefix { $0 == " " })
        }
      default: continue
      }
    }
    guard let length = lengths.first else {
      self = .untilEnd
      return
    }
    let isNumber = !length.isEmpty && length.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    guard lengths.count == 1, isNumber, let count = Int(length) else { return nil }
    self = .bytes(count)
  }
}
