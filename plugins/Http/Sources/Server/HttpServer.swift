// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup

/// A server that listens, and the requests that it has not answered.
///
/// The engine's thread alone uses it and GLib's objects in it, but ``close()`` and its end, which any thread
/// may cause.
final class HttpServer: HandleObject, Abandonable, @unchecked Sendable {  // see above
  static let handle = HandleType("server", "A server that listens.")

  let requests: AsyncStream<ServerRequest>
  private let told: AsyncStream<ServerRequest>.Continuation
  private let server: OpaquePointer
  let library: SoupServers
  let soup: LibSoup
  let bodyLimit: Int
  private let context = LoopContext()
  private var connections: ConnectionGuard?
  private lazy var resting = RestWatch(context) { [weak self] in self?.open[$0]?.watchLeaving() }
  /// The socket's file, which goes with it; nil for an address of the network.
  private var file: SocketFile?
  private(set) var port = 0
  var open: [Int: OpenAnswer] = [:]
  private var last = 0
  /// Of the server that stops; it ends when they have.
  private var lingering: LingeringSockets?
  private var isStopped = false { didSet { connections?.stop() } }

  private static let usualBody = 64 << 20

  /// - Parameter turn: for a server at a path.
  init(_ options: ServerOptions, _ turn: SocketTurn?) throws {
    (library, soup) = (try SoupServers.opened(), try LibSoup.opened())
    bodyLimit = options.bodyLimit ?? Self.usualBody
    (requests, told) = AsyncStream.makeStream(of: ServerRequest.self)
    guard let made = g_object_new_with_properties(library.type(), 0, nil, nil) else {
      throw BridgeError(.unavailable, "libsoup makes no server")
    }
    server = OpaquePointer(made)
    addHandlers()
    try listen(options, turn)
  }

  deinit {
    // What is in `open` has messages of libsoup's, which belong to the loop's thread, as the server does.
    let (library, server, open) = (library, UncheckedSendable(server), open)
    told.finish()
    context.later(milliseconds: 0) {
      withExtendedLifetime(open) {}
      library.disconnect(server.value)
      g_object_unref(UnsafeMutableRawPointer(server.value))
    }
  }

  /// Takes no more; what was begun is answered.
  func close() { context.run(keeping: self) { [self] in stop() } }

  /// See ``Abandonable``.
  func abandon() {
    isStopped = true
    for answer in open.values { answer.cut() }
    lingering?.abandon()
    connections?.abandon()
    connections = nil
    library.disconnect(server)
    // Behind it: who is disconnected comes to rest, for which no loop turns any more.
    resting.end()
    file?.remove()
    told.finish()
  }

  func stop() {
    if isStopped { return }
    isStopped = true
    finishIfIdle()
  }

  /// The end comes, and is told, when what was begun is answered; until then all others get the status 503.
  func finishIfIdle() {
    guard isStopped, open.isEmpty, lingering == nil, let connections else { return }
    let lingering = connections.lingering
    self.lingering = lingering
    let (library, server) = (library, UncheckedSendable(server))
    // Behind the signal of the last answer, whose connection goes, too.
    context.later(milliseconds: 0) { [self] in
      connections.lingerAll()
      self.connections = nil
      file?.remove()
      library.disconnect(server.value)
      resting.end()
      lingering.stop { [told] in told.finish() }
    }
  }

  // MARK: - Listening

  private func listen(_ options: ServerOptions, _ turn: SocketTurn?) throws {
    if let path = options.unix, let turn {
      let (socket, file) = try SocketFile.listen(path, turn)
      defer { g_object_unref(UnsafeMutableRawPointer(socket)) }
      self.file = file
      return connections = try ConnectionGuard(server, library, socket, nil, bodyLimit: bodyLimit)
    }
    let certificate = try ServerCertificate.of(options)
    defer { if let certificate { g_object_unref(UnsafeMutableRawPointer(certificate)) } }
    let host = ServerPlace.address(of: options.host)
    guard let address = g_inet_socket_address_new_from_string(host, guint(clamping: options.port ?? 0))
    else {
      throw BridgeError(
        .invalidParameter, "option.host must be an address of this machine, as \"127.0.0.1\", not '\(host)'")
    }
    defer { g_object_unref(UnsafeMutableRawPointer(address)) }
    var failure: UnsafeMutablePointer<GError>?
    guard let socket = ListeningSocket.make(address, &failure) else {
      let reason = GLibFailure.taking(failure)
      throw BridgeError(
        .unavailable, "no server can listen at \(host):\(options.port ?? 0): \(reason.text)")
    }
    defer { g_object_unref(UnsafeMutableRawPointer(socket)) }
    port = Self.port(of: socket)
    connections = try ConnectionGuard(server, library, socket, certificate, bodyLimit: bodyLimit)
  }

  /// The port that the system chose, or that was asked for.
  private static func port(of socket: UnsafeMutablePointer<GSocket>) -> Int {
    guard let address = g_socket_get_local_address(socket, nil) else { return 0 }
    defer { g_object_unref(UnsafeMutableRawPointer(address)) }
    let inet = UnsafeMutableRawPointer(address).assumingMemoryBound(to: GInetSocketAddress.self)
    return Int(g_inet_socket_address_get_port(inet))
  }

  // MARK: - Requests

  /// What libsoup's handlers get: a weak reference, for the server may outlive this for a moment.
  private final class Listener {
    weak var server: HttpServer?
    init(_ server: HttpServer) { self.server = server }

    static func server(_ data: UnsafeMutableRawPointer?) -> HttpServer? {
      data.flatMap { Unmanaged<Listener>.fromOpaque($0).takeUnretainedValue().server }
    }
  }

  private func addHandlers() {
    let early: SoupServers.Handler = { _, message, _, _, data in
      if let message { Listener.server(data)?.begin(message) }
    }
    let whole: SoupServers.Handler = { _, message, _, _, data in
      if let message { Listener.server(data)?.take(message) }
    }
    for (add, handler) in [(library.addEarlyHandler, early), (library.addHandler, whole)] {
      add(
        server, nil, handler, Unmanaged.passRetained(Listener(self)).toOpaque(),
        { data in if let data { Unmanaged<Listener>.fromOpaque(data).release() } })
    }
  }

  /// The head has come; one that says that its body is too long is refused before that.
  private func begin(_ message: OpaquePointer) {
    let socket = AcceptedSocket.of(message, library)
    // From here on the script may take its time.
    socket.map { g_socket_set_timeout($0, ConnectionGuard.bodyPatience) }
    guard let head = RequestInput.of(socket)?.head else { return refuse(message, 400) }
    if isStopped { return refuse(message, 503) }
    if case .length(let length) = head.body, length > bodyLimit { return refuse(message, 413) }
    connections?.waitsForBody(message, true)
    HeldRequest.keep(head, at: message)
  }

  /// Answers with a status alone, and ends the connection where there is more of the request.
  private func refuse(_ message: OpaquePointer, _ status: UInt32) {
    library.setStatus(message, status, nil)
    guard let input = RequestInput.of(AcceptedSocket.of(message, library)), !input.hasReadBody else { return }
    input.endWithAnswer()
    tellLast(message)
  }

  func tellLast(_ message: OpaquePointer) {
    soup.appendHeader(library.responseHeaders(message), "Connection", "close")
  }

  /// The head has come, and the script is asked; the body follows.
  private func takeComing(_ message: OpaquePointer, _ input: RequestInput) {
    let answer = open(message, isWhole: false)
    answer.body = ComingBody(bodyLimit, by: input) { [weak self, weak answer] news in
      guard let self, let answer else { return }
      switch news {
      case .waits(let isWaitedFor): connections?.waitsForBody(message, isWaitedFor)
      case .whole:
        connections?.waitsForBody(message, false)
        answer.isWhole()
      case .tooLong:
        // Nothing of an answer is out that waits for the reader.
        if answer.waits(for: .reader) { library.setStatus(message, 413, nil) }
        answer.go(on: .reader)
      case .cut(let isTold): answer.isCut(isTold: isTold)
      }
    }
    answer.wait(for: .answer)
    answer.watchLeaving()
    var request = request(message)
    request.isComing = true
    told.yield(request)
    answer.body?.readAhead()
  }

  /// All has come that libsoup is to read of it.
  private func take(_ message: OpaquePointer) {
    if isStopped { return refuse(message, 503) }
    if let input = RequestInput.of(AcceptedSocket.of(message, library)), input.hasBodyApart {
      return takeComing(message, input)
    }
    let body = library.flatten(library.requestBody(message))
    defer { if let body { g_bytes_unref(body) } }
    open(message, isWhole: true).wait(for: .answer)
    var request = request(message)
    let size = body.map { Int(g_bytes_get_size($0)) } ?? 0
    if size > 0 {
      request.body = Bytes(UnsafeRawBufferPointer(start: g_bytes_get_data(body, nil), count: size))
    }
    told.yield(request)
  }

  private func open(_ message: OpaquePointer, isWhole: Bool) -> OpenAnswer {
    last += 1
    let answer = OpenAnswer(message, library) { [weak self, last] isWhole in
      guard let self else { return }
      open[last] = nil
      if !isWhole {
        // Nothing more comes by this connection: libsoup is to let go of it.
        tellLast(message)
        told.yield(ServerRequest(gone: last))
      }
      finishIfIdle()
    }
    open[last] = answer
    if file != nil { countWritten(message) }
    if isWhole { resting.waits(last) }
    return answer
  }

  /// At a path the system does not tell how much a client has taken.
  private func countWritten(_ message: OpaquePointer) {
    typealias Handler = @convention(c) (OpaquePointer?, guint, UnsafeMutableRawPointer?) -> Void
    let written: Handler = { message, size, data in
      guard let message, let server = Listener.server(data) else { return }
      RequestInput.of(AcceptedSocket.of(message, server.library))?.note(written: Int(size))
    }
    GLibSignal.connect(message, "wrote-body-data", written, keeping: Listener(self))
  }

  private func request(_ message: OpaquePointer) -> ServerRequest {
    let head = HeldRequest.of(message)?.head
    return ServerRequest(
      number: last, method: head?.method ?? "GET", target: head?.target ?? "/", headers: head?.headers ?? [])
  }

  /// The next bytes of a request's body, of one that is read while it comes; nil at its end.
  ///
  /// - Throws: `closed` when it was answered, or the client has gone; `too_large`.
  func read(_ request: ServedRequest) async throws -> Bytes? {
    if let answer = open[request.number] { return try await answer.body?.read() }
    throw BridgeError(.closed, "the request was answered, or its client has gone, before its body was read")
  }

  /// Nobody wants the rest of a request's body.
  func drop(_ request: ServedRequest) { open[request.number]?.body?.drop() }

  // MARK: - Answers

  /// Answers a request, or begins to. One that has gone is passed over.
  func answer(_ answer: ServerAnswer) {
    guard let opened = open[answer.number] else { return }
    let message = opened.message
    let isTooLong = opened.body?.isTooLong == true && answer.isFailure == true
    let reason = HeaderTexts.encoded(isTooLong ? "" : answer.reason)
    let status = isTooLong ? 413 : answer.status
    library.setStatus(message, UInt32(clamping: status), reason.isEmpty ? nil : reason)
    library.append(answer.headers, to: message, soup)
    beginBody(isTooLong ? Bytes("Content Too Large\n".utf8) : answer.body, of: answer, to: opened)
    if opened.body?.answer() == true { opened.wait(for: .reader) }
    if RequestInput.of(AcceptedSocket.of(message, library))?.isLast == true { tellLast(message) }
    opened.go(on: .answer)
  }

  /// - Parameter whole: the body; nil where its pieces follow, or none does.
  private func beginBody(_ whole: Bytes?, of answer: ServerAnswer, to opened: OpenAnswer) {
    let message = opened.message
    let body = library.responseBody(message)
    // RFC 9110, 15.3.5 and 15.4.5.
    let isBodiless = answer.status == 204 || answer.status == 304
    if let whole {
      if isBodiless { opened.hasNoBody() }
      append(whole, to: body)
      opened.complete()
      if whole.count > 0 { opened.gather() }
    } else if let length = answer.length, answer.status != 204 {
      library.setLength(library.responseHeaders(message), Int64(length))
    } else if isBodiless || HeldRequest.of(message)?.head.method == "HEAD" {
      opened.hasNoBody()
    } else {
      // HTTP/1.0 knows no pieces (RFC 9112, 6.1).
      let isOld = library.version(message) == SoupServers.oldest
      library.setEncoding(
        library.responseHeaders(message), isOld ? SoupServers.untilEnd : SoupServers.chunked)
      library.setAccumulate(body, 0)
    }
  }

  /// Sends a piece; returns when it was written.
  ///
  /// - Throws: `closed` when the client has gone.
  func write(_ piece: ServerPiece) async throws {
    guard let answer = open[piece.number] else {
      throw BridgeError(.closed, "the client has gone before the answer was whole")
    }
    let body = library.responseBody(answer.message)
    // A body that is cut must not end as a whole one does.
    if piece.isCut == true { answer.cut() }
    if let bytes = piece.bytes {
      if bytes.count == 0 { return }
      append(bytes, to: body)
      try await answer.written { answer.goOn() }
    } else {
      answer.complete()
      answer.goOn()
    }
  }

  private func append(_ bytes: Bytes, to body: OpaquePointer?) {
    if bytes.count == 0 { return }
    let copy = bytes.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
    library.append(body, copy)
    g_bytes_unref(copy)
  }
}
