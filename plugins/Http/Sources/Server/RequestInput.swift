// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeSoup

/// Looks at what a client sends before libsoup reads it: the connection's own stream does that
/// (``StreamClass``). Confined to the engine's thread.
final class RequestInput {
  private var framing = RequestFraming()
  private var fault: RequestFraming.Fault?
  /// Whether the client was told of that.
  private var isRefused = false
  /// Whether the connection speaks another protocol by now.
  private var isOver = false
  /// The connection and its socket, which outlive the stream's reading.
  private let connection: UnsafeMutablePointer<GIOStream>
  private let socket: UnsafeMutablePointer<GSocket>

  private init(_ connection: UnsafeMutablePointer<GIOStream>, _ socket: UnsafeMutablePointer<GSocket>) {
    (self.connection, self.socket) = (connection, socket)
  }

  private static let key = g_quark_from_string("nbridge-request-input")

  /// Has a connection's bytes looked at. One whose stream is of a kind that is not known stays as it is.
  static func watch(
    _ connection: UnsafeMutablePointer<GIOStream>, of socket: UnsafeMutablePointer<GSocket>
  ) {
    guard let stream = g_io_stream_get_input_stream(connection) else { return }
    let object = UnsafeMutableRawPointer(stream).assumingMemoryBound(to: GObject.self)
    let isWatched = StreamClass.lower(object, "NBridgeRequests", g_pollable_input_stream_get_type()) {
      interface, _ in
      interface?.assumingMemoryBound(to: Interface.self).pointee.read_nonblocking = RequestInput.read
    }
    guard isWatched else { return }
    let input = RequestInput(connection, socket)
    let letGo: GDestroyNotify = { data in
      if let data { Unmanaged<RequestInput>.fromOpaque(data).release() }
    }
    g_object_set_qdata_full(object, key, Unmanaged.passRetained(input).toOpaque(), letGo)
    g_object_set_qdata_full(
      UnsafeMutableRawPointer(socket).assumingMemoryBound(to: GObject.self), key,
      Unmanaged.passRetained(input).toOpaque(), letGo)
  }

  /// What comes by a connection from now on is no request.
  static func letThrough(_ socket: UnsafeMutablePointer<GSocket>?) {
    guard let socket else { return }
    of(UnsafeMutableRawPointer(socket))?.isOver = true
  }

  private static func of(_ object: UnsafeMutableRawPointer) -> RequestInput? {
    guard let data = g_object_get_qdata(object.assumingMemoryBound(to: GObject.self), key) else { return nil }
    return Unmanaged<RequestInput>.fromOpaque(data).takeUnretainedValue()
  }

  // MARK: - The class

  private typealias Interface = GPollableInputStreamInterface

  private typealias Read =
    @convention(c) (
      OpaquePointer?, UnsafeMutableRawPointer?, gsize, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
    ) -> gssize

  private static let read: Read = { stream, room, size, failure in
    guard let stream, let plain = RequestInput.plainRead(UnsafeMutableRawPointer(stream)) else { return 0 }
    guard let input = RequestInput.of(UnsafeMutableRawPointer(stream)), !input.isOver else {
      return plain(stream, room, size, failure)
    }
    if input.fault != nil { return input.refuse(failure) }
    let count = plain(stream, room, size, failure)
    guard count > 0, let room else { return count }
    return input.look(UnsafeRawBufferPointer(start: room, count: count), failure)
  }

  /// How the class above reads.
  private static func plainRead(_ stream: UnsafeMutableRawPointer) -> Read? {
    StreamClass.above(stream, g_pollable_input_stream_get_type(), as: Interface.self)?.pointee
      .read_nonblocking
  }

  // MARK: - What comes

  private func look(
    _ bytes: UnsafeRawBufferPointer, _ failure: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
  ) -> gssize {
    let (sound, fault) = framing.take(bytes)
    guard let fault else { return bytes.count }
    self.fault = fault
    guard sound > 0 else { return refuse(failure) }
    // What came before is answered first. Who waits for more then is woken by the end.
    g_socket_shutdown(socket, 1, 0, nil)
    return sound
  }

  /// Answers what is no request, and has libsoup take the connection for one that failed.
  private func refuse(_ failure: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?) -> gssize {
    // libsoup answers what it has read whole alone, so that nothing was said of this request.
    if !isRefused, let output = g_io_stream_get_output_stream(connection) {
      isRefused = true
      let answer = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
      _ = answer.withCString {
        g_pollable_output_stream_write_nonblocking(
          OpaquePointer(output), $0, gsize(answer.utf8.count), nil, nil)
      }
    }
    let error = g_error_new_literal(
      g_io_error_quark(), Int32(G_IO_ERROR_INVALID_DATA.rawValue), "this is no request")
    g_propagate_error(failure, error)
    return -1
  }
}
