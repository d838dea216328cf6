// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// What a script sends, as bytes: a kind, then the content.
struct Payload: Sendable {
  private enum Kind: UInt8 {
    case text, archive, bytes, string
  }

  /// Any value that crosses the bridge, or bytes.
  enum Content: Sendable {
    case value(Value)
    /// The bytes behind the first one.
    case bytes
    case string
  }

  static func encode(_ value: Value) -> [UInt8] {
    value.attachments.isEmpty
      ? [Kind.text.rawValue] + value.text : [Kind.archive.rawValue] + value.archived()
  }

  static func encode(_ bytes: Bytes) -> [UInt8] { bytes.withUnsafeBytes { encode($0) } }

  static func encode(_ bytes: UnsafeRawBufferPointer) -> [UInt8] { body(.bytes, bytes) }

  /// A plain text, which is no JSON.
  static func encode(text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { body(.string, UnsafeRawBufferPointer($0)) }
  }

  private static func body(_ kind: Kind, _ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: bytes.count + 1) { room, count in
      room[0] = kind.rawValue
      UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[1...]).copyBytes(
        from: bytes)
      count = bytes.count + 1
    }
  }

  /// Reads what a peer sent; nil when it is no value.
  static func decode(_ body: [UInt8]) -> Content? {
    switch body.first.flatMap(Kind.init(rawValue:)) {
    case .text:
      let value = Value(text: Array(body.dropFirst()))
      return value.isSound ? .value(value) : nil
    case .archive:
      guard let value = try? Value(archive: Array(body.dropFirst())), value.isSound else { return nil }
      return .value(value)
    case .bytes: return .bytes
    case .string: return .string
    case nil: return nil
    }
  }
}

/// A message, or several of one sender's that cross together: texts, or bytes behind each other with their
/// lengths.
struct MessageEvent: Codable, Sendable {
  /// Counts the events of a session.
  var number = 0
  var from: String
  var name: String
  var value: Value?
  var texts: [String]?
  var bytes: Bytes?
  var lengths: [Int]?
  var unreliable: Bool?
}

/// A peer was found, says something else of itself, or is not announced any more.
struct DiscoveryEvent: Codable, Sendable {
  /// What happened.
  enum Kind: String, Codable, CaseIterable {
    case found, updated, lost
  }

  var kind: Kind
  var peer: String
  var name: String
  var info: [String: String]
}

/// The way by which a member is reached.
enum Route: String, Codable, CaseIterable, Sendable {
  case direct, relayed
}

/// How a peer stands to this one now.
struct StateEvent: Codable, Sendable {
  var peer: String
  var name: String
  var state: PeerState
  var route: Route?
}

/// A peer invites this one into its session, or takes the invitation back.
struct InvitationEvent: Codable, Sendable {
  /// What happened.
  enum Kind: String, Codable, CaseIterable {
    case invited, over
  }

  var kind: Kind
  var number: Int
  var peer = ""
  var name = ""
  var context: Value?
  /// How long the invitation can be answered.
  var milliseconds = 0

  init(kind: Kind, number: Int) { (self.kind, self.number) = (kind, number) }

  init(kind: Kind, number: Int, peer: String, name: String, context: Value?, milliseconds: Int) {
    self.init(kind: kind, number: number)
    (self.peer, self.name, self.context, self.milliseconds) = (peer, name, context, milliseconds)
  }
}

/// Something went wrong, and no call is left that could hear of it.
struct ProblemEvent: Codable, Sendable {
  /// What went wrong.
  enum Kind: String, Codable, CaseIterable {
    case undelivered, protocolViolation
  }

  var kind: Kind
  var message: String
  /// The peer that messages did not reach.
  var peer: String?
  var messages: Int?
  var bytes: Int?
}

/// A resource or a stream begins to come.
struct OfferEvent: Codable, Sendable {
  var peer: String
  var peerName: String
  var channel: Int
  var name: String
  /// In bytes; 0 for streams.
  var size: Int
}
