// SPDX-License-Identifier: MIT

internal import CNBridgeGLib

/// Whether a message has a connection, and is being sent. Confined to the engine's thread.
final class MessageStart: @unchecked Sendable {  // see above
  private(set) var hasHappened = false

  /// The message keeps this until it goes.
  func watch(_ message: OpaquePointer) {
    typealias Handler = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let handler: Handler = { _, data in
      if let data { Unmanaged<MessageStart>.fromOpaque(data).takeUnretainedValue().hasHappened = true }
    }
    g_signal_connect_data(
      UnsafeMutableRawPointer(message), "starting", unsafeBitCast(handler, to: GCallback.self),
      Unmanaged.passRetained(self).toOpaque(),
      { data, _ in if let data { Unmanaged<MessageStart>.fromOpaque(data).release() } }, GConnectFlags(0))
  }
}
