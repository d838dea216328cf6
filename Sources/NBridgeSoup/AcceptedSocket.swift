// SPDX-License-Identifier: MIT

package import CNBridgeGLib

/// The sockets of a server's connections, which libsoup does not know where it was handed streams: each hangs
/// at the other end's address, which libsoup keeps as long as the connection.
package enum AcceptedSocket {
  private static let key = "nbridge-socket"

  /// - Parameter there: what `soup_server_accept_iostream` is given for the other end.
  package static func keep(
    _ socket: UnsafeMutablePointer<GSocket>, at there: UnsafeMutablePointer<GSocketAddress>
  ) {
    g_object_ref(UnsafeMutableRawPointer(socket))
    g_object_set_data_full(
      UnsafeMutableRawPointer(there).assumingMemoryBound(to: GObject.self), key,
      UnsafeMutableRawPointer(socket), { socket in if let socket { g_object_unref(socket) } })
  }

  /// Nil for a connection that nobody has kept the socket of.
  package static func of(_ message: OpaquePointer, _ library: SoupServers) -> UnsafeMutablePointer<GSocket>? {
    guard let there = library.remoteAddress(message) else { return nil }
    let object = UnsafeMutableRawPointer(there).assumingMemoryBound(to: GObject.self)
    return g_object_get_data(object, key)?.assumingMemoryBound(to: GSocket.self)
  }
}
