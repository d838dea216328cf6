// SPDX-License-Identifier: MIT

package import CNBridgeGLib

/// The socket that a server listens at. libsoup's own has room for ten clients that wait.
package enum ListeningSocket {
  private static let backlog: Int32 = 1024

  /// The caller lets go of it; nil with `failure` set.
  package static func make(
    _ address: UnsafeMutablePointer<GSocketAddress>,
    _ failure: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>
  ) -> UnsafeMutablePointer<GSocket>? {
    let family = g_socket_address_get_family(address)
    guard let socket = g_socket_new(family, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, failure) else {
      return nil
    }
    g_socket_set_listen_backlog(socket, backlog)
    // A port that was just let go of is no port that is taken.
    guard g_socket_bind(socket, address, 1, failure) != 0, g_socket_listen(socket, failure) != 0 else {
      g_object_unref(UnsafeMutableRawPointer(socket))
      return nil
    }
    return socket
  }
}
