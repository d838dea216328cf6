// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeSoup

/// What is agreed on when a connection of libsoup's is encrypted. Confined to the engine's thread.
///
/// HTTP/1.1 alone: of HTTP/2 libsoup (3.2 and later ones) tells nobody that a stream was reset or that its
/// connection has ended, so that a body which breaks would be waited for without end; and it fails requests
/// that a server which goes away in order still answers. Where a server speaks HTTP/2, nothing is sent, and
/// the request goes by a connection of our own.
final class TLSTerms: @unchecked Sendable {  // see above
  /// Whether the server speaks nothing newer than what is broken; nothing was sent then.
  private(set) var isOld = false
  /// Whether the server speaks HTTP/2; nothing was sent then.
  private(set) var isNewer = false
  /// While hands are shaken: libsoup keeps it for so long.
  private var connection: UnsafeMutablePointer<GTlsConnection>?
  private var cancellable: UnsafeMutablePointer<GCancellable>?
  /// Told whether the server speaks HTTP/2; nil where it is not asked.
  private var told: ((Bool) -> Void)?

  deinit { if let cancellable { g_object_unref(UnsafeMutableRawPointer(cancellable)) } }

  /// The message keeps this until it goes.
  ///
  /// - Parameters:
  ///   - cancellable: of the request; cancelled where it must not be sent.
  ///   - told: called once hands are shaken, if they are; nil where only HTTP/1.1 is offered.
  func watch(
    _ message: OpaquePointer, _ cancellable: UnsafeMutablePointer<GCancellable>?, told: ((Bool) -> Void)?
  ) {
    if let cancellable { g_object_ref(UnsafeMutableRawPointer(cancellable)) }
    (self.cancellable, self.told) = (cancellable, told)
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
    TLSProtocol.offer(told == nil ? [.http1] : [.http2, .http1], on: connection)
    self.connection = connection
  }

  private func check() {
    defer { connection = nil }
    guard let connection else { return }
    isOld = !TLSStream.isRecent(connection)
    if let told, !isOld {
      isNewer = TLSProtocol.agreed(connection) == .http2
      told(isNewer)
    }
    if isOld || isNewer { g_cancellable_cancel(cancellable) }
  }
}
