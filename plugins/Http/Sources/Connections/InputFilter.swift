// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeSoup

/// Stands between a connection's input and libsoup, as the stream itself (``StreamClass``): what libsoup
/// reads is what this gives it. The class does nothing of its own; those below it do. Confined to the
/// engine's thread.
class InputFilter {
  /// Reads without waiting, as `g_pollable_input_stream_read_nonblocking()` does.
  ///
  /// - Parameter plain: how the stream reads.
  func read(_ room: UnsafeMutableRawBufferPointer, _ failure: Failure?, _ plain: Plain) -> gssize {
    plain(room, failure)
  }

  /// Whether a read would answer something that is here already.
  var hasMore: Bool { false }

  /// Ready when it is worth while to read; nil for when something comes.
  func waitingSource() -> UnsafeMutablePointer<GSource>? { nil }

  /// Whether it may be read so that a thread waits.
  var mayWait: Bool { false }

  typealias Failure = UnsafeMutablePointer<UnsafeMutablePointer<GError>?>
  typealias Plain = (UnsafeMutableRawBufferPointer, Failure?) -> gssize

  /// Stands before a stream from now on, as long as that is; false for a stream of a kind that is not known.
  ///
  /// - Parameter stream: a `GInputStream`.
  final func stand(before stream: UnsafeMutableRawPointer) -> Bool {
    let isBefore = StreamClass.lower(
      stream, "NBridgeInput", g_pollable_input_stream_get_type(),
      changeClass: { made, _ in
        made?.assumingMemoryBound(to: GInputStreamClass.self).pointee.read_fn = InputFilter.wait
      },
      { interface, _ in
        let interface = interface?.assumingMemoryBound(to: Interface.self)
        interface?.pointee.read_nonblocking = InputFilter.read
        interface?.pointee.is_readable = InputFilter.isReadable
        interface?.pointee.create_source = InputFilter.createSource
      })
    guard isBefore else { return false }
    g_object_set_qdata_full(
      stream.assumingMemoryBound(to: GObject.self), Self.key, Unmanaged.passRetained(self).toOpaque(),
      { data in if let data { Unmanaged<InputFilter>.fromOpaque(data).release() } })
    return true
  }

  /// What stands before a stream; nil for nothing.
  static func standing(before stream: UnsafeMutableRawPointer) -> InputFilter? { of(OpaquePointer(stream)) }

  /// How the stream itself reads.
  static func plain(_ stream: UnsafeMutableRawPointer) -> Plain? {
    guard let plain = table(OpaquePointer(stream))?.read_nonblocking else { return nil }
    return { plain(OpaquePointer(stream), $0.baseAddress, gsize($0.count), $1) }
  }

  /// Ready when something has come for the stream itself.
  static func plainSource(_ stream: UnsafeMutableRawPointer) -> UnsafeMutablePointer<GSource>? {
    table(OpaquePointer(stream))?.create_source(OpaquePointer(stream), nil)
  }

  // MARK: - The class

  private static let key = g_quark_from_string("nbridge-input-filter")
  private typealias Interface = GPollableInputStreamInterface

  private static func of(_ stream: OpaquePointer) -> InputFilter? {
    let object = UnsafeMutableRawPointer(stream).assumingMemoryBound(to: GObject.self)
    guard let data = g_object_get_qdata(object, key) else { return nil }
    return Unmanaged<InputFilter>.fromOpaque(data).takeUnretainedValue()
  }

  /// How the class above does it.
  private static func table(_ stream: OpaquePointer) -> Interface? {
    StreamClass.above(
      UnsafeMutableRawPointer(stream), g_pollable_input_stream_get_type(), as: Interface.self)?.pointee
  }

  private static let read:
    @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, gsize, Failure?) -> gssize = {
      stream, room, size, failure in
      guard let stream, let plain = InputFilter.table(stream)?.read_nonblocking else { return 0 }
      guard let filter = InputFilter.of(stream) else { return plain(stream, room, size, failure) }
      return filter.read(UnsafeMutableRawBufferPointer(start: room, count: Int(size)), failure) {
        plain(stream, $0.baseAddress, gsize($0.count), $1)
      }
    }

  private static let wait:
    @convention(c) (
      UnsafeMutablePointer<GInputStream>?, UnsafeMutableRawPointer?, gsize,
      UnsafeMutablePointer<GCancellable>?, Failure?
    ) -> gssize = { stream, room, size, cancellable, failure in
      guard let stream, let filter = InputFilter.of(OpaquePointer(stream)), filter.mayWait,
        let plain = StreamClass.above(
          UnsafeMutableRawPointer(stream), as: GInputStreamClass.self)?.pointee.read_fn
      else {
        let error = g_error_new_literal(
          g_io_error_quark(), Int32(G_IO_ERROR_NOT_SUPPORTED.rawValue), "this is read without waiting")
        g_propagate_error(failure, error)
        return -1
      }
      return filter.read(UnsafeMutableRawBufferPointer(start: room, count: Int(size)), failure) {
        plain(stream, $0.baseAddress, gsize($0.count), cancellable, $1)
      }
    }

  private static let isReadable: @convention(c) (OpaquePointer?) -> gboolean = { stream in
    guard let stream else { return 0 }
    if InputFilter.of(stream)?.hasMore == true { return 1 }
    return InputFilter.table(stream)?.is_readable(stream) ?? 0
  }

  private static let createSource:
    @convention(c) (OpaquePointer?, UnsafeMutablePointer<GCancellable>?) -> UnsafeMutablePointer<GSource>? = {
      stream, cancellable in
      guard let stream else { return nil }
      let filter = InputFilter.of(stream)
      guard let atOnce = filter?.waitingSource() ?? (filter?.hasMore == true ? g_timeout_source_new(0) : nil)
      else { return InputFilter.table(stream)?.create_source(stream, cancellable) }
      defer { g_source_unref(atOnce) }
      return g_pollable_source_new_full(UnsafeMutableRawPointer(stream), atOnce, cancellable)
    }
}
