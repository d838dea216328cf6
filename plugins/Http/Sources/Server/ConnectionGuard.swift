// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSoup

/// Looks after the connections of a server: how many there are, how long each may be silent, and that more
/// are taken. libsoup does none of these, and takes no more once the process had no room for another file.
/// Confined to the engine's thread.
final class ConnectionGuard {
  private let server: OpaquePointer
  private let library: SoupServers
  private let socket: UnsafeMutablePointer<GSocket>
  private let listenAgain: () -> Void
  private let context = LoopContext()
  private var source: UnsafeMutablePointer<GSource>?
  private let open = Clients()
  private let most = ConnectionGuard.room()

  private final class Clients { var all: Set<UnsafeMutablePointer<GSocket>> = [] }

  /// Connections at once, where the process may have as many files.
  private static let most = 4096
  /// Files that a program has beside its connections.
  private static let others = 64
  /// How often it looks after clients that wait, in milliseconds.
  private static let pause: UInt32 = 500
  /// So long, in seconds, a connection may say nothing: in the middle of a request's head or between two
  /// requests; and while a body comes or an answer goes.
  private static let headPatience: guint = 30
  static let bodyPatience: guint = 300
  private static let key = "nbridge-counted"

  /// - Parameters:
  ///   - socket: that the server listens at.
  ///   - listenAgain: has libsoup listen there again.
  init(
    _ server: OpaquePointer, _ library: SoupServers, _ socket: UnsafeMutablePointer<GSocket>,
    listenAgain: @escaping () -> Void
  ) {
    (self.server, self.library, self.socket, self.listenAgain) = (server, library, socket, listenAgain)
    g_object_ref(UnsafeMutableRawPointer(socket))
    typealias Handler = @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let started: Handler = { _, message, data in
      if let message { GLibSignal.listener(data, as: Listener.self)?.owner?.begin(message) }
    }
    GLibSignal.connect(server, "request-started", started, keeping: Listener(self))
    watch()
  }

  deinit {
    unwatch()
    g_object_unref(UnsafeMutableRawPointer(socket))
  }

  private final class Listener {
    weak var owner: ConnectionGuard?
    init(_ owner: ConnectionGuard) { self.owner = owner }
  }

  private static func room() -> Int {
    let files = sysconf(Int32(_SC_OPEN_MAX))
    return files < 0 ? most : max(8, min(most, files - others))
  }

  /// A connection is there, or waits for its next request.
  private func begin(_ message: OpaquePointer) {
    guard let client = library.socket(message) else { return }
    g_socket_set_timeout(client, Self.headPatience)
    let object = UnsafeMutableRawPointer(client).assumingMemoryBound(to: GObject.self)
    guard g_object_get_data(object, Self.key) == nil else { return }
    g_object_set_data(object, Self.key, UnsafeMutableRawPointer(client))
    // Else the end of an answer would wait for the client's word about its beginning.
    g_socket_set_option(client, Int32(IPPROTO_TCP), TCP_NODELAY, 1, nil)
    open.all.insert(client)
    g_object_weak_ref(
      object,
      { data, gone in
        guard let data, let gone else { return }
        let socket = UnsafeMutableRawPointer(gone).assumingMemoryBound(to: GSocket.self)
        Unmanaged<Clients>.fromOpaque(data).takeRetainedValue().all.remove(socket)
      }, Unmanaged.passRetained(open).toOpaque())
    if open.all.count > most, !hasSwept() { g_socket_close(client, nil) }
  }

  /// Lets go of those whose clients have gone. Answers whether there is room now.
  private func hasSwept() -> Bool {
    for client in open.all where g_socket_is_closed(client) != 0 || IdleSocket.isOver(client) {
      open.all.remove(client)
      g_socket_close(client, nil)
    }
    return open.all.count <= most
  }

  // MARK: - Clients that wait

  /// Behind all that libsoup does: a client that still waits then is taken by nobody.
  private func watch() {
    guard source == nil, g_socket_is_closed(socket) == 0,
      let made = g_socket_create_source(socket, G_IO_IN, nil)
    else { return }
    let ready: GSocketSourceFunc = { _, _, data in
      GLibSignal.listener(data, as: Listener.self)?.owner?.waits()
      return 1  // G_SOURCE_CONTINUE
    }
    // GLib calls it as a GSocketSourceFunc, the type that g_socket_create_source() names for its callback.
    g_source_set_callback(
      made, unsafeBitCast(ready, to: GSourceFunc.self),
      Unmanaged<AnyObject>.passRetained(Listener(self)).toOpaque(),
      { data in if let data { Unmanaged<AnyObject>.fromOpaque(data).release() } })
    g_source_set_priority(made, EventPriority.script + 2)
    g_source_attach(made, g_main_context_get_thread_default())
    source = made
  }

  private func unwatch() {
    guard let source else { return }
    self.source = nil
    g_source_destroy(source)
    g_source_unref(source)
  }

  private func waits() {
    unwatch()
    guard g_socket_condition_check(socket, G_IO_IN).rawValue & G_IO_IN.rawValue != 0 else { return watch() }
    if hasRoom { listenAgain() }
    context.later(milliseconds: Self.pause) { [weak self] in self?.watch() }
  }

  /// Whether the process may open a file.
  private var hasRoom: Bool {
    let copy = fcntl(g_socket_get_fd(socket), F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { return false }
    Glibc.close(copy)
    return true
  }
}
