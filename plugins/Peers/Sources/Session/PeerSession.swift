// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// A peer of this program: a node of the protocol, its transport, and what the script takes from both.
///
/// Any thread may call it. The node is told what happens under one lock; the frames that it answers are
/// handed to the transport before the lock goes, so that they leave in the node's order, and written after
/// it.
final class PeerSession: HandleObject {
  static let handle = HandleType("session", "A peer of the program.")

  struct State {
    var node: Node
    var found: [PeerID: Advertisement] = [:]
    /// Messages for the inbox.
    var arrived: [InboxMessage] = []
    var waiting: [WaitingSend] = []
    var invitations: [Int: @Sendable (InviteResult) -> Void] = [:]
    var outgoing: [ChannelKey: OutgoingChannel] = [:]
    var incoming: [ChannelKey: IncomingChannel] = [:]
    var nextChannel: UInt32 = 1
    /// Tasks that wait until fewer channels to a peer are open.
    var turns: [PeerID: [UnsafeContinuation<Void, Never>]] = [:]
    /// Invitations from other peers that the script has not answered.
    var asked: [Int: InvitationEvent] = [:]
    /// Ids as texts, and names.
    var texts: [PeerID: (String, String)] = [:]
    /// For simulations: each invitation is accepted, and problems are told here.
    var accepts = false
    var tellsProblem: (@Sendable (ProblemEvent) -> Void)?
    var isClosed = false
  }

  /// A message that waits for room.
  struct WaitingSend {
    let body: [UInt8]
    let peers: [PeerID]
    /// Called with the reason why the message could not go; nil when it went.
    let done: @Sendable (SendRefusal?) -> Void
  }

  let id: PeerID
  let name: String
  let serviceType: String
  let keys: any PeerKeys
  let state: Mutex<State>
  let transport: any PeerTransport
  let messages: Inbox<InboxMessage>
  let reading = MessageReading()
  let invitationEvents = EventFeed<InvitationEvent>(keeping: 256)
  let states = EventFeed<StateEvent>(keeping: 65536)
  let problems = EventFeed<ProblemEvent>(keeping: 1024)
  let discoveries = EventFeed<DiscoveryEvent>(keeping: 65536)
  let resources = EventFeed<OfferEvent>(keeping: 4096)
  let streams = EventFeed<OfferEvent>(keeping: 4096)
  /// The folder that received resources are put into.
  let folder: String
  /// Told once that it is over.
  private let ended: @Sendable (PeerSession) -> Void
  /// What the script took and the senders were not told of yet; they are told of much at once.
  private let eaten = Mutex<(sum: Int, costs: [PeerID: Int])>((0, [:]))
  private static let maxEaten = 256 << 10
  /// While more waits unread, unreliable messages are thrown away.
  private static let maxUnread = 4 << 20

  /// A message that was not taken yet.
  struct InboxMessage: Sendable {
    let from: PeerID
    let body: [UInt8]
    let isReliable: Bool
    let cost: Int
  }

  /// - Parameters:
  ///   - seed: decides what is left to chance; nothing that is secret.
  ///   - ended: called once, when it is closed.
  init(
    _ settings: NodeSettings, over transport: any PeerTransport, seed: UInt64, keys: any PeerKeys,
    folder: String, ended: @escaping @Sendable (PeerSession) -> Void = { _ in }
  ) throws {
    let node = Node(settings, seed: seed, keys: keys, now: transport.now) { transport.address(of: $0) }
    (id, name, serviceType, self.keys) = (node.id, settings.name, settings.serviceType, keys)
    (self.transport, self.folder, self.ended) = (transport, folder, ended)
    state = Mutex(State(node: node))
    let done = Consumer()
    messages = Inbox(maximum: (512, 64 << 10), size: \.body.count) { messages in
      done.session?.consumed(messages)
    }
    done.session = self
    try transport.start(node.id, self)
  }

  /// Breaks the ring of the inbox and its session.
  private final class Consumer: Sendable {
    private let weak = Mutex<WeakSession>(WeakSession())
    private struct WeakSession { weak var session: PeerSession? }
    var session: PeerSession? {
      get { weak.withLock { $0.session } }
      set { weak.withLock { $0.session = newValue } }
    }
  }

  // MARK: - The node

  /// Tells the node something, and does what it answers.
  @discardableResult
  func perform<R>(_ body: (inout State, Microseconds) -> R) -> R {
    let (result, deadline, sends, arrived) = state.withLock { state in
      let result = body(&state, transport.now)
      let sends = settle(&state)
      defer { state.arrived = [] }
      return (result, state.node.deadline, sends, state.arrived)
    }
    // A reader that is woken must not find the lock taken; and to write may take long. Only the transport's
    // thread brings messages, so they keep their order.
    if !arrived.isEmpty {
      messages.put(arrived)
    }
    if sends { transport.flush() }
    transport.wake(at: deadline)
    return result
  }

  /// Does what the node wants; answers whether frames wait to be written.
  private func settle(_ state: inout State) -> Bool {
    var sends = false
    var effects: [NodeEffect] = []
    // An acknowledgement may have made room.
    if !state.waiting.isEmpty { sendWaiting(&state) }
    while !state.node.effects.isEmpty {
      effects.removeAll(keepingCapacity: true)
      swap(&effects, &state.node.effects)
      for effect in effects {
        switch effect {
        case .send(let link, let frame):
          transport.send(frame, over: link)
          sends = true
        case .connect(let attempt, let address): transport.connect(attempt: attempt, to: address)
        case .close(let link): transport.close(link)
        case .event(let event): handle(event, &state)
        }
      }
      if !state.waiting.isEmpty { sendWaiting(&state) }
    }
    return sends
  }

  private func handle(_ event: NodeEvent, _ state: inout State) {
    switch event {
    case .state(let peer, let value): states.send(stateEvent(peer, value, state))
    case .invited(let number, let peer, let name, let context, let milliseconds):
      let event = InvitationEvent(
        kind: .invited, number: number, peer: peer.description, name: name, context: Self.context(context),
        milliseconds: milliseconds)
      if state.accepts {
        _ = state.node.answer(number, accepts: true, transport.now)
        return
      }
      state.asked[number] = event
      invitationEvents.send(event)
    case .invitationOver(let number):
      state.asked[number] = nil
      invitationEvents.send(.init(kind: .over, number: number))
    case .answered(let number, let result): state.invitations.removeValue(forKey: number)?(result)
    case .message(_, _, false, _) where messages.bytes > Self.maxUnread: state.node.statistics.dropped += 1
    case .message(let from, let body, let isReliable, let cost):
      state.arrived.append(.init(from: from, body: body, isReliable: isReliable, cost: cost))
    case .piece(let from, let channel, let flags, let body, let cost):
      take(.init(flags: flags, body: body, cost: cost), of: .init(peer: from, channel: channel), &state)
    case .refused(let peer, let channel): end(.init(peer: peer, channel: channel), .refused, &state)
    case .moved(let peer, let channel, let isEmpty):
      let key = ChannelKey(peer: peer, channel: channel)
      if let outgoing = state.outgoing[key] {
        outgoing.moved(isEmpty: isEmpty)
      } else if isEmpty {
        state.node.closeSending(peer, channel)
      }
    case .undelivered(let peer, let count, let bytes, let channels):
      undelivered(peer, count, bytes, channels, &state)
    case .forsaken(let peer): forsaken(peer, &state)
    case .problem(let text): tell(.init(kind: .protocolViolation, message: text), state)
    }
  }

  private func tell(_ problem: ProblemEvent, _ state: State) {
    state.tellsProblem?(problem)
    problems.send(problem)
  }

  /// The context that an inviter sent along; null when it is no value.
  private static func context(_ bytes: [UInt8]) -> Value? {
    guard !bytes.isEmpty, case .value(let value) = Payload.decode(bytes) else { return nil }
    return value
  }

  func stateEvent(_ peer: PeerID, _ value: PeerState, _ state: State) -> StateEvent {
    let entry = state.node.table.entry(peer)
    return StateEvent(
      peer: peer.description, name: state.node.name(of: peer) ?? state.found[peer]?.name ?? "", state: value,
      route: value == .connected ? entry?.hops.map { $0 == 1 ? .direct : .relayed } : nil)
  }

  private func undelivered(
    _ peer: PeerID, _ count: Int, _ bytes: Int, _ channels: [UInt32], _ state: inout State
  ) {
    let name = state.node.name(of: peer) ?? ""
    if count > 0 {
      tell(
        .init(
          kind: .undelivered,
          message:
            "\(count) message(s) to '\(name)' were not confirmed, and it is gone: it may not have got them",
          peer: peer.description, messages: count, bytes: bytes), state)
    }
    for channel in channels { end(.init(peer: peer, channel: channel), .gone, &state) }
  }

  // MARK: - Messages

  /// Sends to members, all of them when none is named; waits while one of them has no room. Answers how many
  /// get them.
  func send(
    all bodies: [[UInt8]], to peers: [PeerID]?, isReliable: Bool = true,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Int {
    let queued = Completion<SendRefusal>()
    let (count, mustWait) = try perform { state, now -> Result<(Int, Bool), any Error> in
      let peers = peers ?? state.node.members
      for (index, body) in bodies.enumerated() {
        switch take(body, peers, isReliable, &state, now) {
        case .success(true): continue
        case .success(false):
          // All that is left queues at once: nothing that is sent later may come between.
          queue(bodies[index...], peers, queued, &state)
          return .success((peers.count, true))
        case .failure(let refusal): return .failure(Self.problem(refusal))
        }
      }
      return .success((peers.count, false))
    }.get()
    if mustWait, let refusal = await queued.wait(isolation: isolation) { throw Self.problem(refusal) }
    return count
  }

  private func queue(
    _ bodies: ArraySlice<[UInt8]>, _ peers: [PeerID], _ completion: Completion<SendRefusal>,
    _ state: inout State
  ) {
    let last = bodies.endIndex - 1
    for (index, body) in zip(bodies.indices, bodies) {
      state.waiting.append(
        .init(body: body, peers: peers) { refusal in
          if refusal != nil || index == last { completion.finish(refusal) }
        })
    }
  }

  /// Whether a message was taken; false when it has to wait.
  private func take(
    _ body: [UInt8], _ peers: [PeerID], _ isReliable: Bool, _ state: inout State, _ now: Microseconds
  ) -> Result<Bool, SendRefusal> {
    if isReliable, !state.waiting.isEmpty { return .success(false) }
    do throws(SendRefusal) {
      try state.node.send(body, to: peers, isReliable: isReliable, now)
      return .success(true)
    } catch {
      if case .full = error { return .success(false) }
      return .failure(error)
    }
  }

  /// Sends now or not at all; tells whether it was taken.
  func sendNow(_ body: [UInt8], to peers: [PeerID]) -> Bool {
    perform { state, now in (try? take(body, peers, true, &state, now).get()) ?? false }
  }

  /// Messages that wait go in their order; the first that finds no room holds the others up.
  private func sendWaiting(_ state: inout State) {
    while let first = state.waiting.first {
      var refusal: SendRefusal?
      do throws(SendRefusal) {
        try state.node.send(first.body, to: first.peers, isReliable: true, transport.now)
      } catch {
        if case .full = error { return }
        refusal = error
      }
      state.waiting.removeFirst()
      first.done(refusal)
    }
  }

  private func consumed(_ messages: [InboxMessage]) {
    let costs = eaten.withLock { eaten -> [PeerID: Int] in
      for message in messages where message.cost > 0 {
        eaten.costs[message.from, default: 0] += message.cost
        eaten.sum += message.cost
      }
      guard eaten.sum >= Self.maxEaten else { return [:] }
      defer { eaten = (0, [:]) }
      return eaten.costs
    }
    guard !costs.isEmpty else { return }
    perform { state, now in
      for (peer, cost) in costs { state.node.consumed(peer, 0, cost, now) }
    }
  }

  static func problem(_ refusal: SendRefusal) -> BridgeError {
    switch refusal {
    case .notConnected(let peer):
      BridgeError(
        .unavailable,
        "the peer '\(peer)' is not connected, so nothing can be sent to it; see session.states()",
        details: try? Value(encoding: ["peer": peer.description]))
    case .full(let peer): BridgeError(.unavailable, "too much waits for the peer '\(peer)'")
    }
  }

  // MARK: - The end

  /// Leaves the session; the peer stays and can be invited again.
  func disconnect() {
    perform { state, now in state.node.leave(now) }
  }

  /// Ends everything, also what waits. More than once is fine.
  func close() {
    let wasOpen = perform { state, now -> Bool in
      guard !state.isClosed else { return false }
      state.isClosed = true
      // Before the node leaves, which would tell that the others have gone.
      endAll(&state)
      state.node.leave(now)
      return true
    }
    guard wasOpen else { return }
    perform { state, _ in endAll(&state) }
    transport.stop()
    messages.finish()
    invitationEvents.finish()
    states.finish()
    problems.finish()
    discoveries.finish()
    resources.finish()
    streams.finish()
    ended(self)
  }

  private func endAll(_ state: inout State) {
    for waiting in state.waiting { waiting.done(.notConnected(waiting.peers.first ?? id)) }
    state.waiting = []
    for done in state.invitations.values { done(.cancelled) }
    state.invitations = [:]
    for channel in state.outgoing.values { channel.fail(.closed) }
    state.outgoing = [:]
    for channel in state.incoming.values { channel.end(.closed) }
    state.incoming = [:]
    for waiter in state.turns.values.joined() { waiter.resume() }
    state.turns = [:]
  }

  /// Whether everything that was sent has been acknowledged.
  var isDrained: Bool {
    state.withLock { state in
      state.waiting.isEmpty && state.node.talks.values.allSatisfy { !$0.isWaiting }
    }
  }
}
