// SPDX-License-Identifier: MIT

@testable import PeersPlugin

/// Nodes and the frames between them, in a test's hand: each frame can be seen, kept, and said again.
final class Wires {
  /// A frame on its way.
  struct Passing {
    let from: Int
    let to: Int
    let link: LinkID
    let frame: [UInt8]
  }

  var nodes: [Node] = []
  var events: [[NodeEvent]] = []
  /// Pairs that can't make a link.
  var blocked: Set<Set<Int>> = []
  /// Sees each frame; one for which it answers false is lost.
  var watches: (Passing) -> Bool = { _ in true }
  private(set) var now: Microseconds = 1_000_000
  private var ends: [LinkID: (node: Int, other: LinkID)] = [:]
  private var nextLink = 1
  let isReliable: Bool

  init(
    _ count: Int, isReliable: Bool = true, resume: Microseconds = 60_000_000,
    keys: (Int) throws -> any PeerKeys = { SimulatedKeys(seed: UInt64($0) + 100) }
  ) rethrows {
    self.isReliable = isReliable
    for number in 0..<count {
      var settings = NodeSettings(name: "node \(number)", serviceType: "test")
      settings.resume = resume
      nodes.append(
        Node(settings, seed: UInt64(number), keys: try keys(number), now: now) { $0.description })
      events.append([])
    }
  }

  func id(_ number: Int) -> PeerID { nodes[number].id }

  /// Ticks, and carries what is said, for some time.
  func run(seconds: Double = 1) {
    let end = now + Int(seconds * 1_000_000)
    while now < end {
      now += 20_000
      for number in nodes.indices { nodes[number].tick(now) }
      pump()
    }
  }

  func pump() {
    while let number = nodes.firstIndex(where: { !$0.effects.isEmpty }) {
      let effects = nodes[number].effects
      nodes[number].effects = []
      for effect in effects { perform(effect, number) }
    }
  }

  private func perform(_ effect: NodeEffect, _ number: Int) {
    switch effect {
    case .send(let link, let frame):
      guard let end = ends[link], let other = ends[end.other] else { return }
      let passing = Passing(from: number, to: other.node, link: end.other, frame: frame.head + frame.body)
      if watches(passing) { deliver(passing) }
    case .connect(let attempt, let address): connect(number, attempt, address)
    case .close(let link):
      guard let end = ends.removeValue(forKey: link), let other = ends.removeValue(forKey: end.other) else {
        return
      }
      nodes[other.node].linkDown(end.other, now)
    case .event(.invited(let invitation, _, _, _, _)):
      _ = nodes[number].answer(invitation, accepts: true, now)
    case .event(let event): events[number].append(event)
    }
  }

  func deliver(_ passing: Passing) {
    passing.frame.withUnsafeBytes { nodes[passing.to].received($0, over: passing.link, now) }
  }

  private func connect(_ number: Int, _ attempt: Int, _ address: String) {
    guard let other = nodes.firstIndex(where: { $0.address == address }), !blocked.contains([number, other])
    else {
      return nodes[number].connectFailed(attempt: attempt, isGone: false, now)
    }
    let (near, far) = (nextLink, nextLink + 1)
    nextLink += 2
    (ends[near], ends[far]) = ((number, far), (other, near))
    nodes[other].linkUp(far, attempt: nil, isReliable: isReliable, now)
    nodes[number].linkUp(near, attempt: attempt, isReliable: isReliable, now)
  }

  func invite(_ one: Int, _ other: Int) {
    _ = nodes[one].invite(id(other), address: nodes[other].address, context: [], milliseconds: 20_000, now)
    pump()
  }

  /// Cuts whatever leads from one to the other.
  func cut(_ one: Int, _ other: Int) {
    blocked.insert([one, other])
    for (link, end) in ends where end.node == one && ends[end.other]?.node == other {
      ends[link] = nil
      ends[end.other] = nil
      nodes[one].linkDown(link, now)
      nodes[other].linkDown(end.other, now)
    }
    pump()
  }

  func send(_ body: [UInt8], from one: Int, to others: [Int], isReliable: Bool = true) {
    try? nodes[one].send(body, to: others.map(id), isReliable: isReliable, now)
    pump()
  }

  /// The messages that came at a node, and their senders.
  func messages(_ number: Int) -> [(from: PeerID, body: [UInt8])] {
    events[number].compactMap {
      if case .message(let from, let body, _, _) = $0 { (from, body) } else { nil }
    }
  }

  func problems(_ number: Int) -> [String] {
    events[number].compactMap { if case .problem(let text) = $0 { text } else { nil } }
  }
}
