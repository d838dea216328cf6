// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin

/// What a client says to open a WebSocket (RFC 6455, section 4.1), and what it wants to hear.
struct SocketRequest {
  let text: String
  private let accept: String
  private let protocols: [String]

  init(_ options: SocketOptions, _ place: RequestPlace) throws {
    let key = Self.key()
    (accept, protocols) = (Self.accept(key), options.protocols)
    let parts = try AddressParts(options.url)
    var lines = [
      "GET \(parts.target) HTTP/1.1", "Host: \(place.hostHeader)",
      "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Extensions: \(SocketCompression.offer)", "User-Agent: nbridge/\(NBridgeVersion.current)",
    ]
    if let authorization = parts.authorization { lines.append("Authorization: " + authorization) }
    if !protocols.isEmpty { lines.append("Sec-WebSocket-Protocol: " + protocols.joined(separator: ", ")) }
    text = lines.joined(separator: "\r\n") + "\r\n\r\n"
  }

  /// What is wrong with an answer; nil for one that opens the WebSocket.
  func fault(in answer: SocketAnswer) -> String? {
    if answer.status != 101 { return "the server answers \(answer.status)" }
    guard answer.header("upgrade")?.lowercased() == "websocket",
      answer.words("connection").contains("upgrade")
    else { return "the server does not upgrade the connection" }
    if answer.header("sec-websocket-accept") != accept { return "the server does not speak its protocol" }
    guard let chosen = answer.header("sec-websocket-protocol") else { return nil }
    return protocols.contains(chosen) ? nil : "the server chose a protocol that nobody named"
  }

  private static func key() -> String {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    return base64(bytes)
  }

  private static func accept(_ key: String) -> String {
    let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
    var digest = [UInt8](repeating: 0, count: 20)
    var size = gsize(digest.count)
    let checksum = g_checksum_new(G_CHECKSUM_SHA1)
    g_checksum_update(checksum, text, gssize(text.count))
    g_checksum_get_digest(checksum, &digest, &size)
    g_checksum_free(checksum)
    return base64(digest)
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    guard let text = g_base64_encode(bytes, gsize(bytes.count)) else { return "" }
    defer { g_free(text) }
    return String(cString: text)
  }
}

/// The head of a server's answer to the handshake.
struct SocketAnswer {
  let status: Int
  /// Names in small letters.
  private let headers: [(name: String, value: String)]

  /// The first one in some bytes, and what stands behind it; nil when more must come.
  ///
  /// - Throws: `invalid_data` for what is no head.
  static func find(in bytes: [UInt8], _ place: RequestPlace) throws -> (SocketAnswer, ArraySlice<UInt8>)? {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    guard let answer = SocketAnswer(String(decoding: bytes[..<end.lowerBound], as: UTF8.self)) else {
      throw BridgeError("invalid_data", "\(place.origin) answers with something else than HTTP")
    }
    return (answer, bytes[end.upperBound...])
  }

  init?(_ head: String) {
    let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
    let first = lines[0].split(separator: " ", maxSplits: 2)
    guard first.count > 1, first[0].hasPrefix("HTTP/1."), let status = Int(first[1]), 100...599 ~= status
    else {
      return nil
    }
    self.status = status
    var headers: [(name: String, value: String)] = []
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":"), colon > line.startIndex, line.first != " " else {
        return nil
      }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      headers.append((line[..<colon].lowercased(), String(value.trimmedEnd)))
    }
    self.headers = headers
  }

  /// The values of a header as one; nil for none.
  func header(_ name: String) -> String? {
    let found = headers.filter { $0.name == name }.map(\.value)
    return found.isEmpty ? nil : found.joined(separator: ", ")
  }

  /// The words of a list, in small letters.
  func words(_ name: String) -> [String] {
    (header(name) ?? "").lowercased().split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
  }
}

extension Substring {
  /// Without the blanks behind it.
  fileprivate var trimmedEnd: Substring {
    var text = self
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
