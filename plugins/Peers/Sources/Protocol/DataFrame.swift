// SPDX-License-Identifier: MIT

/// A piece of a message, a resource or a stream, from one member to one or several.
struct DataFrame {
  /// How a piece is sent.
  struct Flags: OptionSet {
    let rawValue: UInt8
    /// The piece is numbered, kept until it is acknowledged, and handed over in its order.
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
    /// The frame only asks whether the receiver takes more.
    static let asks = Flags(rawValue: 64)
  }

  /// A receiver of the piece, and the piece's number on the way there.
  struct Target {
    var id: PeerID
    var number: UInt64
    var epoch: UInt64
    /// On a way over other members: shows this receiver that the piece is the sender's.
    var code = AuthenticationCode()

    /// In a frame that others carry.
    static let size = 48
  }

  var flags: Flags
  /// 0 for messages; resources and streams have one each.
  var channel: UInt32
  /// Nil when it is the one at the other end of the link.
  var sender: PeerID?
  /// How many links the frame may still cross.
  var hopsLeft: UInt8 = 0
  var targets: [Target]
  var payload: UnsafeRawBufferPointer

  /// How many links a frame may cross.
  static let maxHops: UInt8 = 32
  /// The largest piece of a message.
  static let pieceSize = 64 << 10

  /// The bytes that stand before the payload.
  static func head(
    _ flags: Flags, channel: UInt32, sender: PeerID?, hopsLeft: UInt8, targets: some Collection<Target>,
    reserving payload: Int = 0
  ) -> FrameWriter {
    var writer = FrameWriter(.data, capacity: 32 + Target.size * targets.count + payload)
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
      if sender != nil { writer.put(target.code) }
    }
    return writer
  }

  /// What one receiver's code covers: all but what changes on the way.
  static func coded(
    _ flags: Flags, channel: UInt32, sender: PeerID, target: Target, payload: Octets32
  ) -> [UInt8] {
    var bytes = LabelledBytes(.data, capacity: 160)
    bytes.put(flags.union(.relayed).rawValue)
    bytes.put(channel)
    bytes.put(sender)
    bytes.put(target.id)
    bytes.put(target.number)
    bytes.put(target.epoch)
    bytes.put(payload)
    return bytes.bytes
  }

  init(_ reader: inout FrameReader, at receiver: PeerID) throws(FrameProblem) {
    flags = Flags(rawValue: try reader.integer())
    channel = try reader.integer()
    targets = []
    if flags.contains(.relayed) {
      sender = try reader.peer()
      hopsLeft = try reader.integer()
      let count = Int(try reader.integer(UInt16.self))
      guard count * Target.size <= reader.rest else {
        throw FrameProblem("\(count) receivers in \(reader.rest) bytes")
      }
      for _ in 0..<count { targets.append(Target(id: try reader.peer(), number: 0, epoch: 0)) }
      for index in 0..<count {
        targets[index].number = try reader.integer()
        targets[index].epoch = try reader.integer()
        targets[index].code = try reader.code()
      }
    } else {
      targets.append(Target(id: receiver, number: try reader.integer(), epoch: try reader.integer()))
    }
    payload = try reader.take(reader.rest)
  }
}
