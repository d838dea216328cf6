// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc
internal import NBridgePlugin
internal import Synchronization

/// Receives a resource into a file, and tells how far it is.
struct IncomingResource: AsyncSequence, Sendable {
  let session: PeerSession
  let channel: IncomingChannel

  func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// The file, which goes again unless all of it came.
  private final class Receiving: Sendable {
    let file: Int32
    let path: String
    let resource: IncomingResource
    private let isOver = Atomic<Bool>(false)

    init(_ resource: IncomingResource) throws {
      self.resource = resource
      path = "\(resource.session.folder)/\(RandomName.make())"
      try Folders.make(resource.session.folder)
      file = nb_openat(AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard file >= 0 else {
        throw BridgeError(.ioError, "can't make '\(path)': \(String(cString: strerror(errno)))")
      }
    }

    func complete() { isOver.store(true, ordering: .relaxed) }

    /// Takes the file away, and lets the sender know.
    func giveUp() {
      guard !isOver.exchange(true, ordering: .relaxed) else { return }
      if file >= 0 { unlink(path) }
      resource.session.refuse(resource.channel)
    }

    deinit {
      if file >= 0 { close(file) }
      giveUp()
    }

    func write(_ bytes: [UInt8], at offset: Int) throws {
      var done = 0
      while done < bytes.count {
        let count = bytes.withUnsafeBytes {
          pwrite(file, $0.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          let code: BridgeError.Code = errno == ENOSPC || errno == EDQUOT ? "quota_exceeded" : .ioError
          throw BridgeError(
            code,
            "can't write the resource '\(resource.channel.header.name)': \(String(cString: strerror(errno)))")
        }
        done += count
      }
    }
  }

  struct Iterator: AsyncIteratorProtocol {
    private let resource: IncomingResource
    private var receiving: Receiving?
    private let hasher = StreamHash()
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
        let (hasher, offset) = (hasher, done)
        let last = pieces.last?.flags.contains(.closes) ?? false ? pieces.last : nil
        let parts = last == nil ? pieces : pieces.dropLast()
        guard parts.reduce(done, { $0 + $1.body.count }) <= total else {
          throw BridgeError(.ioError, "\(what) has more than the \(total) bytes that it was said to have")
        }
        done += try await Blocking.run(isolation: actor) {
          var at = offset
          for piece in parts {
            try receiving.write(piece.body, at: at)
            hasher.add(piece.body)
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
      guard done == total, digest == hasher.digest else {
        throw BridgeError(
          .ioError, "\(what) is not what was sent: \(done) of \(total) bytes, or another hash")
      }
      receiving.complete()
      resource.session.complete(channel)
      isOver = true
      return TransferEvent(done: done, total: total, path: receiving.path, hash: hasher.text, isOver: true)
    }
  }
}
