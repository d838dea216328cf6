// SPDX-License-Identifier: MIT

internal import Synchronization

/// What a simulated network does to frames.
struct NetworkConditions: Codable, Sendable {
  /// Milliseconds from one peer to another: at least and at most.
  var latency: [Double] = [1, 1]
  /// How many of a hundred frames get lost.
  var loss = 0.0
  /// How many of a hundred frames come twice.
  var duplicates = 0.0
  /// Whether frames may overtake each other, as their latency allows.
  var reorders = false

  var isReliable: Bool { loss == 0 && duplicates == 0 && !reorders }
}

/// A network of peers in one process. Everything in it happens in an order that its seed decides, at times of
/// a clock of its own, which stands still unless its owner runs it.
final class SimulatedNetwork: Sendable {
  /// A peer's end.
  struct Port: Sendable {
    let id: PeerID
    let delegate: any TransportDelegate
    var advertisement: Advertisement?
    var browses = false
    var wakesAt: Microseconds?
    /// Added to the clock that this peer sees.
    var clockOffset: Microseconds = 0
    var isFrozen = false
  }

  /// One end of a link.
  fileprivate struct End: Sendable {
    let port: PeerID
    let other: LinkID
    let otherPort: PeerID
    /// Frames wait while the other end can't be reached, as those of TCP do, instead of getting lost.
    let isReliable: Bool
    var waiting: [[UInt8]] = []
    /// When the last frame arrives, where frames keep their order.
    var lastArrival: Microseconds = 0
  }

  fileprivate struct State {
    var now: Microseconds = 1_000_000
    var random: SeededRandom
    var conditions: NetworkConditions
    var ports: [PeerID: Port] = [:]
    var ends: [LinkID: End] = [:]
    var events = EventQueue()
    var nextLink = 1
    var groups: [PeerID: Int] = [:]
    var blocked: Set<Pair> = []
    var framesLost = 0
    var frames = 0
    var bytes = 0
  }

  /// Two peers, in any order.
  struct Pair: Hashable {
    let low: PeerID
    let high: PeerID
    init(_ one: PeerID, _ other: PeerID) { (low, high) = one < other ? (one, other) : (other, one) }
  }

  /// An event that is to happen.
  enum Event: Sendable {
    case frame(LinkID, [UInt8])
    /// The frames that wait for a link are tried again.
    case again(LinkID)
    case up(PeerID, attempt: Int, PeerID?)
    case down(LinkID)
    case wake(PeerID)
    case found(PeerID, Advertisement)
    case lost(PeerID, PeerID)
    case call(@Sendable () -> Void)
  }

  fileprivate let state: Mutex<State>
  /// Wakes the thread that runs the network in real time, when an event is to happen earlier than was known.
  let onEvent = Mutex<Listener?>(nil)

  struct Listener {
    let hear: @Sendable () -> Void
  }

  init(seed: UInt64, conditions: NetworkConditions = NetworkConditions()) {
    state = Mutex(State(random: SeededRandom(seed: seed), conditions: conditions))
  }

  /// How long a peer takes to find out that the other end does not answer.
  private static let connectTime: Microseconds = 1_000_000

  // MARK: - The world

  var now: Microseconds { state.withLock { $0.now } }
  var counts: (frames: Int, lost: Int, bytes: Int) { state.withLock { ($0.frames, $0.framesLost, $0.bytes) } }

  func set(_ conditions: NetworkConditions) { state.withLock { $0.conditions = conditions } }

  /// Only peers of one group reach each other; peers that are in no group are together in another.
  func partition(_ groups: [[PeerID]]) {
    state.withLock { state in
      state.groups = [:]
      for (number, group) in groups.enumerated() { for id in group { state.groups[id] = number + 1 } }
    }
  }

  /// Two peers can't reach each other directly.
  func block(_ one: PeerID, _ other: PeerID, _ isBlocked: Bool = true) {
    state.withLock { state in
      if isBlocked { state.blocked.insert(Pair(one, other)) } else { state.blocked.remove(Pair(one, other)) }
    }
  }

  func unblockAll() { state.withLock { $0.blocked = [] } }

  /// The peer ends without a word; with `tells` its links end, as the links of a process do on one machine.
  func kill(_ id: PeerID, tells: Bool) {
    let changed = state.withLock { state -> Bool in
      guard state.ports.removeValue(forKey: id) != nil else { return false }
      for (link, end) in state.ends.inOrder where end.port == id {
        state.ends[link] = nil
        if tells { state.schedule(.down(end.other), after: 1000) }
      }
      state.tell(.lost(id, id), about: id)
      return true
    }
    if changed { notify() }
  }

  /// Freezes a peer: nothing happens at it until it goes on.
  func freeze(_ id: PeerID, _ isFrozen: Bool) { state.withLock { $0.ports[id]?.isFrozen = isFrozen } }

  /// The clock that a peer sees goes forward.
  func jumpClock(of id: PeerID, by time: Microseconds) {
    state.withLock { $0.ports[id]?.clockOffset += time }
  }

  /// Calls something at a time.
  func call(after delay: Microseconds, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.schedule(.call(body), after: delay) }
    notify()
  }

  private func notify() { onEvent.withLock(\.self)?.hear() }

  // MARK: - Running

  /// When the next thing happens.
  var nextTime: Microseconds? { state.withLock { $0.events.first } }

  /// Lets happen what happens up to a time.
  func run(until end: Microseconds) {
    while true {
      let event = state.withLock { state -> Event? in
        guard let time = state.events.first, time <= end else {
          state.now = max(state.now, end)
          return nil
        }
        state.now = max(state.now, time)
        return state.events.pop()
      }
      guard let event else { return }
      perform(event)
    }
  }

  /// Lets so many microseconds go by.
  func run(for time: Microseconds) { run(until: now + time) }

  private func perform(_ event: Event) {
    switch event {
    case .frame(let link, let bytes):
      guard let delegate = state.withLock({ $0.delegate(of: link, bytes) }) else { return }
      deliver(bytes, over: link, to: delegate)
    case .again(let link):
      guard let (delegate, frames) = state.withLock({ $0.takeWaiting(of: link) }) else { return }
      for frame in frames { deliver(frame, over: link, to: delegate) }
    case .up(let from, let attempt, let to): connect(from, attempt, to)
    case .down(let link):
      let delegate = state.withLock { state -> (any TransportDelegate)? in
        guard let end = state.ends.removeValue(forKey: link) else { return nil }
        return state.ports[end.port]?.delegate
      }
      delegate?.linkDown(link)
    case .wake(let id):
      let delegate = state.withLock { state -> (any TransportDelegate)? in
        guard let port = state.ports[id], let time = port.wakesAt, time <= state.now else { return nil }
        if port.isFrozen {
          state.events.push(.wake(id), at: state.now + 100_000)
          return nil
        }
        state.ports[id]?.wakesAt = nil
        return port.delegate
      }
      delegate?.tick()
    case .found(let id, let advertisement):
      state.withLock { $0.ports[id].flatMap { $0.browses ? $0.delegate : nil } }?.found(advertisement)
    case .lost(let id, let who): state.withLock { $0.ports[id]?.delegate }?.lost(who)
    case .call(let body): body()
    }
  }

  private func deliver(_ frame: [UInt8], over link: LinkID, to delegate: any TransportDelegate) {
    frame.withUnsafeBytes { delegate.received($0, frames: [0..<$0.count], over: link) }
  }

  private func connect(_ from: PeerID, _ attempt: Int, _ to: PeerID?) {
    let made = state.withLock { state -> (LinkID, LinkID, any TransportDelegate, Bool)? in
      guard let to, let other = state.ports[to], state.ports[from] != nil, state.reaches(from, to) else {
        return nil
      }
      let (near, far) = (state.nextLink, state.nextLink + 1)
      state.nextLink += 2
      let isReliable = state.conditions.isReliable
      state.ends[near] = End(port: from, other: far, otherPort: to, isReliable: isReliable)
      state.ends[far] = End(port: to, other: near, otherPort: from, isReliable: isReliable)
      return (near, far, other.delegate, isReliable)
    }
    guard let own = state.withLock({ $0.ports[from]?.delegate }) else { return }
    guard let (near, far, other, isReliable) = made else {
      let isGone = to.map { to in state.withLock { $0.ports[to] == nil } } ?? true
      return own.connectFailed(attempt: attempt, isGone: isGone)
    }
    other.linkUp(far, attempt: nil, isReliable: isReliable, binding: LinkBinding())
    own.linkUp(near, attempt: attempt, isReliable: isReliable, binding: LinkBinding())
  }
}

// MARK: - What ports ask for

extension SimulatedNetwork {
  func add(_ port: Port) { state.withLock { $0.ports[port.id] = port } }

  func remove(_ id: PeerID) { kill(id, tells: true) }

  func clock(of id: PeerID) -> Microseconds { state.withLock { $0.now + ($0.ports[id]?.clockOffset ?? 0) } }

  func advertise(_ id: PeerID, _ advertisement: Advertisement?) {
    state.withLock { state in
      state.ports[id]?.advertisement = advertisement
      state.tell(advertisement.map { .found(id, $0) } ?? .lost(id, id), about: id)
    }
    notify()
  }

  func browse(_ id: PeerID) {
    state.withLock { state in
      state.ports[id]?.browses = true
      for port in state.ports.values.sorted(by: { $0.id < $1.id }) where port.id != id {
        if let advertisement = port.advertisement {
          state.schedule(.found(id, advertisement), after: state.latency())
        }
      }
    }
    notify()
  }

  func connect(_ id: PeerID, attempt: Int, to address: String) {
    state.withLock { state in
      let to = PeerID(address)
      let isThere = to.map { state.ports[$0] != nil && state.reaches(id, $0) } ?? false
      state.schedule(.up(id, attempt: attempt, to), after: isThere ? state.latency() : Self.connectTime)
    }
    notify()
  }

  func send(_ frame: OutFrame, over link: LinkID) {
    state.withLock { $0.send(frame.head + frame.body, over: link) }
    notify()
  }

  func close(_ link: LinkID) {
    state.withLock { state in
      guard let end = state.ends.removeValue(forKey: link), state.reaches(end.port, end.otherPort) else {
        return
      }
      // Behind the frames that are on their way.
      let time = max(state.now + state.latency(), end.lastArrival)
      state.events.push(.down(end.other), at: time)
    }
    notify()
  }

  func wake(_ id: PeerID, at time: Microseconds?) {
    let isNew = state.withLock { state -> Bool in
      guard let port = state.ports[id] else { return false }
      let time = time.map { max(state.now, $0 - port.clockOffset) }
      guard let time, port.wakesAt.map({ time < $0 }) ?? true else { return false }
      state.ports[id]?.wakesAt = time
      state.events.push(.wake(id), at: time)
      return true
    }
    if isNew { notify() }
  }
}

extension SimulatedNetwork.State {
  mutating func latency() -> Microseconds {
    let least = conditions.latency.first ?? 1, most = max(least, conditions.latency.last ?? 1)
    return Int((least + (most - least) * Double.random(in: 0..<1, using: &random)) * 1000)
  }

  mutating func schedule(_ event: SimulatedNetwork.Event, after delay: Microseconds) {
    events.push(event, at: now + delay)
  }

  /// Tells all peers that look for others.
  mutating func tell(_ event: SimulatedNetwork.Event, about id: PeerID) {
    for port in ports.values.sorted(by: { $0.id < $1.id }) where port.id != id && port.browses {
      switch event {
      case .found(_, let advertisement): schedule(.found(port.id, advertisement), after: latency())
      default: schedule(.lost(port.id, id), after: latency())
      }
    }
  }

  func reaches(_ one: PeerID, _ other: PeerID) -> Bool {
    groups[one] == groups[other] && !blocked.contains(.init(one, other))
  }

  mutating func send(_ frame: [UInt8], over link: LinkID) {
    guard let end = ends[link] else { return }
    frames += 1
    bytes += frame.count
    let isLost = Double.random(in: 0..<100, using: &random) < conditions.loss
    guard end.isReliable || reaches(end.port, end.otherPort) && !isLost else {
      framesLost += 1
      return
    }
    var time = now + latency()
    if end.isReliable || !conditions.reorders {
      time = max(time, end.lastArrival)
      ends[link]?.lastArrival = time
    }
    events.push(.frame(end.other, frame), at: time)
    if !end.isReliable, Double.random(in: 0..<100, using: &random) < conditions.duplicates {
      events.push(.frame(end.other, frame), at: time + latency())
    }
  }

  /// The delegate that gets a frame now; nil when no peer gets it, or the frame has to wait.
  mutating func delegate(of link: LinkID, _ frame: [UInt8]) -> (any TransportDelegate)? {
    guard let end = ends[link], let port = ports[end.port] else { return nil }
    if !port.isFrozen, reaches(end.port, end.otherPort), end.waiting.isEmpty { return port.delegate }
    guard end.isReliable else { return nil }
    ends[link]?.waiting.append(frame)
    if end.waiting.isEmpty { events.push(.again(link), at: now + Self.pause) }
    return nil
  }

  mutating func takeWaiting(of link: LinkID) -> (any TransportDelegate, [[UInt8]])? {
    guard let end = ends[link], let port = ports[end.port] else { return nil }
    guard !port.isFrozen, reaches(end.port, end.otherPort) else {
      events.push(.again(link), at: now + Self.pause)
      return nil
    }
    ends[link]?.waiting = []
    return (port.delegate, end.waiting)
  }

  private static let pause: Microseconds = 50_000
}
