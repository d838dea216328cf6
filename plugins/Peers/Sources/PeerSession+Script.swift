// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// What scripts ask of a session; their arguments are checked here.
extension PeerSession {
  static func peer(_ text: String) throws -> PeerID {
    guard let id = PeerID(text) else {
      throw BridgeError(
        .invalidParameter, "'\(text.prefix(40))' is no peer's id; give a peer that was found, or its id")
    }
    return id
  }

  /// Each once, in their order.
  private static func peers(_ texts: [String]) throws -> [PeerID] {
    var known: Set<PeerID> = []
    return try texts.map(peer).filter { known.insert($0).inserted }
  }

  // MARK: - Finding

  func advertise(_ info: [String: String]) throws {
    if let problem = DiscoveryInfo.problem(info) {
      throw BridgeError(.invalidParameter, "option.discoveryInfo \(problem)")
    }
    try transport.advertise(
      Advertisement(
        keys, serviceType: serviceType, name: name, info: info, address: transport.address(of: id)))
  }

  func stopAdvertising() throws { try transport.advertise(nil) }

  /// The peers that can be found; at first those that are already known.
  func browse() throws -> AsyncStream<DiscoveryEvent> {
    try transport.browse()
    return state.withLock { state in
      discoveries.events(
        after: state.found.values.sorted { $0.id < $1.id }.map { Self.event(.found, $0) })
    }
  }

  // MARK: - Inviting

  private static let patience = 30_000

  func invite(_ options: InviteOptions, isolation: isolated (any Actor)? = #isolation) async throws {
    let peer = try Self.peer(options.peer)
    guard peer != id else { throw BridgeError(.invalidParameter, "a peer can't invite itself") }
    let milliseconds = options.timeout ?? Self.patience
    guard (1...86_400_000).contains(milliseconds) else {
      throw BridgeError(
        .invalidParameter, "option.timeout must be 1 to 86400000 milliseconds, not \(milliseconds)")
    }
    let context = options.context.map(Payload.encode) ?? []
    guard context.count <= InviteFrame.largestContext else {
      throw BridgeError(
        .tooLarge, "option.context has \(context.count) bytes; at most \(InviteFrame.largestContext) may be")
    }
    let answer = Completion<InviteResult>()
    let number = try perform { state, now -> Result<Int, BridgeError> in
      guard !state.isClosed else { return .failure(BridgeError(.cancelled, "the session was closed")) }
      guard let address = state.found[peer]?.address ?? state.node.table.entry(peer)?.record?.address else {
        return .failure(
          BridgeError(.notFound, "the peer '\(peer)' was not found, or is lost; browse() tells who is there"))
      }
      let number = state.node.invite(
        peer, address: address, context: context, milliseconds: milliseconds, now)
      state.invitations[number] = { answer.finish($0) }
      return .success(number)
    }.get()
    let result = await withTaskCancellationHandler {
      await answer.wait(isolation: isolation) ?? .cancelled
    } onCancel: {
      _ = perform { $0.node.cancelInvitation(number, $1) }
    }
    let name = state.withLock { $0.found[peer]?.name ?? $0.node.name(of: peer) } ?? options.peer
    if let problem = Self.problem(result, name, milliseconds) { throw problem }
  }

  private static func problem(_ result: InviteResult, _ name: String, _ milliseconds: Int) -> BridgeError? {
    switch result {
    case .joined: nil
    case .declined: BridgeError("declined", "'\(name)' declined the invitation")
    case .timedOut: BridgeError(.timeout, "'\(name)' did not answer the invitation within \(milliseconds) ms")
    case .unreachable: BridgeError(.unavailable, "'\(name)' can't be reached, or ended before it answered")
    case .busy: BridgeError(.unavailable, "'\(name)' gets more invitations than it takes; try again later")
    case .replayed: BridgeError(.conflict, "'\(name)' has seen this invitation before")
    case .cancelled:
      BridgeError(.cancelled, "the invitation to '\(name)' was taken back: the session was closed")
    }
  }

  /// Invitations from peers that ask this one in; at first those that wait for an answer.
  func invitations() -> AsyncStream<InvitationEvent> {
    state.withLock { state in
      invitationEvents.events(after: state.asked.values.sorted { $0.number < $1.number })
    }
  }

  func answer(_ number: Int, accepts: Bool) -> Bool {
    perform { state, now in
      state.asked[number] = nil
      return state.node.answer(number, accepts: accepts, now)
    }
  }

  // MARK: - Members

  var peers: [PeerInfo] {
    state.withLock { state in
      var ids = Set(state.node.members)
      ids.formUnion(state.found.keys)
      let connecting = Set(state.node.invitations.outgoing.map(\.peer))
        .union(state.node.invitations.incoming.filter(\.isAccepted).map(\.peer))
      return ids.sorted().map { peer in
        let hops = state.node.isMember(peer) ? state.node.table.entry(peer)?.hops : nil
        return PeerInfo(
          id: peer.description, name: state.node.name(of: peer) ?? state.found[peer]?.name ?? "",
          state: hops != nil ? .connected : connecting.contains(peer) ? .connecting : .notConnected,
          route: hops.map { $0 == 1 ? .direct : .relayed }, hops: hops, info: state.found[peer]?.info)
      }
    }
  }

  /// How peers stand to this one; at first the peers that are connected.
  func memberStates() -> AsyncStream<StateEvent> {
    state.withLock { state in
      states.events(after: state.node.members.sorted().map { stateEvent($0, .connected, state) })
    }
  }

  var statistics: SessionStatistics {
    state.withLock { state in
      SessionStatistics(
        members: state.node.members.count, links: state.node.direct.count, counts: state.node.statistics,
        waiting: state.node.talks.values.reduce(0) { $0 + $1.sends.values.reduce(0) { $0 + $1.kept } })
    }
  }

  // MARK: - Messages

  func send(_ options: SendOptions, isolation: isolated (any Actor)? = #isolation) async throws -> Int {
    let body = options.bytes.map(Payload.encode) ?? Payload.encode(options.value ?? .undefined)
    let isReliable = options.unreliable != true
    let maximum = isReliable ? Window.largestMessage : DataFrame.pieceSize
    guard body.count - 1 <= maximum else {
      throw BridgeError(
        .tooLarge,
        "the message has \(body.count - 1) bytes; \(isReliable ? "a" : "an unreliable") message has at most "
          + "\(maximum)"
          + ", and sendResource() or openStream() take more")
    }
    let peers = try options.to.map(Self.peers)
    return try await send(all: [body], to: peers, isReliable: isReliable, isolation: isolation)
  }

  func sendMany(_ options: SendManyOptions, isolation: isolated (any Actor)? = #isolation) async throws -> Int
  {
    let peers = try options.to.map(Self.peers)
    return try await send(all: options.bodies(), to: peers, isolation: isolation)
  }

  /// A peer's id as text, and its name.
  func names(_ peer: PeerID) -> (String, String) {
    state.withLock { state in
      if let known = state.texts[peer] { return known }
      let made = (peer.description, state.node.name(of: peer) ?? "")
      if state.texts.count > 4096 { state.texts = [:] }
      if !made.1.isEmpty { state.texts[peer] = made }
      return made
    }
  }
}
