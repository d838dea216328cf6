// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSoup

/// A server that listens, and the requests that it has not answered.
///
/// The engine's thread alone uses it and GLib's objects in it, but ``close()`` and its end, which any thread
/// may cause.
final class HttpServer: HandleObject, @unchecked Sendable {  // see above
  static let handle = HandleType("server", "A server that listens.")

  let requests: AsyncStream<ServerRequest>
  private let told: AsyncStream<ServerRequest>.Continuation
  private let server: OpaquePointer
  private let library: SoupServers
  private let soup: LibSoup
  private let bodyLimit: Int
  private let context = LoopContext()
  private var open: [Int: OpenAnswer] = [:]
  private var last = 0
  private var isStopped = false

  private static let usualBody = 64 << 20

  init(_ options: ServerOptions) throws {
    (library, soup) = (try SoupServers.opened(), try LibSoup.opened())
    bodyLimit = options.bodyLimit ?? Self.usualBody
    (requests, told) = AsyncStream.makeStream(of: ServerRequest.self)
    guard let made = g_object_new_with_properties(library.type(), 0, nil, nil) else {
      throw BridgeError(.unavailable, "libsoup makes no server")
    }
    server = OpaquePointer(made)
    if let certificate = try ServerCertificate.of(options) {
      library.setCertificate(server, certificate)
      g_object_unref(UnsafeMutableRawPointer(certificate))
    }
    addHandlers()
    try listen(options)
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

  func stop() {
    if isStopped { return }
    isStopped = true
    finishIfIdle()
  }

  /// The end comes, and is told, when what was begun is answered; until then all others get the status 503.
  private func finishIfIdle() {
    guard isStopped, open.isEmpty else { return }
    let (library, server) = (library, UncheckedSendable(server))
    // Behind the signal of the last answer, whose connection goes, too.
    context.later(milliseconds: 0) { [self] in
      library.disconnect(server.value)
      told.finish()
    }
  }

  // MARK: - Listening

  private func listen(_ options: ServerOptions) throws {
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
    guard library.listen(server, socket, options.cert == nil ? 0 : SoupServers.overTLS, &failure) != 0 else {
      throw BridgeError(.unavailable, "no server at \(host): \(GLibFailure.taking(failure).text)")
    }
  }

  /// The port that the system chose, or that was asked for.
  var port: Int {
    let list = library.listeners(server)
    defer { g_slist_free(list) }
    guard let socket = list?.pointee.data,
      let address = g_socket_get_local_address(socket.assumingMemoryBound(to: GSocket.self), nil)
    else { return 0 }
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

  /// The head has come: what can be read in two ways, or says that its body is too long, is refused before
  /// that.
  private func begin(_ message: OpaquePointer) {
    let method = library.method(message).map { String(cString: $0) } ?? ""
    if !RequestHead.isSound(method, HeaderTexts.of(library.requestHeaders(message), soup)) {
      library.setStatus(message, 400, nil)
      library.setAccumulate(library.requestBody(message), 0)
      // What stands behind it may be a part of it.
      soup.appendHeader(library.responseHeaders(message), "Connection", "close")
      return
    }
    if library.contentLength(library.requestHeaders(message)) > Int64(bodyLimit) {
      library.setStatus(message, 413, nil)
      // It is read all the same, and not kept.
      library.setAccumulate(library.requestBody(message), 0)
      return
    }
    BodyMeter(bodyLimit, library.requestBody(message), library).watch(message)
  }

  private func take(_ message: OpaquePointer) {
    if isStopped { return library.setStatus(message, 503, nil) }
    if BodyMeter.isOver(message) { return library.setStatus(message, 413, nil) }
    let body = library.flatten(library.requestBody(message))
    defer { if let body { g_bytes_unref(body) } }
    last += 1
    open[last] = OpenAnswer(message, library) { [weak self, last] isWhole in
      guard let self else { return }
      open[last] = nil
      if !isWhole {
        // Nothing more comes by this connection: libsoup is to let go of it.
        soup.appendHeader(library.responseHeaders(message), "Connection", "close")
        told.yield(ServerRequest(gone: last))
      }
      finishIfIdle()
    }
    library.pause(message)
    let size = body.map { Int(g_bytes_get_size($0)) } ?? 0
    told.yield(
      ServerRequest(
        number: last, method: library.method(message).map { String(cString: $0) } ?? "GET",
        target: target(of: message),
        headers: HeaderTexts.of(library.requestHeaders(message), soup),
        body: size == 0 ? nil : Bytes(UnsafeRawBufferPointer(start: g_bytes_get_data(body, nil), count: size))
      ))
  }

  private func target(of message: OpaquePointer) -> String {
    let uri = library.uri(message)
    let path = g_uri_get_path(uri).map { String(cString: $0) } ?? "/"
    return g_uri_get_query(uri).map { path + "?" + String(cString: $0) } ?? path
  }

  // MARK: - Answers

  /// Answers a request, or begins to. One that has gone is passed over.
  func answer(_ answer: ServerAnswer) {
    guard let message = open[answer.number]?.message else { return }
    let reason = HeaderTexts.encoded(answer.reason)
    library.setStatus(message, UInt32(clamping: answer.status), answer.reason.isEmpty ? nil : reason)
    HeaderTexts.append(answer.headers, to: library.responseHeaders(message), soup)
    let body = library.responseBody(message)
    if let bytes = answer.body {
      append(bytes, to: body)
      library.complete(body)
    } else {
      library.setEncoding(library.responseHeaders(message), SoupServers.chunked)
      library.setAccumulate(body, 0)
    }
    library.unpause(message)
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
    if piece.isCut == true, let socket = library.socket(answer.message) {
      g_socket_shutdown(socket, 1, 1, nil)
    }
    if let bytes = piece.bytes {
      if bytes.count == 0 { return }
      append(bytes, to: body)
      try await answer.written { library.unpause(answer.message) }
    } else {
      library.complete(body)
      library.unpause(answer.message)
    }
  }

  // MARK: - WebSockets

  /// Answers a request by a WebSocket (RFC 6455, 4.2.2), which goes on when the server stops.
  ///
  /// - Throws: `closed` when the client has gone, `invalid_data` when it made no handshake; it is told so.
  func upgrade(_ wanted: ServerUpgrade, _ call: Call) async throws -> UpgradedSocket {
    let sockets = try SoupSockets.opened()
    guard let answer = open[wanted.number] else {
      throw BridgeError(.closed, "the client has gone before its WebSocket was open")
    }
    guard shakeHands(answer.message, wanted.chosen) else {
      library.unpause(answer.message)
      throw BridgeError("invalid_data", "the request is no whole handshake of a WebSocket (RFC 6455, 4.2.1)")
    }
    var made: ServedSocket?
    try await answer.switched {
      library.unpause(answer.message)
    } _: { [library] in
      made = ServedSocket.taking(answer.message, wanted.chosen, library, sockets)
    }
    open[wanted.number] = nil
    finishIfIdle()
    guard let made else { throw BridgeError(.closed, "the client has gone before its WebSocket was open") }
    return UpgradedSocket(socket: call.hold(made), chosen: wanted.chosen ?? "")
  }

  /// Writes the head of the answer: 101, or 400 for what is no handshake. Which pages may open a socket is
  /// the handler's to say, by the header Origin.
  private func shakeHands(_ message: OpaquePointer, _ chosen: String?) -> Bool {
    guard let chosen else { return library.handshake(message, nil, nil, nil, nil) != 0 }
    let name = strdup(chosen)
    defer { free(name) }
    var names: [UnsafeMutablePointer<CChar>?] = [name, nil]
    return names.withUnsafeMutableBufferPointer {
      library.handshake(message, nil, $0.baseAddress, nil, nil) != 0
    }
  }

  private func append(_ bytes: Bytes, to body: OpaquePointer?) {
    if bytes.count == 0 { return }
    let copy = bytes.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
    library.append(body, copy)
    g_bytes_unref(copy)
  }
}
