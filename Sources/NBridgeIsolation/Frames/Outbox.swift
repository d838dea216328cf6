// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
package import CNBridgePlugin
internal import Glibc

/// Messages on their way into a channel that may be full: small ones one behind the other, large bytes where
/// they are. A value of one owner.
package struct Outbox: ~Copyable {
  /// What goes out in one piece.
  private enum Piece {
    case own([UInt8])
    /// Bytes that the plugin or the host keeps until they are written.
    case lent(nbridge_bytes)
  }

  /// What is written next, behind all pieces.
  private var tail: [UInt8] = []
  private var pieces: [Piece] = []
  private var first = 0
  /// How much of the first piece, or of the tail where there is none, is written.
  private var written = 0

  /// Bytes of this size are not copied.
  private static let large = 32 << 10
  /// So many pieces, and bytes, that are written stay where they are.
  private static let longestHead = 1024, mostWritten = 1 << 20

  package init() {}

  deinit {
    for case .lent(let bytes) in pieces[first...] { bytes.release?(bytes.owner) }
  }

  /// Whether all is written.
  package var isEmpty: Bool { first == pieces.count && written == tail.count }
  /// How many bytes wait that were copied.
  package var waiting: Int { tail.count - (first == pieces.count ? written : 0) }

  // MARK: - In

  /// Appends a message. A value's text and bytes are released when they are written, or copied.
  package mutating func put(
    _ head: consuming FrameHead, _ value: UnsafePointer<nbridge_value>? = nil,
    words: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) = (.empty, .empty)
  ) throws(FrameError) {
    var text = UnsafeBufferPointer<UInt8>.empty
    var items = UnsafeBufferPointer<nbridge_bytes>(start: nil, count: 0)
    if let value {
      head.valueKind = value.pointee.kind
      head.valueNumber = value.pointee.number
      text = .init(
        start: UnsafeRawPointer(value.pointee.text)?.assumingMemoryBound(to: UInt8.self),
        count: value.pointee.text == nil ? 0 : Int(value.pointee.text_size))
      items = .init(
        start: value.pointee.bytes, count: value.pointee.bytes == nil ? 0 : Int(value.pointee.bytes_count))
    }
    defer { if let value { value.pointee.release?(value.pointee.owner) } }
    do throws(FrameError) {
      try head.setSizes(text.count, words.0.count, words.1.count, parts: items)
    } catch {
      for item in items where item.retain == nil { item.release?(item.owner) }
      throw error
    }
    let start = tail.count
    tail.append(contentsOf: repeatElement(0, count: FrameHead.size))
    tail.withUnsafeMutableBytes { head.write(to: .init(rebasing: $0[start...])) }
    for item in items { put(word: item.size << 2 | FramePart.kind(of: item).rawValue) }
    tail.append(contentsOf: text)
    tail.append(contentsOf: words.0)
    tail.append(contentsOf: words.1)
    for item in items where FramePart.kind(of: item) == .bytes { put(item) }
  }

  private mutating func put(word: UInt64) {
    withUnsafeBytes(of: word) { tail.append(contentsOf: $0) }
  }

  private mutating func put(_ item: nbridge_bytes) {
    guard item.size >= Self.large else {
      tail.append(contentsOf: UnsafeBufferPointer(start: item.data, count: Int(item.size)))
      // What the receiver would own is his no more; what is lent stays the lender's.
      if item.retain == nil { item.release?(item.owner) }
      return
    }
    item.retain?(item.owner)
    if first == pieces.count, written > 0 {
      tail.removeFirst(written)
      written = 0
    }
    if !tail.isEmpty { pieces.append(.own(tail)) }
    tail = []
    pieces.append(.lent(item))
  }

  // MARK: - Out

  /// Writes as much as the channel takes. Answers 0, `EAGAIN` when it is full, or what it failed with.
  package mutating func write(to channel: Int32) -> Int32 {
    while first < pieces.count {
      let failure = writePiece(pieces[first], channel)
      guard failure == 0 else { return failure }
      if case .lent(let bytes) = pieces[first] { bytes.release?(bytes.owner) }
      pieces[first] = .own([])
      first += 1
      written = 0
      // A channel that is never empty would keep what is written for ever.
      if first >= Self.longestHead, 2 * first >= pieces.count {
        pieces.removeFirst(first)
        first = 0
      }
    }
    pieces.removeAll(keepingCapacity: true)
    first = 0
    let failure = tail.withUnsafeBytes { Self.write($0, &written, channel) }
    guard failure == 0 else {
      if written >= Self.mostWritten, 2 * written >= tail.count {
        tail.removeFirst(written)
        written = 0
      }
      return failure
    }
    tail.removeAll(keepingCapacity: tail.capacity <= 1 << 20)
    written = 0
    return 0
  }

  private mutating func writePiece(_ piece: Piece, _ channel: Int32) -> Int32 {
    switch piece {
    case .own(let bytes): bytes.withUnsafeBytes { Self.write($0, &written, channel) }
    case .lent(let bytes):
      Self.write(UnsafeRawBufferPointer(start: bytes.data, count: Int(bytes.size)), &written, channel)
    }
  }

  private static func write(
    _ bytes: UnsafeRawBufferPointer, _ written: inout Int, _ channel: Int32
  ) -> Int32 {
    while written < bytes.count {
      // No signal when the other side is gone.
      let count = send(
        channel, bytes.baseAddress.map { $0 + written }, bytes.count - written, Int32(MSG_NOSIGNAL))
      if count < 0, errno == EINTR { continue }
      if count < 0 { return errno }
      written += count
    }
    return 0
  }
}

extension FrameHead {
  /// Throws for what no message has room for.
  mutating func setSizes(
    _ text: Int, _ first: Int, _ second: Int, parts: UnsafeBufferPointer<nbridge_bytes>
  ) throws(FrameError) {
    guard parts.count <= UInt16.max else { throw .tooLarge(parts.count) }
    self.parts = UInt16(parts.count)
    let sum = parts.reduce(UInt64(0)) { sum, part in
      let (sum, isOver) = sum.addingReportingOverflow(part.size)
      return isOver ? .max : sum
    }
    guard text <= Self.largest, first <= Self.largest, second <= Self.largest, sum <= Self.largest else {
      throw .tooLarge(max(text, first, second, Int(clamping: sum)))
    }
    (self.text, words) = (UInt32(text), (UInt32(first), UInt32(second)))
    guard middle <= Self.largest else { throw .tooLarge(middle) }
  }
}

extension UnsafeBufferPointer<UInt8> {
  package static var empty: Self { .init(start: nil, count: 0) }
}
