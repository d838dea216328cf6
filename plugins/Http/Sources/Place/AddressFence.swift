// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup

/// Looks at the address that a connection goes to, before anything is sent: a name that leads to this machine
/// or its network is no way around a permission that names a host of the world (DNS rebinding). Confined to
/// the engine's thread.
final class AddressFence: @unchecked Sendable {  // see above
  private let place: RequestPlace
  private let call: Call
  private var cancellable: UnsafeMutablePointer<GCancellable>?
  /// The ends of the connections that were tried, of which GIO takes the first that is made (RFC 8305); none
  /// where one was there.
  private var sockets: [UnsafeMutablePointer<GSocket>] = []
  /// Why the connection was not made.
  private(set) var refusal: BridgeError?

  init(_ place: RequestPlace, _ call: Call) { (self.place, self.call) = (place, call) }

  deinit {
    if let cancellable { g_object_unref(UnsafeMutableRawPointer(cancellable)) }
    for socket in sockets { g_object_unref(UnsafeMutableRawPointer(socket)) }
  }

  /// One for another connection to the same place.
  func another() -> AddressFence { AddressFence(place, call) }

  /// Cuts the connection, so that what was sent of a body is no whole one: libsoup ends a body in order when
  /// it is cancelled. For requests that have a connection of their own.
  func cut() { for socket in sockets { g_socket_shutdown(socket, 1, 1, nil) } }

  /// Whether a permission opens what stands in the address of the request.
  ///
  /// - Throws: `permission_denied`, with the entry to add.
  func checkName() throws {
    let origin = place.permittedOrigin
    if call.allows("http.fetch:\(origin)") { return }
    throw call.denial(
      of: "fetch of \(origin)", permission: "http.fetch:\(origin)", adding: "fetch:\(origin)",
      details: try? Value(encoding: ["origin": origin]))
  }

  /// Looks at each connection that a message makes. The message keeps this until it goes.
  func watch(_ message: OpaquePointer, _ cancellable: UnsafeMutablePointer<GCancellable>?) {
    // The message may outlive who sends it.
    if let cancellable { g_object_ref(UnsafeMutableRawPointer(cancellable)) }
    self.cancellable = cancellable
    typealias Handler =
      @convention(c) (OpaquePointer?, GSocketClientEvent, OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let handler: Handler = { _, event, connection, data in
      guard event == G_SOCKET_CLIENT_CONNECTING, let connection else { return }
      GLibSignal.listener(data, as: AddressFence.self)?.look(at: connection)
    }
    GLibSignal.connect(message, "network-event", handler, keeping: self)
  }

  /// The same for a client without libsoup.
  func watch(
    _ client: UnsafeMutablePointer<GSocketClient>, _ cancellable: UnsafeMutablePointer<GCancellable>?
  ) {
    if let cancellable { g_object_ref(UnsafeMutableRawPointer(cancellable)) }
    self.cancellable = cancellable
    typealias Handler =
      @convention(c) (
        OpaquePointer?, GSocketClientEvent, OpaquePointer?, OpaquePointer?, UnsafeMutableRawPointer?
      ) -> Void
    let handler: Handler = { _, event, _, connection, data in
      guard event == G_SOCKET_CLIENT_CONNECTING, let connection else { return }
      GLibSignal.listener(data, as: AddressFence.self)?.look(at: connection)
    }
    GLibSignal.connect(OpaquePointer(client), "event", handler, keeping: self)
  }

  /// Before a connection is made, a `GSocketConnection`.
  func look(at connection: OpaquePointer) {
    let connection = UnsafeMutablePointer<GSocketConnection>(connection)
    guard let socket = g_socket_connection_get_socket(connection) else { return }
    g_object_ref(UnsafeMutableRawPointer(socket))
    sockets.append(socket)
    if place.scheme == "https" { UnwaitingOutput.lower(connection) }
    guard let address = g_socket_connection_get_remote_address(connection, nil) else { return }
    defer { g_object_unref(UnsafeMutableRawPointer(address)) }
    let kind = UnsafeMutableRawPointer(address).assumingMemoryBound(to: GTypeInstance.self)
    // A proxy looks for the host by itself.
    guard g_type_check_instance_is_a(kind, g_proxy_address_get_type()) == 0,
      g_type_check_instance_is_a(kind, g_inet_socket_address_get_type()) != 0,
      let inet = g_inet_socket_address_get_address(
        UnsafeMutableRawPointer(address).assumingMemoryBound(to: GInetSocketAddress.self)),
      isClosed(inet)
    else { return }
    let origin = place.origin(at: HostAddress.text(of: inet))
    if origin == place.permittedOrigin || call.allows("http.fetch:\(origin)") { return }
    refusal = BridgeError(
      .permissionDenied,
      """
      fetch of \(place.origin) is not permitted, because that name leads into this network, to \(origin); to \
      allow it, add "fetch:\(origin)" to "permissions" in app.json (or to --permissions)
      """)
    // It was not connected yet, and is not to be: a script could hear who listens there.
    g_socket_close(socket, nil)
    g_cancellable_cancel(cancellable)
  }

  /// Whether an address is not one of the world's (RFC 6890).
  private func isClosed(_ address: UnsafeMutablePointer<GInetAddress>) -> Bool {
    if g_inet_address_get_is_loopback(address) != 0 || g_inet_address_get_is_link_local(address) != 0
      || g_inet_address_get_is_site_local(address) != 0 || g_inet_address_get_is_any(address) != 0
      || g_inet_address_get_is_multicast(address) != 0
    {
      return true
    }
    return PrivateAddress.holds(HostAddress.bytes(of: address))
  }
}

/// Addresses that GLib does not count among those of a network of one's own.
enum PrivateAddress {
  /// - Parameter bytes: four or sixteen, as they go over the wire.
  static func holds(_ bytes: [UInt8]) -> Bool {
    if bytes.isEmpty { return true }
    if bytes.count == 16 {
      // Unique local addresses (RFC 4193), and those of IPv4 in other clothes (RFC 4291, 6052).
      if bytes[0] & 0xFE == 0xFC { return true }
      let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
      let isTranslated = bytes[..<12].elementsEqual([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0])
      if isMapped || isTranslated { return holds(Array(bytes[12...])) }
      // Those of one network's own translation (RFC 8215), and of IPv4 in a tunnel (RFC 3056).
      if bytes[..<6].elementsEqual([0, 0x64, 0xFF, 0x9B, 0, 1]) { return true }
      return bytes[0] == 0x20 && bytes[1] == 0x02 && holds(Array(bytes[2..<6]))
    }
    return switch (bytes[0], bytes[1]) {
    case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127), (198, 18...19):
      true
    case (224..., _): true
    default: false
    }
  }
}
