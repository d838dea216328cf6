// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// Peers on a simulated network whose clock stands still unless a test runs it: the same seed gives the same
/// run.
final class SimulatedWorld {
  let network: SimulatedNetwork
  private(set) var peers: [PeerSession] = []
  var random: SeededRandom
  private(set) var dead: Set<PeerID> = []
  let problems = Collected<ProblemEvent>()

  init(seed: UInt64, conditions: NetworkConditions = NetworkConditions()) {
    network = SimulatedNetwork(seed: seed, conditions: conditions)
    random = SeededRandom(seed: seed &* 31 &+ 7)
  }

  // The network holds the sessions that hold it.
  deinit { for peer in peers { peer.close() } }

  /// Makes peers, all announced and looking for each other or not.
  func add(_ count: Int, browsing: Bool = true, change: (inout NodeSettings) -> Void = { _ in }) throws {
    for _ in 0..<count {
      var settings = NodeSettings(name: "peer \(peers.count)", serviceType: "world")
      change(&settings)
      let session = try PeerSession(
        settings, over: SimulatedTransport(network), seed: random.next(),
        keys: SimulatedKeys(seed: random.next()),
        folder: "/nonexistent")
      try session.advertise([:])
      if browsing { _ = try session.browse() }
      session.acceptsEverybody()
      session.tellsProblems { [problems] problem in problems.add(problem) }
      peers.append(session)
    }
  }

  var living: [PeerSession] { peers.filter { !dead.contains($0.id) } }

  func run(seconds: Double) { network.run(for: Int(seconds * 1_000_000)) }

  /// Lets time go by until something holds, at most so many seconds; tells when it did.
  func run(atMost seconds: Double, until holds: () -> Bool) -> Double? {
    let begin = network.now
    while !holds() {
      guard network.now - begin < Int(seconds * 1_000_000) else { return nil }
      network.run(for: 20_000)
    }
    return Double(network.now - begin) / 1_000_000
  }

  /// One peer invites another; the result is told when it is known.
  func invite(
    _ one: PeerSession, _ other: PeerSession, done: @escaping @Sendable (InviteResult) -> Void = { _ in }
  ) {
    one.perform { state, now in
      let number = state.node.invite(
        other.id, address: other.transport.address(of: other.id), context: [], milliseconds: 20_000, now)
      state.invitations[number] = done
    }
  }

  func kill(_ peer: PeerSession, tells: Bool) {
    dead.insert(peer.id)
    network.kill(peer.id, tells: tells)
  }

  /// Whether all these peers say the same of the session's members.
  func agree(_ peers: [PeerSession]) -> Bool {
    let everybody = Set(peers.map(\.id))
    return peers.allSatisfy { peer in
      peer.state.withLock { state in
        state.node.table.reachable == everybody.count
          && Set(state.node.members).union([peer.id]) == everybody
      }
    }
  }
}

/// Collects what happened, told on whatever thread.
final class Collected<Element: Sendable>: Sendable {
  private let list = Mutex<[Element]>([])
  func add(_ element: Element) { list.withLock { $0.append(element) } }
  var all: [Element] { list.withLock(\.self) }
  func takeAll() -> [Element] {
    list.withLock { list in
      defer { list = [] }
      return list
    }
  }
}

extension PeerSession {
  /// Accepts each invitation at once.
  fileprivate func acceptsEverybody() {
    state.withLock { $0.accepts = true }
  }

  fileprivate func tellsProblems(_ tell: @escaping @Sendable (ProblemEvent) -> Void) {
    state.withLock { $0.tellsProblem = tell }
  }
}
