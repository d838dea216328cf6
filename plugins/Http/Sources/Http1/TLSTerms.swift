// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeSoup

/// What is agreed on when a connection of libsoup's is encrypted. Confined to the engine's thread.
///
/// HTTP/1.1 alone: of HTTP/2 libsoup (3.2 and later ones) tells nobody that a stream was reset or that its
/// connection has ended, so that a body which breaks would be waited for without end; it fails requests that
/// a server which goes away in order still answers; and it ends the process when a session goes whose
/// connection is just being closed. ``Http2Protocols`` finds out what a server speaks, by one of our own.
final class TLSTerms: @unchecked Sendable {  // see above
  /// Whether the server speaks nothing newer than what is broken; nothing was sent then.
  private(set) var isOld = false
  /// While hands are shaken: libsoup keeps it for so long.
  private var connection: UnsafeMutablePointer<GTlsConnection>?
  private var cancellable: UnsafeMutablePointer<GCancellable>?

  deinit { if let cancellable { g_object_unref(UnsafeMutableRawPointer(cancellable)) } }

  /// The message keeps this until it goes.
  ///
  /// - Parameter cancellable: of the request; cancelled where it must not be sent.
  func watch(_ message: OpaquePointer, _ cancellable: UnsafeMutablePointer<GCancellable>?) {
    if let cancellable { g_object_ref(UnsafeMutableRawPointer(cancellable)) }
    self.cancellable = cancellable
    typealias Handler =
      @convention(c) (OpaquePointer?, GSocketClientEvent, OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let handler: Handler = { _, event, connection, data in
      let terms = GLibSignal.listener(data, as: TLSTerms.self)
      switch event {
      case G_SOCKET_CLIENT_TLS_HANDSHAKING:
        if let connection { terms?.begin(UnsafeMutablePointer(connection)) }
      case G_SOCKET_CLIENT_TLS_HANDSHAKED: terms?.check()
      default: break
      }
    }
    GLibSignal.connect(message, "network-event", handler, keeping: self)
  }

  private func begin(_ connection: UnsafeMutablePointer<GTlsConnection>) {
    TLSProtocol.offer([.http1], on: connection)
    self.connection = connection
  }

  private func check() {
    guard let connection else { return }
    isOld = !TLSStream.isRecent(connection)
    if isOld { g_cancellable_cancel(cancellable) }
    self.connection = nil
  }
}
