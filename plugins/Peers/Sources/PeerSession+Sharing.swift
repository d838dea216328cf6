// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// Resources and streams of scripts.
extension PeerSession {
  func sendResource(_ options: SendResourceOptions, _ app: AppEnvironment) throws -> OutgoingResource {
    if let problem = ChannelHeader.problem(options.name) {
      throw BridgeError(.invalidParameter, "option.name \(problem)")
    }
    let source: ResourceSource
    if let bytes = options.bytes {
      source = ResourceSource(bytes)
    } else {
      source = ResourceSource(
        try OpenResource(options.path ?? "", in: options.directory ?? .documents, app))
    }
    return OutgoingResource(
      session: self, peer: try Self.peer(options.peer), name: options.name, source: source)
  }

  func decline(_ key: ChannelKey) {
    if let channel = state.withLock({ $0.incoming[key] }), channel.claim() { refuse(channel) }
  }

  func openStream(_ options: OpenStreamOptions, isolation: isolated (any Actor)? = #isolation) async throws
    -> Int
  {
    if let problem = ChannelHeader.problem(options.name) {
      throw BridgeError(.invalidParameter, "the stream's name \(problem)")
    }
    let header = ChannelHeader(kind: .stream, name: options.name)
    let channel = try await openChannel(header, to: Self.peer(options.peer), isolation: isolation)
    return Int(channel.key.channel)
  }

  private func outgoing(_ peer: String, _ channel: Int) throws -> OutgoingChannel {
    let key = ChannelKey(peer: try Self.peer(peer), channel: UInt32(clamping: channel))
    guard let channel = state.withLock({ $0.outgoing[key] }) else {
      throw BridgeError(.unavailable, "the stream is over: its reader ended it, or has gone")
    }
    return channel
  }

  func writeStream(_ options: WriteOptions, isolation: isolated (any Actor)? = #isolation) async throws {
    let channel = try outgoing(options.peer, options.channel)
    var at = 0
    while at < options.bytes.count {
      let count = min(OutgoingResource.pieceSize, options.bytes.count - at)
      let piece = options.bytes.withUnsafeBytes { Array($0[at..<(at + count)]) }
      try await send(piece, into: channel, "the stream", isolation: isolation)
      at += count
    }
  }

  func closeStream(_ options: CloseOptions, isolation: isolated (any Actor)? = #isolation) async throws {
    let channel = try outgoing(options.peer, options.channel)
    guard options.isWhole else { return finish(channel, isWhole: false) }
    try await send([], .closes, into: channel, "the stream", isolation: isolation)
    try await drain(channel, "the stream", isolation: isolation)
  }
}

extension OfferOptions {
  func key() throws -> ChannelKey {
    ChannelKey(peer: try PeerSession.peer(peer), channel: UInt32(clamping: channel))
  }
}
