// SPDX-License-Identifier: MIT

/// How much may be on its way, in bytes. A piece costs its length and something for itself.
enum Window {
  /// The window of messages to one peer.
  static let messages = 8 << 20
  /// The window of one resource or stream.
  static let channel = 2 << 20
  /// How many resources and streams to one peer go on at once; others wait their turn. With the messages that
  /// makes 16 MiB.
  static let maxChannels = 4
  /// The largest message.
  static let largestMessage = 4 << 20
  private static let pieceCost = 64

  static func cost(_ length: Int) -> Int { length + pieceCost }
  static func size(of channel: UInt32) -> Int { channel == 0 ? messages : Self.channel }
}

/// One channel on its way to one peer: what has not been acknowledged is kept, numbered, and sent again when
/// its way was lost.
struct SendPipe: Sendable {
  /// A part of a message, a resource or a stream.
  struct Piece: Sendable {
    var flags: DataFrame.Flags
    var body: [UInt8]
    /// The channel's bytes up to its end.
    var end: UInt64
    /// When it went last; nil when it has to go.
    var sentAt: Microseconds?
    var way: LinkID?
    var isAcknowledged = false
    var wasResent = false
  }

  let channel: UInt32
  var epoch: UInt64
  private var pieces: [Piece] = []
  /// The place of the first piece that is still needed.
  private var head = 0
  /// The number of that piece.
  private(set) var first: UInt64 = 0
  /// The first piece that has to go.
  private(set) var unsent: UInt64 = 0
  private(set) var end: UInt64 = 0
  private var released: UInt64 = 0
  private(set) var credit: UInt64
  /// The receiver's pipe, as it calls itself: the latest one counts.
  private var instance: UInt64 = 0
  /// When something last came through.
  var progressAt: Microseconds = 0
  /// How long the sender waits for an acknowledgement before it sends again.
  var patience: Microseconds = firstPatience
  /// When the receiver was last asked whether it takes more.
  var askedAt: Microseconds = 0

  static let firstPatience: Microseconds = 500_000
  private static let maxPatience: Microseconds = 2_000_000

  init(channel: UInt32, epoch: UInt64) {
    (self.channel, self.epoch) = (channel, epoch)
    credit = UInt64(Window.size(of: channel))
  }

  var count: Int { pieces.count - head }
  var isEmpty: Bool { count == 0 }
  /// The pieces that are kept, in bytes.
  var kept: Int { Int(end - released) }
  /// The number of the piece behind the last.
  var next: UInt64 { first + UInt64(count) }
  func hasRoom(for cost: Int) -> Bool { isEmpty || kept + cost <= Window.size(of: channel) }
  /// Whether a piece was sent and not acknowledged.
  var isWaiting: Bool { unsent > first }

  /// Puts a piece behind the others.
  mutating func append(_ flags: DataFrame.Flags, _ body: [UInt8], now: Microseconds) {
    if isEmpty { progressAt = now }
    end += UInt64(Window.cost(body.count))
    pieces.append(Piece(flags: flags, body: body, end: end))
  }

  /// The next piece to go, if the receiver takes it: its number and what it is. It is noted as sent over
  /// `way`.
  mutating func take(over way: LinkID, now: Microseconds) -> (number: UInt64, piece: Piece)? {
    while unsent < next {
      let at = head + Int(unsent - first)
      guard pieces[at].end <= credit else { return nil }
      defer { unsent += 1 }
      if pieces[at].isAcknowledged || pieces[at].sentAt != nil { continue }
      pieces[at].sentAt = now
      pieces[at].way = way
      return (unsent, pieces[at])
    }
    return nil
  }

  /// Whether the next piece waits for the receiver to take more.
  var isStalled: Bool { unsent < next && pieces[head + Int(unsent - first)].end > credit }

  /// The age of what was first sent and not acknowledged, and how it went.
  var oldest: (sentAt: Microseconds, way: LinkID?)? {
    guard unsent > first else { return nil }
    return pieces[head].sentAt.map { ($0, pieces[head].way) }
  }

  /// The pieces that were sent over a link have to go again. Answers whether there are any.
  mutating func rewind(sentOver link: LinkID) -> Bool {
    rewind { $0.way == link }
  }

  /// The pieces that were sent before `limit` have to go again: at most so many.
  mutating func rewind(sentBefore limit: Microseconds, atMost most: Int) -> Bool {
    var left = most
    return rewind { piece in
      guard left > 0, let sentAt = piece.sentAt, sentAt <= limit else { return false }
      left -= 1
      return true
    }
  }

  private mutating func rewind(_ shouldGo: (Piece) -> Bool) -> Bool {
    var lowest: UInt64?
    for number in first..<max(first, unsent) {
      let at = head + Int(number - first)
      guard !pieces[at].isAcknowledged, pieces[at].sentAt != nil, shouldGo(pieces[at]) else { continue }
      pieces[at].sentAt = nil
      pieces[at].way = nil
      pieces[at].wasResent = true
      lowest = lowest ?? number
    }
    guard let lowest else { return false }
    unsent = lowest
    return true
  }

  /// What an acknowledgement tells: how long the newest piece took, and whether the receiver began anew.
  struct Outcome {
    var roundTrip: Microseconds?
    var hasForgotten = false
    /// Pieces that are missing at the receiver, although later ones came.
    var hasGap = false
  }

  mutating func acknowledge(_ ack: AckFrame, now: Microseconds) -> Outcome {
    var outcome = Outcome()
    if ack.instance != .max, ack.instance > instance {
      // A receiver that began anew knows nothing of what was acknowledged before.
      outcome.hasForgotten = first > 0 && ack.next < first
      instance = ack.instance
      if outcome.hasForgotten { return outcome }
      forgetEarly()
    }
    // An acknowledgement that was overtaken tells nothing.
    guard ack.instance == instance || ack.instance == .max, ack.next >= first, ack.next <= next else {
      return outcome
    }
    credit = max(credit, ack.credit)
    while first < ack.next {
      let piece = pieces[head]
      if !piece.wasResent, let sentAt = piece.sentAt { outcome.roundTrip = now - sentAt }
      released = piece.end
      pieces[head].body = []
      head += 1
      first += 1
      progressAt = now
      patience = Self.firstPatience
    }
    unsent = max(unsent, first)
    if head > 64, head * 2 > pieces.count {
      pieces.removeFirst(head)
      head = 0
    }
    for range in ack.ranges {
      for number in range.clamped(to: first..<next) {
        let at = head + Int(number - first)
        if !pieces[at].isAcknowledged { progressAt = now }
        pieces[at].isAcknowledged = true
      }
    }
    outcome.hasGap = !ack.ranges.isEmpty
    return outcome
  }

  /// The pieces that an earlier pipe of the receiver had taken early went with that pipe, and have to go
  /// again.
  private mutating func forgetEarly() {
    for number in first..<next {
      let at = head + Int(number - first)
      guard pieces[at].isAcknowledged else { continue }
      (pieces[at].isAcknowledged, pieces[at].wasResent) = (false, true)
      (pieces[at].sentAt, pieces[at].way) = (nil, nil)
      unsent = min(unsent, number)
    }
  }

  mutating func losePatience() { patience = min(Self.maxPatience, patience * 2) }

  /// Begins anew at a receiver that knows nothing of the pieces before.
  mutating func restart(epoch: UInt64) {
    self.epoch = epoch
    let kept = pieces[head...]
    (pieces, head, first, unsent, end, released) = ([], 0, 0, 0, 0, 0)
    credit = UInt64(Window.size(of: channel))
    for piece in kept { append(piece.flags, piece.body, now: progressAt) }
  }

  /// How many messages the receiver may not have handed over, and their bytes: it hands over nothing that
  /// came behind a gap.
  var unfinished: (messages: Int, bytes: Int) {
    pieces[head...].reduce(into: (0, 0)) { sum, piece in
      if piece.flags.contains(.last) { sum.0 += 1 }
      sum.1 += piece.body.count
    }
  }
}
