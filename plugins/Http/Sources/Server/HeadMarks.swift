// SPDX-License-Identifier: MIT

/// Follows the requests of a connection, and marks in their heads what libsoup (3.2) passes over and others
/// read otherwise, so that ``RequestHead`` finds it: a blank in the name of a field or before its colon, or
/// before the name (RFC 9112, 5.1 and 5.2), and a CR that ends no line (2.2). A body is left as it is.
struct HeadMarks {
  private enum Place {
    case start, name, value
    case body(Int)
    /// Nothing more is looked at.
    case rest
  }

  /// No field may have it (RFC 9110, 5.5).
  static let mark: UInt8 = 1
  /// Longer names and lengths are not those that are looked for.
  private static let most = 24

  private var place = Place.start
  /// Whether there is something in the line so far, and whether its last byte is a CR.
  private var hasText = false, hasReturn = false
  /// Of the field that is being read, in small letters.
  private var name: [UInt8] = [], value: [UInt8] = []
  private var length = 0
  private var isChunked = false

  /// What comes is no request any more.
  mutating func stop() { place = .rest }

  /// Looks at the next bytes.
  mutating func pass(_ bytes: UnsafeMutableRawBufferPointer) {
    var index = 0
    while index < bytes.count {
      switch place {
      case .rest: return
      case .body(let left):
        let size = min(left, bytes.count - index)
        index += size
        place = size == left ? .start : .body(left - size)
      case .start, .name, .value:
        bytes[index] = taking(bytes[index])
        index += 1
      }
    }
  }

  /// A byte of a head; answers what it becomes.
  private mutating func taking(_ byte: UInt8) -> UInt8 {
    if byte == 0x0A {
      endLine()
      return byte
    }
    let isBare = hasReturn
    hasReturn = byte == 0x0D
    if isBare || byte == 0 { return marking() }
    if hasReturn { return byte }
    hasText = true
    switch place {
    case .name where byte == 0x3A: place = .value
    case .name where byte == 0x20 || byte == 0x09: return marking()
    case .name: if name.count < Self.most { name.append(byte | 0x20) }
    case .value: if value.count < Self.most { value.append(byte) }
    default: break
    }
    return byte
  }

  private mutating func marking() -> UInt8 {
    (hasText, hasReturn) = (true, false)
    return Self.mark
  }

  private mutating func endLine() {
    defer { (hasText, hasReturn, name, value) = (false, false, [], []) }
    switch place {
    // Empty lines before a request are passed over.
    case .start: if hasText { place = .name }
    case .value:
      place = .name
      if name.elementsEqual("content-length".utf8) { readLength() }
      if name.elementsEqual("transfer-encoding".utf8) { isChunked = true }
    case .name: if !hasText { endHead() }
    default: break
    }
  }

  /// One that is no number is refused when the head has come.
  private mutating func readLength() {
    let text = String(decoding: value, as: UTF8.self).split { $0 == " " || $0 == "\t" }
    length = text.count == 1 ? max(0, Int(text[0]) ?? 0) : 0
  }

  /// A body in chunks is the last that a connection has.
  private mutating func endHead() {
    place = isChunked ? .rest : length > 0 ? .body(length) : .start
    (length, isChunked) = (0, false)
  }
}
