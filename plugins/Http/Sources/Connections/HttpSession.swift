// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSoup

/// The connections of a program: kept open between requests, to so many hosts, through the proxies that the
/// environment names. Confined to the engine's thread, whose `GMainContext` runs it.
///
/// It has no cookies and no cache: what goes out is what the script wrote, and to a proxy the password that
/// its address has.
final class HttpSession {
  let soup: LibSoup
  let session: OpaquePointer
  let proxies = ProxySettings()
  let places = HostPlaces(most: Int(mostToOneHost))
  /// The authorities that it trusts in place of the system's; nil for these.
  private(set) var database: UnsafeMutablePointer<GTlsDatabase>?

  /// How many connections there are at once, in all and to one host.
  private static let mostConnections: UInt32 = 1024
  private static let mostToOneHost: UInt32 = 128
  /// A server that sends nothing for so long has gone, in seconds.
  private static let silence: UInt32 = 300
  /// An idle connection is closed after so long, in seconds.
  private static let idle: UInt32 = 30

  /// - Parameter authorities: a file of certificates to trust; nil for those that the environment names.
  init(_ authorities: String?) throws {
    soup = try LibSoup.opened()
    session = try Self.make(soup)
    soup.setTimeout(session, Self.silence)
    soup.setIdleTimeout(session, Self.idle)
    // What is compressed is decompressed here, in pieces, by the libraries that CompressionStream uses.
    soup.removeFeature(session, soup.contentDecoderType())
    soup.setProxyResolver(session, proxies?.resolver)
    try trust(authorities)
  }

  /// No more requests; those under way fail. What is open is closed when its last user lets go.
  func end() {
    places.end()
    soup.abort(session)
  }

  deinit {
    g_object_unref(UnsafeMutableRawPointer(session))
    if let database { g_object_unref(UnsafeMutableRawPointer(database)) }
  }

  /// The limits can be set only when it is made.
  private static func make(_ soup: LibSoup) throws -> OpaquePointer {
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

  /// The certificates of a file of the environment's, beside no others: as OpenSSL's programs read it.
  private func trust(_ authorities: String?) throws {
    let named = getenv("SSL_CERT_FILE").map { String(cString: $0) } ?? ""
    let name = authorities ?? named
    if name.isEmpty { return }
    // GIO takes whole paths only.
    guard let whole = realpath(name, nil) else {
      throw BridgeError.system("open the certificates of SSL_CERT_FILE", name)
    }
    defer { free(whole) }
    var failure: UnsafeMutablePointer<GError>?
    guard let database = g_tls_file_database_new(whole, &failure) else {
      let reason = GLibFailure.taking(failure)
      throw BridgeError(
        .ioError, "the certificates of SSL_CERT_FILE, '\(name)', can't be read: \(reason.text)")
    }
    soup.setDatabase(session, UnsafeMutableRawPointer(database))
    self.database = UnsafeMutableRawPointer(database).assumingMemoryBound(to: GTlsDatabase.self)
  }
}
