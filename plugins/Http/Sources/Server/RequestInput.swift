// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeSoup
internal import NBridgeSystem

/// Stands between a client and libsoup: what libsoup reads is ``RequestFraming``'s, one request at a time.
/// The next one comes when that was answered, so that no byte of one request can be read for another.
/// Confined to the engine's thread.
final class RequestInput: InputFilter {
  private var framing: RequestFraming
  private var fault: RequestFault?
  /// Whether the client was told of that.
  private var isRefused = false
  /// Whether the connection speaks another protocol by now.
  private var isHandedOver = false
  private var isEnding = false
  /// Whether libsoup has read of the request under way.
  private var hasGiven = false
  /// What has come behind the request under way.
  private var held = Queue()
  /// What libsoup is to read.
  private var ready = Queue()
  /// The connection and its socket, which outlive the stream's reading.
  private let connection: UnsafeMutablePointer<GIOStream>
  private let socket: UnsafeMutablePointer<GSocket>

  /// Bytes that were read, and of answers that were written where that is counted.
  private var count: UInt64 = 0
  private var written: UInt64 = 0

  /// So much is read at once where there may be more than one request in it: a whole record of TLS (RFC 8446,
  /// 5.1), for what stays of one in there makes no stream readable.
  private static let piece = 16 << 10
  /// How long a client has to read why it is refused, in milliseconds.
  private static let lastWait: UInt32 = 1000

  private init(
    _ connection: UnsafeMutablePointer<GIOStream>, _ socket: UnsafeMutablePointer<GSocket>, _ bodyLimit: Int
  ) {
    (self.connection, self.socket) = (connection, socket)
    framing = RequestFraming(bodyLimit: bodyLimit)
  }

  /// Bytes that are taken from the front.
  private struct Queue {
    var bytes: [UInt8] = []
    var start = 0
    var isEmpty: Bool { start == bytes.count }
    mutating func drop(_ count: Int) {
      start += count
      if isEmpty { (bytes, start) = ([], 0) }
    }
    mutating func take(_ room: UnsafeMutableRawBufferPointer) -> Int {
      let size = min(room.count, bytes.count - start)
      room.copyBytes(from: bytes[start..<start + size])
      drop(size)
      return size
    }
  }

  private static let key = g_quark_from_string("nbridge-request-input")

  /// Stands before a connection's requests from now on; false for a stream of a kind that is not known.
  static func watch(
    _ connection: UnsafeMutablePointer<GIOStream>, of socket: UnsafeMutablePointer<GSocket>, bodyLimit: Int
  ) -> Bool {
    guard let stream = g_io_stream_get_input_stream(connection) else { return false }
    let input = RequestInput(connection, socket, bodyLimit)
    guard input.stand(before: UnsafeMutableRawPointer(stream)) else { return false }
    g_object_set_qdata_full(
      UnsafeMutableRawPointer(socket).assumingMemoryBound(to: GObject.self), key,
      Unmanaged.passRetained(input).toOpaque(),
      { data in if let data { Unmanaged<RequestInput>.fromOpaque(data).release() } })
    return true
  }

  /// Of a connection; nil for one without.
  static func of(_ socket: UnsafeMutablePointer<GSocket>?) -> RequestInput? {
    guard let socket else { return nil }
    let object = UnsafeMutableRawPointer(socket).assumingMemoryBound(to: GObject.self)
    guard let data = g_object_get_qdata(object, key) else { return nil }
    return Unmanaged<RequestInput>.fromOpaque(data).takeUnretainedValue()
  }

  /// The head of the request under way.
  var head: RequestHead? { framing.head }

  /// libsoup has answered a request, of which it has read all unless it has read it otherwise.
  func next() {
    if framing.isOver && ready.isEmpty { framing.begin() } else { fault = fault ?? .misread }
    hasGiven = false
  }

  /// Bytes of an answer's body were written.
  func note(written size: Int) { written += UInt64(size) }

  /// How far the connection is, of a kind that the system does not tell it of; nil for what is no request.
  var progress: TCPProgress? {
    isHandedOver ? nil : TCPProgress(of: g_socket_get_fd(socket), read: count, written: written)
  }

  /// What comes from now on is no request.
  func handOver() { isHandedOver = true }

  // MARK: - Reading

  override func read(_ room: UnsafeMutableRawBufferPointer, _ failure: Failure?, _ plain: Plain) -> gssize {
    if isHandedOver { return held.isEmpty ? plain(room, failure) : held.take(room) }
    while fault == nil {
      if !ready.isEmpty {
        hasGiven = true
        return ready.take(room)
      }
      guard !framing.isOver else { return refuse(.misread, failure) }
      if held.isEmpty {
        if framing.waitsForAsking { askForBody() }
        if framing.left > Self.piece { return passBody(room, failure, plain) }
      }
      do throws(RequestFault) {
        guard let count = try takePiece(failure, plain) else { continue }
        return count
      } catch { fault = error }
    }
    return refuse(fault ?? .misread, failure)
  }

  /// Passes on what is of a body for certain: not the last of it, behind which more may have come with it.
  private func passBody(_ room: UnsafeMutableRawBufferPointer, _ failure: Failure?, _ plain: Plain) -> gssize
  {
    let most = framing.left - Self.piece
    let count = plain(UnsafeMutableRawBufferPointer(rebasing: room.prefix(most)), failure)
    if count > 0 {
      framing.pass(count)
      self.count += UInt64(count)
    }
    return count == 0 ? cut(failure) : count
  }

  /// Takes what has come; what reading has answered where nothing has.
  private func takePiece(_ failure: Failure?, _ plain: Plain) throws(RequestFault) -> gssize? {
    if !held.isEmpty {
      let taken = try held.bytes.withUnsafeBufferPointer { bytes throws(RequestFault) in
        try framing.take(
          UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[held.start...])), &ready.bytes)
      }
      held.drop(taken)
      return nil
    }
    var found: gssize = 0
    held.bytes = [UInt8](unsafeUninitializedCapacity: Self.piece) { room, count in
      found = plain(UnsafeMutableRawBufferPointer(room), failure)
      count = max(0, found)
    }
    count += UInt64(max(0, found))
    if found > 0 { return nil }
    return found == 0 && framing.head != nil ? cut(failure) : found
  }

  /// The client has said its last in the middle of a request, of which libsoup would take the part that came
  /// for all where chunks end.
  private func cut(_ failure: Failure?) -> gssize {
    let error = g_error_new_literal(
      g_io_error_quark(), Int32(G_IO_ERROR_PARTIAL_INPUT.rawValue), "the request is not whole")
    g_propagate_error(failure, error)
    return -1
  }

  /// The body of one that waits for it (RFC 9110, 10.1.1). libsoup knows nothing of it.
  private func askForBody() {
    framing.ask()
    say("HTTP/1.1 100 Continue\r\n\r\n")
  }

  private func say(_ text: String) {
    guard let output = g_io_stream_get_output_stream(connection) else { return }
    _ = text.withCString {
      g_pollable_output_stream_write_nonblocking(OpaquePointer(output), $0, gsize(text.utf8.count), nil, nil)
    }
  }

  /// Answers what is no request, and ends the connection for libsoup. That answers what it has read whole
  /// alone, so that nothing was said of this request.
  private func refuse(_ fault: RequestFault, _ failure: Failure?) -> gssize {
    self.fault = fault
    if !isRefused, let status = fault.status {
      say("HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    }
    isRefused = true
    end()
    if !hasGiven { return 0 }
    let error = g_error_new_literal(
      g_io_error_quark(), Int32(G_IO_ERROR_INVALID_DATA.rawValue), "this is no request")
    g_propagate_error(failure, error)
    return -1
  }

  /// Ends the connection: libsoup keeps one by which it waits for a request for ever (3.2). What the client
  /// still sends must not take the answer from it.
  private func end() {
    guard !isEnding else { return }
    isEnding = true
    g_socket_shutdown(socket, 0, 1, nil)
    let held = EndingSocket(socket)
    LoopContext().later(milliseconds: Self.lastWait) { held.close() }
  }

  /// Goes with its last wait, also where the loop ends before.
  private final class EndingSocket: @unchecked Sendable {  // used on the loop's thread, or behind its end
    private let socket: UnsafeMutablePointer<GSocket>
    init(_ socket: UnsafeMutablePointer<GSocket>) {
      self.socket = socket
      g_object_ref(UnsafeMutableRawPointer(socket))
    }
    deinit { g_object_unref(UnsafeMutableRawPointer(socket)) }
    func close() { g_socket_close(socket, nil) }
  }

  override var hasMore: Bool {
    isHandedOver ? !held.isEmpty : fault != nil || !ready.isEmpty || !held.isEmpty
  }
}
