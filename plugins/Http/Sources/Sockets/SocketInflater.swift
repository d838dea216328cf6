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

  /// The message, and how much of it the codec has.
  private var folded: [UInt8] = []
  private var at = 0
  private var unfolded: [UInt8] = []
  private var limit = 0
  private var hasTail = false

  /// Takes a whole message, which its sender left the tail of a flush out of; behind the one before it.
  ///
  /// - Parameter limit: in bytes, of what it unfolds to.
  func begin(_ bytes: [UInt8], limit: Int) {
    (folded, at, unfolded, self.limit, hasTail) = (bytes, 0, [], limit, false)
  }

  /// So much is handed to the codec at once, in bytes. They may be blocks of nothing, each of which takes
  /// longer than bytes that come out: they count four times.
  private static let slice = 64 << 10
  private static let weight = 4

  /// Unfolds so many bytes, or some more: a few that come may stand for very many.
  ///
  /// - Returns: the message; nil where that was not all of it.
  func goOn(_ measure: Int) throws(FrameFault) -> [UInt8]? {
    var done = 0
    while true {
      if done >= measure { return nil }
      if let piece = try nextPiece() {
        if unfolded.count + piece.count > limit { throw FrameFault(.tooBig, "a message unfolds to more") }
        unfolded += piece
        done += piece.count
        continue
      }
      if at < folded.count {
        let end = min(folded.count, at + Self.slice)
        folded[at..<end].withUnsafeBytes { codec.feed($0) }
        done += Self.weight * (end - at)
        at = end
        continue
      }
      // Behind a last block no flush was begun, unless the sender has put its first byte there.
      if hasTail || codec.isAtEnd { break }
      hasTail = true
      MessageDeflater.tail.withUnsafeBytes { codec.feed($0) }
    }
    var whole: [UInt8] = []
    swap(&whole, &unfolded)
    folded = []
    return whole
  }

  private func nextPiece() throws(FrameFault) -> [UInt8]? {
    do { return try codec.next() } catch {
      throw FrameFault(.badData, "a message is not compressed as it says")
    }
  }
}
