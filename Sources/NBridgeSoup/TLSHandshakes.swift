// SPDX-License-Identifier: MIT

package import CNBridgeGLib
internal import NBridgePlugin

/// Encrypts connections before anybody reads from them. GIO shakes hands on a few threads that the whole
/// process shares: clients that are silent, or slow, would take all of them. So a client has to say something
/// first, only some shake hands at a time, of one address fewer, and each has an end. Shared by a server's
/// listeners; confined to the engine's thread.
package final class TLSHandshakes {
  package typealias Stream = UnsafeMutablePointer<GIOStream>
  package typealias Certificate = UnsafeMutablePointer<GTlsCertificate>

  /// A connection that is not encrypted yet.
  private final class Client {
    let raw: Stream
    let socket: UnsafeMutablePointer<GSocket>
    let place: String
    let take: (Stream) -> Void
    /// When it is too late, in microseconds.
    let end: Int

    init(
      _ raw: Stream, _ socket: UnsafeMutablePointer<GSocket>, _ place: String,
      _ take: @escaping (Stream) -> Void
    ) {
      (self.raw, self.socket, self.place, self.take) = (raw, socket, place, take)
      end = Int(g_get_monotonic_time()) + Int(TLSHandshakes.patience) * 1000
      g_object_ref(UnsafeMutableRawPointer(raw))
      g_object_ref(UnsafeMutableRawPointer(socket))
    }

    deinit {
      g_object_unref(UnsafeMutableRawPointer(raw))
      g_object_unref(UnsafeMutableRawPointer(socket))
    }

    /// Ends it at once, whoever else keeps something of it.
    func drop() { g_socket_close(socket, nil) }
  }

  private let certificate: Certificate
  private let context = LoopContext()
  /// Those that have said something, and wait for their turn.
  private var ready: [Client] = []
  /// How many shake hands, by their addresses.
  private var running: [String: Int] = [:]

  /// GIO has ten threads for all it does.
  private static let most = 6
  private static let mostOfOne = 2
  /// From the connection's beginning to the end of its handshake, in milliseconds.
  private static let patience: UInt32 = 10_000

  /// - Parameter certificate: what clients are shown, with its key; kept as long as this is.
  package init(_ certificate: Certificate) {
    self.certificate = certificate
    g_object_ref(UnsafeMutableRawPointer(certificate))
  }

  deinit {
    for client in ready { client.drop() }
    g_object_unref(UnsafeMutableRawPointer(certificate))
  }

  /// Hands a connection to `take` when it is encrypted; lets go of one that comes to nothing.
  ///
  /// - Parameter place: whose it is: those of one address wait for each other.
  package func begin(
    _ raw: Stream, _ socket: UnsafeMutablePointer<GSocket>, _ place: String,
    _ take: @escaping (Stream) -> Void
  ) {
    let client = Client(raw, socket, place, take)
    let waiting = Waiting { [weak self] hasSpoken in
      guard let self, hasSpoken else { return client.drop() }
      ready.append(client)
      startNext()
    }
    waiting.start(socket, context, Self.patience)
  }

  /// The next whose address has its share left, as long as there is room.
  private func startNext() {
    let now = Int(g_get_monotonic_time())
    for client in ready where client.end <= now { client.drop() }
    ready.removeAll { $0.end <= now }
    while running.values.reduce(0, +) < Self.most,
      let index = ready.firstIndex(where: { running[$0.place, default: 0] < Self.mostOfOne })
    {
      start(ready.remove(at: index))
    }
  }

  /// Ends a handshake that takes too long. A loop that ends first lets go of it.
  private final class Limit {
    private let cancellable: UnsafeMutablePointer<GCancellable>?

    init(_ cancellable: UnsafeMutablePointer<GCancellable>?) {
      self.cancellable = cancellable
      if let cancellable { g_object_ref(cancellable) }
    }
    deinit { if let cancellable { g_object_unref(cancellable) } }

    func reach() { g_cancellable_cancel(cancellable) }
  }

  private func start(_ client: Client) {
    guard let encrypted = TLSStream.server(over: client.raw, certificate) else { return client.drop() }
    running[client.place, default: 0] += 1
    // Its end is known by the callback, which comes for one that was cancelled, too.
    let cancellable = g_cancellable_new()
    let left = max(1, client.end - Int(g_get_monotonic_time())) / 1000
    let limit = Limit(cancellable)
    context.later(milliseconds: UInt32(left)) { limit.reach() }
    let done = Done { [weak self] isWhole in
      if isWhole { client.take(encrypted) } else { client.drop() }
      g_object_unref(UnsafeMutableRawPointer(encrypted))
      g_object_unref(cancellable)
      guard let self else { return }
      let count = running[client.place, default: 1] - 1
      running[client.place] = count == 0 ? nil : count
      startNext()
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

  /// Waits for the first byte of a connection, or its end, or for too long.
  private final class Waiting {
    private var answer: ((Bool) -> Void)?
    private var source: UnsafeMutablePointer<GSource>?

    init(_ answer: @escaping (Bool) -> Void) { self.answer = answer }

    func start(_ socket: UnsafeMutablePointer<GSocket>, _ context: LoopContext, _ patience: UInt32) {
      guard let made = g_socket_create_source(socket, G_IO_IN, nil) else { return tell(false) }
      source = made
      let ready: GSocketSourceFunc = { socket, _, data in
        guard let data else { return 0 }
        let waiting = Unmanaged<Waiting>.fromOpaque(data).takeUnretainedValue()
        waiting.tell(!IdleSocket.isOver(socket))
        return 0  // G_SOURCE_REMOVE
      }
      // GLib calls it as a GSocketSourceFunc, the type that g_socket_create_source() names for its callback.
      g_source_set_callback(
        made, unsafeBitCast(ready, to: GSourceFunc.self), Unmanaged.passRetained(self).toOpaque(),
        { data in if let data { Unmanaged<Waiting>.fromOpaque(data).release() } })
      g_source_set_priority(made, EventPriority.script)
      g_source_attach(made, g_main_context_get_thread_default())
      context.later(milliseconds: patience) { [weak self] in self?.tell(false) }
    }

    private func tell(_ hasSpoken: Bool) {
      guard let answer else { return }
      self.answer = nil
      if let source {
        self.source = nil
        g_source_destroy(source)
        g_source_unref(source)
      }
      answer(hasSpoken)
    }
  }
}
