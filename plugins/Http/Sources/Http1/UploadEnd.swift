// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup
internal import Synchronization

/// Where the writing of a request ends: at the server, or before it, once that takes no more. What is written
/// then counts as written, and goes nowhere. Any thread may use it: the end of a body is written on another.
final class UploadEnd: Sendable {
  private let hasCome = Atomic<Bool>(false)
  /// Wakes who waits for the connection to take more.
  private let wake = UncheckedSendable(g_cancellable_new())
  private let onEnd: @Sendable () -> Void

  /// - Parameter onEnd: called once, on any thread.
  init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

  deinit { if let wake = wake.value { g_object_unref(UnsafeMutableRawPointer(wake)) } }

  var isOver: Bool { hasCome.load(ordering: .acquiring) }

  func come() {
    if hasCome.exchange(true, ordering: .acquiringAndReleasing) { return }
    onEnd()
    g_cancellable_cancel(wake.value)
  }

  // MARK: - The stream

  private static let key = g_quark_from_string("nbridge-upload-end")

  /// Has a connection's output end here; false for a kind that is not known.
  func watch(_ stream: UnsafeMutableRawPointer) -> Bool {
    let isWatched = StreamClass.lower(
      stream, "NBridgeUpload", g_pollable_output_stream_get_type(),
      changeClass: { made, _ in
        made?.assumingMemoryBound(to: GOutputStreamClass.self).pointee.write_fn = UploadEnd.write
      },
      { interface, _ in
        let interface = interface?.assumingMemoryBound(to: Interface.self)
        interface?.pointee.write_nonblocking = UploadEnd.writeNow
        interface?.pointee.create_source = UploadEnd.createSource
      })
    guard isWatched else { return false }
    g_object_set_qdata_full(
      stream.assumingMemoryBound(to: GObject.self), Self.key, Unmanaged.passRetained(self).toOpaque(),
      { data in if let data { Unmanaged<UploadEnd>.fromOpaque(data).release() } })
    return true
  }

  /// What is written from now on belongs to another request.
  static func forget(_ stream: UnsafeMutableRawPointer) {
    g_object_set_qdata(stream.assumingMemoryBound(to: GObject.self), key, nil)
  }

  private static func of(_ stream: OpaquePointer) -> UploadEnd? {
    let keep: GDuplicateFunc = { data, _ in
      data.map { UnsafeMutableRawPointer(Unmanaged<UploadEnd>.fromOpaque($0).retain().toOpaque()) }
    }
    let object = UnsafeMutableRawPointer(stream).assumingMemoryBound(to: GObject.self)
    guard let data = g_object_dup_qdata(object, key, keep, nil) else { return nil }
    return Unmanaged<UploadEnd>.fromOpaque(data).takeRetainedValue()
  }

  // MARK: - Writing

  private typealias Interface = GPollableOutputStreamInterface
  private typealias Failure = UnsafeMutablePointer<UnsafeMutablePointer<GError>?>

  /// Writes by what the class above does, and takes what fails for written where nothing more can be.
  private static func write(
    _ stream: OpaquePointer, _ size: gsize, _ failure: Failure?, _ plain: (Failure) -> gssize
  ) -> gssize {
    let end = of(stream)
    if end?.isOver == true { return gssize(size) }
    var error: UnsafeMutablePointer<GError>?
    let count = plain(&error)
    guard let error else { return count }
    guard let end, isEnd(error) else {
      g_propagate_error(failure, error)
      return count
    }
    g_error_free(error)
    end.come()
    return gssize(size)
  }

  /// Whether nothing more can be written.
  private static func isEnd(_ error: UnsafeMutablePointer<GError>) -> Bool {
    if error.pointee.domain != g_io_error_quark() { return true }
    return ![G_IO_ERROR_WOULD_BLOCK, G_IO_ERROR_CANCELLED, G_IO_ERROR_TIMED_OUT].contains {
      Int32($0.rawValue) == error.pointee.code
    }
  }

  private static func table(_ stream: OpaquePointer) -> Interface? {
    StreamClass.above(
      UnsafeMutableRawPointer(stream), g_pollable_output_stream_get_type(), as: Interface.self)?.pointee
  }

  private static let writeNow: @convention(c) (OpaquePointer?, UnsafeRawPointer?, gsize, Failure?) -> gssize =
    {
      stream, bytes, size, failure in
      guard let stream, let plain = UploadEnd.table(stream)?.write_nonblocking else { return 0 }
      return UploadEnd.write(stream, size, failure) { plain(stream, bytes, size, $0) }
    }

  private static let write:
    @convention(c) (
      UnsafeMutablePointer<GOutputStream>?, UnsafeRawPointer?, gsize, UnsafeMutablePointer<GCancellable>?,
      Failure?
    ) -> gssize = { stream, bytes, size, cancellable, failure in
      guard let stream,
        let plain = StreamClass.above(
          UnsafeMutableRawPointer(stream), as: GOutputStreamClass.self)?.pointee.write_fn
      else { return 0 }
      return UploadEnd.write(OpaquePointer(stream), size, failure) {
        plain(stream, bytes, size, cancellable, $0)
      }
    }

  private static let createSource:
    @convention(c) (OpaquePointer?, UnsafeMutablePointer<GCancellable>?) -> UnsafeMutablePointer<GSource>? = {
      stream, cancellable in
      guard let stream, let source = UploadEnd.table(stream)?.create_source?(stream, cancellable) else {
        return nil
      }
      guard let end = UploadEnd.of(stream) else { return source }
      defer { g_source_unref(source) }
      return g_pollable_source_new_full(UnsafeMutableRawPointer(stream), source, end.wake.value)
    }
}
