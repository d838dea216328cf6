// SPDX-License-Identifier: MIT

/// Follows what a client sends, as far as all who read it have to agree: the lines of heads, and where bodies
/// end (RFC 9112, 2.2, 5, 6.3 and 7.1). libsoup (3.2) passes over lines that it does not understand, a length
/// too, and takes what is no chunk for a body's end.
struct RequestFraming {
  /// What came is no request.
  enum Fault: Error { case head, chunk }

  private enum Part {
    /// Before a request, after a carriage return there, and its first line.
    case start, startEnd, first
    /// A field's line: its beginning, its name, its value.
    case line, name, value
    /// Behind a carriage return: of the first line or of a field's, of the line that ends the head.
    case lineEnd, headEnd
    /// So many bytes of a body are to come; or chunks.
    case body(Int), chunks(ChunkFraming)
  }

  private var part = Part.start
  /// The name of the field that is read, in small letters, and its value without blanks: their beginnings.
  private var name: [UInt8] = [], value: [UInt8] = []
  private var length: [UInt8]?
  private var isChunked = false

  /// Names and values that matter, and that are not refused, are no longer.
  private static let longest = 32
  private static let carriageReturn: UInt8 = 0x0D
  private static let lineFeed: UInt8 = 0x0A

  /// Takes bytes in, and answers how many of them belong to requests that are sound so far: fewer than there
  /// are where a fault is told.
  mutating func take(_ bytes: UnsafeRawBufferPointer) -> (sound: Int, fault: Fault?) {
    var (at, start) = (0, 0)
    while at < bytes.count {
      switch part {
      case .body(let left):
        let size = min(left, bytes.count - at)
        at += size
        part = size == left ? .start : .body(left - size)
      case .chunks(var framing):
        let rest = UnsafeRawBufferPointer(rebasing: bytes[at...])
        guard let size = try? framing.pass(over: rest) else { return (at, .chunk) }
        at += size
        part = framing.isOver ? .start : .chunks(framing)
      default:
        if case .start = part { start = at }
        guard takeHead(bytes[at]) else { return (start, .head) }
        at += 1
      }
    }
    return (at, nil)
  }

  /// False for what can't stand there.
  private mutating func takeHead(_ byte: UInt8) -> Bool {
    switch part {
    case .start:
      if byte == Self.carriageReturn { part = .startEnd } else if byte != Self.lineFeed { part = .first }
    case .startEnd:
      part = .start
      return byte == Self.lineFeed
    case .first: return takeText(byte)
    case .line: return beginLine(byte)
    case .name: return takeName(byte)
    case .value:
      if byte > 0x20, value.count < Self.longest { value.append(byte) }
      return takeText(byte)
    case .lineEnd:
      endLine()
      return byte == Self.lineFeed
    case .headEnd:
      endHead()
      return byte == Self.lineFeed
    case .body, .chunks: break
    }
    return true
  }

  private mutating func takeText(_ byte: UInt8) -> Bool {
    switch byte {
    case Self.carriageReturn: part = .lineEnd
    case Self.lineFeed: endLine()
    default: break
    }
    return byte != 0
  }

  /// No line goes on in the next one (RFC 9112, 5.2).
  private mutating func beginLine(_ byte: UInt8) -> Bool {
    switch byte {
    case Self.carriageReturn: part = .headEnd
    case Self.lineFeed: endHead()
    default:
      (name, value, part) = ([], [], .name)
      return takeName(byte) && byte != UInt8(ascii: ":")
    }
    return true
  }

  private mutating func takeName(_ byte: UInt8) -> Bool {
    if byte == UInt8(ascii: ":") {
      part = .value
      return true
    }
    if name.count < Self.longest { name.append(0x41...0x5A ~= byte ? byte | 0x20 : byte) }
    return RequestHead.isToken(byte)
  }

  private mutating func endLine() {
    defer { part = .line }
    switch String(decoding: name, as: UTF8.self) {
    case "content-length": length = value
    case "transfer-encoding": isChunked = true
    default: break
    }
    (name, value) = ([], [])
  }

  /// What is said twice, or otherwise than here, `RequestHead` refuses, and the connection with it.
  private mutating func endHead() {
    let count = length.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    part = isChunked ? .chunks(ChunkFraming()) : count > 0 ? .body(count) : .start
    (length, isChunked) = (nil, false)
  }
}
