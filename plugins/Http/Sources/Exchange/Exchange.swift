// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup

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
  private let start = MessageStart()
  private var isAbandoned = false
  /// Knows the connection, where it was made for this request.
  private var fence: AddressFence?
  private var isWhole = false
  /// What a read failed with: no later one finds more.
  private var failure: BridgeError?

  /// So much is read at once.
  private static let piece = 256 << 10
  /// That of a body which comes with the answer's beginning, in bytes.
  private static let mostAtOnce = 256 << 10

  init(_ options: ExchangeOptions, _ place: RequestPlace, _ session: HttpSession) throws {
    (self.session, self.place, hasNoBody) = (session, place, options.method == "HEAD")
    message = try RequestMessage.make(options, place, session)
  }

  deinit {
    // Else the server would go on sending what nobody reads. Over TLS others may share the connection.
    if stream != nil, !isWhole, place.scheme == "http" { fence?.cut() }
    var held: [UnsafeMutableRawPointer] = [UnsafeMutableRawPointer(message)]
    if let stream { held.append(UnsafeMutableRawPointer(stream)) }
    if let cancellable { held.append(UnsafeMutableRawPointer(cancellable)) }
    context.release(held, keeping: session)
  }

  func close() { g_cancellable_cancel(cancellable) }

  // MARK: - The request

  /// Sends the request, and waits for the answer's beginning.
  func begin(_ upload: Incoming<Bytes>?, _ fence: AddressFence) async throws -> ResponseHead {
    self.fence = fence
    fence.watch(message, cancellable)
    start.watch(message, cancellable)
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
      abandon(fence)
    }
    let head = ResponseHead(message, session.soup)
    decoding = hasNoBody ? nil : try BodyDecoding(of: head)
    return head
  }

  private func send(_ fence: AddressFence) async throws {
    let reason = await GLibResult.wait { done, data in
      session.soup.send(session.session, message, EventPriority.script, cancellable, done, data)
    } finish: { [self] result -> GLibFailure? in
      var failure: UnsafeMutablePointer<GError>?
      stream = session.soup.finish(session.session, result, &failure)
      return stream == nil ? GLibFailure.taking(failure) : nil
    }
    if isAbandoned { throw CancellationError() }
    guard let reason = reason.value else { return }
    if let refused = fence.refusal { throw refused }
    if start.isEndless {
      throw BridgeError("invalid_data", "\(place.origin) says without end that an answer is to come")
    }
    throw place.failure(reason, tls: session.soup.certificateErrors(message))
  }

  /// Nobody waits for the answer any more. What has begun is not cancelled: libsoup would free an answer that
  /// has just come, and that nobody has taken (a use after free of its own). Its connection is cut.
  private func abandon(_ fence: AddressFence) {
    if stream != nil || !start.hasHappened { return close() }
    isAbandoned = true
    if place.scheme == "http" { fence.cut() }
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
    if let failure { throw failure }
    do { return try next() } catch let error as BridgeError {
      failure = error
      throw error
    }
  }

  private func next() throws -> Step {
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
      if isAtEnd {
        isWhole = true
        g_input_stream_close(stream, nil, nil)
      }
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
