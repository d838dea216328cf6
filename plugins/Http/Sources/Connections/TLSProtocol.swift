// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc

/// What may be spoken over TLS, by its name of ALPN (RFC 7301).
enum TLSProtocol: String {
  case http1 = "http/1.1"
  case http2 = "h2"

  /// Says what may be spoken, the one that is wanted most first.
  static func offer(_ protocols: [TLSProtocol], on connection: UnsafeMutablePointer<GTlsConnection>) {
    let names = protocols.map { strdup($0.rawValue) }
    defer { for name in names { free(name) } }
    var list: [UnsafePointer<CChar>?] = names.map { UnsafePointer($0) } + [nil]
    g_tls_connection_set_advertised_protocols(connection, &list)
    // Else a body that lasts as long as the connection could be cut by anybody on the way (RFC 9112, 9.8).
    g_tls_connection_set_require_close_notify(connection, 1)
  }

  /// What both sides have agreed on; nil where they said nothing of it.
  static func agreed(_ connection: UnsafeMutablePointer<GTlsConnection>) -> TLSProtocol? {
    g_tls_connection_get_negotiated_protocol(connection).flatMap {
      TLSProtocol(rawValue: String(cString: $0))
    }
  }
}
