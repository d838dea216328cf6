// SPDX-License-Identifier: MIT

internal import NBridgeCompression

/// Unfolds the messages of one WebSocket that come compressed (RFC 7692, section 7.2.2). Confined to one
/// thread at a time.
final class SocketInflater {
  private let codec: ByteCodec

  init() throws {
    // Its window is the largest, so that one that a sender makes smaller, or empties, fits. A block may say
    // that it is the last (7.2.3.4): more come all the same.
    codec = try ByteCodec(decompressing: .deflateRaw, members: true)
  }

  /// A whole message, which its sender left the tail of a flush out of.
  ///
  /// - Parameter limit: in bytes, of what it unfolds to.
  func message(_ bytes: [UInt8], limit: Int) throws(FrameFault) -> [UInt8] {
    var unfolded: [UInt8] = []
    try unfold(bytes, into: &unfolded, limit: limit)
    // Behind a last block no flush was begun, unless the sender has put its first byte there.
    if !codec.isAtEnd { try unfold(MessageDeflater.tail, into: &unfolded, limit: limit) }
    return unfolded
  }

  private func unfold(_ bytes: [UInt8], into unfolded: inout [UInt8], limit: Int) throws(FrameFault) {
    bytes.withUnsafeBytes { codec.feed($0) }
    while let piece = try nextPiece() {
      if unfolded.count + piece.count > limit { throw FrameFault(.tooBig, "a message unfolds to more") }
      unfolded += piece
    }
  }

  private func nextPiece() throws(FrameFault) -> [UInt8]? {
    do { return try codec.next() } catch {
      throw FrameFault(.badData, "a message is not compressed as it says")
    }
  }
}
