// SPDX-License-Identifier: MIT

internal import CNBridgeGLib

/// Watches a descriptor on a loop, until it is closed: its body runs on the loop's thread whenever something
/// can be read, or written. What the body settles reaches the script at once.
package final class DescriptorSource: @unchecked Sendable {
  // Sendable because the body is called, and taken away, on the loop's thread; GLib's own part is guarded by
  // GLib.
  private let body: () -> Void
  private unowned let loop: EventLoop
  private var source: UnsafeMutablePointer<GSource>?

  init(
    _ descriptor: Int32, writes: Bool, _ loop: EventLoop, _ context: OpaquePointer,
    _ body: @escaping () -> Void
  ) {
    (self.body, self.loop) = (body, loop)
    let events = writes ? G_IO_OUT.rawValue : G_IO_IN.rawValue | G_IO_HUP.rawValue
    guard let source = g_unix_fd_source_new(descriptor, GIOCondition(rawValue: events)) else { return }
    self.source = source
    let call: @convention(c) (Int32, GIOCondition, gpointer?) -> gboolean = { _, _, data in
      guard let data else { return 0 }
      Unmanaged<DescriptorSource>.fromOpaque(data).takeUnretainedValue().dispatch()
      return 1
    }
    // Held by the source.
    g_source_set_callback(
      source, unsafeBitCast(call, to: GSourceFunc.self), Unmanaged.passRetained(self).toOpaque(),
      { data in if let data { Unmanaged<DescriptorSource>.fromOpaque(data).release() } })
    g_source_set_priority(source, EventLoop.priority)
    g_source_attach(source, context)
  }

  private func dispatch() {
    // A debugger has stopped the script: what comes waits.
    if loop.isPaused { return }
    body()
    loop.dispatch()
  }

  /// Ends it. Once or more; any thread.
  package func close() {
    guard let source else { return }
    self.source = nil
    g_source_destroy(source)
    g_source_unref(source)
  }
}

extension EventLoop {
  /// Calls `body` on the loop's thread whenever a descriptor can be read, or written; on that thread.
  package func watch(_ descriptor: Int32, writes: Bool = false, _ body: @escaping () -> Void)
    -> DescriptorSource
  {
    DescriptorSource(descriptor, writes: writes, self, mainContext, body)
  }
}
