// SPDX-License-Identifier: MIT

internal import NBridgeHost
internal import NBridgePlugin

/// The message for a page that is being made: frames as ``PageFrame`` tells.
struct PageWriter {
  private(set) var bytes = [UInt8](repeating: 0, count: PageFrame.start)
  var isEmpty: Bool { bytes.count == PageFrame.start }

  /// Takes the message out, with its two numbers in front.
  mutating func take(number: UInt32, received: UInt32) -> [UInt8] {
    var made = [UInt8](repeating: 0, count: PageFrame.start)
    swap(&made, &bytes)
    Self.set(number, received, in: &made)
    return made
  }

  /// Puts both numbers into a message.
  static func set(_ number: UInt32, _ received: UInt32, in message: inout [UInt8]) {
    message.withUnsafeMutableBytes {
      $0.storeBytes(of: number.littleEndian, toByteOffset: 0, as: UInt32.self)
      $0.storeBytes(of: received.littleEndian, toByteOffset: 4, as: UInt32.self)
    }
  }

  mutating func put(_ kind: PageReplyKind, what: UInt8 = 0, slot: UInt32 = 0, text: String = "") {
    head(kind, what, slot, 0, [], text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  /// Puts an answer, events, or what a plugin asks of its caller.
  mutating func put(_ reply: Reply, slot: UInt32) {
    let what = UInt8(truncatingIfNeeded: reply.kind.rawValue)
    switch reply.payload {
    case .undefined: head(.reply, what, slot, Form.undefined, [], 0)
    case .bool(let value): head(.reply, what, slot, value ? Form.true : Form.false, [], 0)
    case .number(let value):
      head(.reply, what, slot, Form.number, [], 8)
      withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    case .string(var value):
      value.withUTF8 { text in
        head(.reply, what, slot, Form.string, [], text.count)
        bytes.append(contentsOf: text)
      }
    case .text(let text):
      head(.reply, what, slot, 0, [], text.count)
      bytes.append(contentsOf: text)
    case .bytes(let value):
      head(.reply, what, slot, Form.bytes, [value], 0)
      append([value])
    case .mixed(let text, let values):
      head(.reply, what, slot, 0, values, text.count)
      bytes.append(contentsOf: text)
      append(values)
    }
  }

  /// Puts an answer whose text lies in a sink.
  mutating func put(_ kind: ReplyKind, _ text: UnsafeBufferPointer<UInt8>, slot: UInt32) {
    head(.reply, UInt8(truncatingIfNeeded: kind.rawValue), slot, 0, [], text.count)
    bytes.append(contentsOf: text)
  }

  /// What a value is that is no JSON: `valueOf` in `js/remote.js`.
  private enum Form {
    static let undefined: UInt32 = 0
    static let `false`: UInt32 = 1
    static let `true`: UInt32 = 2
    static let number: UInt32 = 3
    static let string: UInt32 = 4
    static let bytes: UInt32 = 5
  }

  private mutating func head(
    _ kind: PageReplyKind, _ what: UInt8, _ slot: UInt32, _ first: UInt32, _ values: [Bytes], _ text: Int
  ) {
    bytes.append(kind.rawValue)
    bytes.append(what)
    append(UInt16(truncatingIfNeeded: values.count))
    append(slot)
    append(first)
    append(UInt32(0))
    append(UInt32(truncatingIfNeeded: text))
    for value in values { append(UInt32(truncatingIfNeeded: value.count)) }
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func append(_ values: [Bytes]) {
    for value in values { value.withUnsafeBytes { bytes.append(contentsOf: $0) } }
  }
}
