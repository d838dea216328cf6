// SPDX-License-Identifier: MIT

internal import NBridgeHost
internal import NBridgePlugin

/// A message for a page, and what goes before it in files of their own.
struct PageParcel {
  fileprivate(set) var bytes = [UInt8](repeating: 0, count: PageFrame.start)
  fileprivate(set) var files: [Bytes] = []
  /// Of all of it.
  var size: Int { files.reduce(bytes.count) { $0 + $1.count } }

  /// Puts both numbers into the message.
  mutating func set(_ number: UInt32, _ received: UInt32) {
    bytes.withUnsafeMutableBytes {
      $0.storeBytes(of: number.littleEndian, toByteOffset: 0, as: UInt32.self)
      $0.storeBytes(of: received.littleEndian, toByteOffset: 4, as: UInt32.self)
    }
  }
}

/// The message for a page that is being made: frames as ``PageFrame`` tells.
struct PageWriter {
  private var made = PageParcel()
  private var bytes: [UInt8] {
    get { made.bytes }
    _modify { yield &made.bytes }
  }
  var isEmpty: Bool { made.bytes.count == PageFrame.start }
  /// Of what was put since the last was taken.
  var size: Int { made.size }
  /// Whether long byte values go in files of their own.
  var usesFiles = false

  /// Shorter ones, in bytes, are copied sooner than a file is made.
  static let longPart = 64 << 10

  /// Takes the message out, with its two numbers in front.
  mutating func take(number: UInt32, received: UInt32) -> PageParcel {
    var taken = PageParcel()
    swap(&taken, &made)
    taken.set(number, received)
    return taken
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
    for value in values {
      append(goesInFile(value) ? PageFrame.file : UInt32(truncatingIfNeeded: value.count))
    }
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func append(_ values: [Bytes]) {
    for value in values {
      if goesInFile(value) {
        made.files.append(value)
      } else {
        value.withUnsafeBytes { bytes.append(contentsOf: $0) }
      }
    }
  }

  private func goesInFile(_ value: Bytes) -> Bool { usesFiles && value.count > Self.longPart }
}
