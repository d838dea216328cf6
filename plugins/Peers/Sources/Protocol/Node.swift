// SPDX-License-Identifier: MIT

/// How a node behaves.
struct NodeSettings: Sendable {
  var name: String
  var serviceType: String
  /// How long a member may be silent before it counts as gone; microseconds. Until all members know of it
  /// takes a little longer.
  var silence: Microseconds = 1_500_000
  /// How long what was sent to a member that can't be reached is kept for it.
  var resume: Microseconds = 60_000_000

  var beat: Microseconds { silence / 4 }
}

/// One peer's half of the protocol: a machine that is told what happened and answers what to do (`effects`).
/// It knows no sockets, no threads and no clock, so that the same machine runs over any transport and in a
/// simulation.
struct Node: Sendable {
  let settings: NodeSettings
  let id: PeerID
  /// How others reach this peer's transport.
  let address: String
  let keys: any PeerKeys
  /// The token that a peer which connects to this one as a member has to show.
  var token: Secret
  /// The pair of keys by which it has secrets in common with other members.
  var agreement: any PeerAgreement
  var pairKeys: [PeerID: PairKey] = [:]
  var random: SeededRandom

  var table: MemberTable
  var links: [LinkID: Link] = [:]
  /// What was said on links before the two sides believed each other; kept until they are used, or as long as
  /// it may have to be answered again. Beside the links, and not in them: each frame looks at its link.
  var handshakes: [LinkID: Handshake] = [:]
  /// The joined link to each peer, where there is one.
  var direct: [PeerID: LinkID] = [:]
  var invitations = Invitations()
  var talks: [PeerID: Talk] = [:]
  /// Which unreliable messages came, by their sender.
  var replays: [PeerID: ReplayWindow] = [:]
  /// What peers called themselves before their records came.
  var names: [PeerID: String] = [:]
  var overlay = Overlay()
  /// No talk begins below: a peer that was forgotten may remember.
  var firstEpoch: UInt64 = 1
  var statistics = NodeStatistics()

  var effects: [NodeEffect] = []
  /// When records on their way go out.
  var gossipAt: Microseconds?
  /// How long records wait for other records that go the same way.
  var gossipPause = Node.gossipDelay
  var needsSurvey = false
  /// Acknowledgements that are due.
  var dueAcks: [ChannelKey: Void] = [:]
  var ackAt: Microseconds?
  /// When it looked last at everything that has a time.
  var tickedAt: Microseconds = 0
  var hasLeft = false

  struct ChannelKey: Hashable, Comparable {
    var peer: PeerID
    var channel: UInt32

    static func < (left: ChannelKey, right: ChannelKey) -> Bool {
      (left.peer, left.channel) < (right.peer, right.channel)
    }
  }

  /// - Parameter makeAddress: names the place where the peer with this id will be found.
  init(
    _ settings: NodeSettings, seed: UInt64, keys: any PeerKeys, now: Microseconds,
    address makeAddress: (PeerID) -> String
  ) {
    self.settings = settings
    self.keys = keys
    (id, token, agreement) = (keys.id(of: keys.publicKey), keys.random(), keys.makeAgreement())
    address = makeAddress(id)
    random = SeededRandom(seed: seed)
    tickedAt = now
    table = MemberTable(
      MemberRecord(
        id: id, version: 1, name: settings.name, address: address, token: token, key: keys.publicKey,
        agreementKey: agreement.publicKey))
  }

  static let gossipDelay: Microseconds = 20_000
  static let ackDelay: Microseconds = 20_000

  /// When ``tick(_:)`` has something to do; nil when nothing is to come.
  var deadline: Microseconds? {
    var deadline = min(gossipAt ?? .max, ackAt ?? .max, invitations.deadline ?? .max)
    if !links.isEmpty || talks.values.contains(where: \.isWaiting) || overlay.isBusy {
      deadline = min(deadline, tickedAt + tickEvery)
    }
    return deadline == .max ? nil : deadline
  }

  private var tickEvery: Microseconds { min(settings.beat / 2, 100_000) }

  /// Does what is due.
  mutating func tick(_ now: Microseconds) {
    if let ackAt, now >= ackAt { sendDueAcks(now) }
    if let gossipAt, now >= gossipAt { flushGossip(now) }
    expireInvitations(now)
    guard now - tickedAt >= tickEvery else { return }
    // A node that slept must not take the others for dead.
    let slept = now - tickedAt - tickEvery
    if slept > settings.silence / 2 {
      for (link, state) in links { links[link]?.heard = min(now, state.heard + slept) }
    }
    tickedAt = now
    tendLinks(now)
    tendOverlay(now)
    tendTalks(now)
  }

  mutating func emit(_ event: NodeEvent) { effects.append(.event(event)) }

  /// A frame arrived.
  mutating func received(_ memory: UnsafeRawBufferPointer, over link: LinkID, _ now: Microseconds) {
    guard links[link] != nil else { return }
    links[link]?.heard = now
    statistics.framesReceived += 1
    statistics.bytesReceived += memory.count
    var reader = FrameReader(memory)
    do throws(FrameProblem) { try handle(&reader, memory, link, now) } catch {
      violation("\(error)", link, now)
    }
  }

  /// Until the other side has proven its identity, only frames of the handshake count.
  private mutating func handle(
    _ reader: inout FrameReader, _ memory: UnsafeRawBufferPointer, _ link: LinkID, _ now: Microseconds
  ) throws(FrameProblem) {
    let byte: UInt8 = try reader.integer()
    guard let kind = FrameKind(rawValue: byte) else {
      throw FrameProblem("a frame of the unknown kind \(byte)")
    }
    switch kind {
    case .hello: try greeted(try Hello(&reader), Array(memory), link, now)
    case .proof: try proven(try ProofFrame(&reader), link, now)
    case .admitted where links[link]?.remote != nil: try wasAdmitted(link, now)
    case .bye: saidBye(Bye(rawValue: try reader.integer()) ?? .done, link, now)
    case .beat where isJoined(link): compare(try Beat(&reader), link, now)
    case .gossip where isJoined(link): try learn(try GossipFrame.read(&reader), link, now)
    case .digest where isJoined(link): answer(try DigestFrame(&reader), link, now)
    case .data where isJoined(link): try received(try DataFrame(&reader, at: id), link, now)
    case .ack where isJoined(link): received(try AckFrame(&reader, at: id), link, now)
    case .invite where links[link]?.remote != nil: invited(try InviteFrame(&reader), link, now)
    case .answer where links[link]?.remote != nil: answered(try AnswerFrame(&reader), link, now)
    case .joined where links[link]?.remote != nil: confirmed(try reader.integer(), link, now)
    default:
      // On a way that loses frames the ones that should have come before may be lost: it is no fault.
      if links[link]?.isReliable ?? false {
        throw FrameProblem("a frame of kind '\(kind)' before it may come")
      }
    }
  }

  func isJoined(_ link: LinkID) -> Bool { links[link]?.stage == .joined }

  /// Cuts off a peer that does not keep to the protocol, and tells the session of the problem.
  mutating func violation(_ problem: String, _ link: LinkID, _ now: Microseconds) {
    statistics.violations += 1
    let who = links[link]?.remote.map { "\($0)" } ?? "somebody"
    emit(.problem("\(who) does not keep to the protocol: \(problem)"))
    drop(link, saying: problem.contains("versions") ? .version : .violation, now)
  }

  mutating func send(_ frame: OutFrame, over link: LinkID, _ now: Microseconds) {
    links[link]?.said = now
    statistics.framesSent += 1
    statistics.bytesSent += frame.head.count + frame.body.count
    effects.append(.send(link, frame))
  }

  mutating func send(_ frame: [UInt8], over link: LinkID, _ now: Microseconds) {
    send(OutFrame(head: frame), over: link, now)
  }
}

/// The counts of a node.
struct NodeStatistics: Codable, Sendable {
  var framesSent = 0
  var framesReceived = 0
  var bytesSent = 0
  var bytesReceived = 0
  var messagesSent = 0
  var messagesReceived = 0
  /// Pieces that went again because nothing came back.
  var resent = 0
  /// Pieces that came twice.
  var duplicates = 0
  /// Records of members whose signature was checked.
  var recordsChecked = 0
  /// Frames that others carried and whose code did not show them to be the sender's: thrown away.
  var forged = 0
  /// Frames that this node carried for others.
  var relayed = 0
  /// Frames that could not be carried or were thrown away: unreliable messages, and pieces that their senders
  /// send again.
  var dropped = 0
  /// Links that were cut because the other side did not keep to the protocol.
  var violations = 0
  /// Invitations that were refused because too many came.
  var invitationsRefused = 0
}

extension Dictionary where Key: Comparable {
  /// The entries in the order of their keys: a dictionary's own order differs from run to run, and a run must
  /// be the same as another with its seed.
  var inOrder: [(key: Key, value: Value)] { count < 2 ? Array(self) : sorted { $0.key < $1.key } }
}

/// Numbers that repeat with their seed: SplitMix64 (Steele, Lea, Flood 2014).
struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
