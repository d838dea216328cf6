// SPDX-License-Identifier: MIT

internal import NBridgeCompression

/// Unfolds what comes compressed by one WebSocket (RFC 7692, section 7.2.2), each message up to a limit.
/// Confined to one thread at a time.
final class SocketInflater {
  enum Fault: Error {
    /// A frame of the kind that has no compression says that it has, or the bytes are not deflate's.
    case malformed
    case tooLong
  }

  private let codec: ByteCodec
  private let limit: Int
  /// Of the message so far, unfolded.
  private var length = 0
  /// Whether more frames of a compressed message follow.
  private var isWithin = false

  /// What a sender leaves out at the end of each message.
  private static let tail: [UInt8] = [0, 0, 0xff, 0xff]

  private enum Bits {
    static let last: UInt8 = 0x80
    static let compressed: UInt8 = 0x40
    static let kind: UInt8 = 0x0f
    static let control: UInt8 = 0x08
  }

  /// - Parameter limit: in bytes, of an unfolded message.
  init(limit: Int) throws {
    self.limit = limit
    // Its window is the largest, so that one that a sender makes smaller, or empties, fits.
    codec = try ByteCodec(decompressing: .deflateRaw)
  }

  /// Unfolds a frame's payload; nil for one that is not compressed. Takes the mark of compression from
  /// `head`, the frame's first byte.
  func unfold(_ payload: UnsafeRawBufferPointer, head: inout UInt8) throws -> [UInt8]? {
    let isMarked = head & Bits.compressed != 0
    let isFirst = head & Bits.kind != 0
    if head & Bits.control != 0 || (!isFirst && isMarked) {
      if isMarked { throw Fault.malformed }
      return nil
    }
    if isFirst { (isWithin, length) = (isMarked, 0) }
    guard isWithin else { return nil }
    head &= ~Bits.compressed
    var unfolded: [UInt8] = []
    try add(payload, to: &unfolded)
    if head & Bits.last != 0 {
      try Self.tail.withUnsafeBytes { try add($0, to: &unfolded) }
      isWithin = false
    }
    return unfolded
  }

  private func add(_ bytes: UnsafeRawBufferPointer, to unfolded: inout [UInt8]) throws {
    codec.feed(staying: bytes)
    while let piece = try nextPiece() {
      length += piece.count
      if length > limit { throw Fault.tooLong }
      unfolded += piece
    }
  }

  private func nextPiece() throws -> [UInt8]? {
    do { return try codec.next() } catch { throw Fault.malformed }
  }
}
