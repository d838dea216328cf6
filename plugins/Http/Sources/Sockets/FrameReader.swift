// SPDX-License-Identifier: MIT

/// What a WebSocket's other end said that is against the protocol: the connection fails with its code.
struct FrameFault: Error, Equatable {
  /// RFC 6455, section 7.4.1.
  enum Code: Int {
    case protocolError = 1002
    case badData = 1007
    case tooBig = 1009
  }

  let code: Code
  let text: String

  init(_ code: Code, _ text: String) { (self.code, self.text) = (code, text) }
}

/// Reads the frames of a WebSocket (RFC 6455, section 5) and puts its messages together, in memory that grows
/// with what has come, not with what is announced. Confined to one thread at a time.
struct FrameReader {
  enum Event: Equatable {
    case text(String)
    case bytes([UInt8])
    case ping([UInt8])
    case pong
    /// No code where the other end gave none.
    case close(Int?, reason: String)
  }

  private enum Kind: UInt8 {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
  }

  private struct Head {
    let kind: Kind
    let isLast: Bool
    let isCompressed: Bool
    let length: Int
    /// Empty for a frame that is not masked.
    let mask: [UInt8]
  }

  /// Whether the other end is a client, which masks what it sends.
  private let isServer: Bool
  private let limit: Int
  /// Nil where no compression was agreed on.
  private let inflater: SocketInflater?

  private var input: [UInt8] = []
  private var at = 0
  private var head: Head?
  /// Of the frame that comes, unmasked.
  private var payload: [UInt8] = []
  /// Of the message that comes, and what it is; nil between messages.
  private var message: [UInt8] = []
  private var started: (kind: Kind, isCompressed: Bool)?
  /// What the message is that the inflater has; nil for none.
  private var unfolding: Kind?
  /// Whether more is there to be done, although nothing is fed.
  var isBusy: Bool { unfolding != nil }

  /// - Parameter limit: no message is longer, in bytes, as it comes and as it unfolds.
  init(isServer: Bool, limit: Int, inflater: SocketInflater? = nil) {
    (self.isServer, self.limit, self.inflater) = (isServer, limit, inflater)
  }

  mutating func feed(_ bytes: UnsafeRawBufferPointer) {
    if at == input.count {
      input.removeAll(keepingCapacity: true)
    } else if at > 0 {
      input.removeFirst(at)
    }
    at = 0
    input.append(contentsOf: bytes)
  }

  /// What comes next; nil when more must be fed, or when it ``isBusy``. Nothing comes behind a fault.
  ///
  /// - Parameter measure: how many bytes of what is compressed are unfolded at once, about.
  mutating func next(measure: Int = .max) throws(FrameFault) -> Event? {
    while true {
      if let kind = unfolding {
        guard let whole = try inflater?.goOn(measure) else { return nil }
        unfolding = nil
        return try Self.message(kind, whole)
      }
      if head == nil { head = try readHead() }
      guard let frame = head else { return nil }
      takePayload(frame)
      guard payload.count == frame.length else { return nil }
      head = nil
      defer { payload.removeAll(keepingCapacity: payload.count < 1 << 16) }
      if let event = try frame.kind.isControl ? control(frame) : data(frame) { return event }
    }
  }

  // MARK: - A frame

  private mutating func readHead() throws(FrameFault) -> Head? {
    let there = input[at...]
    guard there.count >= 2 else { return nil }
    let (first, second) = (there[at], there[at + 1])
    let digits = second & 0x7F == 126 ? 2 : second & 0x7F == 127 ? 8 : 0
    let isMasked = second & 0x80 != 0
    guard there.count >= 2 + digits + (isMasked ? 4 : 0) else { return nil }
    guard let kind = Kind(rawValue: first & 0x0F) else {
      throw FrameFault(.protocolError, "a frame of an unknown kind")
    }
    let start = at + 2 + digits
    let length =
      digits == 0 ? UInt64(second & 0x7F) : there[(at + 2)..<start].reduce(0) { $0 << 8 | UInt64($1) }
    let head = Head(
      kind: kind, isLast: first & 0x80 != 0, isCompressed: first & 0x40 != 0,
      length: Int(clamping: length), mask: isMasked ? Array(input[start..<start + 4]) : [])
    guard first & 0x30 == 0, length < 1 << 63 else {
      throw FrameFault(.protocolError, "a frame with bits that mean nothing")
    }
    guard isMasked == isServer else {
      throw FrameFault(
        .protocolError, isServer ? "a client's frame without a mask" : "a server's frame with a mask")
    }
    try judge(head)
    at = start + head.mask.count
    return head
  }

  private func judge(_ head: Head) throws(FrameFault) {
    if head.kind.isControl {
      guard head.isLast, head.length < 126, !head.isCompressed else {
        throw FrameFault(.protocolError, "a control frame that is long, in parts or compressed")
      }
      return
    }
    let isFirst = head.kind != .continuation
    guard isFirst == (started == nil) else {
      throw FrameFault(.protocolError, isFirst ? "a message within another" : "a part of no message")
    }
    if head.isCompressed, !isFirst || inflater == nil {
      throw FrameFault(.protocolError, "a frame is compressed, which nobody agreed on")
    }
    // Without a sum that could overflow.
    if head.length > limit - message.count { throw FrameFault(.tooBig, "a message is longer") }
  }

  private mutating func takePayload(_ frame: Head) {
    let count = min(frame.length - payload.count, input.count - at)
    let start = payload.count
    payload.append(contentsOf: input[at..<at + count])
    at += count
    guard !frame.mask.isEmpty else { return }
    let mask = frame.mask
    payload.withUnsafeMutableBufferPointer { bytes in
      for index in start..<start + count { bytes[index] ^= mask[index & 3] }
    }
  }

  // MARK: - Messages

  private mutating func data(_ frame: Head) throws(FrameFault) -> Event? {
    let (kind, isCompressed) = started ?? (frame.kind, frame.isCompressed)
    if message.isEmpty { swap(&message, &payload) } else { message += payload }
    guard frame.isLast else {
      started = (kind, isCompressed)
      return nil
    }
    started = nil
    var whole: [UInt8] = []
    swap(&whole, &message)
    guard isCompressed, let inflater else { return try Self.message(kind, whole) }
    inflater.begin(whole, limit: limit)
    unfolding = kind
    return nil
  }

  private static func message(_ kind: Kind, _ whole: [UInt8]) throws(FrameFault) -> Event {
    kind == .text ? .text(try text(whole[...])) : .bytes(whole)
  }

  private mutating func control(_ frame: Head) throws(FrameFault) -> Event {
    switch frame.kind {
    case .ping: return .ping(payload)
    case .close: break
    default: return .pong
    }
    if payload.isEmpty { return .close(nil, reason: "") }
    let code = payload.prefix(2).reduce(0) { $0 << 8 | Int($1) }
    guard payload.count > 1, Self.isCode(code) else {
      throw FrameFault(.protocolError, "an end with a code that nobody may send")
    }
    return .close(code, reason: try Self.text(payload[2...]))
  }

  private static func text(_ bytes: ArraySlice<UInt8>) throws(FrameFault) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw FrameFault(.badData, "a text that is not UTF-8")
    }
    return text
  }

  /// Those of the protocol, of libraries and of applications (RFC 6455, 7.4.2).
  private static func isCode(_ code: Int) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
