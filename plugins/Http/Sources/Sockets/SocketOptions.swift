// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// A WebSocket that a script wants.
struct SocketOptions: Codable, Sendable {
  /// As URL serializes it, with the scheme ws or wss.
  var url: String
  var protocols: [String]
}

/// A WebSocket that is open.
struct OpenSocket: Codable, Sendable {
  var socket: Handle<SocketConnection>
  /// The protocol that the server chose; empty for none.
  var chosen: String
  /// What of the protocol's extensions both sides use, as the server says it.
  var extensions: String
}

/// A message that goes out: one of the two.
struct SocketMessage: Codable, Sendable {
  var text: String?
  var bytes: Bytes?
}

/// How a script ends a WebSocket.
struct SocketEnd: Codable, Sendable {
  /// 1000, or one of 3000 to 4999; nil for none.
  var code: Int?
  var reason: String
}

/// What came of a WebSocket; one of its members, or none.
struct SocketEvent: Codable, Sendable {
  /// A message of text.
  var text: String?
  /// A message of bytes.
  var bytes: Bytes?
  /// How many bytes the system has taken of all that was sent.
  var sent: Int?
  /// The other end has said that it is the end, or sends no more: nothing goes out that is not sent yet.
  var closing: Bool?
  /// The end; the last event.
  var end: SocketClosing?
}

/// How a WebSocket ended (RFC 6455, 7.1.5 and 7.4).
struct SocketClosing: Codable, Sendable {
  var code: Int
  var reason: String
  /// Whether both sides agreed.
  var isClean: Bool
  /// Why it broke; nil where it did not.
  var failure: String?
}
