// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeSoup

/// Sources of GLib's that tell when a stream or a file can be read or written, again and again, on the loop
/// of the thread that attaches them.
enum PollableSource {
  private final class Listener {
    let body: () -> Bool
    init(_ body: @escaping () -> Bool) { self.body = body }

    /// What a source's callback answers: G_SOURCE_CONTINUE or G_SOURCE_REMOVE.
    static func call(_ data: UnsafeMutableRawPointer?) -> gboolean {
      guard let data else { return 0 }
      return Unmanaged<Listener>.fromOpaque(data).takeUnretainedValue().body() ? 1 : 0
    }
  }

  /// Calls `body` until the source is detached, or `body` answers that nobody is there any more: one that is
  /// always ready would keep the loop busy.
  ///
  /// - Parameter source: of a stream of GIO's or of a cancellable, whose callbacks take the same.
  static func attach(_ source: UnsafeMutablePointer<GSource>?, _ body: @escaping () -> Bool)
    -> UnsafeMutablePointer<GSource>?
  {
    typealias Ready = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> gboolean
    let ready: Ready = { _, data in Listener.call(data) }
    // GPollableSourceFunc (gio/gpollableinputstream.h) and GCancellableSourceFunc, which the source calls.
    return attach(source, unsafeBitCast(ready, to: GSourceFunc.self), body)
  }

  /// The same for a file that can be read.
  static func attach(reading file: Int32, _ body: @escaping () -> Bool) -> UnsafeMutablePointer<GSource>? {
    let ready: GUnixFDSourceFunc = { _, _, data in Listener.call(data) }
    // GLib calls it as a GUnixFDSourceFunc, the type that g_unix_fd_source_new() names for its callback.
    return attach(g_unix_fd_source_new(file, G_IO_IN), unsafeBitCast(ready, to: GSourceFunc.self), body)
  }

  private static func attach(
    _ source: UnsafeMutablePointer<GSource>?, _ ready: @escaping GSourceFunc, _ body: @escaping () -> Bool
  ) -> UnsafeMutablePointer<GSource>? {
    g_source_set_callback(
      source, ready, Unmanaged.passRetained(Listener(body)).toOpaque(),
      { data in if let data { Unmanaged<Listener>.fromOpaque(data).release() } })
    // One that is always ready must not keep the script from running.
    g_source_set_priority(source, EventPriority.script)
    g_source_attach(source, g_main_context_get_thread_default())
    return source
  }

  static func detach(_ source: UnsafeMutablePointer<GSource>) {
    g_source_destroy(source)
    g_source_unref(source)
  }
}
