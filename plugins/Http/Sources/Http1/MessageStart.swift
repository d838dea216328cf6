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
  private var informed = 0
  private var started: (() -> Void)?
  private var cancellable: UnsafeMutablePointer<GCancellable>?

  deinit { if let cancellable { g_object_unref(UnsafeMutableRawPointer(cancellable)) } }

  /// The message keeps this until it goes.
  ///
  /// - Parameters:
  ///   - cancellable: of the request; cancelled when the server does not come to an answer.
  ///   - started: called when it has a connection, a kept one, too.
  func watch(
    _ message: OpaquePointer, _ cancellable: UnsafeMutablePointer<GCancellable>?,
    started: @escaping () -> Void
  ) {
    self.started = started
    if let cancellable { g_object_ref(UnsafeMutableRawPointer(cancellable)) }
    self.cancellable = cancellable
    typealias Handler = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let start: Handler = { _, data in GLibSignal.listener(data, as: MessageStart.self)?.start() }
    let inform: Handler = { _, data in GLibSignal.listener(data, as: MessageStart.self)?.inform() }
    let answer: Handler = { _, data in GLibSignal.listener(data, as: MessageStart.self)?.hasAnswer = true }
    GLibSignal.connect(message, "starting", start, keeping: self)
    GLibSignal.connect(message, "got-headers", answer, keeping: self)
    GLibSignal.connect(message, "got-informational", inform, keeping: self)
  }

  private func start() {
    hasHappened = true
    started?()
    started = nil
  }

  private func inform() {
    informed += 1
    guard informed > ProxyTunnels.mostInformed else { return }
    isEndless = true
    g_cancellable_cancel(cancellable)
  }
}
