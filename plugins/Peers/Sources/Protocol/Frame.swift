// SPDX-License-Identifier: MIT

/// The kinds of frames: the first byte of each.
enum FrameKind: UInt8 {
  case hello = 1, invite, answer, joined, gossip, digest, beat, data, ack, bye, proof, admitted
}

/// The first frame of both sides on every link: the identity that a peer claims, which its proof has to show.
struct Hello: Equatable, Sendable {
  /// The versions of the protocol that this side speaks. 1 believed what was said.
  static let versions: ClosedRange<UInt8> = 2...2
  private static let magic: UInt32 = 0x7250_426E  // "nBPr"

  /// Why a link is made.
  enum Purpose: UInt8 {
    /// To invite, or to be looked at.
    case invitation
    /// A member of the session makes a link of its overlay.
    case overlay
    /// A member wants a short way for what it sends.
    case direct
  }

  var key: PublicKey
  /// What the other side has to sign.
  var challenge: Challenge
  var name: String
  var serviceType: String
  var purpose: Purpose

  var frame: [UInt8] {
    var writer = FrameWriter(.hello, capacity: 128)
    writer.put(Self.magic)
    writer.put(Self.versions.lowerBound)
    writer.put(Self.versions.upperBound)
    writer.put(key)
    writer.put(challenge)
    writer.put(name)
    writer.put(serviceType)
    writer.put(purpose.rawValue)
    return writer.bytes
  }

  init(_ reader: inout FrameReader) throws(FrameProblem) {
    guard try reader.integer(UInt32.self) == Self.magic else { throw FrameProblem("it is not this protocol") }
    let lowest = try reader.integer(UInt8.self), highest = try reader.integer(UInt8.self)
    guard lowest <= highest, Self.versions.overlaps(lowest...highest) else {
      throw FrameProblem(
        "it speaks versions \(lowest) to \(highest) of the protocol, this side \(Self.versions.lowerBound) "
          + "to "
          + "\(Self.versions.upperBound)")
    }
    key = try reader.octets()
    challenge = try reader.octets()
    name = try reader.text()
    serviceType = try reader.text()
    guard let purpose = Purpose(rawValue: try reader.integer()) else {
      throw FrameProblem("an unknown purpose")
    }
    self.purpose = purpose
    // The claim is kept until it is proven, and any process can send one: nothing may follow the name.
    guard PeerName.problem(name) == nil, serviceType.utf8.count <= ServiceType.longest, reader.rest == 0
    else { throw FrameProblem("a name that can't be") }
  }

  init(key: PublicKey, challenge: Challenge, name: String, serviceType: String, purpose: Purpose) {
    (self.key, self.challenge, self.name) = (key, challenge, name)
    (self.serviceType, self.purpose) = (serviceType, purpose)
  }
}

/// Invites a peer into the session.
struct InviteFrame: Equatable {
  /// The largest context.
  static let largestContext = 64 << 10

  var nonce: UInt64
  var milliseconds: UInt32
  var context: [UInt8]

  var frame: [UInt8] {
    var writer = FrameWriter(.invite, capacity: 32 + context.count)
    writer.put(nonce)
    writer.put(milliseconds)
    writer.put(blob: context)
    return writer.bytes
  }

  init(nonce: UInt64, milliseconds: UInt32, context: [UInt8]) {
    (self.nonce, self.milliseconds, self.context) = (nonce, milliseconds, context)
  }

  init(_ reader: inout FrameReader) throws(FrameProblem) {
    nonce = try reader.integer()
    milliseconds = try reader.integer()
    context = try reader.blob(atMost: Self.largestContext)
  }
}

/// The answer to an invitation.
struct AnswerFrame: Equatable {
  /// The kinds of answers.
  enum Kind: UInt8 {
    case accepted, declined, busy, replayed, expired
  }

  var nonce: UInt64
  var kind: Kind

  var frame: [UInt8] {
    var writer = FrameWriter(.answer)
    writer.put(nonce)
    writer.put(kind.rawValue)
    return writer.bytes
  }

  init(nonce: UInt64, kind: Kind) { (self.nonce, self.kind) = (nonce, kind) }

  init(_ reader: inout FrameReader) throws(FrameProblem) {
    nonce = try reader.integer()
    guard let kind = Kind(rawValue: try reader.integer()) else { throw FrameProblem("an unknown answer") }
    self.kind = kind
  }
}

/// Says that one lives, and in short what one knows of the session.
struct Beat: Equatable {
  var summary: UInt64
  var members: UInt32

  var frame: [UInt8] {
    var writer = FrameWriter(.beat)
    writer.put(summary)
    writer.put(members)
    return writer.bytes
  }

  init(summary: UInt64, members: UInt32) { (self.summary, self.members) = (summary, members) }

  init(_ reader: inout FrameReader) throws(FrameProblem) {
    summary = try reader.integer()
    members = try reader.integer()
  }
}

/// Says that a member's link is one of the session's: now both sides use it.
enum AdmittedFrame {
  static let frame = FrameWriter(.admitted).bytes
}

/// Says why a link is closed.
enum Bye: UInt8 {
  case done, duplicate, full, stranger, violation, version

  var frame: [UInt8] {
    var writer = FrameWriter(.bye)
    writer.put(rawValue)
    return writer.bytes
  }
}
