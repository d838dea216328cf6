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
  let proxies: ProxySettings?
  let places = HostPlaces(most: Int(SoupSession.mostToOneHost))
  let tunnels: ProxyTunnels
  let inputs = ServerInputs()
  /// The authorities that it trusts in place of the system's; nil for these.
  private(set) var database: UnsafeMutablePointer<GTlsDatabase>?
  /// libsoup's, for new requests. It keeps the addresses of a host for as long as that is asked.
  private var session: OpaquePointer
  private var freshness = HostFreshness(from: HttpSession.now)
  /// The last ones before it, whose requests go on, and when each was left.
  private var left: [(session: OpaquePointer, since: Int)] = []
  /// So many sessions that were left are known here, so that their requests can be ended; these keep theirs.
  private static let mostLeft = 16
  /// One that was left has closed what it had open after so long, in seconds.
  private static let closing = 60

  /// - Parameter authorities: a file of certificates to trust; nil for those that the environment names.
  init(_ authorities: String?) throws {
    proxies = try ProxySettings()
    soup = try LibSoup.opened()
    tunnels = ProxyTunnels(soup, proxies?.tunnelAuthorization)
    database = try Self.database(authorities)
    if let database, proxies?.hasTLS == true { Self.share(database) }
    session = try SoupSession.make(soup, proxies, database, tunnels)
  }

  /// No more requests; those under way fail. What is open is closed when its last user lets go.
  func end() {
    places.end()
    for session in sessions { soup.abort(session) }
  }

  deinit {
    for session in sessions { g_object_unref(UnsafeMutableRawPointer(session)) }
    if let database { g_object_unref(UnsafeMutableRawPointer(database)) }
  }

  private var sessions: [OpaquePointer] { left.map(\.session) + [session] }

  /// What a request is sent by, which keeps it.
  func current() -> OpaquePointer {
    if freshness.isOver(at: Self.now) { renew() }
    return session
  }

  func hasReached(_ origin: String) { freshness.reach(origin) }

  /// A connection was not made: a host that was there before may have moved.
  func hasFailed(_ origin: String) { if freshness.mayHaveMoved(origin) { renew() } }

  /// Not while too many were left just now, as by a host that comes and goes.
  private func renew() {
    let now = Self.now
    if left.count == Self.mostLeft {
      guard now - left[0].since >= Self.closing else { return }
      g_object_unref(UnsafeMutableRawPointer(left.removeFirst().session))
    }
    guard let next = try? SoupSession.make(soup, proxies, database, tunnels) else { return }
    left.append((session, now))
    (session, freshness) = (next, HostFreshness(from: now))
  }

  /// With a proxy GIO shakes hands by itself, and asks the database of the process.
  private static func share(_ database: UnsafeMutablePointer<GTlsDatabase>) {
    if let backend = g_tls_backend_get_default() { g_tls_backend_set_default_database(backend, database) }
  }

  private static var now: Int { Int(g_get_monotonic_time()) / 1_000_000 }

  /// The certificates of a file of the environment's, beside no others: as OpenSSL's programs read it.
  private static func database(_ authorities: String?) throws -> UnsafeMutablePointer<GTlsDatabase>? {
    let named = getenv("SSL_CERT_FILE").map { String(cString: $0) } ?? ""
    let name = authorities ?? named
    if name.isEmpty { return nil }
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
    return UnsafeMutableRawPointer(database).assumingMemoryBound(to: GTlsDatabase.self)
  }
}
