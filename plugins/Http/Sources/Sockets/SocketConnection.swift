// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup
internal import Synchronization

/// A WebSocket that is open (RFC 6455), and what comes in by it.
///
/// The engine's thread alone uses it and GLib's objects in it, but ``close()`` and its end, which any thread
/// may cause.
class SocketConnection: HandleObject, @unchecked Sendable {  // see above
  class var handle: HandleType { HandleType("socket", "A WebSocket that is open.") }

  let events: AsyncStream<SocketEvent>
  private let told: AsyncStream<SocketEvent>.Continuation
  private let connection: OpaquePointer
  private let library: SoupSockets
  /// What the connection needs as long as it is there.
  private let session: HttpSession?
  private let context = LoopContext()
  private var failure: String?
  private var sent = 0
  /// Whether it is being watched for the system to take what was sent.
  private var isWatched = false

  /// Messages of other ends are as long at the most, in bytes.
  static let longest = 256 << 20

  /// Takes over a connection, of a session or of a server's client.
  init(_ connection: OpaquePointer, _ library: SoupSockets, _ session: HttpSession? = nil) {
    (self.connection, self.library, self.session) = (connection, library, session)
    (events, told) = AsyncStream.makeStream(of: SocketEvent.self)
    library.setLongest(connection, UInt64(Self.longest))
    connectSignals()
    if library.state(connection) == SoupSockets.closed { takeEnd() }
  }

  deinit {
    told.finish()
    context.release([UnsafeMutableRawPointer(connection)], keeping: session)
  }

  /// Nobody wants it any more: the other end is told that we go away.
  func close() {
    let library = library, connection = UncheckedSendable(connection)
    context.run(keeping: self) {
      if library.state(connection.value) == SoupSockets.open { library.close(connection.value, 1001, nil) }
    }
  }

  /// The protocol that the server chose.
  var chosen: String { library.chosen(connection).map { String(cString: $0) } ?? "" }

  // MARK: - What goes out

  func send(_ message: SocketMessage) {
    guard library.state(connection) == SoupSockets.open else { return }
    let kind = message.text == nil ? SoupSockets.binary : SoupSockets.text
    let bytes: OpaquePointer?
    if var text = message.text {
      bytes = text.withUTF8 { g_bytes_new($0.baseAddress, gsize($0.count)) }
    } else {
      bytes = (message.bytes ?? Bytes.none).withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
    }
    sent += Int(g_bytes_get_size(bytes))
    library.send(connection, kind, bytes)
    g_bytes_unref(bytes)
    watchOutput()
  }

  /// Ends it in order: what was sent goes out first.
  func end(_ end: SocketEnd) {
    guard library.state(connection) == SoupSockets.open else { return }
    library.close(connection, UInt16(clamping: end.code ?? 1005), end.code == nil ? nil : end.reason)
  }

  /// libsoup writes what is queued in sources of its own, which come first: where this one comes, and the
  /// system has room, all is out.
  private func watchOutput() {
    if isWatched { return }
    isWatched = true
    context.later(milliseconds: 2) { [weak self] in
      guard let self else { return }
      isWatched = false
      if isWritable { told.yield(SocketEvent(sent: sent)) } else { watchOutput() }
    }
  }

  private var isWritable: Bool {
    guard let stream = library.stream(connection),
      let output = g_io_stream_get_output_stream(stream)
    else { return true }
    let pollable = OpaquePointer(output)
    guard
      g_type_check_instance_is_a(
        UnsafeMutableRawPointer(output).assumingMemoryBound(to: GTypeInstance.self),
        g_pollable_output_stream_get_type()) != 0
    else { return true }
    return g_pollable_output_stream_is_writable(pollable) != 0
  }

  // MARK: - What comes in

  private func connectSignals() {
    typealias Message =
      @convention(c) (OpaquePointer?, Int32, OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let message: Message = { _, kind, bytes, data in
      if let bytes { SocketConnection.of(data)?.take(kind, bytes) }
    }
    typealias Closed = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let closed: Closed = { _, data in SocketConnection.of(data)?.takeEnd() }
    typealias Failed =
      @convention(c) (OpaquePointer?, UnsafeMutablePointer<GError>?, UnsafeMutableRawPointer?) -> Void
    let failed: Failed = { _, error, data in
      if let error { SocketConnection.of(data)?.failure = String(cString: error.pointee.message) }
    }
    let listener = Listener(self)
    GLibSignal.connect(connection, "message", message, keeping: listener)
    GLibSignal.connect(connection, "closed", closed, keeping: listener)
    GLibSignal.connect(connection, "error", failed, keeping: listener)
  }

  /// What a signal's handler gets: a weak reference, for the connection outlives this.
  private final class Listener {
    weak var socket: SocketConnection?
    init(_ socket: SocketConnection) { self.socket = socket }
  }

  private static func of(_ data: UnsafeMutableRawPointer?) -> SocketConnection? {
    GLibSignal.listener(data, as: Listener.self)?.socket
  }

  private func take(_ kind: Int32, _ bytes: OpaquePointer) {
    var count: gsize = 0
    let start = g_bytes_get_data(bytes, &count)
    let memory = UnsafeRawBufferPointer(start: start, count: Int(count))
    if kind == SoupSockets.text {
      told.yield(SocketEvent(text: String(decoding: memory, as: UTF8.self)))
    } else {
      told.yield(SocketEvent(bytes: Bytes(memory)))
    }
  }

  private func takeEnd() {
    let code = Int(library.closeCode(connection))
    let reason = library.closeReason(connection).map { String(cString: $0) } ?? ""
    let isClean = code != 0 && failure == nil
    told.yield(
      SocketEvent(
        end: SocketClosing(
          code: isClean ? code : 1006, reason: isClean ? reason : "", isClean: isClean, failure: failure)))
    told.finish()
  }
}
