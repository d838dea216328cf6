// SPDX-License-Identifier: MIT

extension Node {
  mutating func received(_ frame: DataFrame, _ link: LinkID, _ now: Microseconds) throws(FrameProblem) {
    links[link]?.usedAt = now
    guard let neighbour = links[link]?.remote else { return }
    let sender = frame.sender ?? neighbour
    guard sender != id else { return }
    if let own = frame.targets.first(where: { $0.id == id }) {
      if sender == neighbour {
        try take(frame, own, from: sender, now)
      } else {
        takeCarried(frame, own, from: sender, now)
      }
    }
    guard frame.sender != nil else { return }
    let others = frame.targets.filter { $0.id != id }
    if !others.isEmpty { relay(frame, others, from: sender, now) }
  }

  /// A piece that another member carried here is believed when its sender's code shows it. Whatever is wrong
  /// with the piece is not the fault of the member that carried it, which could not see it.
  private mutating func takeCarried(
    _ frame: DataFrame, _ target: DataFrame.Target, from sender: PeerID, _ now: Microseconds
  ) {
    guard isMember(sender) else { return }
    guard isAuthentic(frame, target, from: sender) else {
      statistics.forged += 1
      return
    }
    do throws(FrameProblem) { try take(frame, target, from: sender, now) } catch {
      statistics.violations += 1
      emit(.problem("\(sender) does not keep to the protocol: \(error)"))
    }
  }

  private mutating func take(
    _ frame: DataFrame, _ target: DataFrame.Target, from sender: PeerID, _ now: Microseconds
  ) throws(FrameProblem) {
    // Its sender says it again, until it is known here as a member.
    guard isMember(sender) else { return }
    if frame.flags.contains(.reliable) {
      if talks[sender] == nil { talks[sender] = Talk(epoch: firstEpoch) }
      try takeInOrder(frame, target, from: sender, now)
    } else {
      takeOnce(frame, target, from: sender)
    }
  }

  // MARK: - In order, once

  private mutating func takeInOrder(
    _ frame: DataFrame, _ target: DataFrame.Target, from sender: PeerID, _ now: Microseconds
  ) throws(FrameProblem) {
    let theirs = talks[sender]?.theirEpoch ?? 0
    guard target.epoch >= theirs else { return }
    if target.epoch > theirs { beginAnew(sender, target.epoch) }
    if talks[sender]?.receives[frame.channel] == nil {
      // Pieces of a channel that is over may still come: they are acknowledged, so that they are not sent
      // again.
      if let wasWhole = talks[sender]?.ended(frame.channel) {
        return answerLate(sender, frame.channel, target, refuses: !wasWhole, now)
      }
      // No sender that keeps to the protocol has so many open at once.
      if let open = talks[sender]?.receives, open.count > 4 * Window.maxChannels {
        return answerLate(sender, frame.channel, target, refuses: true, now)
      }
      talks[sender]?.receives[frame.channel] = ReceivePipe(
        channel: frame.channel, epoch: target.epoch, now: now)
    }
    if frame.flags.contains(.asks) { return acknowledge(sender, frame.channel, now) }
    let arrival = talks[sender]?.receives[frame.channel]?.take(target.number, frame.flags, frame.payload)
    switch arrival {
    case .inOrder:
      try handOver(.init(flags: frame.flags, body: Array(frame.payload)), frame.channel, from: sender)
      while let piece = talks[sender]?.receives[frame.channel]?.nextEarly() {
        try handOver(piece, frame.channel, from: sender)
      }
    case .useless: statistics.duplicates += 1
    case .early, nil: break
    }
    guard let pipe = talks[sender]?.receives[frame.channel] else { return }
    if pipe.acknowledgesAtOnce || arrival == .useless {
      acknowledge(sender, frame.channel, now)
    } else {
      dueAcks[ChannelKey(peer: sender, channel: frame.channel)] = ()
      if ackAt == nil { ackAt = now + Self.ackDelay }
    }
  }

  private mutating func handOver(_ piece: ReceivePipe.Piece, _ channel: UInt32, from sender: PeerID)
    throws(FrameProblem)
  {
    let cost = Window.cost(piece.body.count)
    talks[sender]?.receives[channel]?.advance(piece.body.count)
    guard channel == 0 else {
      if piece.flags.contains(.closes) { talks[sender]?.receives[channel]?.isHeld = true }
      emit(.piece(from: sender, channel: channel, flags: piece.flags, body: piece.body, cost: cost))
      return
    }
    let isLast = piece.flags.contains(.last)
    if isLast, talks[sender]?.receives[0]?.partial.isEmpty ?? true {
      return deliver(piece.body, cost, from: sender)
    }
    talks[sender]?.receives[0]?.partial += piece.body
    talks[sender]?.receives[0]?.partialCost += cost
    guard let pipe = talks[sender]?.receives[0],
      pipe.partial.count <= Window.largestMessage + DataFrame.pieceSize
    else {
      talks[sender]?.receives[0]?.partial = []
      talks[sender]?.receives[0]?.partialCost = 0
      throw FrameProblem("a message of more than \(Window.largestMessage) bytes")
    }
    guard isLast else { return }
    talks[sender]?.receives[0]?.partial = []
    talks[sender]?.receives[0]?.partialCost = 0
    deliver(pipe.partial, pipe.partialCost, from: sender)
  }

  private mutating func deliver(_ body: [UInt8], _ cost: Int, from sender: PeerID) {
    statistics.messagesReceived += 1
    emit(.message(from: sender, body: body, isReliable: true, cost: cost))
  }

  private mutating func takeOnce(_ frame: DataFrame, _ target: DataFrame.Target, from sender: PeerID) {
    guard frame.channel == 0 else { return }
    guard replays[sender, default: ReplayWindow()].admits(target.number, epoch: target.epoch) else {
      statistics.duplicates += 1
      return
    }
    statistics.messagesReceived += 1
    emit(.message(from: sender, body: Array(frame.payload), isReliable: false, cost: 0))
  }

  /// The other side gave up what it had sent before.
  private mutating func beginAnew(_ sender: PeerID, _ epoch: UInt64) {
    let channels = talks[sender]?.receives.keys.filter { $0 != 0 } ?? []
    talks[sender]?.beginAnew(epoch)
    if !channels.isEmpty { emit(.forsaken(sender)) }
  }

  // MARK: - Acknowledging

  /// The script is done with so many bytes.
  mutating func consumed(_ peer: PeerID, _ channel: UInt32, _ cost: Int, _ now: Microseconds) {
    if talks[peer]?.receives[channel]?.consume(cost) ?? false { acknowledge(peer, channel, now) }
  }

  /// This receiver wants nothing more of a channel; a sender that sends more of it is told so.
  mutating func closeReceiving(_ peer: PeerID, _ channel: UInt32, isWhole: Bool, _ now: Microseconds) {
    guard talks[peer]?.receives[channel] != nil else { return }
    talks[peer]?.receives[channel]?.refuses = !isWhole
    talks[peer]?.receives[channel]?.isHeld = false
    acknowledge(peer, channel, now)
    talks[peer]?.receives[channel] = nil
    talks[peer]?.end(channel, isWhole: isWhole)
  }

  mutating func acknowledge(_ peer: PeerID, _ channel: UInt32, _ now: Microseconds) {
    dueAcks[ChannelKey(peer: peer, channel: channel)] = nil
    guard let way = way(to: peer), let pipe = talks[peer]?.receives[channel],
      let what = talks[peer]?.receives[channel]?.acknowledgement()
    else { return }
    var ack = AckFrame(
      sender: direct[peer] == way ? nil : id, receiver: peer, channel: channel, epoch: pipe.epoch,
      instance: pipe.instance, next: what.next, credit: what.credit, refuses: pipe.refuses,
      ranges: what.ranges)
    seal(&ack)
    send(ack.frame, over: way, now)
  }

  /// A channel that is over gets its last acknowledgement again.
  private mutating func answerLate(
    _ peer: PeerID, _ channel: UInt32, _ target: DataFrame.Target, refuses: Bool, _ now: Microseconds
  ) {
    guard let way = way(to: peer) else { return }
    var ack = AckFrame(
      sender: direct[peer] == way ? nil : id, receiver: peer, channel: channel, epoch: target.epoch,
      instance: .max, next: target.number &+ 1, credit: 0, refuses: refuses, ranges: [])
    seal(&ack)
    send(ack.frame, over: way, now)
  }

  mutating func sendDueAcks(_ now: Microseconds) {
    ackAt = nil
    for key in dueAcks.keys.sorted() { acknowledge(key.peer, key.channel, now) }
  }

  // MARK: - For others

  private mutating func relay(
    _ frame: DataFrame, _ targets: [DataFrame.Target], from sender: PeerID, _ now: Microseconds
  ) {
    guard frame.hopsLeft > 1 else {
      statistics.dropped += targets.count
      return
    }
    var groups: [LinkID: [DataFrame.Target]] = [:]
    for target in targets {
      guard let way = way(to: target.id) else {
        statistics.dropped += 1
        continue
      }
      groups[way, default: []].append(target)
    }
    let body = Array(frame.payload)
    for (link, targets) in groups.inOrder {
      statistics.relayed += 1
      let writer = DataFrame.head(
        frame.flags, channel: frame.channel, sender: sender, hopsLeft: frame.hopsLeft - 1, targets: targets)
      // Its sender keeps it until it is acknowledged: a crowded way may lose it.
      send(OutFrame(head: writer.bytes, body: body, mayBeDropped: true), over: link, now)
    }
  }

  mutating func relay(_ ack: AckFrame, _ now: Microseconds) {
    guard ack.hopsLeft > 1, ack.sender != nil, let way = way(to: ack.receiver) else { return }
    var ack = ack
    ack.hopsLeft -= 1
    send(OutFrame(head: ack.frame, mayBeDropped: true), over: way, now)
  }
}
