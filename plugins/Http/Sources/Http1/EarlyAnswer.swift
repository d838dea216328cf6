// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup

/// Hears an answer that comes before its request was sent whole. libsoup (3.2) writes all of a request before
/// it reads: of a server that refuses a body by its head (413) and closes the connection it would only tell
/// that this broke, and where a server closes nothing it would wait until that reads on. So what can't be
/// written is taken for written here, and so is what the server wants no more of (``UploadEnd``); libsoup
/// reads the answer then, or finds that there is none. The server never gets the end of such a body, which it
/// could take for all of it. Confined to the engine's thread.
///
/// For requests by a connection that was made for them.
final class EarlyAnswer: @unchecked Sendable {  // see above
  private let context = LoopContext()
  private let soup: LibSoup
  private let isEncrypted: Bool
  private let end: UploadEnd
  /// Whether the answer's headers say what no server said.
  private(set) var hasToldToClose = false
  /// Of the connection; set while the request is sent.
  private var stream: UnsafeMutableRawPointer?
  private var coming: ServerInput?
  private var socket: UnsafeMutablePointer<GSocket>?
  /// Ready when the server sends no more.
  private var leaving: UnsafeMutablePointer<GSource>?

  /// - Parameter dropRest: called when nobody wants the rest of the body, on any thread.
  init(_ soup: LibSoup, isEncrypted: Bool, dropRest: @escaping @Sendable () -> Void) {
    (self.soup, self.isEncrypted) = (soup, isEncrypted)
    end = UploadEnd(onEnd: dropRest)
  }

  deinit {
    endLooking()
    let held = [socket.map { UnsafeMutableRawPointer($0) }, stream].compactMap(\.self)
    if !held.isEmpty { context.release(held, keeping: nil) }
  }

  /// The message keeps this until it goes.
  func watch(_ message: OpaquePointer) {
    MadeConnection(isEncrypted: isEncrypted) { [weak self] in self?.attach($0) }.watch(message)
    typealias Handler = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let written: Handler = { _, data in GLibSignal.listener(data, as: EarlyAnswer.self)?.endLooking() }
    let answered: Handler = { message, data in
      if let message { GLibSignal.listener(data, as: EarlyAnswer.self)?.tellToClose(message) }
    }
    let read: Handler = { _, data in GLibSignal.listener(data, as: EarlyAnswer.self)?.takeNoLeave() }
    let finished: Handler = { _, data in GLibSignal.listener(data, as: EarlyAnswer.self)?.detach() }
    GLibSignal.connect(message, "wrote-body", written, keeping: self)
    GLibSignal.connect(message, "got-headers", answered, keeping: self)
    GLibSignal.connect(message, "got-body", read, keeping: self)
    GLibSignal.connect(message, "finished", finished, keeping: self)
  }

  /// What was not sent whole leaves the connection to no other request. libsoup goes by the headers, when it
  /// has read the body.
  private func tellToClose(_ message: OpaquePointer) {
    guard end.isOver else { return }
    hasToldToClose = true
    soup.appendHeader(soup.responseHeaders(message), "Connection", "close")
  }

  /// TLS would take leave of the server, which takes until that reads.
  private func takeNoLeave() {
    if end.isOver, let socket { g_socket_shutdown(socket, 0, 1, nil) }
  }

  // MARK: - The connection

  private func attach(_ connection: UnsafeMutablePointer<GIOStream>) {
    detach()
    guard let output = g_io_stream_get_output_stream(connection),
      end.watch(UnsafeMutableRawPointer(output))
    else { return }
    stream = g_object_ref(UnsafeMutableRawPointer(output))
    guard let input = g_io_stream_get_input_stream(connection) else { return }
    socket = Self.socket(of: connection)
    if let socket { g_object_ref(UnsafeMutableRawPointer(socket)) }
    coming = ServerInput.before(UnsafeMutableRawPointer(input))
    coming?.look { [weak self] in
      if $0 == .wantsNoMore { self?.stop() } else { self?.lookForEnd() }
    }
  }

  private func detach() {
    endLooking()
    if let socket { g_object_unref(UnsafeMutableRawPointer(socket)) }
    socket = nil
    guard let stream else { return }
    self.stream = nil
    UploadEnd.forget(stream)
    g_object_unref(stream)
  }

  // MARK: - Looking at what comes

  /// Who has said its last reads to no purpose, if at all (RFC 9112, 9.6).
  private func lookForEnd() {
    guard let socket else { return }
    let left: GUnixFDSourceFunc = { _, _, data in
      // It goes with this.
      GLibSignal.listener(data, as: EarlyAnswer.self)?.stop()
      return 0  // G_SOURCE_REMOVE
    }
    leaving = IdleSocket.whenLeft(socket, left, Unmanaged.passUnretained(self).toOpaque())
  }

  private func stop() {
    endLooking()
    end.come()
  }

  private func endLooking() {
    coming?.endLooking()
    coming = nil
    if let leaving { PollableSource.detach(leaving) }
    leaving = nil
  }

  /// That by which a connection goes, also where it is encrypted; nil for another kind.
  private static func socket(of connection: UnsafeMutablePointer<GIOStream>) -> UnsafeMutablePointer<GSocket>?
  {
    let instance = UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GTypeInstance.self)
    if g_type_check_instance_is_a(instance, g_socket_connection_get_type()) != 0 {
      return g_socket_connection_get_socket(
        UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GSocketConnection.self))
    }
    guard g_type_check_instance_is_a(instance, g_tls_connection_get_type()) != 0 else { return nil }
    var base = GValue()
    g_value_init(&base, g_io_stream_get_type())
    defer { g_value_unset(&base) }
    g_object_get_property(
      UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GObject.self), "base-io-stream", &base)
    return g_value_get_object(&base).flatMap { socket(of: $0.assumingMemoryBound(to: GIOStream.self)) }
  }
}
