// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSoup

/// Takes the connections of a server without TLS. libsoup's own listener takes all that come, and none any
/// more once the process had no room for another file. Confined to the engine's thread.
final class HttpListener {
  typealias Address = UnsafeMutablePointer<GSocketAddress>
  private let socket: UnsafeMutablePointer<GSocket>
  private let take: (UnsafeMutablePointer<GIOStream>, Address, Address) -> Void
  private let context = LoopContext()
  private var source: UnsafeMutablePointer<GSource>?
  private let open = Count()
  private let most = HttpListener.room()
  /// The socket's file, which goes with it; nil for an address of the network.
  private let file: String?

  private final class Count { var value = 0 }

  /// Connections at once, where the process may have as many files.
  private static let most = 4096
  /// Files that a program has beside its connections.
  private static let others = 64
  private static let mostAtOnce = 64
  /// How long it waits where there is no room, in milliseconds.
  private static let pause: UInt32 = 200
  /// So long, in seconds, a connection may say nothing: in the middle of a request's head or between two
  /// requests; and while a body comes or an answer goes.
  static let headPatience: guint = 30
  static let bodyPatience: guint = 300

  /// - Parameter take: takes a connection over: the stream, this end's address, the other's.
  init(
    _ socket: UnsafeMutablePointer<GSocket>, file: String?,
    take: @escaping (UnsafeMutablePointer<GIOStream>, Address, Address) -> Void
  ) {
    (self.socket, self.file, self.take) = (socket, file, take)
    g_object_ref(UnsafeMutableRawPointer(socket))
    g_socket_set_blocking(socket, 0)
    listen()
  }

  deinit { g_object_unref(UnsafeMutableRawPointer(socket)) }

  /// Takes no more.
  func close() {
    unwatch()
    g_socket_close(socket, nil)
    if let file { unlink(file) }
  }

  private static func room() -> Int {
    let files = sysconf(Int32(_SC_OPEN_MAX))
    return files < 0 ? most : max(8, min(most, files - others))
  }

  private func listen() {
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

  private final class Listener {
    weak var owner: HttpListener?
    init(_ owner: HttpListener) { self.owner = owner }
  }

  private func unwatch() {
    guard let source else { return }
    self.source = nil
    g_source_destroy(source)
    g_source_unref(source)
  }

  private func acceptAll() {
    for _ in 0..<Self.mostAtOnce {
      guard open.value < most else { return rest() }
      var failure: UnsafeMutablePointer<GError>?
      guard let made = g_socket_accept(socket, nil, &failure) else {
        let reason = GLibFailure.taking(failure)
        if reason.isIO(G_IO_ERROR_WOULD_BLOCK) || g_socket_is_closed(socket) != 0 { return }
        // One that has gone while it waited says nothing of the next.
        if reason.isIO(G_IO_ERROR_CONNECTION_CLOSED) { continue }
        return rest()
      }
      hand(made)
      g_object_unref(UnsafeMutableRawPointer(made))
    }
  }

  /// There is no room just now: who comes waits in the system's queue.
  private func rest() {
    unwatch()
    context.later(milliseconds: Self.pause) { [weak self] in self?.listen() }
  }

  private func hand(_ made: UnsafeMutablePointer<GSocket>) {
    g_socket_set_timeout(made, Self.headPatience)
    if file == nil { g_socket_set_option(made, Int32(IPPROTO_TCP), TCP_NODELAY, 1, nil) }
    let here = g_socket_get_local_address(made, nil)
    let there = g_socket_get_remote_address(made, nil)
    defer {
      for address in [here, there] { if let address { g_object_unref(UnsafeMutableRawPointer(address)) } }
    }
    // One that was reset meanwhile has none.
    guard let here, let there, let connection = g_socket_connection_factory_create_connection(made) else {
      return
    }
    SoupServers.note(made, at: there)
    open.value += 1
    g_object_weak_ref(
      UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GObject.self),
      { data, _ in if let data { Unmanaged<Count>.fromOpaque(data).takeRetainedValue().value -= 1 } },
      Unmanaged.passRetained(open).toOpaque())
    take(UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GIOStream.self), here, there)
    g_object_unref(UnsafeMutableRawPointer(connection))
  }
}
