// SPDX-License-Identifier: MIT

/// Being asked into other peers' sessions.
extension Node {
  mutating func invited(_ frame: InviteFrame, _ link: LinkID, _ now: Microseconds) {
    guard let peer = links[link]?.remote else { return }
    if let known = invitations.incoming.first(where: { $0.link == link }) {
      if known.nonce != frame.nonce { violation("a second invitation on one link", link, now) }
      return
    }
    // The invitation was accepted; the answer or its confirmation was lost.
    if isJoined(link) { return }
    if let seen = invitations.note(frame.nonce, link) {
      // On its own link this is the same invitation again, whose answer was lost.
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
    // An invitation that was accepted is confirmed over its own link, which may be the one that both keep.
    for invitation in invitations.incoming where invitation.peer == peer && !invitation.isAccepted {
      invitations.incoming.removeAll { $0.number == invitation.number }
      emit(.invitationOver(number: invitation.number))
    }
  }
}
