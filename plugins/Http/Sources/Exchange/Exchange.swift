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
  /// What libsoup answered; nil before the answer has begun.
  private var stream: UnsafeMutablePointer<GInputStream>?
  private var body: AnswerBody?
  private var decoding: BodyDecoding?
  private let place: RequestPlace
  /// Whether the answer is about a body, and has none.
  private let hasNoBody: Bool
  private let context = LoopContext()
  private let start = MessageStart()
  private let terms = TLSTerms()
  private var isAbandoned = false
  /// Knows the connection, where it was made for this request.
  private var fence: AddressFence?
  private var isWhole = false { didSet { if isWhole { hostPlace = nil } } }
  /// Whose connection it may use, until the answer is whole.
  private var hostPlace: HostPlace?
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
    // Else the server would go on sending what nobody reads.
    if stream != nil, !isWhole { fence?.cut() }
    var held: [UnsafeMutableRawPointer] = [UnsafeMutableRawPointer(message)]
    if let stream { held.append(UnsafeMutableRawPointer(stream)) }
    if let cancellable { held.append(UnsafeMutableRawPointer(cancellable)) }
    context.release(held, keeping: session)
  }

  func close() { g_cancellable_cancel(cancellable) }

  // MARK: - The request

  /// Sends the request, and waits for the answer's beginning.
  func begin(_ upload: Incoming<Bytes>?, _ fence: AddressFence) async throws -> ResponseHead {
    hostPlace = try await session.places.take(place.origin)
    self.fence = fence
    fence.watch(message, cancellable)
    start.watch(message, cancellable)
    terms.watch(message, cancellable)
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
    guard let length = hasNoBody || head.hasNoBody ? .untilEnd : BodyLength(head.headers) else {
      throw BridgeError("invalid_data", "\(place.origin) does not say how long its answer is")
    }
    body = stream.map { AnswerBody($0, length) }
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
    if terms.isOld { throw place.old }
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
    fence.cut()
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
        case .waits: await body?.wait(cancellable)
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
    guard let body else { return Bytes.none }
    var count: Int?
    var fault: AnswerBody.Fault?
    let bytes = Bytes(capacity: Self.piece) { room in
      do throws(AnswerBody.Fault) { count = try body.read(room, cancellable) } catch { fault = error }
      return count ?? 0
    }
    if let fault { throw place.failure(fault) }
    if count == 0 { isWhole = true }
    return count == nil ? nil : bytes
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
