// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

extension PeerSession {
  // MARK: - Sending

  func hasRoom(_ channel: OutgoingChannel, for length: Int) -> Bool {
    state.withLock { $0.node.hasRoom(channel.key.peer, channel.key.channel, for: length) }
  }

  /// Opens a channel to a member, when fewer than ``Window/maxChannels`` are open to it.
  func openChannel(
    _ header: ChannelHeader, to peer: PeerID, isolation: isolated (any Actor)? = #isolation
  ) async throws -> OutgoingChannel {
    let head = try Value(encoding: header).text
    while true {
      try Task.checkCancellation()
      let opened = try perform { state, now -> Result<OutgoingChannel?, any Error> in
        guard state.node.isMember(peer) else { return .failure(Self.problem(.notConnected(peer))) }
        guard state.outgoing.keys.count(where: { $0.peer == peer }) < Window.maxChannels else {
          return .success(nil)
        }
        let channel = OutgoingChannel(.init(peer: peer, channel: state.nextChannel))
        state.nextChannel += 1
        state.outgoing[channel.key] = channel
        channel.filled()
        _ = state.node.sendPiece(head, .opens, to: peer, channel: channel.key.channel, now)
        return .success(channel)
      }.get()
      if let opened { return opened }
      await waitForTurn(peer, isolation: isolation)
    }
  }

  /// Waits until fewer channels are open to a peer, or this task, or another one that waits, is cancelled:
  /// each waiter then looks again.
  private func waitForTurn(_ peer: PeerID, isolation: isolated (any Actor)?) async {
    await withTaskCancellationHandler {
      await withUnsafeContinuation(isolation: isolation) { continuation in
        let mustWait = state.withLock { state in
          guard !Task.isCancelled,
            state.outgoing.keys.count(where: { $0.peer == peer }) >= Window.maxChannels
          else { return false }
          state.turns[peer, default: []].append(continuation)
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      for waiter in state.withLock({ $0.turns.removeValue(forKey: peer) }) ?? [] { waiter.resume() }
    }
  }

  /// Puts a piece into a channel if it has room.
  func put(_ body: [UInt8], _ flags: DataFrame.Flags, into channel: OutgoingChannel) -> Bool {
    perform { state, now in
      let isTaken = state.node.sendPiece(
        body, flags, to: channel.key.peer, channel: channel.key.channel, now)
      if isTaken { channel.filled() }
      return isTaken
    }
  }

  /// Puts a piece into a channel, as soon as it has room.
  func send(
    _ body: [UInt8], _ flags: DataFrame.Flags = [], into channel: OutgoingChannel, _ what: String,
    isolation: isolated (any Actor)?
  ) async throws {
    while true {
      try channel.check(what)
      let moves = channel.moves
      if put(body, flags, into: channel) { return }
      try Task.checkCancellation()
      await channel.wait(after: moves, isolation: isolation)
    }
  }

  /// Waits until everything came.
  func drain(_ channel: OutgoingChannel, _ what: String, isolation: isolated (any Actor)?) async throws {
    while true {
      try channel.check(what)
      let moves = channel.moves
      if channel.isEmpty { break }
      try Task.checkCancellation()
      await channel.wait(after: moves, isolation: isolation)
    }
    finish(channel, isWhole: true)
  }

  /// The channel is over; one that is not whole is given up.
  func finish(_ channel: OutgoingChannel, isWhole: Bool) {
    perform { state, now in
      guard state.outgoing[channel.key] != nil else { return }
      end(channel.key, .cancelled, &state)
      if isWhole {
        state.node.closeSending(channel.key.peer, channel.key.channel)
      } else {
        _ = state.node.sendPiece([], .cancels, to: channel.key.peer, channel: channel.key.channel, now)
      }
    }
  }

  /// Takes a channel off the list, and lets the next one begin.
  func end(_ key: ChannelKey, _ reason: ChannelFailure, _ state: inout State) {
    guard let channel = state.outgoing.removeValue(forKey: key) else { return }
    channel.fail(reason)
    for waiter in state.turns.removeValue(forKey: key.peer) ?? [] { waiter.resume() }
  }

  // MARK: - Receiving

  func take(_ piece: IncomingChannel.Piece, of key: ChannelKey, _ state: inout State) {
    if piece.flags.contains(.opens) { return begin(piece, key, &state) }
    guard let channel = state.incoming[key] else {
      return state.node.closeReceiving(key.peer, key.channel, isWhole: false, transport.now)
    }
    if piece.flags.contains(.cancels) {
      state.incoming[key] = nil
      state.node.closeReceiving(key.peer, key.channel, isWhole: true, transport.now)
      channel.end(.cancelled)
      return
    }
    channel.pieces.put(piece)
  }

  /// All of a channel was taken: now its sender hears that.
  func complete(_ channel: IncomingChannel) {
    perform { state, now in
      guard state.incoming.removeValue(forKey: channel.key) != nil else { return }
      state.node.closeReceiving(channel.key.peer, channel.key.channel, isWhole: true, now)
    }
  }

  private func begin(_ piece: IncomingChannel.Piece, _ key: ChannelKey, _ state: inout State) {
    // A sender that begins twice on one channel: the reader of the first would wait for ever.
    if let known = state.incoming.removeValue(forKey: key) {
      known.end(.cancelled)
      problems.send(.init(kind: .protocolViolation, message: "\(key.peer) begins one channel twice"))
      return state.node.closeReceiving(key.peer, key.channel, isWhole: false, transport.now)
    }
    let value = Value(text: piece.body)
    guard value.syntaxProblem == nil, let header = try? value.decode(ChannelHeader.self),
      ChannelHeader.problem(header.name) == nil, header.size ?? 0 >= 0
    else {
      problems.send(
        .init(kind: .protocolViolation, message: "\(key.peer) sends something without a good name"))
      return state.node.closeReceiving(key.peer, key.channel, isWhole: false, transport.now)
    }
    let channel = IncomingChannel(key, header) { [weak self] cost in
      _ = self?.perform { $0.node.consumed(key.peer, key.channel, cost, $1) }
    }
    state.incoming[key] = channel
    state.node.consumed(key.peer, key.channel, piece.cost, transport.now)
    switch header.kind {
    case .resource: resources.send(offer(channel, state))
    case .stream: streams.send(offer(channel, state))
    }
  }

  private func offer(_ channel: IncomingChannel, _ state: State) -> OfferEvent {
    OfferEvent(
      peer: channel.key.peer.description, peerName: state.node.name(of: channel.key.peer) ?? "",
      channel: Int(channel.key.channel), name: channel.header.name, size: channel.header.size ?? 0)
  }

  /// The resources or streams that peers offer; at first those that were offered before.
  func offers(_ kind: ChannelHeader.Kind) -> AsyncStream<OfferEvent> {
    state.withLock { state in
      let open = state.incoming.values.filter { $0.header.kind == kind && !$0.isClaimed }.map {
        offer($0, state)
      }
      return (kind == .resource ? resources : streams).events(after: open)
    }
  }

  /// A channel that was offered, for a caller that takes it.
  func claim(_ kind: ChannelHeader.Kind, _ key: ChannelKey) throws -> IncomingChannel {
    guard let channel = state.withLock({ $0.incoming[key] }), channel.header.kind == kind else {
      throw BridgeError(
        .notFound, "there is no such \(kind.rawValue) any more: its sender gave it up, or has gone")
    }
    guard channel.claim() else {
      throw BridgeError(.conflict, "the \(kind.rawValue) '\(channel.header.name)' is received already")
    }
    return channel
  }

  /// The receiver does not want the rest.
  func refuse(_ channel: IncomingChannel) {
    perform { state, now in
      guard state.incoming.removeValue(forKey: channel.key) != nil else { return }
      state.node.closeReceiving(channel.key.peer, channel.key.channel, isWhole: false, now)
    }
  }

  /// A peer has gone for good: what came from it in parts stays in parts.
  func forsaken(_ peer: PeerID, _ state: inout State) {
    for (key, channel) in state.incoming where key.peer == peer {
      state.incoming[key] = nil
      channel.end(.gone)
    }
  }
}
