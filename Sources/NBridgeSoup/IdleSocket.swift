// SPDX-License-Identifier: MIT

package import CNBridgeGLib
internal import Glibc

/// Closes a connection whose client goes between two requests: libsoup 3.2 (Debian 12) keeps such ones for
/// ever, a descriptor each; 3.3 does not. On the thread of its context.
package enum IdleSocket {
  /// Whether the other end has said its last, and nothing of that is left to read.
  package static func isOver(_ socket: UnsafeMutablePointer<GSocket>?) -> Bool {
    guard let socket else { return false }
    var byte: UInt8 = 0
    return recv(g_socket_get_fd(socket), &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
  }

  /// The byte that is read next, which stays there; nil for none.
  static func next(_ socket: UnsafeMutablePointer<GSocket>?) -> UInt8? {
    guard let socket else { return nil }
    var byte: UInt8 = 0
    return recv(g_socket_get_fd(socket), &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 1 ? byte : nil
  }

  /// Tells that the other end has said its last, whatever of that is left to read, as the end of TLS is. Not
  /// when the socket's patience is over, which is for others. The caller destroys the source before the
  /// socket is closed, whose number may be another's then.
  ///
  /// - Parameter body: a C function, called until it answers 0.
  package static func whenLeft(
    _ socket: UnsafeMutablePointer<GSocket>, _ body: @escaping GUnixFDSourceFunc,
    _ data: UnsafeMutableRawPointer?
  ) -> UnsafeMutablePointer<GSource>? {
    // POLLRDHUP (poll(2)), which GLib has no name for and hands on.
    let left = GIOCondition(rawValue: 0x2000)
    guard g_socket_is_closed(socket) == 0, let source = g_unix_fd_source_new(g_socket_get_fd(socket), left)
    else { return nil }
    // GLib calls it as a GUnixFDSourceFunc, the type that g_unix_fd_source_new() names for its callback.
    g_source_set_callback(source, unsafeBitCast(body, to: GSourceFunc.self), data, nil)
    // Behind what libsoup reads, whose sources have GLib's own priority.
    g_source_set_priority(source, EventPriority.script)
    g_source_attach(source, g_main_context_get_thread_default())
    return source
  }

  /// What watches a socket, and until when, in seconds of the monotonic clock.
  private static let key = g_quark_from_string("nbridge-idle")
  private static let end = g_quark_from_string("nbridge-idle-end")

  /// Looks when something comes: the next request, or the end, which TLS says first by itself. What libsoup
  /// has read before is the beginning of a request, or that; so it looks until ``forget(_:)``, or until so
  /// many seconds are over, which libsoup does not look at between two requests.
  package static func watch(_ socket: UnsafeMutablePointer<GSocket>?, patience: guint) {
    guard let socket, g_object_get_qdata(object(socket), key) == nil else { return }
    g_socket_set_timeout(socket, patience)
    guard let source = g_socket_create_source(socket, G_IO_IN, nil) else { return }
    // The source keeps the socket; it is destroyed when this is taken away.
    g_object_set_qdata(object(socket), key, UnsafeMutableRawPointer(source))
    g_object_set_qdata(object(socket), end, UnsafeMutableRawPointer(bitPattern: now + Int(patience)))
    let look: GSocketSourceFunc = { socket, _, _ in
      guard let socket, !IdleSocket.goesOn(socket) else { return 1 }  // G_SOURCE_CONTINUE
      g_object_set_qdata(IdleSocket.object(socket), IdleSocket.key, nil)
      return 0  // G_SOURCE_REMOVE
    }
    // GLib calls it as a GSocketSourceFunc, the type that g_socket_create_source() names for its callback.
    g_source_set_callback(source, unsafeBitCast(look, to: GSourceFunc.self), nil, nil)
    // Behind what libsoup reads, whose sources have GLib's own priority.
    g_source_set_priority(source, EventPriority.script)
    g_source_attach(source, g_main_context_get_thread_default())
    g_source_unref(source)
  }

  /// The next request has come.
  package static func forget(_ socket: UnsafeMutablePointer<GSocket>) {
    guard let source = g_object_get_qdata(object(socket), key) else { return }
    g_object_set_qdata(object(socket), key, nil)
    g_source_destroy(source.assumingMemoryBound(to: GSource.self))
  }

  /// Whether there is still something to look for.
  private static func goesOn(_ socket: UnsafeMutablePointer<GSocket>) -> Bool {
    if g_socket_is_closed(socket) != 0 { return false }
    let isLate = Int(bitPattern: g_object_get_qdata(object(socket), end)) <= now
    guard isLate || isOver(socket) else { return g_socket_get_available_bytes(socket) <= 0 }
    g_socket_close(socket, nil)
    return false
  }

  private static var now: Int { Int(g_get_monotonic_time()) / 1_000_000 }

  private static func object(_ socket: UnsafeMutablePointer<GSocket>) -> UnsafeMutablePointer<GObject> {
    UnsafeMutableRawPointer(socket).assumingMemoryBound(to: GObject.self)
  }
}
