// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// A run of some peers during which what can go wrong does, as a seed decides; then everything is mended, and
/// what must hold is looked at:
///
/// - all peers that live and were in one session are in one again, and say the same of its members;
/// - reliable messages from one peer came at each receiver once and in their order;
/// - none is missing whose loss was not told.
final class Schedule {
  /// What did not hold.
  struct Failure: Error, CustomStringConvertible {
    let seed: UInt64
    let what: String
    var description: String { "schedule \(seed): \(what)" }
  }

  private let seed: UInt64
  private let world: SimulatedWorld
  private var random: SeededRandom
  private var sent: [Way: [Int]] = [:]
  private var got: [Way: [Int]] = [:]
  private var next = 0
  /// Invitations that came to nothing.
  private let failed = Collected<(PeerSession, PeerSession)>()
  private(set) var steps: [String] = []

  /// From one peer to another.
  private struct Way: Hashable {
    let from: PeerID
    let to: PeerID
  }

  init(seed: UInt64) throws {
    self.seed = seed
    random = SeededRandom(seed: seed)
    let isClean = Int.random(in: 0..<4, using: &random) == 0
    let slowest = [2.0, 20, 80][Int.random(in: 0..<3, using: &random)]
    let conditions = NetworkConditions(
      latency: [0.2, slowest], loss: isClean ? 0 : Double.random(in: 0..<15, using: &random),
      duplicates: isClean ? 0 : Double.random(in: 0..<5, using: &random), reorders: !isClean)
    world = SimulatedWorld(seed: seed, conditions: conditions)
    try world.add(Int.random(in: 2...7, using: &random))
  }

  /// Runs it; throws what did not hold.
  func run() throws {
    gather()
    for _ in 0..<Int.random(in: 10..<40, using: &random) {
      disturb()
      for _ in 0..<Int.random(in: 0..<8, using: &random) { send() }
      world.run(seconds: Double.random(in: 0.01..<1.5, using: &random))
      collect()
      inviteAgain()
    }
    mend()
    try look()
  }

  private func note(_ step: String) { steps.append("\(world.network.now / 1000) ms: \(step)") }
  private func inviteAgain() {
    for (one, other) in failed.takeAll() where !world.dead.contains(one.id) && !world.dead.contains(other.id)
    {
      invite(one, other)
    }
  }

  private func anyPeer() -> PeerSession {
    world.living[Int.random(in: 0..<world.living.count, using: &random)]
  }
  private func name(_ peer: PeerSession) -> String { peer.name }
  private func name(_ id: PeerID) -> String { world.peers.first { $0.id == id }?.name ?? "?" }

  /// Each peer is invited by one that was there before.
  private func gather() {
    world.run(seconds: 1)
    for number in 1..<world.peers.count {
      let other = world.peers[Int.random(in: 0..<number, using: &random)]
      let (one, two) =
        Bool.random(using: &random) ? (other, world.peers[number]) : (world.peers[number], other)
      invite(one, two)
    }
  }

  /// Until it is accepted: on a bad network an invitation may be lost as a whole.
  private func invite(_ one: PeerSession, _ other: PeerSession) {
    world.invite(one, other) { [failed] result in
      if result != .joined { failed.add((one, other)) }
    }
    note("\(name(one)) invites \(name(other))")
  }

  private func disturb() {
    switch Int.random(in: 0..<14, using: &random) {
    case 0, 1: partition()
    case 2, 3:
      world.network.partition([])
      note("the network is whole")
    case 4:
      let peer = anyPeer(), isFrozen = Bool.random(using: &random)
      world.network.freeze(peer.id, isFrozen)
      note("\(name(peer)) \(isFrozen ? "stops" : "goes on")")
    case 5:
      let peer = anyPeer(), time = Int.random(in: 1..<100_000_000, using: &random)
      world.network.jumpClock(of: peer.id, by: time)
      note("the clock of \(name(peer)) jumps \(time / 1000) ms")
    case 6:
      let one = anyPeer(), other = anyPeer()
      world.network.block(one.id, other.id)
      note("\(name(one)) can't reach \(name(other))")
    case 7 where world.living.count > 2 && Int.random(in: 0..<3, using: &random) == 0:
      let peer = anyPeer()
      world.kill(peer, tells: Bool.random(using: &random))
      note("\(name(peer)) is killed")
    case 8:
      let one = anyPeer(), other = anyPeer()
      if one.id != other.id { invite(one, other) }
    default: break
    }
  }

  private func partition() {
    var groups: [[PeerID]] = [[], []]
    for peer in world.living { groups[Int.random(in: 0..<2, using: &random)].append(peer.id) }
    world.network.partition(groups)
    note("the network splits into \(groups.map(\.count))")
  }

  private func send() {
    let peer = anyPeer()
    let members = peer.state.withLock { $0.node.members }
    guard !members.isEmpty else { return }
    let targets =
      Bool.random(using: &random) ? members : [members[Int.random(in: 0..<members.count, using: &random)]]
    next += 1
    let size = Int.random(in: 0..<20, using: &random) == 0 ? 150_000 : 8
    var body = [UInt8](repeating: 0, count: size)
    withUnsafeBytes(of: next.littleEndian) { for (place, byte) in $0.enumerated() { body[place] = byte } }
    guard peer.sendNow(body, to: targets) else { return }
    note("\(name(peer)) sends \(next) to \(targets.map(name).joined(separator: ", "))")
    for target in targets { sent[Way(from: peer.id, to: target), default: []].append(next) }
  }

  private func collect() {
    for peer in world.living {
      for message in peer.messages.takeAll() {
        let number = message.body.withUnsafeBytes { Int(littleEndian: $0.loadUnaligned(as: Int.self)) }
        got[Way(from: message.from, to: peer.id), default: []].append(number)
      }
    }
  }

  /// Everything works again, and there is time for all to find out.
  private func mend() {
    note("all is mended")
    world.network.partition([])
    world.network.unblockAll()
    world.network.set(NetworkConditions(latency: [0.5, 5]))
    for peer in world.living { world.network.freeze(peer.id, false) }
    // Peers that were never invited with success are invited now: the check needs one session of all.
    let pairs = Array(zip(world.living, world.living.dropFirst()))
    for (one, other) in pairs where !isTogether(one, other) { invite(one, other) }
    for turn in 1...400 {
      if turn % 50 == 0 { for (one, other) in pairs where !haveMet(one, other) { invite(one, other) } }
      world.run(seconds: 0.5)
      collect()
      inviteAgain()
      if world.agree(world.living), world.living.allSatisfy(\.isSettled) { return }
    }
  }

  private func isTogether(_ one: PeerSession, _ other: PeerSession) -> Bool {
    one.state.withLock { $0.node.isMember(other.id) }
  }

  /// Whether the two told each other of themselves: a link that broke before does not heal by itself, an
  /// invitation has to come again.
  private func haveMet(_ one: PeerSession, _ other: PeerSession) -> Bool {
    knows(one, other) && knows(other, one)
  }

  private func knows(_ one: PeerSession, _ other: PeerSession) -> Bool {
    one.state.withLock { $0.node.table.entry(other.id)?.record != nil }
  }

  private func look() throws {
    guard world.agree(world.living) else {
      let views = world.living.map { "\($0.name): \($0.state.withLock { $0.node.table.reachable })" }
      throw Failure(seed: seed, what: "not all of \(world.living.count) are together: \(views)")
    }
    let told = world.problems.all.filter { $0.kind == .undelivered }.reduce(0) { $0 + ($1.messages ?? 0) }
    var missing = 0
    for (way, numbers) in sent {
      let arrived = got[way] ?? []
      guard zip(arrived, arrived.dropFirst()).allSatisfy({ $0 < $1 }) else {
        throw Failure(seed: seed, what: "messages came twice or out of order: \(arrived)")
      }
      guard Set(arrived).isSubset(of: numbers) else {
        throw Failure(seed: seed, what: "messages came that nobody sent")
      }
      guard !world.dead.contains(way.from), !world.dead.contains(way.to) else { continue }
      let lost = Set(numbers).subtracting(arrived).sorted()
      if !lost.isEmpty {
        note("lost from \(name(way.from)) to \(name(way.to)): \(lost), after \(arrived.last ?? 0)")
      }
      missing += lost.count
    }
    guard missing <= told else {
      throw Failure(seed: seed, what: "\(missing) messages are lost, \(told) were told")
    }
    if let problem = world.problems.all.first(where: { $0.kind == .protocolViolation }) {
      throw Failure(seed: seed, what: problem.message)
    }
  }
}

extension PeerSession {
  /// Whether no message waits to be acknowledged by a peer that lives.
  fileprivate var isSettled: Bool {
    state.withLock { state in
      state.node.talks.allSatisfy { peer, talk in !talk.isWaiting || !state.node.isMember(peer) }
    }
  }
}
