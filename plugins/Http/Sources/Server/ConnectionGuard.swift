// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSoup
internal import NBridgeSystem

/// Takes the connections of a server, encrypts them where it has a certificate, and looks after them: how
/// many there are, how long each may be silent, and that more are taken. libsoup's own listener does none of
/// these, and takes no more once the process had no room for another file. Confined to the engine's thread.
final class ConnectionGuard {
  private let server: OpaquePointer
  private let library: SoupServers
  private let socket: UnsafeMutablePointer<GSocket>
  private let starts: ConnectionStarts
  private let context = LoopContext()
  let lingering: LingeringSockets
  private var source: UnsafeMutablePointer<GSource>?
  private let clients = ClientPatience()
  private let most = ConnectionGuard.room()
  private let bodyLimit: Int
  private var isTicking = false

  /// Connections at once, where the process may have as many files.
  private static let most = 4096
  /// Files that a program has beside its connections.
  private static let others = 64
  /// So many are taken in a turn of the loop.
  private static let atOnce = 64
  /// How long it waits where the process may have no more files, in milliseconds.
  private static let pause: UInt32 = 500
  /// How often it looks for who takes too long, in milliseconds.
  private static let tick: UInt32 = 10_000
  /// So long, in seconds, a connection may say nothing: in the middle of a request's head or between two
  /// requests; and while a body comes or an answer goes.
  static let headPatience: guint = 30
  static let bodyPatience: guint = 300

  /// - Parameters:
  ///   - socket: that the server listens at; closed when this goes.
  ///   - certificate: by which connections are encrypted; nil for none.
  ///   - bodyLimit: the longest body that is asked for, in bytes.
  /// - Throws: `io_error` where the process may have no more files.
  init(
    _ server: OpaquePointer, _ library: SoupServers, _ socket: UnsafeMutablePointer<GSocket>,
    _ certificate: UnsafeMutablePointer<GTlsCertificate>?, bodyLimit: Int
  ) throws {
    try Self.listenNowhere(server, library)
    (self.server, self.library, self.socket, self.bodyLimit) = (server, library, socket, bodyLimit)
    starts = ConnectionStarts(certificate)
    lingering = LingeringSockets(limit: bodyLimit)
    g_object_ref(UnsafeMutableRawPointer(socket))
    g_socket_set_blocking(socket, 0)
    typealias Handler = @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let started: Handler = { _, message, data in
      if let message { GLibSignal.listener(data, as: Listener.self)?.owner?.begin(message) }
    }
    let read: Handler = { _, message, data in
      if let message { GLibSignal.listener(data, as: Listener.self)?.owner?.enter(.answer, message) }
    }
    let finished: Handler = { _, message, data in
      if let message { GLibSignal.listener(data, as: Listener.self)?.owner?.finish(message) }
    }
    GLibSignal.connect(server, "request-started", started, keeping: Listener(self))
    GLibSignal.connect(server, "request-finished", finished, keeping: Listener(self))
    // libsoup says this of whatever was answered with the status 500, and goes on with the connection.
    GLibSignal.connect(server, "request-aborted", finished, keeping: Listener(self))
    GLibSignal.connect(server, "request-read", read, keeping: Listener(self))
    watch()
  }

  deinit {
    unwatch()
    g_socket_close(socket, nil)
    g_object_unref(UnsafeMutableRawPointer(socket))
  }

  private final class Listener {
    weak var owner: ConnectionGuard?
    init(_ owner: ConnectionGuard) { self.owner = owner }
  }

  /// Where it listens nowhere, libsoup answers one request of each connection only (3.2): so it does, at the
  /// end of a pair of sockets whose other one nobody has.
  private static func listenNowhere(_ server: OpaquePointer, _ library: SoupServers) throws {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0, let here = g_socket_new_from_fd(ends[0], nil),
      let there = g_socket_new_from_fd(ends[1], nil)
    else { throw BridgeError.system("make a pair of sockets") }
    // It goes with the first, or that would say that somebody comes.
    g_object_set_data_full(
      UnsafeMutableRawPointer(here).assumingMemoryBound(to: GObject.self), "nbridge-other",
      UnsafeMutableRawPointer(there), { other in if let other { g_object_unref(other) } })
    defer { g_object_unref(UnsafeMutableRawPointer(here)) }
    var failure: UnsafeMutablePointer<GError>?
    guard library.listen(server, here, 0, &failure) != 0 else {
      throw BridgeError(.unavailable, "libsoup makes no server: \(GLibFailure.taking(failure).text)")
    }
  }

  private static func room() -> Int {
    let files = sysconf(Int32(_SC_OPEN_MAX))
    return files < 0 ? most : max(8, min(most, files - others))
  }

  /// A connection is there, or waits for its next request.
  private func begin(_ message: OpaquePointer) {
    let socket = AcceptedSocket.of(message, library)
    socket.map { g_socket_set_timeout($0, Self.headPatience) }
    enter(.head, message)
  }

  /// A request was answered, and the next one may come: libsoup waits for it by the patience that is set now.
  private func finish(_ message: OpaquePointer) {
    guard let socket = AcceptedSocket.of(message, library) else { return }
    let input = RequestInput.of(socket)
    g_socket_set_timeout(socket, Self.headPatience)
    input?.next()
    enter(input?.isSkipping == true ? .body : .head, message)
  }

  /// Nobody comes any more: has those linger whose clients still send.
  func lingerAll() { for client in clients.all { RequestInput.of(client)?.close() } }

  /// The loop ends.
  func abandon() { lingering.abandon() }

  /// Whether a body is to come.
  func waitsForBody(_ message: OpaquePointer, _ isWaitedFor: Bool) {
    enter(isWaitedFor ? .body : .answer, message)
  }

  private func enter(_ phase: ClientPatience.Phase, _ message: OpaquePointer) {
    guard let socket = AcceptedSocket.of(message, library) else { return }
    clients.enter(phase, socket, now: MonotonicTime.seconds)
  }

  /// Nobody comes any more, also not to be turned away: another may listen there. Whoever takes too long is
  /// not waited for.
  func stop() {
    unwatch()
    g_socket_close(socket, nil)
    clients.isStopping = true
    beginTicking()
  }

  // MARK: - Clients that come

  private func watch() {
    guard source == nil, g_socket_is_closed(socket) == 0,
      let made = g_socket_create_source(socket, G_IO_IN, nil)
    else { return }
    let ready: GSocketSourceFunc = { _, _, data in
      GLibSignal.listener(data, as: Listener.self)?.owner?.acceptAll()
      return 1  // G_SOURCE_CONTINUE
    }
    // GLib calls it as a GSocketSourceFunc, the type that g_socket_create_source() names for its callback.
    g_source_set_callback(
      made, unsafeBitCast(ready, to: GSourceFunc.self),
      Unmanaged<AnyObject>.passRetained(Listener(self)).toOpaque(),
      { data in if let data { Unmanaged<AnyObject>.fromOpaque(data).release() } })
    g_source_set_priority(made, EventPriority.script)
    g_source_attach(made, g_main_context_get_thread_default())
    source = made
  }

  private func unwatch() {
    guard let source else { return }
    self.source = nil
    g_source_destroy(source)
    g_source_unref(source)
  }

  private func acceptAll() {
    for _ in 0..<Self.atOnce {
      var failure: UnsafeMutablePointer<GError>?
      guard let client = g_socket_accept(socket, nil, &failure) else {
        return GLibFailure.taking(failure).isIO(G_IO_ERROR_WOULD_BLOCK) ? () : rest()
      }
      take(client)
      g_object_unref(UnsafeMutableRawPointer(client))
    }
  }

  /// There is no room for another file just now: a listener that can be read would be asked again at once.
  private func rest() {
    unwatch()
    context.later(milliseconds: Self.pause) { [weak self] in self?.watch() }
  }

  private func take(_ client: UnsafeMutablePointer<GSocket>) {
    g_socket_set_timeout(client, Self.headPatience)
    // Else the end of an answer would wait for the client's word about its beginning.
    g_socket_set_option(client, Int32(IPPROTO_TCP), TCP_NODELAY, 1, nil)
    guard let ends = Ends(client) else { return }
    if clients.count >= most, !hasRoom() {
      g_socket_close(client, nil)
      return
    }
    count(client, at: ends.place)
    guard let made = g_socket_connection_factory_create_connection(client) else {
      return
    }
    defer { g_object_unref(UnsafeMutableRawPointer(made)) }
    let stream = UnsafeMutableRawPointer(made).assumingMemoryBound(to: GIOStream.self)
    starts.begin(stream, client, ends.place) { [weak self] in
      guard let self, RequestInput.watch($0, of: client, bodyLimit: bodyLimit, lingering: lingering)
      else { return }
      hand($0, ends)
    }
  }

  private func hand(_ stream: UnsafeMutablePointer<GIOStream>, _ ends: Ends) {
    _ = library.accept(server, stream, ends.here, ends.there, nil)
  }

  /// The two addresses of a connection, kept as long as this is.
  private final class Ends {
    let here: UnsafeMutablePointer<GSocketAddress>
    let there: UnsafeMutablePointer<GSocketAddress>

    /// Nil for a connection that was reset meanwhile.
    init?(_ client: UnsafeMutablePointer<GSocket>) {
      guard let local = g_socket_get_local_address(client, nil) else { return nil }
      guard let there = g_socket_get_remote_address(client, nil) else {
        g_object_unref(UnsafeMutableRawPointer(local))
        return nil
      }
      (here, self.there) = (local, there)
      AcceptedSocket.keep(client, at: there)
    }

    deinit { for address in [here, there] { g_object_unref(UnsafeMutableRawPointer(address)) } }

    private static func isInet(_ address: UnsafeMutablePointer<GSocketAddress>) -> Bool {
      let instance = UnsafeMutableRawPointer(address).assumingMemoryBound(to: GTypeInstance.self)
      return g_type_check_instance_is_a(instance, g_inet_socket_address_get_type()) != 0
    }

    /// Whose it is; nothing at a path.
    var place: String {
      guard Self.isInet(there),
        let inet = g_inet_socket_address_get_address(
          UnsafeMutableRawPointer(there).assumingMemoryBound(to: GInetSocketAddress.self))
      else { return "" }
      return HostAddress.text(of: inet)
    }
  }

  // MARK: - How many there are

  private func count(_ client: UnsafeMutablePointer<GSocket>, at place: String) {
    clients.add(client, at: place, now: MonotonicTime.seconds)
    beginTicking()
    g_object_weak_ref(
      UnsafeMutableRawPointer(client).assumingMemoryBound(to: GObject.self),
      { data, gone in
        guard let data, let gone else { return }
        let socket = UnsafeMutableRawPointer(gone).assumingMemoryBound(to: GSocket.self)
        Unmanaged<ClientPatience>.fromOpaque(data).takeRetainedValue().remove(socket)
      }, Unmanaged.passRetained(clients).toOpaque())
  }

  private func beginTicking() {
    if isTicking || clients.count == 0 { return }
    isTicking = true
    context.later(milliseconds: Self.tick) { [weak self] in self?.look() }
  }

  private func look() {
    isTicking = false
    for client in clients.late(
      now: MonotonicTime.seconds,
      { TCPProgress(of: g_socket_get_fd($0)) ?? RequestInput.of($0)?.progress })
    { cut(client) }
    beginTicking()
  }

  /// Ends a connection as its client would: libsoup reads from it.
  private func cut(_ client: UnsafeMutablePointer<GSocket>) {
    clients.remove(client)
    g_socket_shutdown(client, 1, 1, nil)
  }

  /// Lets go of those whose clients have gone, or else of some that are waited for. Answers whether there is
  /// room now.
  private func hasRoom() -> Bool {
    for client in Array(clients.all) where g_socket_is_closed(client) != 0 || IdleSocket.isOver(client) {
      clients.remove(client)
      g_socket_close(client, nil)
    }
    if clients.count >= most { for client in clients.crowd() { cut(client) } }
    return clients.count < most
  }
}
