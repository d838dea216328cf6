// SPDX-License-Identifier: MIT

/// The framing of a body that comes in chunks (RFC 9112, 7.1), which is taken off piece by piece.
struct ChunkFraming: Equatable {
  /// What stands there is no framing.
  struct Fault: Error {}

  private enum Part: Equatable {
    /// A chunk's size, with the digits that there were; what stands behind it, up to the line's end.
    case size(digits: Int), parameters, sizeEnd
    /// Its bytes, and the line's end behind them.
    case data, dataReturn, dataEnd
    /// The fields behind the last chunk: a line's first byte, the rest of its name, its value, and the ends
    /// of both kinds of line.
    case line, name, field, fieldEnd, lastEnd
    case over
  }

  private var part = Part.size(digits: 0)
  /// How much of the chunk is still to come, in bytes.
  private var left = 0
  /// Bytes of what is neither a chunk's size nor its data, since the chunk's beginning.
  private var aside = 0
  /// Whether the end was read.
  private(set) var isOver = false
  /// Whether something stood behind the end.
  private(set) var hasExcess = false

  /// No chunk is longer: 60 bits.
  private static let mostDigits = 15
  /// The most bytes of a chunk's parameters, and of all fields behind the last one.
  private static let mostAside = 16 << 10

  /// Leaves the body's bytes at the front, and answers how many they are.
  mutating func strip(_ bytes: UnsafeMutableRawBufferPointer) throws(Fault) -> Int {
    var count = 0
    let end = try pass(over: UnsafeRawBufferPointer(bytes)) { piece in
      if count != piece.lowerBound {
        UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[piece]))
      }
      count += piece.count
    }
    hasExcess = hasExcess || end < bytes.count
    return count
  }

  /// Reads bytes, which stay as they are, and answers how many there are up to the body's end. `found` is
  /// told where some of the body's own are, in their order.
  mutating func pass(over bytes: UnsafeRawBufferPointer, _ found: (Range<Int>) -> Void)
    throws(Fault) -> Int
  {
    var from = 0
    while from < bytes.count, !isOver {
      guard case .data = part else {
        try take(bytes[from])
        from += 1
        continue
      }
      let size = min(left, bytes.count - from)
      found(from..<from + size)
      (from, left) = (from + size, left - size)
      if left == 0 { part = .dataReturn }
    }
    return from
  }

  private mutating func take(_ byte: UInt8) throws(Fault) {
    switch part {
    case .size(let digits): try takeSize(byte, digits)
    case .parameters: if byte == Self.carriageReturn { part = .sizeEnd } else { try passOver(byte) }
    case .sizeEnd: try expect(byte, Self.lineFeed, then: left == 0 ? .line : .data)
    case .data: break
    case .dataReturn: try expect(byte, Self.carriageReturn, then: .dataEnd)
    case .dataEnd:
      try expect(byte, Self.lineFeed, then: .size(digits: 0))
      aside = 0
    case .line: if byte == Self.carriageReturn { part = .lastEnd } else { try takeName(byte) }
    case .name: if byte == UInt8(ascii: ":") { try passOver(byte, then: .field) } else { try takeName(byte) }
    case .field: if byte == Self.carriageReturn { part = .fieldEnd } else { try passOver(byte) }
    case .fieldEnd: try expect(byte, Self.lineFeed, then: .line)
    case .lastEnd:
      try expect(byte, Self.lineFeed, then: .over)
      isOver = true
    case .over: break
    }
  }

  private static let carriageReturn: UInt8 = 0x0D
  private static let lineFeed: UInt8 = 0x0A

  private mutating func takeSize(_ byte: UInt8, _ digits: Int) throws(Fault) {
    if let digit = Self.digit(byte) {
      guard digits < Self.mostDigits else { throw Fault() }
      left = left << 4 | digit
      part = .size(digits: digits + 1)
      return
    }
    guard digits > 0 else { throw Fault() }
    switch byte {
    case Self.carriageReturn: part = .sizeEnd
    // Some servers fill a place up with blanks.
    case UInt8(ascii: ";"), UInt8(ascii: " "), UInt8(ascii: "\t"): part = .parameters
    default: throw Fault()
    }
  }

  /// A line without a name is no field (RFC 9112, 5).
  private mutating func takeName(_ byte: UInt8) throws(Fault) {
    guard FieldName.hasRoom(for: byte) else { throw Fault() }
    try passOver(byte, then: .name)
  }

  private mutating func expect(_ byte: UInt8, _ wanted: UInt8, then next: Part) throws(Fault) {
    guard byte == wanted else { throw Fault() }
    part = next
  }

  /// A byte that says nothing here.
  private mutating func passOver(_ byte: UInt8, then next: Part? = nil) throws(Fault) {
    aside += 1
    guard byte != Self.lineFeed, aside <= Self.mostAside else { throw Fault() }
    if let next { part = next }
  }

  private static func digit(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte - UInt8(ascii: "A")) + 10
    default: nil
    }
  }
}
