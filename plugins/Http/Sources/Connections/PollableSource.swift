// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeSoup

/// A source of GIO's that tells when a stream can be read or written, again and again.
enum PollableSource {
  private final class Listener {
    let body: () -> Bool
    init(_ body: @escaping () -> Bool) { self.body = body }
  }

  /// Calls `body` on the loop of this thread until it is detached, or `body` answers that nobody is there any
  /// more: one that is always ready would keep the loop busy.
  static func attach(_ source: UnsafeMutablePointer<GSource>?, _ body: @escaping () -> Bool)
    -> UnsafeMutablePointer<GSource>?
  {
    typealias Ready = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> gboolean
    let ready: Ready = { _, data in
      guard let data else { return 0 }
      // G_SOURCE_CONTINUE or G_SOURCE_REMOVE
      return Unmanaged<Listener>.fromOpaque(data).takeUnretainedValue().body() ? 1 : 0
    }
    // GPollableSourceFunc, which the source calls (gio/gpollableinputstream.h).
    g_source_set_callback(
      source, unsafeBitCast(ready, to: GSourceFunc.self), Unmanaged.passRetained(Listener(body)).toOpaque(),
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

/// A source of GLib's that tells once when a file can be read.
enum FileSource {
  private final class Listener {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  /// Calls `body` once on the loop of this thread; to be detached as ``PollableSource`` is.
  static func attach(_ file: Int32, _ body: @escaping () -> Void) -> UnsafeMutablePointer<GSource>? {
    let ready: GUnixFDSourceFunc = { _, _, data in
      if let data { Unmanaged<Listener>.fromOpaque(data).takeUnretainedValue().body() }
      return 0  // G_SOURCE_REMOVE
    }
    guard let source = g_unix_fd_source_new(file, G_IO_IN) else { return nil }
    // GLib calls it as a GUnixFDSourceFunc, the type that g_unix_fd_source_new() names for its callback.
    g_source_set_callback(
      source, unsafeBitCast(ready, to: GSourceFunc.self), Unmanaged.passRetained(Listener(body)).toOpaque(),
      { data in if let data { Unmanaged<Listener>.fromOpaque(data).release() } })
    g_source_set_priority(source, EventPriority.script)
    g_source_attach(source, g_main_context_get_thread_default())
    return source
  }
}
