// SPDX-License-Identifier: MIT

internal import CNBridgeGLib

/// A frame of a WebSocket (RFC 6455, section 5), as a server reads and writes it.
struct WebSocketFrame: Equatable {
  enum Kind: UInt8 {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
  }

  var kind: Kind
  var isLast = true
  var payload: [UInt8] = []

  /// A debugger's messages are small; what is longer is refused.
  static let maxLength = 1 << 26

  /// As a server sends it: unmasked.
  var bytes: [UInt8] {
    var bytes: [UInt8] = [(isLast ? 0x80 : 0) | kind.rawValue]
    switch payload.count {
    case ..<126: bytes.append(UInt8(payload.count))
    case ..<65536: bytes += [126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    default: bytes += [127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
    }
    return bytes + payload
  }

  /// What is found at the beginning of what a client sent.
  enum Found: Equatable {
    case frame(WebSocketFrame, Int)
    case incomplete
    /// Against the protocol: the connection is failed.
    case wrong
  }

  static func find(in bytes: ArraySlice<UInt8>) -> Found {
    let start = bytes.startIndex
    guard bytes.count >= 2 else { return .incomplete }
    // Extensions were not agreed on, and a client masks what it sends.
    guard bytes[start] & 0x70 == 0, let kind = Kind(rawValue: bytes[start] & 15),
      bytes[start + 1] & 0x80 != 0
    else { return .wrong }
    let isLast = bytes[start] & 0x80 != 0
    var count = Int(bytes[start + 1] & 0x7F)
    var at = start + 2
    if count >= 126 {
      let digits = count == 126 ? 2 : 8
      guard bytes.endIndex - at >= digits else { return .incomplete }
      guard digits == 2 || bytes[at..<at + 4].allSatisfy({ $0 == 0 }) else { return .wrong }
      count = bytes[at..<at + digits].reduce(0) { $0 << 8 | Int($1) }
      at += digits
    }
    guard count <= maxLength, !kind.isControl || (isLast && count < 126) else { return .wrong }
    guard bytes.endIndex - at >= 4 + count else { return .incomplete }
    let mask = Array(bytes[at..<at + 4])
    at += 4
    var payload = Array(bytes[at..<at + count])
    for index in payload.indices { payload[index] ^= mask[index & 3] }
    return .frame(WebSocketFrame(kind: kind, isLast: isLast, payload: payload), at + count - start)
  }
}

/// How a WebSocket begins (RFC 6455, section 4.2.2).
enum WebSocketHandshake {
  /// What proves that this side speaks WebSocket.
  static func accept(key: String) -> String {
    let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
    var digest = [UInt8](repeating: 0, count: 20)
    var size = gsize(digest.count)
    let checksum = g_checksum_new(G_CHECKSUM_SHA1)
    g_checksum_update(checksum, text, gssize(text.count))
    g_checksum_get_digest(checksum, &digest, &size)
    g_checksum_free(checksum)
    guard let base64 = g_base64_encode(digest, gsize(digest.count)) else { return "" }
    defer { g_free(base64) }
    return String(cString: base64)
  }
}
