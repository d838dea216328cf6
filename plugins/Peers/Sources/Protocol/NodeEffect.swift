// SPDX-License-Identifier: MIT

/// A time of the session's clock, which no user or program sets: microseconds since any moment.
typealias Microseconds = Int

/// A way to one peer, as its transport numbers it.
typealias LinkID = Int

/// A frame on its way out: what stands before the payload, and the payload, which others may hold too.
struct OutFrame: Sendable {
  var head: [UInt8]
  var body: [UInt8] = []
  /// Whether the link may throw it away when it has too much to carry.
  var mayBeDropped = false
}

/// How a peer stands to this one.
enum PeerState: String, Codable, CaseIterable, Sendable {
  case notConnected, connecting, connected
}

/// What a node wants done.
enum NodeEffect: Sendable {
  case send(LinkID, OutFrame)
  case connect(attempt: Int, address: String)
  case close(LinkID)
  case event(NodeEvent)
}

/// What a node tells the session around it.
enum NodeEvent: Sendable {
  case state(PeerID, PeerState)
  /// Another peer invites this one.
  case invited(number: Int, by: PeerID, name: String, context: [UInt8], milliseconds: Int)
  /// An invitation is no longer open.
  case invitationOver(number: Int)
  /// What became of this peer's own invitation.
  case answered(number: Int, InviteResult)
  case message(from: PeerID, body: [UInt8], isReliable: Bool, cost: Int)
  case piece(from: PeerID, channel: UInt32, flags: DataFrame.Flags, body: [UInt8], cost: Int)
  /// The receiver wants no more of a channel.
  case refused(PeerID, channel: UInt32)
  /// Something of a channel was acknowledged; `isEmpty` when all of it was.
  case moved(PeerID, channel: UInt32, isEmpty: Bool)
  /// A peer can't get these any more, and may not have got them.
  case undelivered(PeerID, messages: Int, bytes: Int, channels: [UInt32])
  /// A peer that sends resources or streams has gone for good.
  case forsaken(PeerID)
  /// A peer does not keep to the protocol.
  case problem(String)
}

/// What became of an invitation.
enum InviteResult: Sendable, Equatable {
  case joined, declined, busy, timedOut, unreachable, replayed, cancelled
}
