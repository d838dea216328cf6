// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// A part of a stream.
struct StreamChunk: Codable, Sendable {
  var bytes: Bytes
}

/// The chunks of a stream, as fast as the reader takes them.
struct StreamChunks: AsyncSequence, Sendable {
  let session: PeerSession
  let channel: IncomingChannel

  func makeAsyncIterator() -> Iterator { Iterator(session: session, channel: channel) }

  /// Tells the sender when the script does not read any more.
  private final class Reading: Sendable {
    let session: PeerSession
    let channel: IncomingChannel
    init(_ session: PeerSession, _ channel: IncomingChannel) {
      (self.session, self.channel) = (session, channel)
    }
    deinit { session.refuse(channel) }
  }

  struct Iterator: AsyncIteratorProtocol {
    private let reading: Reading
    private var waiting: ArraySlice<IncomingChannel.Piece> = []
    private var isOver = false

    init(session: PeerSession, channel: IncomingChannel) { reading = Reading(session, channel) }

    mutating func next() async throws -> StreamChunk? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> StreamChunk? {
      while !isOver {
        if waiting.isEmpty { waiting = await reading.channel.pieces.next(isolation: actor) }
        guard let piece = waiting.popFirst() else {
          isOver = true
          try reading.channel.check("the stream '\(reading.channel.header.name)'")
          return nil
        }
        if piece.flags.contains(.closes) {
          isOver = true
          reading.session.complete(reading.channel)
        }
        if !piece.body.isEmpty { return StreamChunk(bytes: Bytes(piece.body)) }
      }
      return nil
    }
  }
}
