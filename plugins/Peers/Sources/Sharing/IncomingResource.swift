// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// Receives a resource into a file, and tells how far it is.
struct IncomingResource: AsyncSequence, Sendable {
  let session: PeerSession
  let channel: IncomingChannel

  func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// The file, which goes again unless all of it came.
  private final class Receiving: Sendable {
    let file: PartialFile
    let hasher: StreamHash
    let resource: IncomingResource
    private let isOver = Atomic<Bool>(false)

    init(_ resource: IncomingResource) throws {
      self.resource = resource
      hasher = try StreamHash()
      file = try PartialFile(in: resource.session.folder)
    }

    /// Answers where it is.
    func complete() throws -> String {
      let path = try file.complete()
      isOver.store(true, ordering: .relaxed)
      return path
    }

    /// Takes the file away, and lets the sender know.
    func giveUp() {
      guard !isOver.exchange(true, ordering: .relaxed) else { return }
      file.giveUp()
      resource.session.refuse(resource.channel)
    }

    deinit { giveUp() }
  }

  struct Iterator: AsyncIteratorProtocol {
    private let resource: IncomingResource
    private var receiving: Receiving?
    private var done = 0
    private var isOver = false

    init(_ resource: IncomingResource) { self.resource = resource }

    private var channel: IncomingChannel { resource.channel }
    private var total: Int { channel.header.size ?? 0 }
    private var what: String { "the resource '\(channel.header.name)'" }

    mutating func next() async throws -> TransferEvent? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> TransferEvent? {
      do { return try await step(actor) } catch {
        receiving?.giveUp()
        throw error
      }
    }

    private mutating func step(_ actor: isolated (any Actor)?) async throws -> TransferEvent? {
      guard !isOver else { return nil }
      if receiving == nil {
        let resource = resource
        receiving = try await Blocking.run(isolation: actor) { try Receiving(resource) }
      }
      guard let receiving else { return nil }
      let toldAt = resource.session.transport.now
      while true {
        let pieces = await channel.pieces.next(isolation: actor)
        try Task.checkCancellation()
        guard !pieces.isEmpty else {
          try channel.check(what)
          throw BridgeError(.ioError, "\(what) ended in the middle")
        }
        let offset = done
        let last = pieces.last?.flags.contains(.closes) ?? false ? pieces.last : nil
        let parts = last == nil ? pieces : pieces.dropLast()
        guard parts.reduce(done, { $0 + $1.body.count }) <= total else {
          throw BridgeError(.ioError, "\(what) has more than the \(total) bytes that it was said to have")
        }
        done += try await Blocking.run(isolation: actor) {
          var at = offset
          for piece in parts {
            try receiving.file.write(piece.body, at: at)
            receiving.hasher.add(piece.body)
            at += piece.body.count
          }
          return at - offset
        }
        if let last { return try finish(last.body, receiving) }
        if resource.session.transport.now - toldAt > OutgoingResource.interval {
          return TransferEvent(done: done, total: total)
        }
      }
    }

    private mutating func finish(_ digest: [UInt8], _ receiving: Receiving) throws -> TransferEvent {
      guard done == total, digest == receiving.hasher.digest else {
        throw BridgeError(
          .ioError, "\(what) is not what was sent: \(done) of \(total) bytes, or another hash")
      }
      let path = try receiving.complete()
      resource.session.complete(channel)
      isOver = true
      return TransferEvent(done: done, total: total, path: path, hash: receiving.hasher.text, isOver: true)
    }
  }
}
