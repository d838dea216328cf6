// SPDX-License-Identifier: MIT

/// What the first bytes say that come from a server while a request is still sent.
enum EarlyStatus: Equatable {
  /// Not enough has come.
  case unknown
  /// The server wants no more of the request: it refuses it, or sends it elsewhere.
  case wantsNoMore
  /// It may go on: it is answered, but read all the same; or this is no answer.
  case goesOn

  /// - Parameter bytes: from the beginning, heads that only say that an answer is to come among them
  ///   (RFC 9110, 15.2).
  init(_ bytes: some Collection<UInt8>) {
    var rest = bytes[...]
    while true {
      // `HTTP/1.1 413`
      guard rest.count >= 12 else {
        self = .unknown
        return
      }
      let version = Array(rest.prefix(9)), digits = rest.dropFirst(9).prefix(3)
      guard version.starts(with: Array("HTTP/1.".utf8)), version[8] == UInt8(ascii: " "),
        digits.allSatisfy({ 0x30...0x39 ~= $0 })
      else {
        self = .goesOn
        return
      }
      let status = digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
      guard status / 100 == 1, status != 101 else {
        self = status >= 300 ? .wantsNoMore : .goesOn
        return
      }
      guard let end = Self.end(of: rest) else {
        self = .unknown
        return
      }
      rest = rest[end...]
    }
  }

  /// Behind the empty line that ends a head.
  private static func end<Bytes: Collection<UInt8>>(of head: Bytes) -> Bytes.Index? {
    var isLineEmpty = false
    for index in head.indices {
      switch head[index] {
      case 0x0A:
        if isLineEmpty { return head.index(after: index) }
        isLineEmpty = true
      case 0x0D: break
      default: isLineEmpty = false
      }
    }
    return nil
  }
}
