// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import Synchronization

/// The progress of a resource on its way.
struct TransferEvent: Codable, Sendable {
  var done: Int
  var total: Int
  /// The path of the received file; told at the end.
  var path: String?
  /// XXH3-128 of its bytes, in hexadecimal, at the end.
  var hash: String?
  var isOver = false
}

/// Where a resource's bytes come from.
struct ResourceSource: Sendable {
  private let file: OpenResource?
  private let bytes: Bytes?
  let size: Int

  init(_ file: OpenResource) {
    (self.file, bytes, size) = (file, nil, file.size)
  }

  init(_ bytes: Bytes) {
    (file, self.bytes, size) = (nil, bytes, bytes.count)
  }

  /// The bytes from a place on; fewer than asked for at the end.
  func read(at offset: Int, atMost count: Int) throws -> [UInt8] {
    if let file { return try file.read(at: offset, atMost: count) }
    guard let bytes else { return [] }
    return bytes.withUnsafeBytes { Array($0[min(offset, $0.count)..<min(offset + count, $0.count)]) }
  }
}

/// Sends a resource to one peer, and tells how far it is: a sequence that ends when the other side has all of
/// it.
struct OutgoingResource: AsyncSequence, Sendable {
  let session: PeerSession
  let peer: PeerID
  let name: String
  let source: ResourceSource

  /// So much goes in one piece.
  static let pieceSize = 256 << 10
  static let interval: Microseconds = 50_000

  func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Gives up what was not finished.
  private final class Sending: Sendable {
    let session: PeerSession
    let channel: OutgoingChannel
    let hasher: StreamHash
    private let isWhole = Atomic<Bool>(false)

    init(_ session: PeerSession, _ channel: OutgoingChannel, _ hasher: StreamHash) {
      (self.session, self.channel, self.hasher) = (session, channel, hasher)
    }
    func complete() { isWhole.store(true, ordering: .relaxed) }
    deinit { if !isWhole.load(ordering: .relaxed) { session.finish(channel, isWhole: false) } }
  }

  struct Iterator: AsyncIteratorProtocol {
    private let resource: OutgoingResource
    private var sending: Sending?
    private var done = 0
    private var isOver = false

    init(_ resource: OutgoingResource) { self.resource = resource }

    private var what: String { "the resource '\(resource.name)'" }

    mutating func next() async throws -> TransferEvent? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> TransferEvent? {
      guard !isOver else { return nil }
      let session = resource.session
      if sending == nil {
        let header = ChannelHeader(kind: .resource, name: resource.name, size: resource.source.size)
        let hasher = try StreamHash()
        let channel = try await session.openChannel(header, to: resource.peer, isolation: actor)
        sending = Sending(session, channel, hasher)
        return event()
      }
      guard let sending else { return nil }
      let toldAt = session.transport.now
      while done < resource.source.size {
        let (source, offset) = (resource.source, done)
        // Reading and hashing go on together on one thread for as long as there is room.
        let went = try await Blocking.run(isolation: actor) {
          try Self.send(source, from: offset, sending)
        }
        done += went.count
        if went.isShort { throw BridgeError(.ioError, "'\(resource.name)' became shorter while it was sent") }
        if went.mustWait {
          try sending.channel.check(what)
          try Task.checkCancellation()
          await sending.channel.wait(after: went.moves, isolation: actor)
          try sending.channel.check(what)
        }
        if session.transport.now - toldAt > OutgoingResource.interval, done < resource.source.size {
          return event()
        }
      }
      try await session.send(sending.hasher.digest, .closes, into: sending.channel, what, isolation: actor)
      try await session.drain(sending.channel, what, isolation: actor)
      sending.complete()
      isOver = true
      var last = event()
      (last.isOver, last.hash) = (true, sending.hasher.text)
      return last
    }

    private func event() -> TransferEvent { TransferEvent(done: done, total: resource.source.size) }

    private struct Went: Sendable {
      var count = 0
      var moves = 0
      var mustWait = false
      var isShort = false
    }

    /// Sends pieces while there is room.
    private static func send(
      _ source: ResourceSource, from offset: Int, _ sending: Sending
    ) throws -> Went {
      var went = Went()
      for _ in 0..<64 {
        let at = offset + went.count
        let count = Swift.min(OutgoingResource.pieceSize, source.size - at)
        guard count > 0 else { return went }
        went.moves = sending.channel.moves
        guard sending.session.hasRoom(sending.channel, for: count) else {
          went.mustWait = true
          return went
        }
        let piece = try source.read(at: at, atMost: count)
        guard piece.count == count else {
          went.isShort = true
          return went
        }
        guard sending.session.put(piece, [], into: sending.channel) else {
          went.mustWait = true
          return went
        }
        sending.hasher.add(piece)
        went.count += count
      }
      return went
    }
  }
}
