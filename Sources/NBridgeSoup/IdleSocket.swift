// SPDX-License-Identifier: MIT

package import CNBridgeGLib
internal import Glibc

/// What the system knows of a connection from which nobody reads. On the thread of its context.
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
}
