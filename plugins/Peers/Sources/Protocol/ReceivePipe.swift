// SPDX-License-Identifier: MIT

/// The receiver's end of one channel from one peer: puts pieces into their order, once each, and says which
/// ones it has and how much more it takes.
struct ReceivePipe: Sendable {
  /// A piece that came.
  struct Piece: Sendable {
    var flags: DataFrame.Flags
    var body: [UInt8]
  }

  let channel: UInt32
  private(set) var epoch: UInt64
  /// The first number that has not come.
  private(set) var next: UInt64 = 0
  private var early: [UInt64: Piece] = [:]
  private var earlyCost = 0
  /// Bytes that were handed over in order.
  private(set) var received: UInt64 = 0
  /// Bytes that are done with.
  private(set) var consumed: UInt64 = 0
  private var announced: UInt64 = 0
  /// What came since the last acknowledgement.
  private(set) var unacknowledged = 0
  private var unacknowledgedCost = 0
  /// A message of which pieces came.
  var partial: [UInt8] = []
  var partialCost = 0
  /// The last piece came, and is acknowledged when the script has taken all.
  var isHeld = false
  /// The receiver wants nothing more.
  var refuses = false

  /// So many pieces or bytes are acknowledged at once; fewer a little later.
  private static let acknowledgedAtOnce = (pieces: 32, bytes: 512 << 10)
  private static let maxEarly: UInt64 = 1 << 17

  /// Tells it from one that the same peer had before and forgot: later ones are larger.
  let instance: UInt64

  init(channel: UInt32, epoch: UInt64, now: Microseconds) {
    (self.channel, self.epoch) = (channel, epoch)
    instance = UInt64(max(1, now))
  }

  /// What the receiver does with a piece.
  enum Arrival {
    /// The piece is the next one.
    case inOrder
    /// The piece was kept for later.
    case early
    /// The piece came before, or this receiver has not asked for it.
    case useless
  }

  /// Looks at a piece's number, and keeps it when it is early.
  mutating func take(_ number: UInt64, _ flags: DataFrame.Flags, _ body: UnsafeRawBufferPointer) -> Arrival {
    unacknowledged += 1
    unacknowledgedCost += body.count
    if number == next, fits(body.count) { return .inOrder }
    guard number > next, number - next < Self.maxEarly, early[number] == nil,
      fits(earlyCost + body.count)
    else { return .useless }
    early[number] = Piece(flags: flags, body: Array(body))
    earlyCost += Window.cost(body.count)
    return .early
  }

  private func fits(_ cost: Int) -> Bool {
    received + UInt64(cost) <= consumed + UInt64(Window.size(of: channel)) + UInt64(DataFrame.pieceSize)
  }

  /// The next piece was handed over.
  mutating func advance(_ length: Int) {
    next += 1
    received += UInt64(Window.cost(length))
  }

  /// A kept piece whose turn has come.
  mutating func nextEarly() -> Piece? {
    guard let piece = early.removeValue(forKey: next) else { return nil }
    earlyCost -= Window.cost(piece.body.count)
    return piece
  }

  /// Bytes were done with. Answers whether the sender should know now.
  mutating func consume(_ cost: Int) -> Bool {
    consumed += UInt64(cost)
    return consumed + UInt64(Window.size(of: channel)) >= announced + UInt64(Window.size(of: channel) / 4)
  }

  /// Whether the sender should hear at once what came.
  var acknowledgesAtOnce: Bool {
    unacknowledged >= Self.acknowledgedAtOnce.pieces || unacknowledgedCost >= Self.acknowledgedAtOnce.bytes
      || !early.isEmpty || refuses
  }

  /// The acknowledgement that is due; notes that it was sent.
  mutating func acknowledgement() -> (next: UInt64, credit: UInt64, ranges: [Range<UInt64>]) {
    unacknowledged = 0
    unacknowledgedCost = 0
    announced = consumed + UInt64(Window.size(of: channel))
    return (isHeld ? next - 1 : next, announced, early.isEmpty ? [] : ranges)
  }

  private var ranges: [Range<UInt64>] {
    var ranges: [Range<UInt64>] = []
    for number in early.keys.sorted() {
      if let last = ranges.last, last.upperBound == number {
        ranges[ranges.count - 1] = last.lowerBound..<(number + 1)
      } else {
        ranges.append(number..<(number + 1))
      }
    }
    return Array(ranges.prefix(AckFrame.maxRanges))
  }
}
