// SPDX-License-Identifier: MIT

/// Where a request begins and ends in what a client sends (RFC 9112), and what libsoup is to read in its
/// place: one head that says what libsoup has to know, and the body, of which chunks have neither parameters
/// nor fields behind them. libsoup reads all of these in more than one way.
struct RequestFraming {
  private enum Part {
    case head
    /// So many bytes are to come.
    case body(Int)
    case chunks(ChunkFraming)
    case over
  }

  /// That of the request under way, once it was read.
  private(set) var head: RequestHead?
  private var part = Part.head
  /// The head so far, whole lines and the beginning of one.
  private var lines: [UInt8] = []
  private var lastLine = 0
  private var emptyLines = 0
  private let bodyLimit: Int

  /// Bytes of a head.
  private static let longest = 64 << 10
  /// Lines before it.
  private static let mostEmptyLines = 16

  /// - Parameter bodyLimit: a longer body is not asked for.
  init(bodyLimit: Int) { self.bodyLimit = bodyLimit }

  var isOver: Bool { if case .over = part { true } else { false } }

  /// Bytes of a body that has a length, as they are: so many may be passed by.
  var left: Int { if case .body(let count) = part { count } else { 0 } }

  /// Whether the client waits for being asked for the body.
  var waitsForAsking: Bool {
    guard !hasAsked, head?.awaitsContinue == true else { return false }
    return switch part {
    case .body(let left): head?.body == .length(left)
    case .chunks(let framing): framing == ChunkFraming()
    case .head, .over: false
    }
  }
  private var hasAsked = false

  /// The client is asked.
  mutating func ask() { hasAsked = true }

  /// Begins with the next request.
  mutating func begin() {
    (part, head, lines, lastLine, hasAsked) = (.head, nil, [], 0, false)
    emptyLines = 0
  }

  /// So many bytes of the body have passed by.
  mutating func pass(_ count: Int) { part = count == left ? .over : .body(left - count) }

  /// Takes bytes in, up to the request's end: answers how many, and adds what they are for libsoup.
  mutating func take(_ bytes: UnsafeRawBufferPointer, _ output: inout [UInt8]) throws(RequestFault) -> Int {
    var at = 0
    while at < bytes.count, !isOver {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[at...])
      switch part {
      case .head: at += try takeHead(rest, &output)
      case .body(let left):
        let size = min(left, rest.count)
        output += rest[..<size]
        pass(size)
        at += size
      case .chunks(let framing): at += try takeChunks(rest, framing, &output)
      case .over: break
      }
    }
    return at
  }

  private mutating func takeHead(_ bytes: UnsafeRawBufferPointer, _ output: inout [UInt8])
    throws(RequestFault) -> Int
  {
    let end = bytes.firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
    lines += bytes[..<end]
    if lines.count > Self.longest { throw .longHead }
    guard lines.last == 0x0A else { return end }
    let line = lines[lastLine...]
    guard line.count == 1 || line.elementsEqual([0x0D, 0x0A]) else {
      lastLine = lines.count
      return end
    }
    guard lastLine == 0 else {
      try finishHead(&output)
      return end
    }
    // Empty lines may stand before a request (RFC 9112, 2.2), but who sends them without end is not read on.
    lines = []
    emptyLines += 1
    if emptyLines > Self.mostEmptyLines { throw .malformed }
    return end
  }

  private mutating func finishHead(_ output: inout [UInt8]) throws(RequestFault) {
    let head = try RequestHead(Array(lines[..<lastLine]))
    (self.head, lines, lastLine) = (head, [], 0)
    switch head.body {
    case .length(let count):
      if head.awaitsContinue, count > bodyLimit { throw .longBody }
      part = count == 0 ? .over : .body(count)
    case .chunked: part = .chunks(ChunkFraming())
    }
    output += head.canonical.utf8
  }

  private mutating func takeChunks(
    _ bytes: UnsafeRawBufferPointer, _ framing: ChunkFraming, _ output: inout [UInt8]
  ) throws(RequestFault) -> Int {
    var framing = framing
    var end = 0
    do throws(ChunkFraming.Fault) {
      end = try framing.pass(over: bytes) { piece in
        output += "\(String(piece.count, radix: 16))\r\n".utf8
        output += bytes[piece]
        output += "\r\n".utf8
      }
    } catch { throw .malformed }
    part = .chunks(framing)
    if framing.isOver {
      output += "0\r\n\r\n".utf8
      part = .over
    }
    return end
  }
}
