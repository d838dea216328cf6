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

  /// Takes a message for members. It is taken for none of them when one is not there or has no room.
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

  /// One message to many: receivers whose way begins with the same link share a frame.
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

  mutating func sendData(
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

  /// A member that gets much by way of others deserves a link of its own.
  private mutating func wantDirectLater(_ peer: PeerID, _ now: Microseconds) {
    if let kept = talks[peer]?.sends[0]?.next, kept > 4 { wantDirect(peer, now) }
  }
}
