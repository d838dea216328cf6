// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup

/// A WebSocket of a page. Confined to the engine's thread.
final class SocketLink: PageLink {
  private let connection: OpaquePointer
  private let library: SoupSockets
  weak var listener: (any PageLinkListener)?

  /// Takes a connection that a server got, and a reference to it.
  init(_ connection: OpaquePointer, _ library: SoupSockets) {
    (self.connection, self.library) = (connection, library)
    g_object_ref(UnsafeMutableRawPointer(connection))
    library.setLongest(connection, PageLinks.longest)
    silenceIsFine()
    connectSignals()
  }

  deinit { g_object_unref(UnsafeMutableRawPointer(connection)) }

  var isOpen: Bool { library.state(connection) == SoupSockets.open }

  /// Between requests it is limited, and a page may say nothing for hours.
  private func silenceIsFine() {
    guard let stream = library.stream(connection) else { return }
    // libsoup's own stream stands before the connection's, and that of TLS between them.
    Self.under(UnsafeMutableRawPointer(stream), "base-iostream") { base in
      if Self.is(base, g_socket_connection_get_type()) { return Self.waits(base) }
      guard Self.is(base, g_tls_connection_get_type()) else { return }
      Self.under(base, "base-io-stream") { if Self.is($0, g_socket_connection_get_type()) { Self.waits($0) } }
    }
  }

  private static func waits(_ connection: UnsafeMutableRawPointer) {
    let made = connection.assumingMemoryBound(to: GSocketConnection.self)
    g_socket_set_timeout(g_socket_connection_get_socket(made), 0)
  }

  private static func `is`(_ object: UnsafeMutableRawPointer, _ type: GType) -> Bool {
    g_type_check_instance_is_a(object.assumingMemoryBound(to: GTypeInstance.self), type) != 0
  }

  /// Lends the stream under another one.
  private static func under(
    _ stream: UnsafeMutableRawPointer, _ property: String, _ body: (UnsafeMutableRawPointer) -> Void
  ) {
    var base = GValue()
    g_value_init(&base, g_io_stream_get_type())
    defer { g_value_unset(&base) }
    g_object_get_property(stream.assumingMemoryBound(to: GObject.self), property, &base)
    if let found = g_value_get_object(&base) { body(found) }
  }

  var takesFiles: Bool { false }

  func send(_ message: PageParcel) {
    guard isOpen else { return }
    let bytes = g_bytes_new(message.bytes, gsize(message.bytes.count))
    library.send(connection, SoupSockets.binary, bytes)
    g_bytes_unref(bytes)
  }

  func send(_ text: String) {
    guard isOpen else { return }
    var text = text
    let bytes = text.withUTF8 { g_bytes_new($0.baseAddress, gsize($0.count)) }
    library.send(connection, SoupSockets.text, bytes)
    g_bytes_unref(bytes)
  }

  /// Ends it in order: what was sent goes out first.
  func close(_ code: UInt16) {
    if isOpen { library.close(connection, code, nil) }
  }

  private func connectSignals() {
    typealias Message =
      @convention(c) (OpaquePointer?, Int32, OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let message: Message = { _, kind, bytes, data in
      if let bytes { Ear.link(data)?.take(kind, bytes) }
    }
    typealias Closed = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let closed: Closed = { _, data in
      if let link = Ear.link(data) { link.listener?.linkEnded(link) }
    }
    let ear = Ear(self)
    GLibSignal.connect(connection, "message", message, keeping: ear)
    GLibSignal.connect(connection, "closed", closed, keeping: ear)
  }

  /// What a signal's handler gets: a weak reference, for the connection outlives this.
  private final class Ear {
    weak var link: SocketLink?
    init(_ link: SocketLink) { self.link = link }

    static func link(_ data: UnsafeMutableRawPointer?) -> SocketLink? {
      GLibSignal.listener(data, as: Ear.self)?.link
    }
  }

  private func take(_ kind: Int32, _ bytes: OpaquePointer) {
    var count: gsize = 0
    let memory = UnsafeRawBufferPointer(start: g_bytes_get_data(bytes, &count), count: Int(count))
    let kept = UncheckedSendable(bytes)  // GBytes do not change, and any thread may let go of them
    g_bytes_ref(bytes)
    let owner = Bytes.Storage(memory, isLent: true) { g_bytes_unref(kept.value) }
    if kind == SoupSockets.text {
      listener?.link(self, said: String(decoding: memory, as: UTF8.self))
    } else {
      listener?.link(self, brought: ComingMessage(bytes: memory, owner: owner))
    }
    withExtendedLifetime(owner) {}
  }
}
