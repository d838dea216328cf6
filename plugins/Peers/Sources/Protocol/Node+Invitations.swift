// SPDX-License-Identifier: MIT

extension Microseconds {
  var finite: Microseconds? { self == .max ? nil : self }
}

extension Node {
  /// How long the other side may take to confirm what was accepted.
  static let confirmation: Microseconds = 5_000_000

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
      // One invitation to a peer at a time; a caller that asks again waits for its answer, too.
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

  /// Another caller waits for the answer to the same invitation: it goes on as that caller's. False when
  /// there is no other caller.
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
      // This side has confirmed, and the other side has not heard it.
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

  /// Ends an invitation, and the ones to the same peer that wait for it.
  mutating func finish(
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
    // The link ended before it was greeted.
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
