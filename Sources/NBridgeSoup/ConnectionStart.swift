// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeSystem

/// A connection that somebody has just made: it waits for the client's first byte; to be encrypted, for its
/// turn, too, and then it shakes hands. Confined to the engine's thread.
final class ConnectionStart {
  /// Whose it is.
  let place: String
  /// When what it does now began, in microseconds of the monotonic clock.
  private(set) var since = ConnectionStart.now
  private let raw: ConnectionStarts.Stream
  private let socket: UnsafeMutablePointer<GSocket>
  private let take: (ConnectionStarts.Stream) -> Void
  private var source: UnsafeMutablePointer<GSource>?
  private var spoken: ((UInt8?) -> Void)?
  private var isShaking = false
  private let cancellable = g_cancellable_new()

  static var now: Int { Int(g_get_monotonic_time()) }

  /// - Parameter take: gets the connection, encrypted where it shook hands.
  init(
    _ raw: ConnectionStarts.Stream, _ socket: UnsafeMutablePointer<GSocket>, _ place: String,
    _ take: @escaping (ConnectionStarts.Stream) -> Void
  ) {
    (self.raw, self.socket, self.place, self.take) = (raw, socket, place, take)
    g_object_ref(UnsafeMutableRawPointer(raw))
    g_object_ref(UnsafeMutableRawPointer(socket))
  }

  deinit {
    g_object_unref(UnsafeMutableRawPointer(raw))
    g_object_unref(UnsafeMutableRawPointer(socket))
    if let cancellable { g_object_unref(cancellable) }
  }

  /// Ends it, whoever else keeps something of it; who waits for its handshake is told.
  func end() {
    stopWaiting()
    guard isShaking else {
      g_socket_close(socket, nil)
      return
    }
    // The thread that reads would do so from whatever gets the number of a socket that is closed meanwhile.
    // The client hears of it even where the loop ends before that thread.
    g_socket_shutdown(socket, 1, 1, nil)
    g_cancellable_cancel(cancellable)
  }

  /// Tells once what the client said first; nil when it has gone, or was silent for the socket's patience.
  /// Nothing is taken from what it said.
  func waitForFirstByte(_ spoken: @escaping (UInt8?) -> Void) {
    guard let made = g_socket_create_source(socket, G_IO_IN, nil) else { return spoken(nil) }
    (source, self.spoken) = (made, spoken)
    let ready: GSocketSourceFunc = { socket, _, data in
      guard let data else { return 0 }
      let start = Unmanaged<ConnectionStart>.fromOpaque(data).takeUnretainedValue()
      let spoken = start.spoken
      start.stopWaiting()
      start.since = ConnectionStart.now
      spoken?(IdleSocket.next(socket))
      return 0  // G_SOURCE_REMOVE
    }
    // GLib calls it as a GSocketSourceFunc, the type that g_socket_create_source() names for its callback.
    g_source_set_callback(
      made, unsafeBitCast(ready, to: GSourceFunc.self), Unmanaged.passRetained(self).toOpaque(),
      { data in if let data { Unmanaged<ConnectionStart>.fromOpaque(data).release() } })
    g_source_set_priority(made, EventPriority.script)
    g_source_attach(made, g_main_context_get_thread_default())
  }

  private func stopWaiting() {
    spoken = nil
    guard let source else { return }
    self.source = nil
    g_source_destroy(source)
    g_source_unref(source)
  }

  /// Goes on as it is.
  func handOver() { take(raw) }

  /// Answers a client that speaks the wrong one of HTTP and HTTPS, which is lost else until it has waited for
  /// long enough; its own program says what it makes of that.
  func refuse(_ reason: StaticString) {
    let answer = """
      HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\n\
      Content-Length: \(reason.utf8CodeUnitCount)\r\n\r\n\(reason)
      """
    // So little fits into any socket's buffer, or nobody reads it anyway.
    _ = answer.withCString { g_socket_send(socket, $0, gsize(answer.utf8.count), nil, nil) }
    // What was not read would have the system cut the connection before the answer has come.
    var rest = [CChar](repeating: 0, count: 4096)
    _ = g_socket_receive_with_blocking(socket, &rest, gsize(rest.count), 0, nil, nil)
    end()
  }

  /// Shakes hands, and hands over what comes of it.
  ///
  /// - Parameter ended: called once it is over, whatever came of it.
  func shakeHands(_ certificate: ConnectionStarts.Certificate, _ ended: @escaping () -> Void) {
    since = Self.now
    guard let encrypted = TLSStream.server(over: raw, certificate) else {
      end()
      return ended()
    }
    isShaking = true
    let done = Done { [self] isWhole in
      isShaking = false
      if isWhole {
        // A client with Nagle's algorithm sends its request when it knows that its last word has come.
        TCPSocket.answersAtOnce(g_socket_get_fd(socket))
        take(encrypted)
      } else {
        end()
      }
      g_object_unref(UnsafeMutableRawPointer(encrypted))
      ended()
    }
    let connection = UnsafeMutableRawPointer(encrypted).assumingMemoryBound(to: GTlsConnection.self)
    g_tls_connection_handshake_async(
      connection, EventPriority.script, cancellable,
      { connection, result, data in
        guard let connection, let data else { return }
        let tls = UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GTlsConnection.self)
        let isWhole = g_tls_connection_handshake_finish(tls, result, nil) != 0 && TLSStream.isRecent(tls)
        Unmanaged<Done>.fromOpaque(data).takeRetainedValue().body(isWhole)
      }, Unmanaged.passRetained(done).toOpaque())
  }

  private final class Done {
    let body: (Bool) -> Void
    init(_ body: @escaping (Bool) -> Void) { self.body = body }
  }
}
