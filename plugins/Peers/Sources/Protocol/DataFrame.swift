// SPDX-License-Identifier: MIT

/// A piece of a message, a resource or a stream, from one member to one or several.
struct DataFrame {
  /// What is said of a piece.
  struct Flags: OptionSet {
    let rawValue: UInt8
    /// It is numbered, kept until it is acknowledged, and handed over in its order.
    static let reliable = Flags(rawValue: 1)
    /// A message is whole with it.
    static let last = Flags(rawValue: 2)
    /// Sender and receivers are named, because others carry it.
    static let relayed = Flags(rawValue: 4)
    /// The first piece of a resource or stream: its header.
    static let opens = Flags(rawValue: 8)
    /// The last piece of a resource or stream.
    static let closes = Flags(rawValue: 16)
    /// The sender gave it up.
    static let cancels = Flags(rawValue: 32)
    /// Nothing but the question whether the receiver takes more.
    static let asks = Flags(rawValue: 64)
  }

  /// Who shall get it, and which number it has on the way there.
  struct Target {
    var id: PeerID
    var number: UInt64
    var epoch: UInt32
  }

  var flags: Flags
  /// 0 for messages; resources and streams have one each.
  var channel: UInt32
  /// Nil when it is the one at the other end of the link.
  var sender: PeerID?
  /// How many links it may still cross.
  var hopsLeft: UInt8 = 0
  var targets: [Target]
  var payload: UnsafeRawBufferPointer

  /// How many links a frame may cross.
  static let mostHops: UInt8 = 32
  /// The largest piece of a message.
  static let pieceSize = 64 << 10

  /// What stands before the payload.
  static func head(
    _ flags: Flags, channel: UInt32, sender: PeerID?, hopsLeft: UInt8, targets: some Collection<Target>,
    reserving payload: Int = 0
  ) -> FrameWriter {
    var writer = FrameWriter(.data, capacity: 32 + 28 * targets.count + payload)
    writer.put(sender == nil ? flags.rawValue : flags.union(.relayed).rawValue)
    writer.put(channel)
    if let sender {
      writer.put(sender)
      writer.put(hopsLeft)
      writer.put(UInt16(clamping: targets.count))
      for target in targets { writer.put(target.id) }
    }
    for target in targets {
      writer.put(target.number)
      writer.put(target.epoch)
    }
    return writer
  }

  init(_ reader: inout FrameReader, at receiver: PeerID) throws(FrameProblem) {
    flags = Flags(rawValue: try reader.integer())
    channel = try reader.integer()
    targets = []
    if flags.contains(.relayed) {
      sender = try reader.peer()
      hopsLeft = try reader.integer()
      let count = Int(try reader.integer(UInt16.self))
      guard count * 28 <= reader.rest else {
        throw FrameProblem("\(count) receivers in \(reader.rest) bytes")
      }
      for _ in 0..<count { targets.append(Target(id: try reader.peer(), number: 0, epoch: 0)) }
      for index in 0..<count {
        targets[index].number = try reader.integer()
        targets[index].epoch = try reader.integer()
      }
    } else {
      targets.append(Target(id: receiver, number: try reader.integer(), epoch: try reader.integer()))
    }
    payload = try reader.take(reader.rest)
  }
}

/// What a receiver has of a channel, and how much more it takes.
struct AckFrame {
  /// What came before something that is missing, as TCP's selective acknowledgements (RFC 2018).
  static let mostRanges = 16

  /// Nil when it is the one at the other end of the link.
  var sender: PeerID?
  var receiver: PeerID
  var hopsLeft: UInt8 = 0
  var channel: UInt32
  var epoch: UInt32
  /// Which of the receiver's pipes says it; later ones are larger.
  var instance: UInt64
  /// The first number that has not come.
  var next: UInt64
  /// Up to which of the channel's bytes the receiver takes them.
  var credit: UInt64
  /// The receiver wants no more of it.
  var refuses = false
  /// What came behind the first that is missing.
  var ranges: [Range<UInt64>] = []

  var frame: [UInt8] {
    var writer = FrameWriter(.ack, capacity: 96)
    writer.put(sender != nil)
    if let sender {
      writer.put(sender)
      writer.put(receiver)
      writer.put(hopsLeft)
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
    sender: PeerID?, receiver: PeerID, channel: UInt32, epoch: UInt32, instance: UInt64, next: UInt64,
    credit: UInt64, refuses: Bool, ranges: [Range<UInt64>]
  ) {
    (self.sender, self.receiver, self.channel, self.epoch) = (sender, receiver, channel, epoch)
    (self.instance, self.next, self.credit, self.refuses) = (instance, next, credit, refuses)
    self.ranges = Array(ranges.prefix(Self.mostRanges))
    hopsLeft = DataFrame.mostHops
  }

  init(_ reader: inout FrameReader, at receiver: PeerID) throws(FrameProblem) {
    self.receiver = receiver
    if try reader.flag() {
      sender = try reader.peer()
      self.receiver = try reader.peer()
      hopsLeft = try reader.integer()
    }
    channel = try reader.integer()
    epoch = try reader.integer()
    instance = try reader.integer()
    next = try reader.integer()
    credit = try reader.integer()
    refuses = try reader.flag()
    let count = Int(try reader.integer(UInt8.self))
    guard count <= Self.mostRanges else {
      throw FrameProblem("\(count) ranges where \(Self.mostRanges) may be")
    }
    for _ in 0..<count {
      let lower: UInt64 = try reader.integer(), upper: UInt64 = try reader.integer()
      guard lower < upper else { throw FrameProblem("an empty range") }
      ranges.append(lower..<upper)
    }
  }
}
