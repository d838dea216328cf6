// SPDX-License-Identifier: MIT

extension Node {
  private static let longestPause: Microseconds = 400_000
  private static let pausePerRecord: Microseconds = 2000
  /// How often two peers whose records differ compare what they have.
  private static let comparison: Microseconds = 150_000

  /// Whether a peer is in the session with this one now.
  func isMember(_ peer: PeerID) -> Bool { peer != id && table.hops(to: peer) != nil }

  /// The others in the session.
  var members: [PeerID] { table.entries.dropFirst().filter { $0.hops != nil }.map(\.id) }

  // MARK: - This peer's own record

  /// Publishes anew which peers this one has links to.
  mutating func republish(_ now: Microseconds) {
    guard var own = table.own?.next else { return }
    let neighbours = links.values.filter(\.isOverlay).compactMap(\.remote)
    let sorted = Array(Set(neighbours).sorted().prefix(MemberRecord.maxLinks))
    guard own.links != sorted || own.hasLeft != hasLeft else { return }
    own.links = sorted
    own.hasLeft = hasLeft
    tell(own, now)
  }

  /// Has all hear what this peer says of itself now.
  mutating func tell(_ own: MemberRecord, _ now: Microseconds) {
    table.set(own: own)
    spread(id, except: nil, now)
  }

  /// The record is signed when it goes, not each time it changes.
  private mutating func signOwn() {
    guard let own = table.own, own.signed.isEmpty else { return }
    table.set(own: own.signed(with: keys))
  }

  /// A neighbour is known before its record comes.
  mutating func makeKnown(_ peer: PeerID, _ name: String) {
    _ = table.number(of: peer)
    names[peer] = name
  }

  // MARK: - Gossip

  /// Has a record told to all neighbours but one.
  private mutating func spread(_ peer: PeerID, except: LinkID?, _ now: Microseconds) {
    for link in links.keys where link != except && isJoined(link) { links[link]?.pending.insert(peer) }
    if gossipAt == nil { gossipAt = now + gossipPause }
  }

  /// A record that is not new is passed over before its signature is checked; a forged record cuts its link.
  mutating func learn(_ records: [CarriedRecord], _ link: LinkID, _ now: Microseconds) throws(FrameProblem) {
    var hasNews = false
    defer { if hasNews { surveyNow(now) } }
    // What others tell of this peer itself is passed over.
    for carried in records where carried.id != id {
      links[link]?.pending.remove(carried.id)
      if let known = table.entry(carried.id)?.record?.version, known >= carried.version {
        if known > carried.version { links[link]?.pending.insert(carried.id) }
        continue
      }
      let record = try MemberRecord(carried, keys)
      statistics.recordsChecked += 1
      guard table.learn(record) else { continue }
      hasNews = true
      spread(record.id, except: link, now)
    }
    if links[link]?.pending.isEmpty == false, gossipAt == nil { gossipAt = now + gossipPause }
  }

  mutating func flushGossip(_ now: Microseconds) {
    gossipAt = nil
    if needsSurvey { survey(now) }
    // Where much changes at once, as when many peers come, a record is told less often: it then goes in its
    // latest version.
    let maximum = links.values.reduce(0) { max($0, $1.pending.count) }
    gossipPause = min(Self.longestPause, max(Self.gossipDelay, maximum * Self.pausePerRecord))
    for (id, link) in links.inOrder where link.stage == .joined && !link.pending.isEmpty {
      if link.pending.contains(self.id) { signOwn() }
      let records = link.pending.sorted().compactMap { table.entry($0)?.record }
      links[id]?.pending = []
      for frame in GossipFrame.frames(records) { send(frame, over: id, now) }
    }
  }

  // MARK: - Comparing

  mutating func sendBeat(_ link: LinkID, _ now: Microseconds) {
    send(Beat(summary: table.summary, members: UInt32(clamping: table.reachable)).frame, over: link, now)
  }

  mutating func compare(_ beat: Beat, _ id: LinkID, _ now: Microseconds) {
    guard let link = links[id], beat.summary != table.summary, link.pending.isEmpty,
      now - link.comparedAt > Self.comparison
    else { return }
    links[id]?.comparedAt = now
    send(digest(wantsAnswer: true).frame, over: id, now)
  }

  private func digest(wantsAnswer: Bool) -> DigestFrame {
    DigestFrame(
      wantsAnswer: wantsAnswer,
      entries: table.entries.compactMap { entry in
        guard entry.hops != nil, let record = entry.record else { return nil }
        return DigestFrame.Entry(id: entry.id, version: record.version)
      })
  }

  /// Sends what the other side lacks, and asks for what it has.
  mutating func answer(_ digest: DigestFrame, _ link: LinkID, _ now: Microseconds) {
    var theirs: [PeerID: UInt64] = [:]
    for entry in digest.entries { theirs[entry.id] = entry.version }
    for entry in table.entries where entry.hops != nil {
      guard let record = entry.record else { continue }
      if theirs[entry.id].map({ $0 < record.version }) ?? true { links[link]?.pending.insert(entry.id) }
    }
    // The other side says that a peer is there which this peer knows to have gone, or does not know at all.
    for entry in digest.entries {
      if let known = table.entry(entry.id)?.record, known.version > entry.version {
        links[link]?.pending.insert(entry.id)
      }
    }
    if links[link]?.pending.isEmpty == false, gossipAt == nil { gossipAt = now }
    if digest.wantsAnswer { send(self.digest(wantsAnswer: false).frame, over: link, now) }
  }

  // MARK: - Who is in the session

  /// Small sessions are looked at anew with each change, large ones once for many.
  private static let small = 64

  mutating func surveyNow(_ now: Microseconds) {
    if table.entries.count <= Self.small {
      survey(now)
    } else {
      needsSurvey = true
      if gossipAt == nil { gossipAt = now + gossipPause }
    }
  }

  mutating func survey(_ now: Microseconds) {
    needsSurvey = false
    let ways = direct.map { (number: table.number(of: $0.key), link: $0.value) }
      .sorted { $0.number < $1.number }
    let before = table.summary
    let change = table.survey(ways, now: now)
    for number in change.went { lost(table.entries[number].id, now) }
    for number in change.came { found(table.entries[number].id, now) }
    for number in change.rerouted { reroute(table.entries[number].id, now) }
    if table.summary != before, !change.came.isEmpty || !change.went.isEmpty { overlay.wake(now) }
  }

  private mutating func found(_ peer: PeerID, _ now: Microseconds) {
    emit(.state(peer, .connected))
    talks[peer]?.lostAt = nil
    resume(peer, now)
  }

  private mutating func lost(_ peer: PeerID, _ now: Microseconds) {
    emit(.state(peer, .notConnected))
    let hasLeft = table.entry(peer)?.record?.hasLeft ?? false
    if hasLeft { forsake(peer, now) } else { talks[peer]?.lostAt = now }
    if !hasLeft { overlay.noteVanished(peer, now) }
  }

  // MARK: - Leaving

  /// Leaves the session: all members hear that it is on purpose.
  mutating func leave(_ now: Microseconds) {
    hasLeft = true
    republish(now)
    flushGossip(now)
    for invitation in invitations.incoming { _ = answer(invitation.number, accepts: false, now) }
    for link in links.keys.sorted() { drop(link, saying: .done, now) }
    hasLeft = false
    overlay = Overlay()
    for peer in talks.keys.sorted() { forsake(peer, now) }
    // The members that were left must not take this peer for one to come back to: it gets a new record, and
    // knows no other one's.
    guard var own = table.own?.next else { return }
    (token, agreement, pairKeys) = (keys.random(), keys.makeAgreement(), [:])
    (own.links, own.hasLeft) = ([], false)
    (own.token, own.agreementKey) = (token, agreement.publicKey)
    table = MemberTable(own)
  }

  /// A peer's name, as it said it.
  func name(of peer: PeerID) -> String? {
    table.entry(peer)?.record?.name ?? names[peer] ?? links.values.first { $0.remote == peer }?.remoteName
  }
}
