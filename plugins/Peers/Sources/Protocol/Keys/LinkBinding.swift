// SPDX-License-Identifier: MIT

/// What ties a handshake to the link that it goes over: something that a relay in the middle can't have from
/// both sides, as the two processes at the ends of a socket, or a channel binding of TLS (RFC 9266). A
/// transport that has no such thing gives none.
struct LinkBinding: Sendable {
  /// What this side sees of its own end, and signs.
  var own: [UInt8] = []
  /// Why what the other side signed of its end can't be so; nil when it can, or this transport can't tell.
  var problem: @Sendable (_ theirs: [UInt8]) -> String? = { _ in nil }

  /// The longest that may be signed, in bytes.
  static let longest = 64
}
