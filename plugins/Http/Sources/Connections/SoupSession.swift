// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup

/// A session of libsoup's, as requests by HTTP/1.1 have it. Confined to the engine's thread.
enum SoupSession {
  /// How many connections there are at once, in all and to one host.
  private static let mostConnections: UInt32 = 1024
  static let mostToOneHost: UInt32 = 128
  /// A server that sends nothing for so long has gone, in seconds.
  private static let silence: UInt32 = 300
  /// An idle connection is closed after so long, in seconds.
  private static let idle: UInt32 = 30

  /// - Parameters:
  ///   - database: of authorities; nil for the system's.
  ///   - tunnels: who is told of those that proxies make.
  static func make(
    _ soup: LibSoup, _ proxies: ProxySettings?, _ database: UnsafeMutablePointer<GTlsDatabase>?,
    _ tunnels: ProxyTunnels
  ) throws -> OpaquePointer {
    let session = try create(soup)
    soup.setTimeout(session, silence)
    soup.setIdleTimeout(session, idle)
    // What is compressed is decompressed here, in pieces, by the libraries that CompressionStream uses.
    soup.removeFeature(session, soup.contentDecoderType())
    // Asked for a password, it would send the request to the proxy itself. Who has one has said it.
    soup.removeFeature(session, soup.authManagerType())
    soup.setProxyResolver(session, proxies?.resolver)
    if let database { soup.setDatabase(session, UnsafeMutableRawPointer(database)) }
    if proxies != nil { tunnels.watch(session) }
    return session
  }

  /// The limits can be set only when it is made.
  private static func create(_ soup: LibSoup) throws -> OpaquePointer {
    var values = [GValue(), GValue()]
    for (index, number) in [mostConnections, mostToOneHost].enumerated() {
      // Not G_TYPE_INT's macro, which Swift does not see: the sixth fundamental type (gobject/gtype.h).
      g_value_init(&values[index], GType(6 << 2))
      g_value_set_int(&values[index], Int32(number))
    }
    let made = "max-conns".withCString { all in
      "max-conns-per-host".withCString { one in
        var names: [UnsafePointer<CChar>?] = [all, one]
        return g_object_new_with_properties(soup.sessionType(), 2, &names, values)
      }
    }
    guard let made else { throw BridgeError(.unavailable, "libsoup makes no session") }
    return OpaquePointer(made)
  }
}
