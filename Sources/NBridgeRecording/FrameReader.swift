// SPDX-License-Identifier: MIT

internal import NBridgeHost
internal import NBridgePlugin

/// What is wrong with a recording, and where.
struct RecordingDamage: Error {
  var reason: String
  /// The byte of the file.
  var offset: Int
}

/// Reads what ``FrameBuffer`` writes. Trusts nothing: a length is only believed as far as there are bytes.
struct FrameReader: ~Copyable {
  private let bytes: Bytes
  private(set) var offset: Int
  private var end: Int

  init(_ bytes: Bytes, from offset: Int) { (self.bytes, self.offset, end) = (bytes, offset, bytes.count) }

  func damage(_ reason: String) -> RecordingDamage { RecordingDamage(reason: reason, offset: offset) }

  /// The kind of the next frame, whose content is read next; nil at the end, and where nothing was written
  /// yet.
  mutating func next() throws(RecordingDamage) -> FrameKind? {
    end = bytes.count
    guard offset < end, bytes[offset] != 0 else { return nil }
    // The file was cut in the middle of it.
    guard end - offset >= Self.longestLength || bytes[offset..<end].contains(where: { $0 < 0x80 }) else {
      return nil
    }
    let length = try number()
    guard length <= end - offset else { return nil }  // the writer was stopped in the middle of it
    end = offset + length
    let code = try byte()
    guard let kind = FrameKind(rawValue: code) else { throw damage("there are no frames of kind \(code)") }
    return kind
  }

  /// How many bytes a frame's length has at most.
  static let longestLength = 8
  /// More is no frame of any run, but damage.
  private static let largest = 1 << 31

  /// How many bytes the frame at an offset takes, its length among them; nil where there is none.
  static func size(of bytes: [UInt8], at start: Int) -> Int? {
    guard start < bytes.count, bytes[start] != 0 else { return nil }
    var length = 0
    for (index, byte) in bytes[start...].prefix(longestLength).enumerated() {
      length |= Int(byte & 0x7F) << (7 * index)
      if byte < 0x80 { return length <= largest ? length + index + 1 : nil }
    }
    return nil
  }

  /// Leaves what was not read of the frame.
  mutating func skip() { offset = end }

  mutating func demandEnd() throws(RecordingDamage) {
    guard offset == end else { throw damage("a frame has \(end - offset) bytes too many") }
  }

  mutating func byte() throws(RecordingDamage) -> UInt8 {
    guard offset < end else { throw damage("a frame ends too early") }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func flag() throws(RecordingDamage) -> Bool { try byte() != 0 }

  mutating func number() throws(RecordingDamage) -> Int {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 56, by: 7) {
      let byte = try byte()
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return Int(value) }
    }
    throw damage("a number has too many digits")
  }

  mutating func double() throws(RecordingDamage) -> Double {
    var pattern: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 8) { pattern |= UInt64(try byte()) << shift }
    return Double(bitPattern: pattern)
  }

  mutating func text() throws(RecordingDamage) -> [UInt8] {
    let count = try number()
    guard count <= end - offset else {
      throw damage("a text of \(count) bytes goes past the end of its frame")
    }
    defer { offset += count }
    return bytes.withUnsafeBytes { Array($0[offset..<offset + count]) }
  }

  mutating func string() throws(RecordingDamage) -> String { String(decoding: try text(), as: UTF8.self) }

  mutating func list() throws(RecordingDamage) -> [Bytes] {
    let count = try number()
    guard count <= end - offset else { throw damage("a frame is too short for \(count) parts") }
    var list: [Bytes] = []
    for _ in 0..<count { list.append(Bytes(try text())) }
    return list
  }

  mutating func payload() throws(RecordingDamage) -> Reply.Payload {
    switch try byte() {
    case 0: return .undefined
    case 1: return .bool(false)
    case 2: return .bool(true)
    case 3: return .number(try double())
    case 4: return .string(try string())
    case 5: return .text(try text())
    case 6: return .bytes(Bytes(try text()))
    case 7: return .mixed(try text(), try list())
    case let code: throw damage("there are no answers of kind \(code)")
    }
  }

  mutating func reply() throws(RecordingDamage) -> Reply {
    let code = try byte()
    guard let kind = ReplyKind(rawValue: Int32(code)), kind != .pending else {
      throw damage("there are no replies of kind \(code)")
    }
    let payload = try payload()
    guard kind.takes(payload) else { throw damage("a reply of kind \(code) holds something else") }
    return Reply(kind: kind, payload: payload)
  }
}

extension ReplyKind {
  /// Whether a reply of this kind may hold it.
  fileprivate func takes(_ payload: Reply.Payload) -> Bool {
    switch (self, payload) {
    case (.value, .undefined), (.value, .bool), (.value, .number), (.value, .string), (.value, .bytes): true
    case (.text, .text), (.tagged, .text), (.failure, .text), (.events, .text), (.taggedEvents, .text): true
    case (.mixed, .mixed), (.mixedEvents, .mixed): true
    case (.asks, .text), (.asks, .mixed): true
    default: false
    }
  }
}
