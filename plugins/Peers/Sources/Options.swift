// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// The name and settings of a new peer.
struct CreateOptions: Codable {
  /// The ways by which peers reach each other.
  enum Transport: String, Codable, CaseIterable {
    case local, simulated
  }

  /// Which peers are let in.
  enum Security: String, Codable, CaseIterable {
    case sameUser
  }

  var displayName: String?
  var serviceType: String
  var discoveryInfo: [String: String]?
  var transport: Transport?
  var security: Security?
  /// How long a member may be silent before it counts as gone; milliseconds.
  var silence: Int?
  /// How long what was sent to a member that can't be reached is kept; milliseconds.
  var resume: Int?
  /// Which simulated network.
  var network: String?
}

/// A peer that was made.
struct CreatedSession: Codable {
  var session: Handle<PeerSession>
  var id: String
  var displayName: String
}

/// What a peer tells to the peers that look for it.
struct AdvertiseOptions: Codable {
  var discoveryInfo: [String: String]?
}

/// Which peer to invite.
struct InviteOptions: Codable {
  var peer: String
  var context: Value?
  /// Milliseconds.
  var timeout: Int?
}

/// An answer to an invitation.
struct AnswerOptions: Codable {
  var number: Int
  var accepts: Bool
}

/// What to send, and to which members.
struct SendOptions: Codable {
  /// All members without it.
  var to: [String]?
  var value: Value?
  var bytes: Bytes?
  var unreliable: Bool?
}

/// Short messages to the same members: texts, or the bytes of all behind each other.
struct SendManyOptions: Codable {
  var to: [String]?
  var texts: [String]?
  var bytes: Bytes?
  var lengths: [Int]?

  /// Each as it goes on its way.
  func bodies() throws -> [[UInt8]] {
    if let texts {
      try Self.check(texts.lazy.map(\.utf8.count))
      return texts.map { Payload.encode(text: $0) }
    }
    guard let bytes, let lengths, Self.fit(lengths, bytes.count) else {
      throw BridgeError(.invalidParameter, "option.lengths do not fit option.bytes")
    }
    try Self.check(lengths)
    return bytes.withUnsafeBytes { memory in
      var at = 0
      return lengths.map { length in
        defer { at += length }
        return Payload.encode(UnsafeRawBufferPointer(rebasing: memory[at..<(at + length)]))
      }
    }
  }

  /// Whether so many bytes are what the lengths say, however large those are.
  private static func fit(_ lengths: [Int], _ count: Int) -> Bool {
    var left = count
    for length in lengths {
      guard (0...left).contains(length) else { return false }
      left -= length
    }
    return left == 0
  }

  /// A receiver takes none that is longer, and cuts off a sender that sends one.
  private static func check(_ lengths: some Sequence<Int>) throws {
    guard let large = lengths.first(where: { $0 > Window.largestMessage }) else { return }
    throw BridgeError(
      .tooLarge, "a message has \(large) bytes; a message has at most \(Window.largestMessage)")
  }
}

/// From where a session's messages are read.
struct MessagesOptions: Codable {
  /// The number of the last event that the script has.
  var after: Int
}

/// What to send as a resource.
struct SendResourceOptions: Codable {
  var peer: String
  var name: String
  var path: String?
  var directory: OpenResource.Directory?
  var bytes: Bytes?
}

/// A resource or a stream that a peer offers.
struct OfferOptions: Codable {
  var peer: String
  var channel: Int
}

/// A stream to be opened.
struct OpenStreamOptions: Codable {
  var peer: String
  var name: String
}

/// A part of a stream on its way out.
struct WriteOptions: Codable {
  var peer: String
  var channel: Int
  var bytes: Bytes
}

/// How a stream ends.
struct CloseOptions: Codable {
  var peer: String
  var channel: Int
  /// Whether what was written is to be whole.
  var isWhole: Bool
}

/// The facts that are known of a peer.
struct PeerInfo: Codable {
  var id: String
  var name: String
  var state: PeerState
  var route: Route?
  /// How many links lead there.
  var hops: Int?
  /// What it announced; null for a peer that is not announced now.
  var info: [String: String]?
}

/// The counts of a session.
struct SessionStatistics: Codable {
  var members: Int
  var links: Int
  var counts: NodeStatistics
  /// What waits to be acknowledged, in bytes.
  var waiting: Int
}

/// The properties of a simulated network.
struct SimulationOptions: Codable {
  var network: String
  var seed: Int?
  var conditions: NetworkConditions?
  /// Peers of one group reach each other only; an empty list ends that.
  var groups: [[String]]?
  /// Pairs that can't reach each other directly.
  var blocked: [[String]]?
}
