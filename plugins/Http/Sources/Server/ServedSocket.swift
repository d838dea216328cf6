// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup

/// A WebSocket that a client of a server of ours opened. A type of its own, because who may serve need not be
/// allowed to fetch.
final class ServedSocket: SocketConnection, @unchecked Sendable {  // as its superclass
  override class var handle: HandleType { HandleType("client", "A WebSocket that a client opened.") }

  /// Takes over what a request came by. On the engine's thread, when the head of the answer 101 is written.
  ///
  /// - Parameters:
  ///   - chosen: the protocol, of those that the client named; nil for none.
  ///   - compression: what both have agreed on; nil for none.
  ///   - longest: of the client's messages, in bytes.
  static func taking(
    _ message: OpaquePointer, _ chosen: String?, _ compression: SocketCompression?, _ longest: Int,
    _ library: SoupServers
  ) throws -> ServedSocket? {
    // It may be silent.
    let socket = AcceptedSocket.of(message, library)
    socket.map { g_socket_set_timeout($0, 0) }
    RequestInput.of(socket)?.handOver()
    guard let stream = library.steal(message) else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(stream)) }
    return try ServedSocket(
      stream, by: socket, isServer: true, chosen: chosen ?? "", compression: compression, longest: longest)
  }

  override func linger(by socket: UnsafeMutablePointer<GSocket>) {
    RequestInput.of(socket)?.lingerHandedOver()
  }
}

/// A request that a script answers with a WebSocket.
struct ServerUpgrade: Codable, Sendable {
  var number: Int
  /// One of those that the client named; nil for none.
  var chosen: String?
}

/// What has become of it.
struct UpgradedSocket: Codable, Sendable {
  var socket: Handle<ServedSocket>
  var chosen: String
  var extensions: String
}
