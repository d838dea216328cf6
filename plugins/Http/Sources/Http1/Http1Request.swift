// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup

/// A request that libsoup sends, by HTTP/1.1, and its answer. Confined to the engine's thread, but
/// ``drop()`` and its end.
final class Http1Request: Answer, @unchecked Sendable {  // see above
  private let session: HttpSession
  private let place: RequestPlace
  private let message: OpaquePointer
  /// libsoup's.
  private let sender: OpaquePointer
  private let cancellable: UnsafeMutablePointer<GCancellable>?
  /// Knows the connection, where it was made for this request.
  private let fence: AddressFence
  private let context = LoopContext()
  private let start = MessageStart()
  private let terms = TLSTerms()
  /// What libsoup answered; nil before the answer has begun.
  private var stream: UnsafeMutablePointer<GInputStream>?
  private var body: AnswerBody?
  private weak var early: EarlyAnswer?
  private var isAbandoned = false
  private var isTunnelEndless = false
  /// Whether its body comes from a pipe.
  private var hasStream = false
  private var isLong = false

  /// - Parameters:
  ///   - cancellable: ends it, from any thread.
  init(
    _ options: ExchangeOptions, _ place: RequestPlace, _ session: HttpSession, _ fence: AddressFence,
    _ cancellable: UnsafeMutablePointer<GCancellable>?
  ) throws {
    (self.session, self.place, self.fence, self.cancellable) = (session, place, fence, cancellable)
    message = try RequestMessage.make(options, place, session)
    sender = session.current()
    g_object_ref(UnsafeMutableRawPointer(sender))
    if let cancellable { g_object_ref(UnsafeMutableRawPointer(cancellable)) }
    isLong = options.body.map { $0.count > Self.mostAtOnce } ?? false
    if isLong {
      sendAlone {}
    } else if options.body.map({ $0.count > 0 }) == true {
      hearEarly {}
    }
    fence.watch(message, cancellable)
    start.watch(message, session.soup, cancellable)
    terms.watch(message, cancellable)
    HeadWatch(session, sender, isEncrypted: place.scheme == "https").watch(message)
  }

  /// That of a body whose sending would keep the script from running goes by a connection of its own, and
  /// never a second time.
  private var priority: Int32 { isLong ? EventPriority.script : EventPriority.beforeSoup }

  /// So much fits into the buffers of a socket.
  private static let mostAtOnce = 1 << 16

  deinit {
    let held: [UnsafeMutableRawPointer?] = [
      UnsafeMutableRawPointer(message), UnsafeMutableRawPointer(sender),
      stream.map { UnsafeMutableRawPointer($0) },
      cancellable.map { UnsafeMutableRawPointer($0) },
    ]
    context.release(held.compactMap(\.self), keeping: session)
  }

  /// Has its body come from a pipe.
  func take(_ pipe: UploadPipe) throws {
    let input = try pipe.stream()
    (hasStream, isLong) = (true, true)
    session.soup.setBody(message, nil, input, -1)
    if let input { g_object_unref(UnsafeMutableRawPointer(input)) }
    sendAlone { pipe.drop() }
  }

  /// By a connection of its own: it may have to be cut, or be answered before it is sent.
  private func sendAlone(_ dropRest: @escaping @Sendable () -> Void) {
    session.soup.addFlags(message, LibSoup.newConnection)
    hearEarly(dropRest)
  }

  /// By a connection that is made for it; one that was kept is closed between two requests, as a rule.
  private func hearEarly(_ dropRest: @escaping @Sendable () -> Void) {
    let early = EarlyAnswer(session.soup, isEncrypted: place.scheme == "https", dropRest: dropRest)
    early.watch(message)
    self.early = early
  }

  /// Sends it, and waits for the answer's beginning.
  ///
  /// - Parameter hasNoBody: whether the answer is about a body, and has none.
  func send(hasNoBody: Bool) async throws -> ResponseHead {
    if isTunnelled { session.tunnels.add(self) { [weak self] in self?.giveUpTunnel() } }
    let reason = await GLibResult.wait { done, data in
      session.soup.send(sender, message, priority, cancellable, done, data)
    } finish: { [self] result -> GLibFailure? in
      var failure: UnsafeMutablePointer<GError>?
      stream = session.soup.finish(sender, result, &failure)
      return stream == nil ? GLibFailure.taking(failure) : nil
    }
    session.tunnels.remove(self)
    if isAbandoned { throw CancellationError() }
    if let reason = reason.value { throw failure(reason) }
    session.hasReached(place.origin)
    let head = ResponseHead(message, session.soup, isToldToClose: early?.hasToldToClose == true)
    // What a proxy says to the wish for a tunnel libsoup takes for the answer: no server has shown who it is.
    if isTunnelled, session.soup.certificate(message) == nil { throw refusal(head.status) }
    guard let length = hasNoBody || head.hasNoBody ? .untilEnd : BodyLength(head.headers) else {
      throw BridgeError("invalid_data", "\(place.origin) does not say how long its answer is")
    }
    body = stream.map { AnswerBody($0, length) }
    return head
  }

  /// Whether it goes through a proxy that is to see nothing of it.
  private var isTunnelled: Bool { place.scheme == "https" && session.proxies != nil }

  private func refusal(_ status: Int) -> BridgeError {
    fence.cut()
    // What is only so for now, another try may find mended.
    return BridgeError(
      status >= 500 ? .ioError : .unavailable,
      "\(place.origin) was not reached: the proxy answers \(status) to the wish for a connection")
  }

  /// The proxy talks without end, and makes no tunnel.
  private func giveUpTunnel() {
    isTunnelEndless = true
    fence.cut()
    g_cancellable_cancel(cancellable)
  }

  private func failure(_ reason: GLibFailure) -> BridgeError {
    if let refused = fence.refusal { return refused }
    if terms.isOld { return place.old }
    if isTunnelEndless {
      return BridgeError(
        "invalid_data", "\(place.origin) was not reached: the proxy does not come to an answer")
    }
    if start.isSwitching {
      return BridgeError(
        "invalid_data", "\(place.origin) goes over to another protocol (101), which nobody asked for")
    }
    if start.isEndless {
      return BridgeError("invalid_data", "\(place.origin) says without end that an answer is to come")
    }
    if !start.hasHappened, !reason.isIO(G_IO_ERROR_CANCELLED) { session.hasFailed(place.origin) }
    return place.failure(reason, tls: session.soup.certificateErrors(message))
  }

  /// Nobody waits for the answer any more. False for what is to be cancelled instead.
  ///
  /// An answer whose head has just come, and that nobody has taken, libsoup would free if it were cancelled
  /// then (a use after free of its own): it is let go of when it is taken. A body that comes as a stream it
  /// would end in order: its connection is cut.
  func abandon() -> Bool {
    let isToBeCut = hasStream && start.hasHappened
    if stream != nil || !(isToBeCut || start.hasAnswer) { return false }
    isAbandoned = true
    fence.cut()
    return true
  }

  /// What was sent of its body is not to be taken for all of it.
  func cut() { fence.cut() }

  // MARK: - The answer's body

  func read(_ room: UnsafeMutableRawBufferPointer) throws(AnswerFault) -> Int? {
    try body?.read(room, cancellable)
  }

  func wait() async { await body?.wait(cancellable) }

  func drop() { if stream != nil { fence.cut() } }
}
