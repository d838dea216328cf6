// SPDX-License-Identifier: MIT

/// Why something was not taken to be sent.
enum SendRefusal: Error, Equatable {
  /// Not in the session.
  case notConnected(PeerID)
  /// So much waits for this peer that nothing more is kept for it now.
  case full(PeerID)
}

extension Node {
  // MARK: - Messages

  /// Takes a message for members. Nothing is taken for anybody when one of them is not there or has no room.
  mutating func send(_ body: [UInt8], to peers: [PeerID], isReliable: Bool, _ now: Microseconds)
    throws(SendRefusal)
  {
    for peer in peers where !isMember(peer) { throw .notConnected(peer) }
    statistics.messagesSent += 1
    guard isReliable else { return sendOnce(body, to: peers, now) }
    let pieces = Self.pieces(of: body)
    let cost = pieces.reduce(0) { $0 + Window.cost($1.count) }
    for peer in peers {
      if let pipe = talks[peer]?.sends[0], !pipe.hasRoom(for: cost) { throw .full(peer) }
    }
    for peer in peers {
      open(peer, 0, now)
      for (index, piece) in pieces.enumerated() {
        talks[peer]?.sends[0]?.append(
          index == pieces.count - 1 ? [.reliable, .last] : .reliable, piece, now: now)
      }
    }
    if peers.count == 1 { transmit(peers[0], 0, now) } else { fanOut(peers, 0, now) }
  }

  private static func pieces(of body: [UInt8]) -> [[UInt8]] {
    guard body.count > DataFrame.pieceSize else { return [body] }
    return stride(from: 0, to: body.count, by: DataFrame.pieceSize).map {
      Array(body[$0..<min(body.count, $0 + DataFrame.pieceSize)])
    }
  }

  private mutating func open(_ peer: PeerID, _ channel: UInt32, _ now: Microseconds) {
    if talks[peer] == nil { talks[peer] = Talk(epoch: firstEpoch) }
    guard let talk = talks[peer], talk.sends[channel] == nil else { return }
    var pipe = SendPipe(channel: channel, epoch: talk.epoch)
    pipe.progressAt = now
    talks[peer]?.sends[channel] = pipe
  }

  private mutating func sendOnce(_ body: [UInt8], to peers: [PeerID], _ now: Microseconds) {
    let targets = peers.map { peer -> DataFrame.Target in
      if talks[peer] == nil { talks[peer] = Talk(epoch: firstEpoch) }
      defer { talks[peer]?.nextOnce += 1 }
      return .init(id: peer, number: talks[peer]?.nextOnce ?? 0, epoch: talks[peer]?.epoch ?? 0)
    }
    for (link, targets) in grouped(targets).inOrder {
      sendData([.last], 0, targets, body, over: link, mayBeDropped: true, now)
    }
  }

  // MARK: - Resources and streams

  /// Whether a channel takes another piece of so many bytes.
  func hasRoom(_ peer: PeerID, _ channel: UInt32, for length: Int) -> Bool {
    talks[peer]?.sends[channel].map { $0.hasRoom(for: Window.cost(length)) } ?? true
  }

  /// Puts a piece into a channel; false when it has no room, or the peer is not there.
  mutating func sendPiece(
    _ body: [UInt8], _ flags: DataFrame.Flags, to peer: PeerID, channel: UInt32, _ now: Microseconds
  ) -> Bool {
    if flags.contains(.opens) {
      guard isMember(peer) else { return false }
      open(peer, channel, now)
      wantDirect(peer, now)
    }
    guard talks[peer]?.sends[channel] != nil,
      hasRoom(peer, channel, for: body.count) || flags.contains(.cancels)
    else { return false }
    talks[peer]?.sends[channel]?.append(flags.union(.reliable), body, now: now)
    transmit(peer, channel, now)
    return true
  }

  // MARK: - Onto links

  /// Sends of a channel what may go.
  mutating func transmit(_ peer: PeerID, _ channel: UInt32, _ now: Microseconds) {
    guard let way = way(to: peer) else { return }
    let isDirect = direct[peer] == way
    while let (number, piece) = talks[peer]?.sends[channel]?.take(over: way, now: now) {
      guard let epoch = talks[peer]?.sends[channel]?.epoch else { return }
      let target = DataFrame.Target(id: peer, number: number, epoch: epoch)
      if piece.wasResent { statistics.resent += 1 }
      sendData(piece.flags, channel, [target], piece.body, over: way, isDirect: isDirect, now)
    }
  }

  /// One message to many: those whose way begins with the same link share a frame.
  private mutating func fanOut(_ peers: [PeerID], _ channel: UInt32, _ now: Microseconds) {
    var targets: [DataFrame.Target] = []
    var body: [UInt8]?
    for peer in peers {
      guard let pipe = talks[peer]?.sends[channel], pipe.unsent + 1 == pipe.next, let way = way(to: peer),
        let (number, piece) = talks[peer]?.sends[channel]?.take(over: way, now: now)
      else {
        transmit(peer, channel, now)
        continue
      }
      body = piece.body
      targets.append(.init(id: peer, number: number, epoch: pipe.epoch))
    }
    guard let body else { return }
    for (link, targets) in grouped(targets).inOrder {
      sendData([.reliable, .last], channel, targets, body, over: link, now)
    }
  }

  func way(to peer: PeerID) -> LinkID? { direct[peer] ?? table.way(to: peer) }

  private func grouped(_ targets: [DataFrame.Target]) -> [LinkID: [DataFrame.Target]] {
    var groups: [LinkID: [DataFrame.Target]] = [:]
    for target in targets {
      if let way = way(to: target.id) { groups[way, default: []].append(target) }
    }
    return groups
  }

  private mutating func sendData(
    _ flags: DataFrame.Flags, _ channel: UInt32, _ targets: [DataFrame.Target], _ body: [UInt8],
    over link: LinkID, isDirect: Bool? = nil, mayBeDropped: Bool = false, _ now: Microseconds
  ) {
    let isDirect = isDirect ?? (targets.count == 1 && direct[targets[0].id] == link)
    var targets = targets
    if !isDirect { seal(&targets, flags, channel, body, over: link) }
    // A short body is copied behind its head: two pieces of memory cost more.
    let joins = body.count <= 4096
    var writer = DataFrame.head(
      flags, channel: channel, sender: isDirect ? nil : id, hopsLeft: DataFrame.maxHops, targets: targets,
      reserving: joins ? body.count : 0)
    if joins { writer.bytes += body }
    links[link]?.usedAt = now
    send(
      OutFrame(head: writer.bytes, body: joins ? [] : body, mayBeDropped: mayBeDropped), over: link, now)
    if !isDirect { for target in targets { wantDirectLater(target.id, now) } }
  }

  /// What goes to one member again and again by way of others deserves a way of its own.
  private mutating func wantDirectLater(_ peer: PeerID, _ now: Microseconds) {
    if let kept = talks[peer]?.sends[0]?.next, kept > 4 { wantDirect(peer, now) }
  }

  // MARK: - When ways change

  mutating func rewind(sentOver link: LinkID, _ now: Microseconds) {
    for (peer, talk) in talks.inOrder {
      for channel in talk.sends.keys.sorted()
      where talks[peer]?.sends[channel]?.rewind(sentOver: link) ?? false {
        transmit(peer, channel, now)
      }
    }
  }

  mutating func reroute(_ peer: PeerID, _ now: Microseconds) { resume(peer, now) }

  /// Sends what waited for a way.
  mutating func resume(_ peer: PeerID, _ now: Microseconds) {
    guard let talk = talks[peer] else { return }
    for channel in talk.sends.keys.sorted() { transmit(peer, channel, now) }
    for channel in talk.receives.keys.sorted() { acknowledge(peer, channel, now) }
  }

  // MARK: - Time

  mutating func tendTalks(_ now: Microseconds) {
    for (peer, talk) in talks.inOrder {
      if let lostAt = talk.lostAt, now - lostAt > settings.resume { forsake(peer, now) }
      for (channel, pipe) in talk.sends.inOrder where !pipe.isEmpty && talk.lostAt == nil {
        if pipe.isStalled, !pipe.isWaiting {
          ask(peer, pipe, now)
        } else {
          repeatOld(peer, channel, pipe, now)
        }
      }
    }
  }

  /// What was not acknowledged in time goes again; not over a way that loses nothing and is still there.
  private mutating func repeatOld(_ peer: PeerID, _ channel: UInt32, _ pipe: SendPipe, _ now: Microseconds) {
    guard let oldest = pipe.oldest else { return transmit(peer, channel, now) }
    let isSafe = oldest.way.map { $0 == direct[peer] && links[$0]?.isReliable ?? false } ?? false
    let roundTrip = talks[peer]?.roundTrip ?? 0
    let limit = max(pipe.patience, 2 * roundTrip + Self.ackDelay)
    guard !isSafe, now - max(oldest.sentAt, pipe.progressAt) > limit else { return }
    if talks[peer]?.sends[channel]?.rewind(sentBefore: now - roundTrip, atMost: 64) ?? false {
      talks[peer]?.sends[channel]?.losePatience()
      transmit(peer, channel, now)
    }
  }

  /// A full receiver tells when it takes more; that may be lost.
  private mutating func ask(_ peer: PeerID, _ pipe: SendPipe, _ now: Microseconds) {
    guard now - pipe.askedAt > SendPipe.firstPatience, let way = way(to: peer) else { return }
    talks[peer]?.sends[pipe.channel]?.askedAt = now
    sendData(
      [.reliable, .asks], pipe.channel, [.init(id: peer, number: pipe.next, epoch: pipe.epoch)], [],
      over: way,
      now)
  }

  // MARK: - The end of a talk

  /// A peer will not come back: what it did not get is told.
  mutating func forsake(_ peer: PeerID, _ now: Microseconds) {
    guard let talk = talks[peer] else { return }
    var messages = 0, bytes = 0
    for (channel, pipe) in talk.sends {
      let left = pipe.unfinished
      bytes += left.bytes
      if channel == 0 { messages += left.messages }
    }
    let channels = talk.sends.filter { $0.key != 0 }.map(\.key)
    talks[peer]?.sends = [:]
    talks[peer]?.epoch += 1
    talks[peer]?.lostAt = nil
    if messages > 0 || !channels.isEmpty {
      emit(.undelivered(peer, messages: messages, bytes: bytes, channels: channels))
    }
    emit(.forsaken(peer))
  }

  /// An acknowledgement came.
  mutating func received(_ ack: AckFrame, _ link: LinkID, _ now: Microseconds) {
    if ack.receiver != id { return relay(ack, now) }
    guard let neighbour = links[link]?.remote else { return }
    let peer = ack.sender ?? neighbour
    guard peer == neighbour || isAuthentic(ack, from: peer) else {
      statistics.forged += 1
      return
    }
    guard talks[peer]?.sends[ack.channel]?.epoch == ack.epoch,
      let outcome = talks[peer]?.sends[ack.channel]?.acknowledge(ack, now: now)
    else { return }
    if ack.refuses {
      talks[peer]?.sends[ack.channel] = nil
      emit(.refused(peer, channel: ack.channel))
      return
    }
    if let roundTrip = outcome.roundTrip { talks[peer]?.note(roundTrip: roundTrip) }
    if outcome.hasForgotten, let epoch = talks[peer]?.epoch {
      talks[peer]?.epoch = epoch + 1
      for channel in talks[peer]?.sends.keys.map(\.self) ?? [] {
        talks[peer]?.sends[channel]?.restart(epoch: epoch + 1)
      }
    } else if outcome.hasGap {
      let roundTrip = talks[peer]?.roundTrip ?? 0
      _ = talks[peer]?.sends[ack.channel]?.rewind(sentBefore: now - roundTrip * 5 / 4, atMost: 16)
    }
    transmit(peer, ack.channel, now)
    if ack.channel != 0, let pipe = talks[peer]?.sends[ack.channel] {
      emit(.moved(peer, channel: ack.channel, isEmpty: pipe.isEmpty))
    }
  }

  /// A channel of this peer's is over.
  mutating func closeSending(_ peer: PeerID, _ channel: UInt32) { talks[peer]?.sends[channel] = nil }
}
