// SPDX-License-Identifier: MIT

/// A way to one peer, from the first frame on.
struct Link: Sendable {
  /// How far the link has come about.
  enum Stage: Sendable {
    /// The other side has not proven who it is.
    case greeting
    /// The other side has proven it.
    case greeted
    /// The link belongs to the session.
    case joined
  }

  let id: LinkID
  /// Whether this peer made the link.
  let isOwn: Bool
  /// Whether the link delivers frames, once and in order, until it ends.
  let isReliable: Bool
  /// Why this peer made it.
  var purpose: Hello.Purpose = .invitation
  /// The peer that the link was made to.
  var wanted: PeerID?
  var stage = Stage.greeting
  /// The peer at the other end. Nil until that peer has proven itself, so nothing can be done in its name
  /// before.
  var remote: PeerID?
  var remoteName = ""
  var madeAt: Microseconds
  var greetedAt: Microseconds
  var heard: Microseconds
  var said: Microseconds
  /// When what belongs to the script last went over it.
  var usedAt: Microseconds
  /// The members whose records the other side may not have.
  var pending: Set<PeerID> = []
  var comparedAt: Microseconds = -1_000_000

  /// A link of the overlay, by which all members find each other.
  var isOverlay: Bool { stage == .joined && purpose != .direct }
}

extension Node {
  // MARK: - What transports tell

  /// A link came about: one that this peer asked for (`attempt`), or one that another peer made.
  mutating func linkUp(
    _ id: LinkID, attempt: Int?, isReliable: Bool, binding: LinkBinding = LinkBinding(), _ now: Microseconds
  ) {
    var link = Link(
      id: id, isOwn: attempt != nil, isReliable: isReliable, madeAt: now, greetedAt: now, heard: now,
      said: now,
      usedAt: now)
    var token: Secret?
    if let attempt {
      guard let made = overlay.attempts.removeValue(forKey: attempt) else {
        effects.append(.close(id))
        return
      }
      (link.purpose, link.wanted, token) = (made.purpose, made.peer, made.token)
    }
    links[id] = link
    handshakes[id] = Handshake(attempt == nil ? .listener : .connector, binding, token: token)
    if link.isOwn { greet(id, now) }
  }

  mutating func connectFailed(attempt: Int, isGone: Bool, _ now: Microseconds) {
    guard let made = overlay.attempts.removeValue(forKey: attempt) else { return }
    if made.purpose == .invitation {
      invitationUnreachable(made.peer, now)
    } else {
      overlay.noteFailure(made.peer, now)
    }
    guard isGone else { return }
    overlay.noteGone(made.peer)
    if !isMember(made.peer) { forsake(made.peer, now) }
  }

  mutating func linkDown(_ id: LinkID, _ now: Microseconds) { forget(id, now) }

  // MARK: - The session's

  /// The link is one of the session's.
  mutating func join(_ id: LinkID, _ now: Microseconds) {
    guard let link = links[id], let remote = link.remote, link.stage != .joined else { return }
    links[id]?.stage = .joined
    if link.isReliable { handshakes[id] = nil }
    settleInvitations(with: remote, now)
    if let other = direct[remote], other != id, let older = links[other] {
      let loser = loser(of: older, link)
      if loser == id {
        direct[remote] = other
        if link.purpose != .direct, older.purpose == .direct { links[other]?.purpose = link.purpose }
        drop(id, saying: .duplicate, now)
        republish(now)
        return
      }
      direct[remote] = id
      if older.purpose != .direct, link.purpose == .direct { links[id]?.purpose = older.purpose }
      drop(other, saying: .duplicate, now)
    }
    direct[remote] = id
    overlay.noteSuccess(remote)
    makeKnown(remote, links[id]?.remoteName ?? "")
    republish(now)
    sendBeat(id, now)
    surveyNow(now)
    if links[id] != nil { resume(remote, now) }
  }

  /// Both sides choose the same of two links: the one that the smaller id made; of two by the same side the
  /// newer.
  private func loser(of older: Link, _ newer: Link) -> LinkID {
    guard older.isOwn != newer.isOwn, let remote = newer.remote else { return older.id }
    let keepsOwn = id < remote
    return newer.isOwn == keepsOwn ? older.id : newer.id
  }

  // MARK: - Its end

  mutating func saidBye(_ reason: Bye, _ id: LinkID, _ now: Microseconds) {
    if let remote = links[id]?.remote ?? links[id]?.wanted {
      switch reason {
      case .full: overlay.noteFull(remote, now)
      case .stranger, .version, .violation: overlay.noteFailure(remote, now)
      case .done, .duplicate: break
      }
      if reason == .version { emit(.problem("\(remote) speaks other versions of the protocol")) }
    }
    effects.append(.close(id))
    forget(id, now)
  }

  /// Closes a link, with the reason.
  mutating func drop(_ id: LinkID, saying reason: Bye, _ now: Microseconds) {
    guard links[id] != nil else { return }
    send(reason.frame, over: id, now)
    effects.append(.close(id))
    forget(id, now)
  }

  private mutating func forget(_ id: LinkID, _ now: Microseconds) {
    guard let link = links.removeValue(forKey: id) else { return }
    handshakes[id] = nil
    if let peer = link.remote ?? link.wanted { invitationLinkLost(id, peer, now) }
    guard link.stage == .joined, let remote = link.remote else { return }
    if direct[remote] == id {
      direct[remote] = nil
      overlay.noteLoss(remote, now)
    }
    if link.purpose != .direct { republish(now) }
    surveyNow(now)
    rewind(sentOver: id, now)
  }

  // MARK: - Time

  /// Sends beats, and looks for silence, greetings that were lost, and short ways that are not used.
  mutating func tendLinks(_ now: Microseconds) {
    for (id, link) in links.inOrder {
      if link.stage != .joined {
        tendGreeting(id, link, now)
      } else if now - link.heard > settings.silence {
        drop(id, saying: .done, now)
      } else if link.purpose == .direct, link.isOwn, now - link.usedAt > Overlay.idle {
        drop(id, saying: .done, now)
      } else if now - link.said >= settings.beat {
        sendBeat(id, now)
      }
    }
  }
}
