// SPDX-License-Identifier: MIT

/// The invitations of a node, both ways.
struct Invitations: Sendable {
  /// One that this peer sent.
  struct Outgoing: Sendable {
    let number: Int
    let peer: PeerID
    let nonce: UInt64
    let context: [UInt8]
    let endsAt: Microseconds
    var link: LinkID?
  }

  /// One that this peer got.
  struct Incoming: Sendable {
    let number: Int
    let peer: PeerID
    let nonce: UInt64
    let endsAt: Microseconds
    let link: LinkID
    var isAccepted = false
  }

  /// So many wait for an answer at once, and so many may come in a second on the whole.
  static let maxWaiting = 32
  static let maxPerSecond = 10.0
  private static let maxRemembered = 1024

  var outgoing: [Outgoing] = []
  var incoming: [Incoming] = []
  private var nextNumber = 1
  private var seen: [Seen] = []
  private var tokens = Double(maxWaiting)
  private var countedAt: Microseconds = 0
  /// When it was last said that too many come.
  var toldAt: Microseconds?

  mutating func number() -> Int {
    defer { nextNumber += 1 }
    return nextNumber
  }

  /// An invitation that came, and how it was answered.
  struct Seen: Sendable {
    let nonce: UInt64
    let link: LinkID
    var answer: AnswerFrame.Kind?
  }

  /// What was seen of an invitation before; it counts as seen from now on.
  mutating func note(_ nonce: UInt64, _ link: LinkID) -> Seen? {
    if let known = seen.first(where: { $0.nonce == nonce }) { return known }
    seen.append(Seen(nonce: nonce, link: link))
    if seen.count > Self.maxRemembered { seen.removeFirst(Self.maxRemembered / 2) }
    return nil
  }

  mutating func note(_ answer: AnswerFrame.Kind, to nonce: UInt64) {
    if let place = seen.firstIndex(where: { $0.nonce == nonce }) { seen[place].answer = answer }
  }

  /// A bucket of tokens: short rushes pass, a flood does not.
  mutating func admits(_ now: Microseconds) -> Bool {
    tokens = min(
      Double(Self.maxWaiting), tokens + Double(max(0, now - countedAt)) / 1_000_000 * Self.maxPerSecond)
    countedAt = now
    guard tokens >= 1, incoming.count < Self.maxWaiting else { return false }
    tokens -= 1
    return true
  }

  func uses(_ link: LinkID) -> Bool {
    outgoing.contains { $0.link == link } || incoming.contains { $0.link == link }
  }

  var deadline: Microseconds? {
    min(outgoing.map(\.endsAt).min() ?? .max, incoming.map(\.endsAt).min() ?? .max).finite
  }
}

extension Microseconds {
  fileprivate var finite: Microseconds? { self == .max ? nil : self }
}

extension Node {
  /// How long the other side may take to confirm what was accepted.
  private static let confirmation: Microseconds = 5_000_000

  // MARK: - Inviting

  /// Asks a peer into the session; what becomes of it comes as an event with the number.
  mutating func invite(
    _ peer: PeerID, address: String, context: [UInt8], milliseconds: Int, _ now: Microseconds
  ) -> Int {
    let number = invitations.number()
    if isMember(peer) {
      emit(.answered(number: number, .joined))
      return number
    }
    if invitations.outgoing.contains(where: { $0.peer == peer }) {
      // One invitation at a time; whoever asks again waits for its answer, too.
      invitations.outgoing.append(
        .init(
          number: number, peer: peer, nonce: 0, context: [], endsAt: now + milliseconds * 1000, link: nil))
      return number
    }
    invitations.outgoing.append(
      .init(
        number: number, peer: peer, nonce: random.next(), context: context, endsAt: now + milliseconds * 1000,
        link: nil))
    emit(.state(peer, .connecting))
    // Both invite each other: what the other side asked for is wanted here, too.
    if let crossing = invitations.incoming.first(where: { $0.peer == peer && !$0.isAccepted }) {
      _ = answer(crossing.number, accepts: true, now)
    }
    connect(to: peer, address, for: .invitation)
    return number
  }

  mutating func connect(
    to peer: PeerID, _ address: String, for purpose: Hello.Purpose, token: Secret? = nil
  ) {
    let attempt = overlay.attempt(peer, purpose, token)
    effects.append(.connect(attempt: attempt, address: address))
  }

  /// Takes an invitation back; false when it is over already.
  mutating func cancelInvitation(_ number: Int, _ now: Microseconds) -> Bool {
    guard let invitation = invitations.outgoing.first(where: { $0.number == number }) else { return false }
    if hand(over: invitation) {
      emit(.answered(number: number, .cancelled))
    } else {
      finish(invitation, .cancelled, now)
    }
    return true
  }

  /// Somebody else waits for the answer to the same invitation: it goes on as his. False when nobody does.
  private mutating func hand(over invitation: Invitations.Outgoing) -> Bool {
    guard invitation.nonce != 0,
      let heir = invitations.outgoing.firstIndex(where: { $0.peer == invitation.peer && $0.nonce == 0 })
    else { return false }
    let waiting = invitations.outgoing[heir]
    invitations.outgoing[heir] = .init(
      number: waiting.number, peer: waiting.peer, nonce: invitation.nonce, context: invitation.context,
      endsAt: waiting.endsAt, link: invitation.link)
    invitations.outgoing.removeAll { $0.number == invitation.number }
    return true
  }

  mutating func sendInvitation(to peer: PeerID, over link: LinkID, _ now: Microseconds) {
    guard let place = invitations.outgoing.firstIndex(where: { $0.peer == peer && $0.nonce != 0 }) else {
      drop(link, saying: .done, now)
      return
    }
    // A link of an earlier invitation may come about late: each invitation goes over one.
    if let other = invitations.outgoing[place].link, other != link, links[other] != nil {
      drop(link, saying: .duplicate, now)
      return
    }
    invitations.outgoing[place].link = link
    let invitation = invitations.outgoing[place]
    let left = max(1, (invitation.endsAt - now) / 1000)
    let frame = InviteFrame(
      nonce: invitation.nonce, milliseconds: UInt32(clamping: left), context: invitation.context)
    send(frame.frame, over: link, now)
  }

  /// On a way that loses frames: says again what may not have arrived.
  mutating func repeatInvitation(_ link: LinkID, _ now: Microseconds) {
    if let invitation = invitations.outgoing.first(where: { $0.link == link }) {
      sendInvitation(to: invitation.peer, over: link, now)
    } else if let invitation = invitations.incoming.first(where: { $0.link == link && $0.isAccepted }) {
      send(AnswerFrame(nonce: invitation.nonce, kind: .accepted).frame, over: link, now)
    }
  }

  mutating func answered(_ answer: AnswerFrame, _ link: LinkID, _ now: Microseconds) {
    guard let invitation = invitations.outgoing.first(where: { $0.link == link && $0.nonce == answer.nonce })
    else {
      // It was confirmed, and the other side has not heard it.
      if isJoined(link), answer.kind == .accepted { confirm(answer.nonce, link, now) }
      return
    }
    switch answer.kind {
    case .accepted:
      links[link]?.purpose = .invitation
      confirm(answer.nonce, link, now)
      join(link, now)
      finish(invitation, .joined, now)
    case .declined: finish(invitation, .declined, now)
    case .busy: finish(invitation, .busy, now)
    case .replayed: finish(invitation, .replayed, now)
    case .expired: finish(invitation, .timedOut, now)
    }
  }

  private mutating func confirm(_ nonce: UInt64, _ link: LinkID, _ now: Microseconds) {
    var writer = FrameWriter(.joined)
    writer.put(nonce)
    send(writer.bytes, over: link, now)
  }

  mutating func invitationUnreachable(_ peer: PeerID, _ now: Microseconds) {
    for invitation in invitations.outgoing where invitation.peer == peer {
      finish(invitation, .unreachable, now)
    }
  }

  /// Ends an invitation and those of the same peer that wait for it.
  private mutating func finish(
    _ invitation: Invitations.Outgoing, _ result: InviteResult, _ now: Microseconds
  ) {
    let isMain = invitation.nonce != 0 && result != .cancelled
    let over = invitations.outgoing.filter {
      $0.number == invitation.number || isMain && $0.peer == invitation.peer
    }
    invitations.outgoing.removeAll { item in over.contains { $0.number == item.number } }
    for item in over { emit(.answered(number: item.number, result)) }
    guard result != .joined else { return }
    if let link = invitation.link, !isJoined(link) { drop(link, saying: .done, now) }
    if !isMember(invitation.peer) { emit(.state(invitation.peer, .notConnected)) }
  }

  // MARK: - Being invited

  mutating func invited(_ frame: InviteFrame, _ link: LinkID, _ now: Microseconds) {
    guard let peer = links[link]?.remote else { return }
    if let known = invitations.incoming.first(where: { $0.link == link }) {
      if known.nonce != frame.nonce { violation("a second invitation on one link", link, now) }
      return
    }
    // It was accepted; the answer or its confirmation was lost.
    if isJoined(link) { return }
    if let seen = invitations.note(frame.nonce, link) {
      // On its own link it is the same one again, whose answer was lost.
      if seen.link == link {
        if let answer = seen.answer {
          send(AnswerFrame(nonce: frame.nonce, kind: answer).frame, over: link, now)
        }
        return
      }
      send(AnswerFrame(nonce: frame.nonce, kind: .replayed).frame, over: link, now)
      violation("an invitation that came before", link, now)
      return
    }
    guard invitations.admits(now), !hasLeft else {
      refuse(frame, link, now)
      return
    }
    let number = invitations.number()
    let milliseconds = Int(frame.milliseconds)
    invitations.incoming.append(
      .init(number: number, peer: peer, nonce: frame.nonce, endsAt: now + milliseconds * 1000, link: link))
    let isWanted = invitations.outgoing.contains { $0.peer == peer }
    if isMember(peer) || isWanted {
      _ = answer(number, accepts: true, now)
    } else {
      emit(
        .invited(
          number: number, by: peer, name: links[link]?.remoteName ?? "", context: frame.context,
          milliseconds: milliseconds))
    }
  }

  private mutating func refuse(_ frame: InviteFrame, _ link: LinkID, _ now: Microseconds) {
    statistics.invitationsRefused += 1
    send(AnswerFrame(nonce: frame.nonce, kind: .busy).frame, over: link, now)
    drop(link, saying: .done, now)
    if invitations.toldAt.map({ now - $0 > 10_000_000 }) ?? true {
      invitations.toldAt = now
      emit(
        .problem(
          "more invitations come than are taken: \(Invitations.maxWaiting) at once, then "
            + "\(Int(Invitations.maxPerSecond)) a second; \(statistics.invitationsRefused) were refused"))
    }
  }

  /// Answers an invitation; false when it is not open any more.
  mutating func answer(_ number: Int, accepts: Bool, _ now: Microseconds) -> Bool {
    guard let place = invitations.incoming.firstIndex(where: { $0.number == number && !$0.isAccepted }) else {
      return false
    }
    let invitation = invitations.incoming[place]
    invitations.note(accepts ? .accepted : .declined, to: invitation.nonce)
    send(
      AnswerFrame(nonce: invitation.nonce, kind: accepts ? .accepted : .declined).frame,
      over: invitation.link,
      now)
    if accepts {
      invitations.incoming[place].isAccepted = true
      invitations.incoming[place] = .init(
        number: number, peer: invitation.peer, nonce: invitation.nonce, endsAt: now + Self.confirmation,
        link: invitation.link, isAccepted: true)
      if !isMember(invitation.peer) { emit(.state(invitation.peer, .connecting)) }
    } else {
      invitations.incoming.remove(at: place)
    }
    return true
  }

  /// The inviter heard that it was accepted.
  mutating func confirmed(_ nonce: UInt64, _ link: LinkID, _ now: Microseconds) {
    guard
      let place = invitations.incoming.firstIndex(where: {
        $0.link == link && $0.nonce == nonce && $0.isAccepted
      })
    else { return }
    invitations.incoming.remove(at: place)
    join(link, now)
  }

  /// Both are in one session, whichever of their invitations led there.
  mutating func settleInvitations(with peer: PeerID, _ now: Microseconds) {
    for invitation in invitations.outgoing where invitation.peer == peer { finish(invitation, .joined, now) }
    // One that was accepted is confirmed over its own link, which may be the one that both keep.
    for invitation in invitations.incoming where invitation.peer == peer && !invitation.isAccepted {
      invitations.incoming.removeAll { $0.number == invitation.number }
      emit(.invitationOver(number: invitation.number))
    }
  }

  // MARK: - Time and loss

  mutating func expireInvitations(_ now: Microseconds) {
    for invitation in invitations.outgoing where now >= invitation.endsAt {
      finish(invitation, .timedOut, now)
    }
    for invitation in invitations.incoming where now >= invitation.endsAt {
      if !invitation.isAccepted {
        invitations.note(.expired, to: invitation.nonce)
        send(AnswerFrame(nonce: invitation.nonce, kind: .expired).frame, over: invitation.link, now)
      }
      abandon(invitation, now)
    }
  }

  mutating func invitationLinkLost(_ link: LinkID, _ peer: PeerID, _ now: Microseconds) {
    for invitation in invitations.outgoing where invitation.link == link {
      finish(invitation, .unreachable, now)
    }
    for invitation in invitations.incoming where invitation.link == link { abandon(invitation, now) }
    let isGone = links.values.allSatisfy { ($0.wanted ?? $0.remote) != peer }
    // It ended before it was greeted.
    for invitation in invitations.outgoing
    where invitation.peer == peer && invitation.link == nil && isGone && !overlay.isTrying(peer) {
      finish(invitation, .unreachable, now)
    }
  }

  private mutating func abandon(_ invitation: Invitations.Incoming, _ now: Microseconds) {
    invitations.incoming.removeAll { $0.number == invitation.number }
    emit(.invitationOver(number: invitation.number))
    if invitation.isAccepted, !isMember(invitation.peer), direct[invitation.peer] == nil {
      emit(.state(invitation.peer, .notConnected))
    }
    if let link = links[invitation.link], link.stage != .joined { drop(invitation.link, saying: .done, now) }
  }
}
