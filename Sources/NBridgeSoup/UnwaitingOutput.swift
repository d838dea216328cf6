// SPDX-License-Identifier: MIT

package import CNBridgeGLib

/// The output of a socket by which an encrypted connection goes: who closes that takes leave of the peer
/// (RFC 8446, 6.1), and GIO waits until that is written. For a peer that does not read the engine's thread
/// would wait for minutes; here it does not, and the leave is taken behind it (``LastWords``).
package enum UnwaitingOutput {
  /// Has a connection be so on this thread, which is the engine's. Others may wait.
  package static func lower(_ connection: UnsafeMutablePointer<GSocketConnection>) {
    let stream = UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GIOStream.self)
    guard let output = g_io_stream_get_output_stream(stream),
      let socket = g_socket_connection_get_socket(connection)
    else { return }
    let isLowered = StreamClass.lower(
      UnsafeMutableRawPointer(output), "NBridgeUnwaiting", g_pollable_output_stream_get_type(),
      changeClass: { made, _ in
        made?.assumingMemoryBound(to: GOutputStreamClass.self).pointee.write_fn = UnwaitingOutput.write
      }, { _, _ in })
    guard isLowered else { return }
    let object = UnsafeMutableRawPointer(output).assumingMemoryBound(to: GObject.self)
    g_object_set_qdata(object, thread, g_thread_self())
    g_object_set_qdata_full(
      object, key, g_object_ref(UnsafeMutableRawPointer(socket)), { g_object_unref($0) })
  }

  private static let key = g_quark_from_string("nbridge-unwaiting-socket")
  private static let words = g_quark_from_string("nbridge-unwaiting-words")
  private static let thread = g_quark_from_string("nbridge-unwaiting-thread")

  private static let write:
    @convention(c) (
      UnsafeMutablePointer<GOutputStream>?, UnsafeRawPointer?, gsize, UnsafeMutablePointer<GCancellable>?,
      UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
    ) -> gssize = { stream, bytes, size, cancellable, failure in
      guard let stream else { return 0 }
      let object = UnsafeMutableRawPointer(stream).assumingMemoryBound(to: GObject.self)
      let socket = g_object_get_qdata(object, key)?.assumingMemoryBound(to: GSocket.self)
      let isHere = g_object_get_qdata(object, thread) == UnsafeMutableRawPointer(g_thread_self())
      let room = UnsafeRawBufferPointer(start: bytes, count: Int(size))
      if let known = g_object_get_qdata(object, words),
        Unmanaged<LastWords>.fromOpaque(known).takeUnretainedValue().say(room)
      {
        return gssize(size)
      }
      var error: UnsafeMutablePointer<GError>?
      let count = g_socket_send_with_blocking(
        socket, bytes?.assumingMemoryBound(to: CChar.self), size, isHere ? 0 : 1, cancellable, &error)
      guard let found = error else { return count }
      if isHere, found.pointee.domain == g_io_error_quark(),
        found.pointee.code == Int32(G_IO_ERROR_WOULD_BLOCK.rawValue)
      {
        g_error_free(found)
        guard let made = LastWords.begin(room, by: g_socket_get_fd(socket)) else { return gssize(size) }
        g_object_set_qdata_full(
          object, words, Unmanaged.passRetained(made).toOpaque(),
          { data in if let data { Unmanaged<LastWords>.fromOpaque(data).release() } })
        return gssize(size)
      }
      g_propagate_error(failure, found)
      return count
    }
}
