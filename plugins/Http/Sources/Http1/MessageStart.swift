// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeSoup

/// Whether a message has a connection, and is being sent; and what comes before its answer. Confined to the
/// engine's thread.
final class MessageStart: @unchecked Sendable {  // see above
  private(set) var hasHappened = false
  /// Whether the head of its answer has come.
  private(set) var hasAnswer = false
  /// Whether the server said so much before its answer that nobody waits for that.
  private(set) var isEndless = false
  /// Whether the server answers that it goes over to another protocol.
  private(set) var isSwitching = false
  private var informed = 0
  private var soup: LibSoup?
  private var cancellable: UnsafeMutablePointer<GCancellable>?

  deinit { if let cancellable { g_object_unref(UnsafeMutableRawPointer(cancellable)) } }

  /// The message keeps this until it goes.
  ///
  /// - Parameter cancellable: of the request; cancelled when no answer is to come.
  func watch(
    _ message: OpaquePointer, _ soup: LibSoup, _ cancellable: UnsafeMutablePointer<GCancellable>?
  ) {
    self.soup = soup
    if let cancellable { g_object_ref(UnsafeMutableRawPointer(cancellable)) }
    self.cancellable = cancellable
    typealias Handler = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let start: Handler = { _, data in GLibSignal.listener(data, as: MessageStart.self)?.hasHappened = true }
    let inform: Handler = { message, data in
      GLibSignal.listener(data, as: MessageStart.self)?.inform(message)
    }
    let answer: Handler = { _, data in GLibSignal.listener(data, as: MessageStart.self)?.hasAnswer = true }
    GLibSignal.connect(message, "starting", start, keeping: self)
    GLibSignal.connect(message, "got-headers", answer, keeping: self)
    GLibSignal.connect(message, "got-informational", inform, keeping: self)
    // A second time by a connection that is made for it: of the kept ones each may have ended.
    let again: Handler = { message, data in
      if let message {
        GLibSignal.listener(data, as: MessageStart.self)?.soup?.addFlags(message, LibSoup.newConnection)
      }
    }
    GLibSignal.connect(message, "restarted", again, keeping: self)
  }

  private func inform(_ message: OpaquePointer?) {
    informed += 1
    if message.flatMap({ soup?.status($0) }) == 101 { isSwitching = true }
    isEndless = informed > ProxyTunnels.mostInformed
    if isSwitching || isEndless { g_cancellable_cancel(cancellable) }
  }
}
