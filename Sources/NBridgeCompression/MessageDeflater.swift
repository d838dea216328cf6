// SPDX-License-Identifier: MIT

internal import CNBridgeZlib

/// Compresses messages one by one, each of which can be unfolded when it has come: DEFLATE that is flushed
/// behind each, as WebSockets have it (RFC 7692, section 7.2.1). Confined to one thread at a time.
package final class MessageDeflater {
  private let library: LibZlib
  private let stream: ZlibStream
  private let keepsWindow: Bool

  /// What a flush ends with, which both sides leave out.
  package static let tail: [UInt8] = [0, 0, 0xff, 0xff]
  /// The smallest and the largest window that there can be, as the power of two.
  package static let windows = 9...15

  /// - Parameters:
  ///   - window: the power of two; in ``windows``.
  ///   - keepsWindow: whether a message may refer to those before it.
  package init(window: Int, keepsWindow: Bool) throws {
    let library = try LibZlib.opened()
    (self.library, self.keepsWindow) = (library, keepsWindow)
    stream = try ZlibStream(
      {
        library.deflateInit(
          $0, 1, Z_DEFLATED, -Int32(window), 8, Z_DEFAULT_STRATEGY, zlibVersion,
          Int32(MemoryLayout<z_stream>.size))
      }, end: library.deflateEnd)
  }

  /// A message without its tail.
  package func message(_ bytes: UnsafeRawBufferPointer) throws(CompressionFault) -> [UInt8] {
    var made: [UInt8] = []
    var rest = bytes
    while true {
      var isFull = false
      let piece = [UInt8](unsafeUninitializedCapacity: ByteCodec.piece) { room, count in
        let step = stream.step(rest, UnsafeMutableRawBufferPointer(room)) {
          library.deflate($0, Z_SYNC_FLUSH)
        }
        rest = UnsafeRawBufferPointer(rebasing: rest[step.progress.consumed...])
        count = step.progress.produced
        isFull = count == room.count
      }
      made += piece
      if rest.isEmpty, !isFull { break }
      if piece.isEmpty { throw .noMemory }
    }
    if made.suffix(Self.tail.count).elementsEqual(Self.tail) { made.removeLast(Self.tail.count) }
    if !keepsWindow { _ = library.deflateReset(stream.pointer) }
    return made
  }
}
