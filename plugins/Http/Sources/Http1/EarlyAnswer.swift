// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSoup

/// Hears an answer that comes before its request was sent whole. libsoup (3.2) writes all of a request before
/// it reads: of a server that refuses a body by its head (413) and closes the connection it would only tell
/// that this broke, and where a server closes nothing it would wait until that reads on. So what can't be
/// written is taken for written here, and so is what the server wants no more of (``UploadEnd``); libsoup
/// reads the answer then, or finds that there is none. The server never gets the end of such a body, which it
/// could take for all of it. Confined to the engine's thread.
///
/// For requests that have a connection of their own.
final class EarlyAnswer: @unchecked Sendable {  // see above
  private let context = LoopContext()
  private let soup: LibSoup
  private let end: UploadEnd
  /// Of the connection; set while the request is sent.
  private var stream: UnsafeMutableRawPointer?
  /// Of a connection whose bytes can be looked at.
  private var socket: UnsafeMutablePointer<GSocket>?
  private var source: UnsafeMutablePointer<GSource>?

  /// In milliseconds, where a server has begun to say what it says.
  private static let pause: UInt32 = 100
  /// Heads that are looked at, in bytes.
  private static let most = 4096

  /// - Parameter dropRest: called when nobody wants the rest of the body, on any thread.
  init(_ soup: LibSoup, dropRest: @escaping @Sendable () -> Void) {
    self.soup = soup
    end = UploadEnd(onEnd: dropRest)
  }

  deinit {
    if let source { PollableSource.detach(source) }
    let held = [socket.map { UnsafeMutableRawPointer($0) }, stream].compactMap(\.self)
    if !held.isEmpty { context.release(held, keeping: nil) }
  }

  /// The message keeps this until it goes.
  func watch(_ message: OpaquePointer) {
    typealias Event =
      @convention(c) (OpaquePointer?, GSocketClientEvent, OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let connect: Event = { _, event, connection, data in
      guard event == G_SOCKET_CLIENT_COMPLETE, let connection else { return }
      GLibSignal.listener(data, as: EarlyAnswer.self)?.attach(UnsafeMutableRawPointer(connection))
    }
    typealias Handler = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let written: Handler = { _, data in GLibSignal.listener(data, as: EarlyAnswer.self)?.endLooking() }
    let answered: Handler = { message, data in
      if let message { GLibSignal.listener(data, as: EarlyAnswer.self)?.close(message) }
    }
    let finished: Handler = { _, data in GLibSignal.listener(data, as: EarlyAnswer.self)?.detach() }
    GLibSignal.connect(message, "network-event", connect, keeping: self)
    GLibSignal.connect(message, "wrote-body", written, keeping: self)
    GLibSignal.connect(message, "got-headers", answered, keeping: self)
    GLibSignal.connect(message, "finished", finished, keeping: self)
  }

  /// What was not sent whole leaves the connection to no other request.
  private func close(_ message: OpaquePointer) {
    if end.isOver { soup.appendHeader(soup.responseHeaders(message), "Connection", "close") }
  }

  // MARK: - The connection

  private func attach(_ connection: UnsafeMutableRawPointer) {
    detach()
    guard let output = g_io_stream_get_output_stream(connection.assumingMemoryBound(to: GIOStream.self)),
      end.watch(UnsafeMutableRawPointer(output))
    else { return }
    stream = g_object_ref(UnsafeMutableRawPointer(output))
    let instance = connection.assumingMemoryBound(to: GTypeInstance.self)
    // What is encrypted says nothing from outside.
    guard g_type_check_instance_is_a(instance, g_tcp_connection_get_type()) != 0,
      let socket = g_socket_connection_get_socket(
        connection.assumingMemoryBound(to: GSocketConnection.self))
    else { return }
    g_object_ref(UnsafeMutableRawPointer(socket))
    self.socket = socket
    look()
  }

  private func detach() {
    endLooking()
    guard let stream else { return }
    self.stream = nil
    UploadEnd.forget(stream)
    g_object_unref(stream)
  }

  // MARK: - Looking at what comes

  private func look() {
    guard let socket, source == nil, !end.isOver else { return }
    source = PollableSource.attach(reading: g_socket_get_fd(socket)) { [weak self] in
      self?.hear()
      return false
    }
  }

  private func endLooking() {
    pauseLooking()
    if let socket { g_object_unref(UnsafeMutableRawPointer(socket)) }
    socket = nil
  }

  private func pauseLooking() {
    if let source { PollableSource.detach(source) }
    source = nil
  }

  /// Who has said its last reads to no purpose, if at all (RFC 9112, 9.6).
  private func lookForEnd() {
    guard let socket else { return }
    let left: GUnixFDSourceFunc = { _, _, data in
      // It goes with this.
      GLibSignal.listener(data, as: EarlyAnswer.self)?.stop()
      return 0  // G_SOURCE_REMOVE
    }
    source = IdleSocket.whenLeft(socket, left, Unmanaged.passUnretained(self).toOpaque())
  }

  private func stop() {
    endLooking()
    end.come()
  }

  /// Something has come.
  private func hear() {
    guard let socket else { return }
    let found = withUnsafeTemporaryAllocation(byteCount: Self.most, alignment: 1) { room -> EarlyStatus in
      let count = recv(
        g_socket_get_fd(socket), room.baseAddress, room.count, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
      if count < 0 && (errno == EAGAIN || errno == EINTR) { return .unknown }
      return count > 0 ? EarlyStatus(room[..<count]) : .wantsNoMore
    }
    switch found {
    case .wantsNoMore: stop()
    case .goesOn:
      pauseLooking()
      lookForEnd()
    case .unknown:
      // It can be read, and would be asked again at once.
      pauseLooking()
      context.later(milliseconds: Self.pause) { [weak self] in self?.look() }
    }
  }
}
