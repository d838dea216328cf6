// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup

/// A request as libsoup takes it.
enum RequestMessage {
  static func make(_ options: ExchangeOptions, _ place: RequestPlace, _ session: HttpSession) throws
    -> OpaquePointer
  {
    let soup = session.soup
    // SOUP_HTTP_URI_FLAGS (libsoup/soup-uri-utils.h): what is escaped stays so.
    let flags =
      G_URI_FLAGS_HAS_PASSWORD.rawValue | G_URI_FLAGS_ENCODED_PATH.rawValue
      | G_URI_FLAGS_ENCODED_QUERY.rawValue | G_URI_FLAGS_ENCODED_FRAGMENT.rawValue
      | G_URI_FLAGS_SCHEME_NORMALIZE.rawValue
    let parts = try AddressParts(options.url)
    guard let beginning = g_uri_parse(parts.beginning, G_URI_FLAGS_ENCODED, nil) else {
      throw BridgeError(.invalidParameter, "\(place.origin) is no address that can be fetched")
    }
    defer { g_uri_unref(beginning) }
    let host = g_uri_get_host(beginning).map { String(cString: $0) } ?? ""
    let uri = g_uri_build(
      GUriFlags(rawValue: flags), place.scheme, nil, host, gint(place.port), parts.path, parts.query, nil)
    defer { g_uri_unref(uri) }
    guard let message = soup.newMessage(options.method, uri) else {
      throw BridgeError(.invalidParameter, "\(place.origin) is no address that can be fetched")
    }
    soup.addFlags(message, LibSoup.noRedirect)
    let headers = soup.requestHeaders(message)
    HeaderTexts.append(options.headers, to: headers, soup)
    // What a script says itself counts.
    let names = stride(from: 0, to: options.headers.count, by: 2)
    if !names.contains(where: { options.headers[$0].lowercased() == "proxy-authorization" }),
      let authorization = session.proxies?.authorization(for: place, host: host)
    {
      soup.appendHeader(headers, "Proxy-Authorization", authorization)
    }
    if let body = options.body { setBody(body, message, soup) }
    return message
  }

  /// A copy: what a script goes on writing to must not change a request that is sent again.
  ///
  /// That is one whose method says the same however often it comes, by a connection that was kept and that
  /// the server has just closed. libsoup takes the body away before, which the head still speaks of: the
  /// server would wait for it, and the script for the server.
  private static func setBody(_ body: Bytes, _ message: OpaquePointer, _ soup: LibSoup) {
    let kept = KeptBody(body, soup)
    kept.set(message)
    typealias Handler = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let again: Handler = { message, data in
      if let message { GLibSignal.listener(data, as: KeptBody.self)?.set(message) }
    }
    GLibSignal.connect(message, "restarted", again, keeping: kept)
  }

  /// A body that can be sent more than once. Confined to the engine's thread.
  private final class KeptBody {
    private let bytes: OpaquePointer?
    private let soup: LibSoup

    init(_ body: Bytes, _ soup: LibSoup) {
      self.soup = soup
      bytes = body.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
    }

    deinit { if let bytes { g_bytes_unref(bytes) } }

    func set(_ message: OpaquePointer) { soup.setBodyBytes(message, nil, bytes) }
  }
}
