// SPDX-License-Identifier: MIT

internal import Glibc

/// A parsed JSON text: one node a value or key, in document order, so that a subtree is a run of nodes.
///
/// Parsing copies nothing: the text must outlive the tape. RFC 8259 grammar, with the bounds of
/// ``WireLimit``.
package struct WireTape: ~Copyable {
  package enum Kind: UInt8, Sendable {
    case null, `true`, `false`, integer, number, string, escapedString, array, object, end
    /// A key that comes again in its object: see ``WireTape/settleKeys(of:)``.
    case replaced
  }

  /// What a decoder did with a value.
  package enum Use: UInt8, Sendable {
    /// The decoder did not ask for it by its key.
    case none
    /// The decoder asked for it, and may have asked for what is in it.
    case asked
    /// It was taken as it stands, with all that is in it.
    case whole
  }

  package struct Node {
    package var kind: Kind
    package var use = Use.none
    /// Of an object: whether its keys have been looked through for such as come twice.
    package var hasSettledKeys = false
    /// Where the token starts in the text; for a string, past the quote.
    package var start: UInt32
    /// Where it ends; for a string, before the quote.
    package var stop: UInt32
    /// The node after the whole subtree.
    package var next: UInt32
  }

  package let text: UnsafeBufferPointer<UInt8>
  private var nodes: UnsafeMutablePointer<Node>
  private var capacity: Int
  /// Whether `nodes` are the tape's own to give back.
  private var ownsNodes: Bool
  package private(set) var count = 0
  private var offset = 0
  private var depth = 0
  /// Whether there may be half of a character somewhere, by its escape.
  private(set) var mayHaveHalves = false

  /// A text of up to so many bytes has no more nodes than that: each starts, or ends, at a byte of its own.
  package static let shortText = 56

  /// Parses `text` as one JSON value with nothing after it.
  ///
  /// - Parameter scratch: memory for ``shortText`` nodes that outlives the tape, used when the text is short.
  package init(_ text: UnsafeBufferPointer<UInt8>, scratch: UnsafeMutablePointer<Node>? = nil)
    throws(WireError)
  {
    self.text = text
    if let scratch, text.count <= Self.shortText {
      (nodes, capacity, ownsNodes) = (scratch, Self.shortText, false)
    } else {
      capacity = max(16, text.count / 8)
      (nodes, ownsNodes) = (.allocate(capacity: capacity), true)
    }
    guard text.count < UInt32.max >> 1 else { throw WireError("the text is too long", at: nil) }
    skipSpace()
    try value()
    skipSpace()
    guard offset == text.count else { throw fail("something follows the value") }
  }

  deinit { if ownsNodes { nodes.deallocate() } }

  package subscript(index: Int) -> Node { _read { yield nodes[index] } }

  /// Notes what became of a value.
  @inline(__always)
  func note(_ use: Use, at index: Int) { nodes[index].use = use }

  func noteSettled(_ object: Int) { nodes[object].hasSettledKeys = true }
  func noteReplaced(_ key: Int) { nodes[key].kind = .replaced }

  // MARK: - Parsing

  private mutating func value() throws(WireError) {
    guard offset < text.count else { throw fail("the text ends where a value should be") }
    switch text[offset] {
    case 0x22: try string()
    case 0x7B: try object()
    case 0x5B: try array()
    case 0x74: try literal("true", .true)
    case 0x66: try literal("false", .false)
    case 0x6E: try literal("null", .null)
    default: try number()
    }
  }

  private mutating func append(_ kind: Kind, _ start: Int, _ stop: Int) {
    if count == capacity { grow() }
    (nodes + count).initialize(
      to: Node(
        kind: kind, start: UInt32(truncatingIfNeeded: start), stop: UInt32(truncatingIfNeeded: stop),
        next: UInt32(truncatingIfNeeded: count + 1)))
    count += 1
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<Node>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: nodes, count: count)
    if ownsNodes { nodes.deallocate() }
    (nodes, ownsNodes) = (larger, true)
    capacity *= 2
  }

  @inline(__always)
  private mutating func skipSpace() {
    while offset < text.count {
      let byte = text[offset]
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
      offset += 1
    }
  }

  private mutating func enter() throws(WireError) {
    depth += 1
    if depth > WireLimit.depth { throw fail("nested deeper than \(WireLimit.depth)") }
  }

  private mutating func object() throws(WireError) {
    try enter()
    let own = count
    append(.object, offset, offset)
    offset += 1
    skipSpace()
    if offset < text.count, text[offset] == 0x7D {
      offset += 1
      return close(own)
    }
    while true {
      skipSpace()
      guard offset < text.count, text[offset] == 0x22 else { throw fail("a key must be a string") }
      try string()
      skipSpace()
      guard offset < text.count, text[offset] == 0x3A else { throw fail("':' is missing after a key") }
      offset += 1
      skipSpace()
      try value()
      skipSpace()
      guard offset < text.count else { throw fail("the text ends inside an object") }
      let byte = text[offset]
      guard byte == 0x2C || byte == 0x7D else { throw fail("',' or '}' is missing in an object") }
      offset += 1
      if byte == 0x7D { return close(own) }
    }
  }

  private mutating func array() throws(WireError) {
    try enter()
    let own = count
    append(.array, offset, offset)
    offset += 1
    skipSpace()
    if offset < text.count, text[offset] == 0x5D {
      offset += 1
      return close(own)
    }
    while true {
      skipSpace()
      try value()
      skipSpace()
      guard offset < text.count else { throw fail("the text ends inside an array") }
      let byte = text[offset]
      guard byte == 0x2C || byte == 0x5D else { throw fail("',' or ']' is missing in an array") }
      offset += 1
      if byte == 0x5D { return close(own) }
    }
  }

  /// Ends a container with a sentinel, so that an iterator needs no end of its own.
  private mutating func close(_ own: Int) {
    append(.end, offset, offset)
    nodes[own].stop = UInt32(truncatingIfNeeded: offset)
    nodes[own].next = UInt32(truncatingIfNeeded: count)
    depth -= 1
  }

  private mutating func string() throws(WireError) {
    let start = offset + 1
    var at = start
    var kind = Kind.string
    guard let base = text.baseAddress else { return }
    let end = text.count
    while true {
      at = ByteScan.special(in: base, from: min(at, end), to: end)
      guard at < end else { throw fail("a string does not end") }
      switch base[at] {
      case 0x22:
        append(kind, start, at)
        offset = at + 1
        return
      case 0x5C:
        kind = .escapedString
        try checkEscape(base, at)
        at += 2
      case 0..<0x20:
        throw fail("a control character in a string")
      default:
        at += 1
      }
    }
  }

  /// `\` and one of `"\/bfnrt`, or `u` and four hexadecimal digits (RFC 8259, section 7).
  private mutating func checkEscape(_ base: UnsafePointer<UInt8>, _ at: Int) throws(WireError) {
    guard at + 1 < text.count else { throw WireError("a string does not end", at: at) }
    switch base[at + 1] {
    case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: return
    case 0x75:
      guard at + 6 <= text.count else { throw WireError("a bad escape", at: at) }
      for digit in at + 2..<at + 6 {
        switch base[digit] {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: continue
        default: throw WireError("a bad escape", at: at)
        }
      }
      if base[at + 2] | 0x20 == 0x64, base[at + 3] >= 0x38 { mayHaveHalves = true }
    default: throw WireError("a bad escape", at: at)
    }
  }

  private mutating func literal(_ word: StaticString, _ kind: Kind) throws(WireError) {
    let length = word.utf8CodeUnitCount
    guard offset + length <= text.count, let base = text.baseAddress,
      memcmp(base + offset, word.utf8Start, length) == 0
    else { throw fail("not a value") }
    append(kind, offset, offset + length)
    offset += length
  }

  private mutating func number() throws(WireError) {
    let start = offset
    if peek == 0x2D { offset += 1 }
    if peek == 0x30 { offset += 1 } else { try digits() }
    var kind = Kind.integer
    if peek == 0x2E {
      kind = .number
      offset += 1
      try digits()
    }
    if peek | 0x20 == 0x65 {
      kind = .number
      offset += 1
      if peek == 0x2B || peek == 0x2D { offset += 1 }
      try digits()
    }
    append(kind, start, offset)
  }

  @inline(__always)
  private var peek: UInt8 { offset < text.count ? text[offset] : 0 }

  private mutating func digits() throws(WireError) {
    let start = offset
    while peek &- 0x30 < 10 { offset += 1 }
    if offset == start { throw fail("not a value") }
  }

  private func fail(_ reason: String) -> WireError { WireError(reason, at: offset) }
}

/// A text that is no JSON, or past its bounds.
package struct WireError: Error, CustomStringConvertible {
  package let reason: String
  /// The byte at which parsing stopped.
  package let offset: Int?

  init(_ reason: String, at offset: Int?) {
    self.reason = reason
    self.offset = offset
  }

  package var description: String { offset.map { "\(reason) (byte \($0))" } ?? reason }
}
