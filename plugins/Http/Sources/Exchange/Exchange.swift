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
  private let protocols: Http2Protocols
  private let options: ExchangeOptions
  private let place: RequestPlace
  private let cancellable = g_cancellable_new()
  /// Nil before the request was sent.
  private var answer: (any Answer)?
  private var soup: Http1Request?
  private var decoding: BodyDecoding?
  private let context = LoopContext()
  private var isWhole = false { didSet { if isWhole { hostPlace = nil } } }
  /// Whose connection it may use, until the answer is whole.
  private var hostPlace: HostPlace?
  /// What a read failed with: no later one finds more.
  private var failure: BridgeError?

  /// So much is read at once.
  private static let piece = 256 << 10
  /// That of a body which comes with the answer's beginning, in bytes.
  private static let mostAtOnce = 256 << 10
  /// Of so many that stand for none, in bytes, the loop's turn comes.
  private static let mostUnread = 1 << 20

  init(
    _ options: ExchangeOptions, _ place: RequestPlace, _ session: HttpSession, _ protocols: Http2Protocols
  ) {
    (self.session, self.protocols, self.options, self.place) = (session, protocols, options, place)
  }

  deinit {
    // Else the server would go on sending what nobody reads.
    if !isWhole { answer?.drop() }
    context.release([cancellable.map { UnsafeMutableRawPointer($0) }].compactMap(\.self), keeping: session)
  }

  func close() { g_cancellable_cancel(cancellable) }

  // MARK: - The request

  /// Sends the request, and waits for the answer's beginning.
  func begin(_ upload: Incoming<Bytes>?, _ fence: AddressFence) async throws -> ResponseHead {
    hostPlace = try await session.places.take(place.origin)
    let begun = Begun()
    try await withTaskCancellationHandler {
      guard let upload else { return begun.head = try await send(nil, fence) }
      let pipe = try UploadPipe()
      let abort: @Sendable () -> Void = {
        self.soup?.cut()
        self.close()
      }
      try await pipe.run(upload, abort: abort) { begun.head = try await self.send(pipe, fence) }
    } onCancel: {
      if soup?.abandon() != true { close() }
    }
    guard let head = begun.head else { throw CancellationError() }
    decoding = hasNoBody ? nil : try BodyDecoding(of: head)
    return head
  }

  /// What a closure leaves. Confined to the engine's thread.
  private final class Begun: @unchecked Sendable {  // see above
    var head: ResponseHead?
  }

  /// Whether the answer is about a body, and has none.
  private var hasNoBody: Bool { options.method == "HEAD" }

  /// By the newest protocol that the server speaks.
  private func send(_ pipe: UploadPipe?, _ fence: AddressFence) async throws -> ResponseHead {
    if place.scheme == "https", protocols.mayBeNewer(place.origin),
      let head = try await sendNewer(pipe, fence)
    {
      return head
    }
    return try await sendOlder(pipe, fence)
  }

  private func sendOlder(_ pipe: UploadPipe?, _ fence: AddressFence) async throws -> ResponseHead {
    let request = try Http1Request(options, place, session, fence.another(), cancellable)
    if let pipe { try request.take(pipe) }
    (soup, answer) = (request, request)
    do { return try await request.send(hasNoBody: hasNoBody) } catch {
      // It may be another server now.
      protocols.forget(place.origin)
      throw error
    }
  }

  /// - Returns: nil when the server wants HTTP/1.1 for it.
  private func sendNewer(_ pipe: UploadPipe?, _ fence: AddressFence) async throws -> ResponseHead? {
    let body = pipe.map { KeptUpload($0) }
    var tries = Tries()
    while tries.mayGoOn {
      guard let connection = try await newerConnection(fence) else {
        if body?.isUntouched != false { return nil }
        throw place.failure(Http2Failure.notTaken.answerFault)
      }
      if g_cancellable_is_cancelled(cancellable) != 0 { throw Self.cancelled }
      let isKept = connection.hasAnswered
      let stream = try connection.begin(options, place, body, cancellable)
      do throws(Http2Failure) {
        let head = try await stream.head()
        answer = stream
        return head
      } catch {
        switch error {
        case .cancelled: throw Self.cancelled
        case .wantsOlder where body?.isUntouched != false:
          protocols.note(place.origin, isNewer: false)
          return nil
        case .notTaken where body?.isWhole != false: tries.refused(by: connection)
        case .cut where isKept && !tries.hasRepeated && pipe == nil && Self.mayBeRepeated(options.method):
          tries.hasRepeated = true
        default: throw place.failure(error.answerFault)
        }
      }
    }
    throw BridgeError(.ioError, "\(place.origin) takes no request: it has refused several in turn")
  }

  /// - Returns: nil when the server wants HTTP/1.1, or a proxy makes no way to it: what libsoup says of that
  ///   is told.
  private func newerConnection(_ fence: AddressFence) async throws -> Http2Connection? {
    do { return try await protocols.connection(to: place, fence, session) } catch let error as BridgeError {
      let isOfProxy = session.proxies != nil && (error.code == .ioError || error.code == .unavailable)
      if isOfProxy { return nil }
      throw error
    }
  }

  private static var cancelled: BridgeError { BridgeError(.cancelled, "the request was cancelled") }

  /// How often a request was sent.
  private struct Tries {
    /// By servers that have taken nothing on the connection, or go on to answer others.
    private var refusals = 0
    private var count = 0
    /// Whether a kept connection was found closed.
    var hasRepeated = false

    /// One that takes a single request by each connection takes all that are under way in turn.
    var mayGoOn: Bool { refusals < 3 && count < 256 }

    /// One that goes away takes no more, which says nothing of the request.
    mutating func refused(by connection: Http2Connection) {
      count += 1
      if connection.takesRequests || !(connection.hasAnswered || connection.hasTaken) { refusals += 1 }
    }
  }

  /// Whether a request says the same however often it comes (RFC 9110, 9.2.2).
  private static func mayBeRepeated(_ method: String) -> Bool {
    ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method)
  }

  // MARK: - The answer's body

  /// What is there now of the body, and whether that is all of it. What is wrong behind it is told to who
  /// reads on.
  func readWhatIsThere() -> (bytes: Bytes?, isAll: Bool) {
    var pieces: [Bytes] = []
    var count = 0
    while count < Self.mostAtOnce, let step = try? step() {
      switch step {
      case .bytes(let piece):
        pieces.append(piece)
        count += piece.count
      case .end: return (Bytes(joining: pieces), true)
      case .waits, .pauses: return (Bytes(joining: pieces), false)
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
        case .waits: await answer?.wait()
        case .pauses:
          await context.turn()
          if g_cancellable_is_cancelled(cancellable) != 0 { throw Self.cancelled }
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
    /// There is more to do, but the loop should have its turn before.
    case pauses
  }

  private func step() throws -> Step {
    if let failure { throw failure }
    do { return try next() } catch let error as BridgeError {
      failure = error
      throw error
    }
  }

  private func next() throws -> Step {
    var left = Self.mostUnread
    while true {
      switch try decoding?.step(place) {
      case .bytes(let piece): return .bytes(piece)
      case .end: return .end
      case .pauses: return .pauses
      case .needs where left <= 0: return .pauses
      case .needs, nil: break
      }
      guard let received = try receive() else { return .waits }
      guard let decoding else { return received.count == 0 ? .end : .bytes(received) }
      decoding.feed(received)
      left -= received.count
    }
  }

  /// Reads without waiting: nil where it would wait, no bytes at the end.
  private func receive() throws -> Bytes? {
    guard let answer else { return Bytes.none }
    var count: Int?
    var fault: AnswerFault?
    let bytes = Bytes(capacity: Self.piece) { room in
      do throws(AnswerFault) { count = try answer.read(room) } catch { fault = error }
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
