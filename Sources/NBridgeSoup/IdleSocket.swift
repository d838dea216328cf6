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

  private static let key = "nbridge-idle"

  /// Looks once, when something comes: the next request, or the end. Where libsoup has read that request
  /// before, the look is left for the one after it: no socket has two.
  package static func watch(_ socket: UnsafeMutablePointer<GSocket>?) {
    guard let socket, g_object_get_data(object(socket), key) == nil,
      let source = g_socket_create_source(socket, G_IO_IN, nil)
    else { return }
    g_object_set_data(object(socket), key, UnsafeMutableRawPointer(socket))
    let look: GSocketSourceFunc = { socket, _, _ in
      if let socket { g_object_set_data(IdleSocket.object(socket), IdleSocket.key, nil) }
      if IdleSocket.isOver(socket) { g_socket_close(socket, nil) }
      return 0  // G_SOURCE_REMOVE
    }
    // GLib calls it as a GSocketSourceFunc, the type that g_socket_create_source() names for its callback.
    g_source_set_callback(source, unsafeBitCast(look, to: GSourceFunc.self), nil, nil)
    // Behind what libsoup reads.
    g_source_set_priority(source, EventPriority.script + 1)
    g_source_attach(source, g_main_context_get_thread_default())
    g_source_unref(source)
  }

  private static func object(_ socket: UnsafeMutablePointer<GSocket>) -> UnsafeMutablePointer<GObject> {
    UnsafeMutableRawPointer(socket).assumingMemoryBound(to: GObject.self)
  }
}
