// SPDX-License-Identifier: MIT

/// What this peer knows of the session: the newest record of each member, and what follows from them: which
/// peers are reachable, and which way. Peers stand in the table by small numbers, so that looking at the
/// whole costs little.
struct MemberTable {
  /// What is known of one peer.
  struct Entry {
    var id: PeerID
    /// Nil for a neighbour whose record has not come.
    var record: MemberRecord?
    /// The record's links to peers that are known here, by their numbers.
    var links: [Int] = []
    /// How many links lead there; nil when none does.
    var hops: Int?
    /// Which of this peer's links is the way; nil for itself and for a peer that can't be reached.
    var way: LinkID?
    /// When it stopped being reachable.
    var lostAt: Microseconds?
  }

  private(set) var entries: [Entry] = []
  private var numbers: [PeerID: Int] = [:]
  /// Peers that a member has a link to and this peer does not know: some of them, or more when there are too
  /// many to keep.
  private var strangers: Set<PeerID> = []
  /// How many peers can be reached, this one included.
  private(set) var reachable = 0
  /// The same at all peers that know the same of the same members.
  private(set) var summary: UInt64 = 0

  /// The peer itself has the number 0.
  init(_ own: MemberRecord) {
    _ = number(of: own.id)
    set(own: own)
    entries[0].hops = 0
    reachable = 1
    summary = Self.fingerprint(own)
  }

  var own: MemberRecord? { entries[0].record }

  /// So many peers are known at most. Members let others in, and may make up as many as they like: what that
  /// takes has a bound, and all of them fit into one digest.
  static let maximum = 16_384

  /// Sets what the peer itself says now.
  mutating func set(own record: MemberRecord) {
    entries[0].record = record
    entries[0].links = numbers(of: record.links)
  }

  mutating func number(of id: PeerID) -> Int {
    if let known = numbers[id] { return known }
    entries.append(Entry(id: id))
    let number = entries.count - 1
    numbers[id] = number
    guard strangers.count >= Self.maximum || strangers.remove(id) != nil else { return number }
    for other in entries.indices where entries[other].record?.links.contains(id) ?? false {
      entries[other].links.append(number)
    }
    return number
  }

  /// A record's links by their numbers. A peer that is only named in a record gets no number: a record that
  /// names many must not fill the table.
  private mutating func numbers(of links: [PeerID]) -> [Int] {
    links.compactMap { id in
      if numbers[id] == nil, strangers.count < Self.maximum { strangers.insert(id) }
      return numbers[id]
    }
  }

  func known(_ id: PeerID) -> Int? { numbers[id] }

  func entry(_ id: PeerID) -> Entry? { numbers[id].map { entries[$0] } }

  /// How many links lead to a peer; nil when none does. Asked for each message, so nothing is copied.
  func hops(to id: PeerID) -> Int? { numbers[id].flatMap { entries[$0].hops } }

  /// The way to a peer.
  func way(to id: PeerID) -> LinkID? { numbers[id].flatMap { entries[$0].way } }

  /// Takes a record that is newer than what is known; answers whether it was.
  mutating func learn(_ record: MemberRecord) -> Bool {
    if let old = entry(record.id)?.record, old.version >= record.version { return false }
    guard entries.count < Self.maximum || numbers[record.id] != nil else { return false }
    let number = number(of: record.id)
    entries[number].record = record
    entries[number].links = numbers(of: record.links)
    return true
  }

  /// The peers that came and the peers that went.
  struct Change {
    var came: [Int] = []
    var went: [Int] = []
    /// Peers that are now reached another way.
    var rerouted: [Int] = []
  }

  /// Finds out anew which peers are reachable: breadth first over what each says of its own links. It is
  /// enough that one end names a link: a peer that has gone is not among the links of the peers that live.
  ///
  /// - Parameter direct: this peer's own links, by the peers that they lead to.
  mutating func survey(_ direct: [(number: Int, link: LinkID)], now: Microseconds) -> Change {
    var hops = [Int](repeating: -1, count: entries.count)
    var ways = [LinkID?](repeating: nil, count: entries.count)
    var queue = [0]
    queue.reserveCapacity(entries.count)
    hops[0] = 0
    for (number, link) in direct where hops[number] < 0 && entries[number].record?.hasLeft != true {
      hops[number] = 1
      ways[number] = link
      queue.append(number)
    }
    var at = 1
    while at < queue.count {
      let from = queue[at]
      at += 1
      for next in entries[from].links where hops[next] < 0 && isThere(next) {
        hops[next] = hops[from] + 1
        ways[next] = ways[from]
        queue.append(next)
      }
    }
    return apply(hops, ways, now)
  }

  private func isThere(_ number: Int) -> Bool { entries[number].record.map { !$0.hasLeft } ?? false }

  private mutating func apply(_ hops: [Int], _ ways: [LinkID?], _ now: Microseconds) -> Change {
    var change = Change()
    reachable = 0
    summary = 0
    for number in entries.indices {
      let isReached = hops[number] >= 0
      let wasReached = entries[number].hops != nil
      if isReached != wasReached {
        if isReached { change.came.append(number) } else { change.went.append(number) }
        entries[number].lostAt = isReached ? nil : now
      } else if isReached, entries[number].way != ways[number] {
        change.rerouted.append(number)
      }
      // A peer that was never reached is forgotten like one that was lost.
      if !isReached, entries[number].lostAt == nil { entries[number].lostAt = now }
      entries[number].hops = isReached ? hops[number] : nil
      entries[number].way = ways[number]
      guard isReached else { continue }
      reachable += 1
      if let record = entries[number].record { summary ^= Self.fingerprint(record) }
    }
    return change
  }

  /// Whether all peers could still be reached if this peer had one link less.
  func survives(without number: Int, direct: [Int]) -> Bool {
    var seen = [Bool](repeating: false, count: entries.count)
    seen[0] = true
    var queue: [Int] = []
    for next in direct where next != number {
      seen[next] = true
      queue.append(next)
    }
    var at = 0
    while at < queue.count {
      for next in entries[queue[at]].links where !seen[next] && next != 0 && isThere(next) {
        seen[next] = true
        queue.append(next)
      }
      at += 1
    }
    return entries.indices.allSatisfy { entries[$0].hops == nil || seen[$0] }
  }

  /// Forgets the records of peers that have been out of reach for long.
  mutating func forget(lostBefore limit: Microseconds) -> [PeerID] {
    let old = entries.filter { $0.record != nil && ($0.lostAt.map { $0 < limit } ?? false) }.map(\.id)
    guard !old.isEmpty else { return [] }
    let gone = Set(old)
    let kept = entries.filter { !gone.contains($0.id) && ($0.record != nil || $0.hops != nil) }
    entries = []
    numbers = [:]
    strangers = []
    for entry in kept { _ = number(of: entry.id) }
    for entry in kept {
      let number = self.number(of: entry.id)
      var entry = entry
      entry.links = numbers(of: entry.record?.links ?? [])
      entries[number] = entry
    }
    return old
  }

  private static func fingerprint(_ record: MemberRecord) -> UInt64 {
    // The finalizer of SplitMix64 (Steele, Lea, Flood 2014): every bit of the version changes every bit.
    var mixed = record.id.low ^ (record.id.high &* 0x9E37_79B9_7F4A_7C15) &+ record.version
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
