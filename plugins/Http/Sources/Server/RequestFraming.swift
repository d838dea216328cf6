// SPDX-License-Identifier: MIT

/// Where a request begins and ends in what a client sends (RFC 9112), and what libsoup is to read in its
/// place: one head that says what libsoup has to know, and a short body. libsoup reads these in more than one
/// way, and answers nothing before it has a whole body: of a long one it gets nothing.
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
  /// Whether the body of the request under way is long, and comes apart from what libsoup gets.
  private(set) var isApart = false
  private var part = Part.head
  /// The head so far, whole lines and the beginning of one.
  private var lines: [UInt8] = []
  private var lastLine = 0
  private var emptyLines = 0
  private let longestBody: Int

  /// Bytes of a head.
  private static let longest = 64 << 10
  /// Lines before it.
  private static let mostEmptyLines = 16

  /// - Parameter longestBody: that libsoup gets, in bytes.
  init(longestBody: Int) { self.longestBody = longestBody }

  var isOver: Bool { if case .over = part { true } else { false } }

  /// Whether libsoup has got all that it gets of the request under way.
  var isGiven: Bool { isOver || isApart }

  /// Bytes of a body that has a length, as they are: so many may be passed by.
  var left: Int { if case .body(let count) = part { count } else { 0 } }

  /// Whether the client waits for being asked for the body, as one that sends unasked does not (RFC 9110,
  /// 10.1.1).
  var waitsForAsking: Bool { head?.awaitsContinue == true && !isOver && !isAsked && !hasBodyBegun }
  private var isAsked = false
  private var hasBodyBegun = false

  /// The client is asked.
  mutating func ask() { isAsked = true }

  /// Begins with the next request.
  mutating func begin() {
    self = RequestFraming(longestBody: longestBody)
  }

  /// So many bytes of the body have passed by.
  mutating func pass(_ count: Int) {
    hasBodyBegun = true
    part = count == left ? .over : .body(left - count)
  }

  /// Takes bytes in, up to the end of what libsoup gets of a request: answers how many, and adds what they
  /// are for libsoup.
  mutating func take(_ bytes: UnsafeRawBufferPointer, _ output: inout [UInt8]) throws(RequestFault) -> Int {
    try take(bytes, &output) { $0.isGiven }
  }

  /// Takes bytes of a long body in, up to the request's end, and adds those that are the body's own.
  mutating func takeBody(_ bytes: UnsafeRawBufferPointer, _ output: inout [UInt8]) throws(RequestFault) -> Int
  {
    try take(bytes, &output) { $0.isOver }
  }

  private mutating func take(
    _ bytes: UnsafeRawBufferPointer, _ output: inout [UInt8], until isEnough: (RequestFraming) -> Bool
  ) throws(RequestFault) -> Int {
    var at = 0
    while at < bytes.count, !isEnough(self) {
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
    case .length(let count): part = count == 0 ? .over : .body(count)
    case .chunked: part = .chunks(ChunkFraming())
    }
    isApart = head.hasBody(above: longestBody)
    output += head.canonical(withBody: !isApart).utf8
  }

  private mutating func takeChunks(
    _ bytes: UnsafeRawBufferPointer, _ framing: ChunkFraming, _ output: inout [UInt8]
  ) throws(RequestFault) -> Int {
    hasBodyBegun = true
    var framing = framing
    var end = 0
    do throws(ChunkFraming.Fault) {
      end = try framing.pass(over: bytes) { output += bytes[$0] }
    } catch { throw .malformed }
    part = framing.isOver ? .over : .chunks(framing)
    return end
  }
}
