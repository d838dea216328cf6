// SPDX-License-Identifier: MIT

package import CNBridgeGLib
internal import Glibc

/// The encrypted side of connections.
package enum TLSStream {
  /// The server's side over a connection, which has not shaken hands; nil where there is none. The caller
  /// lets go of it.
  ///
  /// Not `g_tls_server_connection_new()`, which reads all authorities of the system for each connection, some
  /// megabytes: no client is asked for a certificate of its own.
  package static func server(
    over connection: UnsafeMutablePointer<GIOStream>, _ certificate: UnsafeMutablePointer<GTlsCertificate>
  ) -> UnsafeMutablePointer<GIOStream>? {
    UnwaitingOutput.lower(UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GSocketConnection.self))
    let type = g_tls_backend_get_server_connection_type(g_tls_backend_get_default())
    let objects: [(String, GType, UnsafeMutableRawPointer?)] = [
      ("base-io-stream", g_io_stream_get_type(), UnsafeMutableRawPointer(connection)),
      ("certificate", g_tls_certificate_get_type(), UnsafeMutableRawPointer(certificate)),
      ("database", g_tls_database_get_type(), nil),
    ]
    var names: [UnsafePointer<CChar>?] = objects.map { UnsafePointer(strdup($0.0)) }
    var values = objects.map { _, type, object in
      var value = GValue()
      g_value_init(&value, type)
      g_value_set_object(&value, object)
      return value
    }
    defer {
      for name in names { free(UnsafeMutablePointer(mutating: name)) }
      for index in values.indices { g_value_unset(&values[index]) }
    }
    guard let made = g_object_new_with_properties(type, guint(names.count), &names, &values) else {
      return nil
    }
    var failure: UnsafeMutablePointer<GError>?
    guard g_initable_init(OpaquePointer(made), nil, &failure) != 0 else {
      _ = GLibFailure.taking(failure)
      g_object_unref(made)
      return nil
    }
    return UnsafeMutableRawPointer(made).assumingMemoryBound(to: GIOStream.self)
  }

  /// Whether both sides have agreed on TLS 1.2 or a later one: those before it are broken (RFC 8996), and
  /// GIO of Debian 12 takes them all the same.
  package static func isRecent(_ connection: UnsafeMutablePointer<GTlsConnection>) -> Bool {
    switch g_tls_connection_get_protocol_version(connection) {
    case G_TLS_PROTOCOL_VERSION_SSL_3_0, G_TLS_PROTOCOL_VERSION_TLS_1_0, G_TLS_PROTOCOL_VERSION_TLS_1_1: false
    // One that GLib does not know is a later one.
    default: true
    }
  }
}
