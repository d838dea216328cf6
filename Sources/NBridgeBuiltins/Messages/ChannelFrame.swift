// SPDX-License-Identifier: MIT

/// What programs of one app send each other: a message for the members of a broadcast channel, or who they
/// are. Numbers are 32 bits, little end first: how many bytes follow; those of the channel's name, of the
/// text, how many blocks there are, and the bytes of each; then all of these.
enum ChannelFrame: Equatable {
  /// Comes first: the name of the socket that the sender listens at.
  case hello(String)
  case message(channel: String, text: [UInt8], blocks: [[UInt8]])

  /// More bytes than a frame may have: nothing that a script would send.
  static let most = 256 << 20
  /// In the place of a number of blocks.
  private static let isHello: UInt32 = .max
  private static let mostBlocks = 1 << 20

  /// In the place of a message that can't be brought to another program: it is none to who reads it.
  static func unreadable(channel: String) -> ChannelFrame {
    .message(channel: channel, text: [], blocks: [])
  }

  /// The frame's bytes; those of an unreadable message for more than one may have.
  var bytes: [UInt8] {
    let name: String, text: [UInt8], blocks: [[UInt8]], count: UInt32
    switch self {
    case .hello(let socket): (name, text, blocks, count) = (socket, [], [], Self.isHello)
    case .message(let channel, let said, let given):
      (name, text, blocks, count) = (channel, said, given, UInt32(clamping: given.count))
    }
    let named = Array(name.utf8)
    let numbers = [named.count, text.count] + [Int(count)] + blocks.map(\.count)
    let size = 4 * numbers.count + named.count + text.count + blocks.reduce(0) { $0 + $1.count }
    if size > Self.most || blocks.count > Self.mostBlocks {
      // A name that is too long by itself has no members elsewhere.
      return Self.unreadable(channel: named.count > Self.most / 2 ? "" : name).bytes
    }
    var made: [UInt8] = []
    made.reserveCapacity(4 + size)
    for number in [size] + numbers {
      withUnsafeBytes(of: UInt32(number).littleEndian) { made.append(contentsOf: $0) }
    }
    made.append(contentsOf: named)
    made.append(contentsOf: text)
    for block in blocks { made.append(contentsOf: block) }
    return made
  }

  /// What stands at the beginning of `received`.
  enum Found: Equatable {
    case frame(ChannelFrame, size: Int)
    /// Not all of it has come.
    case part
    /// It is none.
    case garbage
  }

  static func first(in received: ArraySlice<UInt8>) -> Found {
    guard received.count >= 4 else { return .part }
    let size = number(in: received, at: 0)
    guard 12...most ~= size else { return .garbage }
    guard received.count >= 4 + size else { return .part }
    let body = received.dropFirst(4).prefix(size)
    return read(body).map { .frame($0, size: 4 + size) } ?? .garbage
  }

  private static func read(_ body: ArraySlice<UInt8>) -> ChannelFrame? {
    let count = number(in: body, at: 8)
    let isHello = count == Int(Self.isHello), blockCount = isHello ? 0 : count
    guard blockCount <= mostBlocks, body.count >= 12 + 4 * blockCount else { return nil }
    let sizes =
      [number(in: body, at: 0), number(in: body, at: 4)]
      + (0..<blockCount).map { number(in: body, at: 12 + 4 * $0) }
    var rest = body.dropFirst(12 + 4 * blockCount)
    // Each is below 4 GiB, and there are few: no sum is too large.
    guard rest.count == sizes.reduce(0, +) else { return nil }
    let parts = sizes.map { size in
      defer { rest = rest.dropFirst(size) }
      return Array(rest.prefix(size))
    }
    guard let name = String(validating: parts[0], as: UTF8.self) else { return nil }
    if isHello { return parts[1].isEmpty ? .hello(name) : nil }
    return .message(channel: name, text: parts[1], blocks: Array(parts.dropFirst(2)))
  }

  private static func number(in bytes: ArraySlice<UInt8>, at offset: Int) -> Int {
    let start = bytes.startIndex + offset
    return (0..<4).reduce(0) { $0 | Int(bytes[start + $1]) << (8 * $1) }
  }
}
