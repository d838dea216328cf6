// SPDX-License-Identifier: MIT

/// What a member says of itself, spread to all others: the newest version counts. From the links in the
/// records each member finds out which peers are in the session (which ones can be reached over links) and by
/// which way: a link-state protocol, as OSPF (RFC 2328) is one. Its owner signs a record, so a member that
/// carries it can't change it, and no other peer can make a later one.
struct MemberRecord: Sendable {
  var id: PeerID
  /// 64 bits: no peer counts to their end.
  var version: UInt64
  /// The member left on purpose.
  var hasLeft = false
  var name: String
  /// The address at which the member's transport is found.
  var address: String
  /// The token that a peer which connects to this member has to show.
  var token: Secret
  /// The key that checks the member's signatures.
  var key: PublicKey
  /// The key by which another member and this one have a secret in common.
  var agreementKey: PublicKey
  /// The members to which it has links of the overlay.
  var links: [PeerID] = []
  /// The record as it goes on its way: what its owner signed, and the signature. Empty for a record that no
  /// peer was told yet.
  private(set) var signed: [UInt8] = []

  private static let longestAddress = 512
  /// More than an overlay has (``Overlay/most(_:)``). A peer that for the moment has invited more names
  /// these; the others name their own ends.
  static let maxLinks = 256

  init(
    id: PeerID, version: UInt64, name: String, address: String, token: Secret, key: PublicKey,
    agreementKey: PublicKey
  ) {
    (self.id, self.version, self.name, self.address) = (id, version, name, address)
    (self.token, self.key, self.agreementKey) = (token, key, agreementKey)
  }

  /// A record that may still be changed, because no peer has heard it: a new version if a peer has.
  var next: MemberRecord {
    var next = self
    if !signed.isEmpty { (next.version, next.signed) = (version + 1, []) }
    return next
  }

  /// As its owner tells it.
  func signed(with keys: any PeerKeys) -> MemberRecord {
    var record = self
    let body = body
    record.signed = body + keys.sign(Self.signable(body))
    return record
  }

  private static func signable(_ body: some Collection<UInt8>) -> [UInt8] {
    var bytes = LabelledBytes(.record, capacity: 64 + body.count)
    bytes.end(with: body)
    return bytes.bytes
  }

  private var body: [UInt8] {
    var writer = FrameWriter(capacity: 256 + 16 * links.count)
    writer.put(id)
    writer.put(version)
    writer.put(key)
    writer.put(agreementKey)
    writer.put(token)
    writer.put(hasLeft)
    writer.put(name)
    writer.put(address)
    writer.put(UInt32(links.count))
    for link in links { writer.put(link) }
    return writer.bytes
  }

  /// Reads one that came, and checks that its owner made it.
  init(_ carried: CarriedRecord, _ keys: any PeerKeys) throws(FrameProblem) {
    var reader = FrameReader(carried.bytes)
    id = try reader.peer()
    version = try reader.integer()
    key = try reader.octets()
    agreementKey = try reader.octets()
    token = try reader.octets()
    hasLeft = try reader.flag()
    name = try reader.text()
    address = try reader.text()
    guard PeerName.problem(name) == nil, address.utf8.count <= Self.longestAddress else {
      throw FrameProblem("a member's name or address that can't be")
    }
    let count = try reader.count(of: 16)
    guard count <= Self.maxLinks else { throw FrameProblem("a member with \(count) links") }
    for _ in 0..<count { links.append(try reader.peer()) }
    let length = reader.place
    let signature = try reader.signature()
    guard reader.rest == 0, keys.id(of: key) == id,
      keys.isSigned(Self.signable(carried.bytes[..<length]), by: key, signature)
    else { throw FrameProblem("a record of '\(id)' that is not its own") }
    signed = Array(carried.bytes)
  }
}

/// A record that came, and of which nothing is believed: what it says to be is enough to pass over one that
/// is old.
struct CarriedRecord {
  let id: PeerID
  let version: UInt64
  /// What was signed, and the signature. The memory is the frame's.
  let bytes: UnsafeRawBufferPointer

  init(_ reader: inout FrameReader) throws(FrameProblem) {
    bytes = try reader.take(Int(try reader.integer(UInt32.self)))
    var inner = FrameReader(bytes)
    id = try inner.peer()
    version = try inner.integer()
  }
}

/// Records on their way.
enum GossipFrame {
  /// Records in frames of at most so many bytes.
  private static let largest = 256 << 10

  static func frames(_ records: [MemberRecord]) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    var writer = FrameWriter(.gossip, capacity: 1024)
    for record in records where !record.signed.isEmpty {
      if writer.bytes.count > largest {
        frames.append(writer.bytes)
        writer = FrameWriter(.gossip, capacity: 1024)
      }
      writer.put(blob: record.signed)
    }
    if writer.bytes.count > 1 { frames.append(writer.bytes) }
    return frames
  }

  static func read(_ reader: inout FrameReader) throws(FrameProblem) -> [CarriedRecord] {
    var records: [CarriedRecord] = []
    while reader.rest > 0 { records.append(try CarriedRecord(&reader)) }
    return records
  }
}

/// The versions of records that a peer has.
struct DigestFrame: Equatable {
  struct Entry: Equatable {
    var id: PeerID
    var version: UInt64

    static let size = 24
  }
  /// Whether the other side shall answer with its own.
  var wantsAnswer: Bool
  var entries: [Entry]

  var frame: [UInt8] {
    var writer = FrameWriter(.digest, capacity: 16 + Entry.size * entries.count)
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
    for _ in 0..<(try reader.count(of: Entry.size)) {
      entries.append(Entry(id: try reader.peer(), version: try reader.integer()))
    }
  }
}
