// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSoup

/// Makes one connection to a server: through the proxy that the environment names, past the fence, and
/// encrypted for `https`. Confined to the engine's thread, but ``cancel()``.
final class ClientConnecting: @unchecked Sendable {  // `cancellable` may be used by any thread
  let cancellable = g_cancellable_new()
  private let session: HttpSession
  private let place: RequestPlace
  private let client = g_socket_client_new()
  private let context = LoopContext()
  /// What TLS offers to speak; nothing is said of it where there is none.
  private let protocols: [TLSProtocol]
  /// Asked what is wrong with a certificate; nil before TLS begins.
  private var tls: UnsafeMutablePointer<GTlsConnection>?

  /// - Parameters:
  ///   - patience: how long a server may be silent, in seconds.
  ///   - protocols: the one that is wanted most first.
  init(_ place: RequestPlace, _ session: HttpSession, patience: UInt32, protocols: [TLSProtocol] = []) throws
  {
    (self.session, self.place, self.protocols) = (session, place, protocols)
    guard let client else { throw BridgeError(.unavailable, "GIO makes no connection") }
    g_socket_client_set_timeout(client, patience)
    if let resolver = session.proxies?.socketResolver {
      g_socket_client_set_proxy_resolver(client, resolver)
    } else {
      g_socket_client_set_enable_proxy(client, 0)
    }
    g_socket_client_set_tls(client, place.scheme == "https" ? 1 : 0)
  }

  deinit {
    let held: [UnsafeMutableRawPointer?] = [
      client.map { UnsafeMutableRawPointer($0) }, cancellable.map { UnsafeMutableRawPointer($0) },
      tls.map { UnsafeMutableRawPointer($0) },
    ]
    context.release(held.compactMap(\.self), keeping: session)
  }

  func cancel() { g_cancellable_cancel(cancellable) }

  /// Waits for the connection, which the caller lets go of.
  ///
  /// - Throws: ``BridgeError``, with the server's origin.
  func connect(_ fence: AddressFence) async throws -> UnsafeMutablePointer<GIOStream> {
    guard let client else { throw BridgeError(.unavailable, "GIO makes no connection") }
    fence.watch(client, cancellable)
    watchTLS(client)
    var failure: UnsafeMutablePointer<GError>?
    // A proxy is looked for by the scheme of the request.
    guard let target = g_network_address_parse_uri(place.target, guint16(clamping: place.port), &failure)
    else {
      throw place.failure(GLibFailure.taking(failure), tls: 0)
    }
    defer { g_object_unref(UnsafeMutableRawPointer(target)) }
    let made = await GLibResult.wait { done, data in
      g_socket_client_connect_async(client, target, cancellable, done, data)
    } finish: { result -> Result<UnsafeMutablePointer<GIOStream>, GLibFailure> in
      var failure: UnsafeMutablePointer<GError>?
      guard let connection = g_socket_client_connect_finish(client, result, &failure) else {
        return .failure(GLibFailure.taking(failure))
      }
      return .success(UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GIOStream.self))
    }
    switch made.value {
    case .success(let stream):
      if let tls, !TLSStream.isRecent(tls) {
        g_object_unref(UnsafeMutableRawPointer(stream))
        throw place.old
      }
      g_socket_set_option(Self.socket(of: stream), Int32(IPPROTO_TCP), TCP_NODELAY, 1, nil)
      return stream
    case .failure(let reason):
      if let refused = fence.refusal { throw refused }
      throw place.failure(
        reason, tls: tls.map { g_tls_connection_get_peer_certificate_errors($0).rawValue } ?? 0)
    }
  }

  /// What both sides have agreed on to speak; nil where they said nothing of it.
  var agreed: TLSProtocol? { tls.flatMap(TLSProtocol.agreed) }

  static func socket(of stream: UnsafeMutablePointer<GIOStream>) -> UnsafeMutablePointer<GSocket>? {
    g_socket_connection_get_socket(
      UnsafeMutableRawPointer(stream).assumingMemoryBound(to: GSocketConnection.self))
  }

  /// Has the connection trust the session's authorities.
  private func watchTLS(_ client: UnsafeMutablePointer<GSocketClient>) {
    typealias Handler =
      @convention(c) (
        OpaquePointer?, GSocketClientEvent, OpaquePointer?, OpaquePointer?, UnsafeMutableRawPointer?
      ) -> Void
    let handler: Handler = { _, event, _, connection, data in
      guard event == G_SOCKET_CLIENT_TLS_HANDSHAKING, let connection else { return }
      GLibSignal.listener(data, as: Listener.self)?.connecting?.take(UnsafeMutablePointer(connection))
    }
    GLibSignal.connect(OpaquePointer(client), "event", handler, keeping: Listener(self))
  }

  private final class Listener {
    weak var connecting: ClientConnecting?
    init(_ connecting: ClientConnecting) { self.connecting = connecting }
  }

  private func take(_ connection: UnsafeMutablePointer<GTlsConnection>) {
    g_object_ref(UnsafeMutableRawPointer(connection))
    if let tls { g_object_unref(UnsafeMutableRawPointer(tls)) }
    tls = connection
    if let database = session.database { g_tls_connection_set_database(connection, database) }
    if !protocols.isEmpty { TLSProtocol.offer(protocols, on: connection) }
  }
}
