// SPDX-License-Identifier: MIT

/// Pieces that were sent and wait: for other ways, for their time, for their acknowledgement.
extension Node {
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

  /// Sends again what was not acknowledged in time; not over a way that loses nothing and is still there.
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
