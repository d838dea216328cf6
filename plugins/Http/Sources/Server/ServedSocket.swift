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
  /// - Parameter chosen: the protocol, of those that the client named; nil for none.
  static func taking(
    _ message: OpaquePointer, _ chosen: String?, _ extensions: AgreedExtensions, _ library: SoupServers,
    _ sockets: SoupSockets
  ) -> ServedSocket? {
    guard let stream = library.steal(message) else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(stream)) }
    let uri = library.uri(message)
    let made = sockets.make(stream, uri, SoupSockets.server, nil, chosen, extensions.handOver())
    return made.map { ServedSocket($0, sockets) }
  }
}

/// What client and server have agreed on beside the protocol: compression, or nothing. Confined to the
/// engine's thread.
final class AgreedExtensions: @unchecked Sendable {  // see above
  private var list: UnsafeMutablePointer<GList>?
  /// As a WebSocket's `extensions`.
  let shown: String

  /// Takes a list of libsoup's objects over.
  init(_ list: UnsafeMutablePointer<GList>?) {
    self.list = list
    shown = list == nil ? "" : "permessage-deflate"
  }

  /// Gives them to a connection.
  func handOver() -> UnsafeMutablePointer<GList>? {
    defer { list = nil }
    return list
  }

  deinit { g_list_free_full(list) { g_object_unref($0) } }
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
