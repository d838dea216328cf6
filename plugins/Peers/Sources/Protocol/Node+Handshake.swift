// SPDX-License-Identifier: MIT

extension Node {
  /// How long the two sides may take to greet each other.
  private static let greetingTime: Microseconds = 5_000_000
  private static let greetingAgain: Microseconds = 250_000

  // MARK: - Proving identities

  /// Tells the other side this peer's identity, the same each time: on a way that loses frames it is said
  /// again.
  mutating func greet(_ id: LinkID, _ now: Microseconds) {
    guard let link = links[id], let handshake = handshakes[id] else { return }
    links[id]?.greetedAt = now
    if handshake.ownHello.isEmpty {
      let hello = Hello(
        key: keys.publicKey, challenge: keys.random(), name: settings.name,
        serviceType: settings.serviceType, purpose: link.purpose)
      handshakes[id]?.ownHello = hello.frame
    }
    send(handshakes[id]?.ownHello ?? [], over: id, now)
  }

  /// The other side says which peer it is: nothing is believed yet.
  mutating func greeted(_ hello: Hello, _ bytes: [UInt8], _ id: LinkID, _ now: Microseconds)
    throws(FrameProblem)
  {
    // Where nothing is lost, a link in use has the greeting behind it, and the other side greets no more.
    guard let link = links[id], let handshake = handshakes[id] else {
      throw FrameProblem("it greets again")
    }
    guard handshake.theirHello.isEmpty else {
      guard handshake.theirHello == bytes else {
        throw FrameProblem("it says to be another than before")
      }
      // The other side greets again because the answer was lost.
      if !link.isOwn, !link.isReliable { answerGreeting(id, now) }
      return
    }
    let remote = keys.id(of: hello.key)
    guard remote != self.id, hello.serviceType == settings.serviceType, link.wanted ?? remote == remote else {
      drop(id, saying: .stranger, now)
      return
    }
    handshakes[id]?.theirHello = bytes
    handshakes[id]?.claim = .init(id: remote, hello: hello)
    guard !link.isOwn else { return }
    links[id]?.purpose = hello.purpose
    answerGreeting(id, now)
  }

  /// The peer that is connected to proves itself first: so a peer that connects as a member shows that only
  /// to the right one.
  private mutating func answerGreeting(_ id: LinkID, _ now: Microseconds) {
    greet(id, now)
    prove(id, now)
  }

  private mutating func prove(_ id: LinkID, _ now: Microseconds) {
    guard let handshake = handshakes[id] else { return }
    if handshake.ownProof.isEmpty {
      let proof = handshake.prove(keys)
      handshakes[id]?.ownProof = proof.frame
    }
    send(handshakes[id]?.ownProof ?? [], over: id, now)
  }

  /// The other side proves its identity.
  mutating func proven(_ proof: ProofFrame, _ id: LinkID, _ now: Microseconds) throws(FrameProblem) {
    guard let link = links[id] else { return }
    guard link.stage == .greeting else {
      // The answer was lost.
      let isAdmitted =
        link.stage == .joined && !link.isOwn && handshakes[id]?.claim?.hello.purpose != .invitation
      if isAdmitted, !link.isReliable { send(AdmittedFrame.frame, over: id, now) }
      return
    }
    guard let handshake = handshakes[id], let claim = handshake.claim else {
      if link.isReliable { throw FrameProblem("a proof before it said who it is") }
      return
    }
    try handshake.check(proof, claim, keys)
    links[id]?.remote = claim.id
    links[id]?.remoteName = claim.hello.name
    links[id]?.stage = .greeted
    if link.isOwn {
      prove(id, now)
      if link.purpose == .invitation { sendInvitation(to: claim.id, over: id, now) }
    } else if link.purpose != .invitation {
      admit(claim.id, proof, id, now)
    }
  }

  // MARK: - Members

  /// A peer comes as a member: it shows what only members know.
  private mutating func admit(_ peer: PeerID, _ proof: ProofFrame, _ id: LinkID, _ now: Microseconds) {
    guard let link = links[id], handshakes[id]?.showsMembership(proof, token, keys) ?? false, !hasLeft else {
      drop(id, saying: .stranger, now)
      return
    }
    if link.purpose == .overlay, direct[peer] == nil, overlayDegree >= Overlay.maximum(table.reachable) {
      drop(id, saying: .full, now)
      return
    }
    send(AdmittedFrame.frame, over: id, now)
    join(id, now)
  }

  /// The other side let this one in.
  mutating func wasAdmitted(_ id: LinkID, _ now: Microseconds) throws(FrameProblem) {
    guard let link = links[id], link.isOwn, link.purpose != .invitation || link.stage == .joined else {
      throw FrameProblem("it lets in who did not ask for it")
    }
    join(id, now)
  }

  // MARK: - Time

  /// Says again what may be lost, and gives up in time.
  mutating func tendGreeting(_ id: LinkID, _ link: Link, _ now: Microseconds) {
    let isInviting = link.stage == .greeted && link.purpose == .invitation && invitations.uses(id)
    if !isInviting, now - link.madeAt > Self.greetingTime {
      drop(id, saying: .done, now)
    } else if !link.isReliable, now - link.greetedAt > Self.greetingAgain {
      if link.isOwn { if link.stage == .greeting { greet(id, now) } else { prove(id, now) } }
      repeatInvitation(id, now)
      links[id]?.greetedAt = now
    }
  }
}
