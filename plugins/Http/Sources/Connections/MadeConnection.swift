// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeSoup

/// Hears of the connection that is made for a message: not of what is said to a proxy on the way. Confined to
/// the engine's thread.
final class MadeConnection: @unchecked Sendable {  // see above
  private let isEncrypted: Bool
  private let whenMade: (UnsafeMutablePointer<GIOStream>) -> Void

  /// - Parameter whenMade: called for each, with all of its layers made; a message that is sent again may get
  ///   another one.
  init(isEncrypted: Bool, whenMade: @escaping (UnsafeMutablePointer<GIOStream>) -> Void) {
    (self.isEncrypted, self.whenMade) = (isEncrypted, whenMade)
  }

  /// The message keeps this until it goes.
  func watch(_ message: OpaquePointer) {
    typealias Event =
      @convention(c) (OpaquePointer?, GSocketClientEvent, OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let connect: Event = { _, event, connection, data in
      guard event == G_SOCKET_CLIENT_COMPLETE, let connection else { return }
      GLibSignal.listener(data, as: MadeConnection.self)?.take(UnsafeMutableRawPointer(connection))
    }
    GLibSignal.connect(message, "network-event", connect, keeping: self)
  }

  /// It comes twice where there is a proxy: the first time for the tunnel.
  private func take(_ connection: UnsafeMutableRawPointer) {
    let instance = connection.assumingMemoryBound(to: GTypeInstance.self)
    guard isEncrypted == (g_type_check_instance_is_a(instance, g_tls_connection_get_type()) != 0) else {
      return
    }
    whenMade(connection.assumingMemoryBound(to: GIOStream.self))
  }
}
