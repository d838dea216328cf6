// SPDX-License-Identifier: MIT

/// The invitations of a node, both ways.
struct Invitations: Sendable {
  /// An invitation that this peer sent.
  struct Outgoing: Sendable {
    let number: Int
    let peer: PeerID
    let nonce: UInt64
    let context: [UInt8]
    let endsAt: Microseconds
    var link: LinkID?
  }

  /// An invitation that this peer got.
  struct Incoming: Sendable {
    let number: Int
    let peer: PeerID
    let nonce: UInt64
    let endsAt: Microseconds
    let link: LinkID
    var isAccepted = false
  }

  /// So many invitations wait for an answer at once, and so many may come in a second on the whole.
  static let maxWaiting = 32
  static let maxPerSecond = 10.0
  private static let maxRemembered = 1024

  var outgoing: [Outgoing] = []
  var incoming: [Incoming] = []
  private var nextNumber = 1
  private var seen: [Seen] = []
  private var tokens = Double(maxWaiting)
  private var countedAt: Microseconds = 0
  /// When it was last said that too many come.
  var toldAt: Microseconds?

  mutating func number() -> Int {
    defer { nextNumber += 1 }
    return nextNumber
  }

  /// An invitation that came, and how it was answered.
  struct Seen: Sendable {
    let nonce: UInt64
    let link: LinkID
    var answer: AnswerFrame.Kind?
  }

  /// What this peer has seen of an invitation before; it counts as seen from now on.
  mutating func note(_ nonce: UInt64, _ link: LinkID) -> Seen? {
    if let known = seen.first(where: { $0.nonce == nonce }) { return known }
    seen.append(Seen(nonce: nonce, link: link))
    if seen.count > Self.maxRemembered { seen.removeFirst(Self.maxRemembered / 2) }
    return nil
  }

  mutating func note(_ answer: AnswerFrame.Kind, to nonce: UInt64) {
    if let place = seen.firstIndex(where: { $0.nonce == nonce }) { seen[place].answer = answer }
  }

  /// A bucket of tokens: short rushes pass, a flood does not.
  mutating func admits(_ now: Microseconds) -> Bool {
    tokens = min(
      Double(Self.maxWaiting), tokens + Double(max(0, now - countedAt)) / 1_000_000 * Self.maxPerSecond)
    countedAt = now
    guard tokens >= 1, incoming.count < Self.maxWaiting else { return false }
    tokens -= 1
    return true
  }

  func uses(_ link: LinkID) -> Bool {
    outgoing.contains { $0.link == link } || incoming.contains { $0.link == link }
  }

  var deadline: Microseconds? {
    min(outgoing.map(\.endsAt).min() ?? .max, incoming.map(\.endsAt).min() ?? .max).finite
  }
}
