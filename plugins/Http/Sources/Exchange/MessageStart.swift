// SPDX-License-Identifier: MIT

internal import NBridgeSoup

/// Whether a message has a connection, and is being sent. Confined to the engine's thread.
final class MessageStart: @unchecked Sendable {  // see above
  private(set) var hasHappened = false

  /// The message keeps this until it goes.
  func watch(_ message: OpaquePointer) {
    typealias Handler = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let handler: Handler = { _, data in GLibSignal.listener(data, as: MessageStart.self)?.hasHappened = true }
    GLibSignal.connect(message, "starting", handler, keeping: self)
  }
}
