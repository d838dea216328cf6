// SPDX-License-Identifier: MIT

/// What a receiver has of a channel, and how much more it takes.
struct AckFrame {
  /// The ranges that came behind a gap, as TCP's selective acknowledgements (RFC 2018).
  static let maxRanges = 16

  /// Nil when it is the one at the other end of the link.
  var sender: PeerID?
  var receiver: PeerID
  var hopsLeft: UInt8 = 0
  /// On a way over other members: shows the receiver that the frame is the sender's.
  var code = AuthenticationCode()
  var channel: UInt32
  var epoch: UInt64
  /// Which of the receiver's pipes says it; later ones are larger.
  var instance: UInt64
  /// The first number that has not come.
  var next: UInt64
  /// Up to which of the channel's bytes the receiver takes them.
  var credit: UInt64
  /// The receiver wants no more of it.
  var refuses = false
  /// The pieces that came behind the first one that is missing.
  var ranges: [Range<UInt64>] = []

  /// What the code covers: all but what changes on the way.
  var coded: [UInt8] {
    var ack = self
    (ack.hopsLeft, ack.code) = (0, AuthenticationCode())
    var bytes = LabelledBytes(.acknowledgement)
    bytes.end(with: ack.frame)
    return bytes.bytes
  }

  var frame: [UInt8] {
    var writer = FrameWriter(.ack, capacity: 96)
    writer.put(sender != nil)
    if let sender {
      writer.put(sender)
      writer.put(receiver)
      writer.put(hopsLeft)
      writer.put(code)
    }
    writer.put(channel)
    writer.put(epoch)
    writer.put(instance)
    writer.put(next)
    writer.put(credit)
    writer.put(refuses)
    writer.put(UInt8(ranges.count))
    for range in ranges {
      writer.put(range.lowerBound)
      writer.put(range.upperBound)
    }
    return writer.bytes
  }

  init(
    sender: PeerID?, receiver: PeerID, channel: UInt32, epoch: UInt64, instance: UInt64, next: UInt64,
    credit: UInt64, refuses: Bool, ranges: [Range<UInt64>]
  ) {
    (self.sender, self.receiver, self.channel, self.epoch) = (sender, receiver, channel, epoch)
    (self.instance, self.next, self.credit, self.refuses) = (instance, next, credit, refuses)
    self.ranges = Array(ranges.prefix(Self.maxRanges))
    hopsLeft = DataFrame.maxHops
  }

  init(_ reader: inout FrameReader, at receiver: PeerID) throws(FrameProblem) {
    self.receiver = receiver
    if try reader.flag() {
      sender = try reader.peer()
      self.receiver = try reader.peer()
      hopsLeft = try reader.integer()
      code = try reader.code()
    }
    channel = try reader.integer()
    epoch = try reader.integer()
    instance = try reader.integer()
    next = try reader.integer()
    credit = try reader.integer()
    refuses = try reader.flag()
    let count = Int(try reader.integer(UInt8.self))
    guard count <= Self.maxRanges else {
      throw FrameProblem("\(count) ranges where \(Self.maxRanges) may be")
    }
    for _ in 0..<count {
      let lower: UInt64 = try reader.integer(), upper: UInt64 = try reader.integer()
      // In their order: so all together name no more numbers than a window has.
      guard lower < upper, ranges.last.map({ $0.upperBound <= lower }) ?? true else {
        throw FrameProblem("a range that is empty or out of order")
      }
      ranges.append(lower..<upper)
    }
  }
}
