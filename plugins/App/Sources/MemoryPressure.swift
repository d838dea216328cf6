// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin

/// How short of memory the machine is, as GIO tells it (`GMemoryMonitor`): by the word of the daemon
/// low-memory-monitor, or of the desktop's portal.
enum MemoryPressure: String, Codable, Sendable, CaseIterable {
  /// What is only kept to be fast may go.
  case low
  /// Others are held up already.
  case medium
  /// Programs are about to be ended.
  case critical

  /// GIO's numbers (GMemoryMonitorWarningLevel) stand for ranges.
  init(_ level: UInt32) {
    self =
      switch level {
      case ..<UInt32(G_MEMORY_MONITOR_WARNING_LEVEL_MEDIUM.rawValue): .low
      case ..<UInt32(G_MEMORY_MONITOR_WARNING_LEVEL_CRITICAL.rawValue): .medium
      default: .critical
      }
  }

  /// So many wait for a reader; then the oldest go.
  private static let most = 16

  /// Each warning from now on. On the engine's thread, whose loop brings them.
  ///
  /// - Throws: `unavailable` where GIO has no monitor.
  static func events() throws -> AsyncStream<MemoryPressure> {
    guard let monitor = g_memory_monitor_dup_default() else {
      throw BridgeError(.unavailable, "this machine's GIO has no memory monitor")
    }
    let (stream, reader) = AsyncStream.makeStream(
      of: MemoryPressure.self, bufferingPolicy: .bufferingNewest(most))
    let ear = MemoryEar(monitor, reader)
    reader.onTermination = { _ in ear.close() }
    return stream
  }
}

/// Hears the monitor for one reader, and lets go of it.
private final class MemoryEar: @unchecked Sendable {
  // Sendable because GObject lets go of references and handlers on any thread; a stream ends once.
  private let monitor: UnsafeMutableRawPointer
  private let handler: gulong

  /// What the signal's handler gets.
  private final class Reader {
    let events: AsyncStream<MemoryPressure>.Continuation
    init(_ events: AsyncStream<MemoryPressure>.Continuation) { self.events = events }
  }

  /// Takes a reference to the monitor over.
  init(_ monitor: OpaquePointer, _ reader: AsyncStream<MemoryPressure>.Continuation) {
    self.monitor = UnsafeMutableRawPointer(monitor)
    typealias Warned = @convention(c) (gpointer?, GMemoryMonitorWarningLevel, gpointer?) -> Void
    let warned: Warned = { _, level, data in
      guard let data else { return }
      let reader = Unmanaged<Reader>.fromOpaque(data).takeUnretainedValue()
      reader.events.yield(MemoryPressure(UInt32(level.rawValue)))
    }
    // GLib calls it with these three arguments, and releases the reader with the handler.
    handler = g_signal_connect_data(
      self.monitor, "low-memory-warning", unsafeBitCast(warned, to: GCallback.self),
      Unmanaged.passRetained(Reader(reader)).toOpaque(),
      { data, _ in if let data { Unmanaged<Reader>.fromOpaque(data).release() } }, GConnectFlags(rawValue: 0))
  }

  func close() {
    g_signal_handler_disconnect(monitor, handler)
    g_object_unref(monitor)
  }
}
