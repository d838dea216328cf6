// SPDX-License-Identifier: MIT

package import CNBridgeGLib

/// The sockets of a server's connections, which libsoup does not know where it was handed streams: each is
/// known at the other end's address, which libsoup keeps as long as the connection. The socket itself keeps
/// that address, so it is not kept by it: nothing of a connection would ever be let go of.
package enum AcceptedSocket {
  private static let key = g_quark_from_string("nbridge-socket")

  /// - Parameter there: what `soup_server_accept_iostream` is given for the other end.
  package static func keep(
    _ socket: UnsafeMutablePointer<GSocket>, at there: UnsafeMutablePointer<GSocketAddress>
  ) {
    let known = UnsafeMutablePointer<GWeakRef>.allocate(capacity: 1)
    g_weak_ref_init(known, UnsafeMutableRawPointer(socket))
    g_object_set_qdata_full(
      UnsafeMutableRawPointer(there).assumingMemoryBound(to: GObject.self), key,
      UnsafeMutableRawPointer(known),
      { data in
        guard let known = data?.assumingMemoryBound(to: GWeakRef.self) else { return }
        g_weak_ref_clear(known)
        known.deallocate()
      })
  }

  /// Nil for a connection that nobody has kept the socket of, and for one that is gone. It is the
  /// connection's, as long as that has its stream: not for later turns of the loop.
  package static func of(_ message: OpaquePointer, _ library: SoupServers) -> UnsafeMutablePointer<GSocket>? {
    guard let there = library.remoteAddress(message) else { return nil }
    let object = UnsafeMutableRawPointer(there).assumingMemoryBound(to: GObject.self)
    guard let known = g_object_get_qdata(object, key)?.assumingMemoryBound(to: GWeakRef.self),
      let socket = g_weak_ref_get(known)
    else { return nil }
    g_object_unref(socket)
    return UnsafeMutableRawPointer(socket).assumingMemoryBound(to: GSocket.self)
  }
}
