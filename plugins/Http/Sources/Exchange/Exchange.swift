// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin

/// A request that was sent and the answer's body, which comes as it is read.
///
/// The engine's thread alone uses it and GLib's objects in it, but ``close()`` and its end, which any thread
/// may cause.
final class Exchange: HandleObject, @unchecked Sendable {  // see above; `cancellable` may be used by any
  static let handle = HandleType("exchange", "The answer to a request, as it comes in.")

  private let session: HttpSession
  private let message: OpaquePointer
  private let cancellable = g_cancellable_new()
  /// The body; nil before the answer has begun.
  private var stream: UnsafeMutablePointer<GInputStream>?
  private var decoding: BodyDecoding?
  private let place: RequestPlace
  /// Whether the answer is about a body, and has none.
  private let hasNoBody: Bool
  private let context = LoopContext()

  /// So much is read at once.
  private static let piece = 256 << 10
  /// That of a body which comes with the answer's beginning, in bytes.
  private static let mostAtOnce = 256 << 10

  init(_ options: ExchangeOptions, _ place: RequestPlace, _ session: HttpSession) throws {
    (self.session, self.place, hasNoBody) = (session, place, options.method == "HEAD")
    message = try RequestMessage.make(options, place, session.soup)
  }

  deinit {
    var held: [UnsafeMutableRawPointer] = [UnsafeMutableRawPointer(message)]
    if let stream { held.append(UnsafeMutableRawPointer(stream)) }
    if let cancellable { held.append(UnsafeMutableRawPointer(cancellable)) }
    context.release(held, keeping: session)
  }

  func close() { g_cancellable_cancel(cancellable) }

  // MARK: - The request

  /// Sends the request, and waits for the answer's beginning.
  func begin(_ upload: Incoming<Bytes>?, _ fence: AddressFence) async throws -> ResponseHead {
    fence.watch(message, cancellable)
    try await withTaskCancellationHandler {
      guard let upload else { return try await send(fence) }
      let pipe = try UploadPipe()
      session.soup.setBody(message, nil, pipe.readingEnd, -1)
      pipe.handOver()
      // It may have to be cut.
      session.soup.addFlags(message, LibSoup.newConnection)
      let abort: @Sendable () -> Void = {
        fence.cut()
        self.close()
      }
      try await pipe.run(upload, abort: abort) { try await self.send(fence) }
    } onCancel: {
      close()
    }
    let head = ResponseHead(message, session.soup)
    decoding = hasNoBody ? nil : try BodyDecoding(of: head)
    return head
  }

  private func send(_ fence: AddressFence) async throws {
    let result = await GLibResult.wait { done, data in
      session.soup.send(session.session, message, EventPriority.script, cancellable, done, data)
    }
    defer { g_object_unref(UnsafeMutableRawPointer(result.value)) }
    var failure: UnsafeMutablePointer<GError>?
    stream = session.soup.finish(session.session, result.value, &failure)
    if stream != nil { return }
    let reason = GLibFailure.taking(failure)
    if let refused = fence.refusal { throw refused }
    throw place.failure(reason, tls: session.soup.certificateErrors(message))
  }

  // MARK: - The answer's body

  /// What is there now of the body, and whether that is all of it.
  func readWhatIsThere() throws -> (bytes: Bytes?, isAll: Bool) {
    var pieces: [Bytes] = []
    var count = 0
    while count < Self.mostAtOnce {
      switch try step() {
      case .bytes(let piece):
        pieces.append(piece)
        count += piece.count
      case .end: return (Bytes(joining: pieces), true)
      case .waits: return (Bytes(joining: pieces), false)
      }
    }
    return (Bytes(joining: pieces), false)
  }

  /// The next bytes, when they are there; nil at the end.
  func read() async throws -> Bytes? {
    try await withTaskCancellationHandler {
      while true {
        switch try step() {
        case .bytes(let piece): return piece
        case .end: return nil
        case .waits: if let stream { await GLibResult.waitToRead(stream, cancellable) }
        }
      }
    } onCancel: {
      close()
    }
  }

  private enum Step {
    case bytes(Bytes)
    case end
    /// Nothing has come in.
    case waits
  }

  private func step() throws -> Step {
    while true {
      if let piece = try decoding?.next(place) { return .bytes(piece) }
      if decoding?.isOver == true { return .end }
      guard let received = try receive() else { return .waits }
      guard let decoding else { return received.count == 0 ? .end : .bytes(received) }
      decoding.feed(received)
    }
  }

  /// Reads without waiting: nil where it would wait, no bytes at the end.
  private func receive() throws -> Bytes? {
    guard let stream else { return Bytes.none }
    var failure: UnsafeMutablePointer<GError>?
    var isAtEnd = false
    let bytes = Bytes(capacity: Self.piece) { room in
      let count = g_pollable_input_stream_read_nonblocking(
        OpaquePointer(stream), room.baseAddress, gsize(room.count), cancellable, &failure)
      isAtEnd = count == 0
      return max(0, count)
    }
    guard let failure else {
      // The connection is free for the next request from now on.
      if isAtEnd { g_input_stream_close(stream, nil, nil) }
      return bytes.count > 0 || isAtEnd ? bytes : nil
    }
    let reason = GLibFailure.taking(failure)
    if reason.isIO(G_IO_ERROR_WOULD_BLOCK) { return nil }
    throw place.failure(reason, tls: 0)
  }
}

extension Bytes {
  /// Several behind one another; nil for none.
  init?(joining pieces: [Bytes]) {
    guard let first = pieces.first else { return nil }
    guard pieces.count > 1 else {
      self = first
      return
    }
    self.init(capacity: pieces.reduce(0) { $0 + $1.count }) { room in
      var at = 0
      for piece in pieces {
        piece.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: room[at...]).copyMemory(from: $0) }
        at += piece.count
      }
      return at
    }
  }
}
