// SPDX-License-Identifier: MIT

/// The links that a node makes beside those that invitations left: in a small session each peer is linked to
/// all others, a larger one is a random graph in which each peer has some 3 + log2 N links. Such a graph
/// stays whole when many peers vanish at once, and what is told in it reaches all in about log N steps.
struct Overlay: Sendable {
  /// A link on its way.
  struct Attempt: Sendable {
    let peer: PeerID
    let purpose: Hello.Purpose
    let token: Secret?
  }

  /// A peer that could not be reached, or has no room.
  struct Trouble: Sendable {
    var failures = 0
    var until: Microseconds = 0
  }

  var attempts: [Int: Attempt] = [:]
  private var nextAttempt = 1
  private(set) var troubles: [PeerID: Trouble] = [:]
  /// Members that vanished without a word, and until when it is tried to find them again.
  private(set) var vanished: [PeerID: Microseconds] = [:]
  var tendedAt: Microseconds = 0
  /// When a peer that vanished was last looked for.
  var soughtAt: Microseconds = -1_000_000

  /// When some were last forgotten, and how often that may be.
  var forgotAt: Microseconds = -60_000_000
  static let forgetting: Microseconds = 60_000_000

  /// How many links a peer looks for among so many members.
  static func wanted(_ members: Int) -> Int {
    guard members > 1 else { return 0 }
    return min(members - 1, 3 + (Int.bitWidth - (members - 1).leadingZeroBitCount))
  }

  /// How many links a peer takes.
  static func maximum(_ members: Int) -> Int { max(12, 2 * wanted(members)) }

  /// A short way that was not used for so long is closed.
  static let idle: Microseconds = 60_000_000
  static let maxAttempts = 4
  private static let firstPause: Microseconds = 500_000
  private static let longestPause: Microseconds = 15_000_000
  private static let patience: Microseconds = 600_000_000

  mutating func attempt(_ peer: PeerID, _ purpose: Hello.Purpose, _ token: Secret?) -> Int {
    defer { nextAttempt += 1 }
    attempts[nextAttempt] = Attempt(peer: peer, purpose: purpose, token: token)
    return nextAttempt
  }

  func isTrying(_ peer: PeerID) -> Bool { attempts.values.contains { $0.peer == peer } }
  var isBusy: Bool { !vanished.isEmpty || !attempts.isEmpty }

  func mayTry(_ peer: PeerID, _ now: Microseconds) -> Bool {
    !isTrying(peer) && (troubles[peer].map { now >= $0.until } ?? true)
  }

  mutating func noteFailure(_ peer: PeerID, _ now: Microseconds) {
    let failures = (troubles[peer]?.failures ?? 0) + 1
    let pause = min(Self.longestPause, Self.firstPause << min(failures - 1, 6))
    troubles[peer] = Trouble(failures: failures, until: now + pause)
  }

  mutating func noteFull(_ peer: PeerID, _ now: Microseconds) {
    troubles[peer] = Trouble(failures: 0, until: now + 2_000_000)
  }

  mutating func noteSuccess(_ peer: PeerID) {
    troubles[peer] = nil
    vanished[peer] = nil
  }

  /// A link that was there has gone: looked for again at once.
  mutating func noteLoss(_ peer: PeerID, _ now: Microseconds) { troubles[peer] = nil }

  mutating func noteVanished(_ peer: PeerID, _ now: Microseconds) { vanished[peer] = now + Self.patience }

  /// The peer has ended; this node need not look for it.
  mutating func noteGone(_ peer: PeerID) { vanished[peer] = nil }

  mutating func wake(_ now: Microseconds) { tendedAt = min(tendedAt, now - 10_000_000) }

  mutating func forget(_ isOver: (PeerID, Microseconds) -> Bool) {
    vanished = vanished.filter { !isOver($0.key, $0.value) }
  }
}

extension Node {
  var overlayDegree: Int { links.values.reduce(0) { $0 + ($1.isOverlay ? 1 : 0) } }

  /// Looks for links when there are too few, and gives some up when there are too many.
  mutating func tendOverlay(_ now: Microseconds) {
    guard !hasLeft else { return }
    findVanished(now)
    guard table.reachable > 1 else { return }
    let wanted = Overlay.wanted(table.reachable)
    let degree = overlayDegree
    if degree < wanted {
      makeLinks(wanted - degree, now)
    } else if degree > Overlay.maximum(table.reachable) {
      shed(wanted, now)
    }
    forgetOld(now)
  }

  private mutating func makeLinks(_ missing: Int, _ now: Microseconds) {
    var candidates = table.entries.dropFirst().filter {
      $0.hops != nil && $0.record != nil && !hasOverlayLink(to: $0.id) && mayTry($0.id, now)
    }.map(\.id)
    // In small sessions both ends look for the same link: the smaller id makes it, the other waits a little.
    if table.reachable <= 8, now - overlay.tendedAt < 300_000 { candidates.removeAll { $0 < id } }
    // The links that are being greeted may all come about: a node that went on making others would have far
    // too many on a busy day.
    let underWay = linksUnderWay
    for _ in 0..<max(0, min(missing, Overlay.maxAttempts) - underWay) {
      guard !candidates.isEmpty else { return }
      let place = Int(random.next() % UInt64(candidates.count))
      let peer = candidates.remove(at: place)
      link(to: peer, for: .overlay)
    }
    overlay.tendedAt = now
  }

  /// How many links this peer is making as a member.
  private var linksUnderWay: Int {
    overlay.attempts.values.reduce(0) { $0 + ($1.purpose == .invitation ? 0 : 1) }
      + links.values.reduce(0) { $0 + ($1.isOwn && $1.stage != .joined && $1.purpose != .invitation ? 1 : 0) }
  }

  /// Whether a link to a peer may be made: no link to it is on its way or being greeted, and none failed just
  /// now.
  private func mayTry(_ peer: PeerID, _ now: Microseconds) -> Bool {
    overlay.mayTry(peer, now)
      && !links.values.contains { link in
        link.wanted == peer
          && (link.stage == .greeting || link.stage == .greeted && link.purpose != .invitation)
      }
  }

  private func hasOverlayLink(to peer: PeerID) -> Bool {
    direct[peer].flatMap { links[$0] }?.isOverlay ?? false
  }

  private mutating func link(to peer: PeerID, for purpose: Hello.Purpose) {
    guard let record = table.entry(peer)?.record else { return }
    connect(to: peer, record.address, for: purpose, token: record.token)
  }

  /// A short way to a member that this peer exchanges much with.
  mutating func wantDirect(_ peer: PeerID, _ now: Microseconds) {
    guard direct[peer] == nil, mayTry(peer, now), linksUnderWay < Overlay.maxAttempts else {
      return
    }
    link(to: peer, for: .direct)
  }

  /// Gives up one link a turn, to a peer that has enough of them, and without which all peers are still
  /// reached.
  private mutating func shed(_ wanted: Int, _ now: Microseconds) {
    let neighbours = links.inOrder.map(\.value).filter(\.isOverlay).compactMap { link -> (LinkID, Int)? in
      guard let peer = link.remote, let number = table.known(peer) else { return nil }
      return (link.id, number)
    }
    let rich = neighbours.filter { table.entries[$0.1].links.count > wanted }
    guard !rich.isEmpty else { return }
    let (link, number) = rich[Int(random.next() % UInt64(rich.count))]
    guard table.survives(without: number, direct: neighbours.map(\.1)) else { return }
    if let peer = links[link]?.remote { overlay.noteFull(peer, now) }
    drop(link, saying: .full, now)
  }

  /// Looks for peers that vanished now and then: a split heals when a peer finds one of the other side.
  private mutating func findVanished(_ now: Microseconds) {
    guard !overlay.vanished.isEmpty else { return }
    overlay.forget { [table] peer, end in
      guard now <= end, let entry = table.entry(peer), let record = entry.record else { return true }
      return record.hasLeft || entry.hops != nil
    }
    guard linksUnderWay < Overlay.maxAttempts else { return }
    if overlay.vanished.count > 4, now - overlay.soughtAt < 1_000_000 { return }
    overlay.soughtAt = now
    let due = overlay.vanished.keys.filter { mayTry($0, now) }.sorted()
    guard !due.isEmpty else { return }
    link(to: due[Int(random.next() % UInt64(due.count))], for: .overlay)
  }

  private mutating func forgetOld(_ now: Microseconds) {
    // Not often: others need the key that is new then.
    guard now - overlay.forgotAt > Overlay.forgetting else { return }
    guard table.entries.contains(where: { $0.lostAt.map { now - $0 > 10 * settings.resume } ?? false }) else {
      return
    }
    for peer in table.forget(lostBefore: now - 10 * settings.resume) {
      firstEpoch = max(firstEpoch, (talks[peer]?.epoch ?? 0) + 1)
      talks[peer] = nil
      replays[peer] = nil
      names[peer] = nil
    }
    overlay.forgotAt = now
    renewAgreement(now)
    surveyNow(now)
  }
}
