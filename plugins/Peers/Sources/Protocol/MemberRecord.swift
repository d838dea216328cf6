// SPDX-License-Identifier: MIT

/// What a member says of itself, spread to all others: the newest version counts. Its links are how everybody finds out who
/// is in the session (who can be reached over links) and by which way: a link-state protocol, as OSPF (RFC 2328) is one.
struct MemberRecord: Equatable, Sendable {
  var id: PeerID
  var version: UInt32
  /// It went on purpose.
  var hasLeft = false
  var name: String
  /// Where its transport is found.
  var address: String
  /// What it wants to be shown by who connects to it.
  var token: PeerID
  /// To whom it has links of the overlay.
  var links: [PeerID] = []

  /// The shortest one, in bytes.
  static let least = 16 + 4 + 1 + 2 + 2 + 16 + 4
  private static let longestAddress = 512

  func put(to writer: inout FrameWriter) {
    writer.put(id)
    writer.put(version)
    writer.put(hasLeft)
    writer.put(name)
    writer.put(address)
    writer.put(token)
    writer.put(UInt32(links.count))
    for link in links { writer.put(link) }
  }

  init(
    id: PeerID, version: UInt32, hasLeft: Bool = false, name: String, address: String, token: PeerID,
    links: [PeerID] = []
  ) {
    (self.id, self.version, self.hasLeft) = (id, version, hasLeft)
    (self.name, self.address, self.token, self.links) = (name, address, token, links)
  }

  init(_ reader: inout FrameReader) throws(FrameProblem) {
    id = try reader.peer()
    version = try reader.integer()
    hasLeft = try reader.flag()
    name = try reader.text()
    address = try reader.text()
    token = try reader.peer()
    guard PeerName.problem(name) == nil, address.utf8.count <= Self.longestAddress else {
      throw FrameProblem("a member's name or address that can't be")
    }
    for _ in 0..<(try reader.count(of: 16)) { links.append(try reader.peer()) }
  }
}

/// Records on their way.
enum GossipFrame {
  /// Records in frames of at most so many bytes.
  private static let largest = 256 << 10

  static func frames(_ records: [MemberRecord]) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    var writer = FrameWriter(.gossip, capacity: 1024)
    for record in records {
      if writer.bytes.count > largest {
        frames.append(writer.bytes)
        writer = FrameWriter(.gossip, capacity: 1024)
      }
      record.put(to: &writer)
    }
    if writer.bytes.count > 1 { frames.append(writer.bytes) }
    return frames
  }

  static func read(_ reader: inout FrameReader) throws(FrameProblem) -> [MemberRecord] {
    var records: [MemberRecord] = []
    while reader.rest > 0 { records.append(try MemberRecord(&reader)) }
    return records
  }
}

/// Which versions somebody has.
struct DigestFrame: Equatable {
  struct Entry: Equatable {
    var id: PeerID
    var version: UInt32
  }
  /// Whether the other side shall answer with its own.
  var wantsAnswer: Bool
  var entries: [Entry]

  var frame: [UInt8] {
    var writer = FrameWriter(.digest, capacity: 16 + 20 * entries.count)
    writer.put(wantsAnswer)
    writer.put(UInt32(entries.count))
    for entry in entries {
      writer.put(entry.id)
      writer.put(entry.version)
    }
    return writer.bytes
  }

  init(wantsAnswer: Bool, entries: [Entry]) { (self.wantsAnswer, self.entries) = (wantsAnswer, entries) }

  init(_ reader: inout FrameReader) throws(FrameProblem) {
    wantsAnswer = try reader.flag()
    entries = []
    for _ in 0..<(try reader.count(of: 20)) {
      entries.append(Entry(id: try reader.peer(), version: try reader.integer()))
    }
  }
}
