// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup

/// The handshake of a WebSocket, as its client makes it (RFC 6455, section 4.1). Confined to the engine's
/// thread.
final class SocketOpening: @unchecked Sendable {  // see above; any thread may cancel `connecting`
  private let place: RequestPlace
  private let request: SocketRequest
  private let connecting: ClientConnecting

  /// So long a server has to agree, in seconds.
  private static let patience: UInt32 = 60
  /// The most bytes of its answer, with all that it may say before it.
  private static let longestHead = 64 << 10

  init(_ options: SocketOptions, _ place: RequestPlace, _ session: HttpSession) throws {
    self.place = place
    request = try SocketRequest(options, place)
    connecting = try ClientConnecting(place, session, patience: Self.patience)
  }

  /// Waits until the server has agreed.
  func open(_ fence: AddressFence, _ call: Call, _ opened: OpenConnections) async throws -> OpenSocket {
    try await withTaskCancellationHandler {
      let stream = try await connecting.connect(fence)
      defer { g_object_unref(UnsafeMutableRawPointer(stream)) }
      try await send(on: stream)
      let (head, early) = try await answer(on: stream)
      let (chosen, compression) = try agreed(head)
      // From now on it may be silent.
      let connection = ClientConnecting.socket(of: stream)
      g_socket_set_timeout(connection, 0)
      let socket = try SocketConnection(
        stream, by: connection, isServer: false, chosen: chosen, compression: compression, early: early)
      opened.add(socket)
      let extensions = head.header("sec-websocket-extensions") ?? ""
      return OpenSocket(socket: call.hold(socket), chosen: chosen, extensions: extensions)
    } onCancel: {
      connecting.cancel()
    }
  }

  // MARK: - Request and answer

  private func send(on stream: UnsafeMutablePointer<GIOStream>) async throws {
    let output = g_io_stream_get_output_stream(stream)
    let bytes = Array(request.text.utf8)
    // GIO reads it until it has told of the end, which is waited for.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: bytes)
    let reason = await GLibResult.wait { done, data in
      g_output_stream_write_all_async(
        output, memory.baseAddress, gsize(memory.count), EventPriority.script, connecting.cancellable, done,
        data)
    } finish: { result -> GLibFailure? in
      var failure: UnsafeMutablePointer<GError>?
      g_output_stream_write_all_finish(output, result, nil, &failure)
      return failure == nil ? nil : GLibFailure.taking(failure)
    }
    if let reason = reason.value { throw place.failure(reason, tls: 0) }
  }

  /// The head of what the server says in the end, and what came behind it.
  private func answer(on stream: UnsafeMutablePointer<GIOStream>) async throws -> (SocketAnswer, [UInt8]) {
    let input = g_io_stream_get_input_stream(stream)
    var bytes: [UInt8] = []
    var count = 0
    while count <= Self.longestHead {
      if let (head, rest) = try SocketAnswer.find(in: bytes, place) {
        // 100 to 199 come before the answer (RFC 9110, 15.2), but for this one.
        if head.status == 101 || head.status >= 200 { return (head, Array(rest)) }
        bytes = Array(rest)
        continue
      }
      let piece = try receive(input)
      if let piece {
        if piece.isEmpty {
          throw BridgeError(.ioError, "\(place.origin) closed the connection without an answer")
        }
        bytes += piece
        count += piece.count
      } else if let input {
        await GLibResult.waitToRead(input, connecting.cancellable)
      }
    }
    throw BridgeError("invalid_data", "\(place.origin) answers without end, and opens no WebSocket")
  }

  /// Nil for nothing yet; empty at the end.
  private func receive(_ input: UnsafeMutablePointer<GInputStream>?) throws -> [UInt8]? {
    var failure: UnsafeMutablePointer<GError>?
    let piece = [UInt8](unsafeUninitializedCapacity: 4096) { room, count in
      count = max(
        0,
        Int(
          g_pollable_input_stream_read_nonblocking(
            OpaquePointer(input), room.baseAddress, gsize(room.count), connecting.cancellable, &failure)))
    }
    guard let failure else { return piece }
    let reason = GLibFailure.taking(failure)
    if reason.isIO(G_IO_ERROR_WOULD_BLOCK) { return nil }
    throw place.failure(reason, tls: 0)
  }

  private func agreed(_ head: SocketAnswer) throws -> (chosen: String, compression: SocketCompression?) {
    if let fault = request.fault(in: head) {
      throw BridgeError("invalid_data", "\(place.origin) opens no WebSocket: \(fault)")
    }
    do {
      let compression = try SocketCompression.agreed(head.header("sec-websocket-extensions") ?? "")
      return (head.header("sec-websocket-protocol") ?? "", compression)
    } catch { throw BridgeError("invalid_data", "\(place.origin) opens no WebSocket: \(error.text)") }
  }
}
