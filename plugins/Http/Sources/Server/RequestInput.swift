// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeSoup
internal import NBridgeSystem

/// Stands between a client and libsoup: what libsoup reads is ``RequestFraming``'s, one request at a time.
/// The next one comes when that was answered, so that no byte of one request can be read for another. A long
/// body is read here, by ``ComingBody``, and by nobody else. Confined to the engine's thread.
final class RequestInput: InputFilter {
  private var framing = RequestFraming()
  private var fault: RequestFault?
  /// Whether the client was told of that.
  private var isRefused = false
  /// Whether the connection speaks another protocol by now.
  private var isHandedOver = false
  /// Whether libsoup has read of the request under way.
  private var hasGiven = false
  /// Whether libsoup was told that the client has gone.
  private var isGone = false
  /// Whether what is left of a body that was answered is passed over, and how much that was so far.
  private var isSkipping = false, skipped = 0
  /// Whether others have their turn before more is passed over.
  private var isTired = false
  /// Whether the connection ends with the answer to the request under way.
  private(set) var isLast = false
  private var isLingering = false
  /// What has come behind what was taken.
  private var held = Queue()
  /// What libsoup is to read.
  private var ready = Queue()
  /// The connection and its socket, which outlive the stream's reading.
  private let connection: UnsafeMutablePointer<GIOStream>
  private let socket: UnsafeMutablePointer<GSocket>
  private let bodyLimit: Int

  /// Bytes that were read, and of answers that were written where that is counted.
  private var count: UInt64 = 0
  private var written: UInt64 = 0

  /// So much is read at once where there may be more than one request in it: a whole record of TLS (RFC 8446,
  /// 5.1), for what stays of one in there makes no stream readable.
  private static let piece = 16 << 10
  /// So much of a long body is read at once, and is passed over in a turn.
  private static let mostAtOnce = 256 << 10

  private init(
    _ connection: UnsafeMutablePointer<GIOStream>, _ socket: UnsafeMutablePointer<GSocket>, _ bodyLimit: Int
  ) {
    (self.connection, self.socket, self.bodyLimit) = (connection, socket, bodyLimit)
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
  ///
  /// - Parameter bodyLimit: so much at the most is passed over of a body that was answered, in bytes.
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

  /// libsoup has answered a request.
  func next() {
    (hasGiven, skipped) = (false, 0)
    guard framing.isGiven, ready.isEmpty else { return fault = fault ?? .misread }
    if framing.isOver { return framing.begin() }
    if isLast || framing.head?.isLast == true { return linger() }
    isSkipping = true
  }

  private func linger() {
    if !isLingering { LingeringSocket.keep(socket, by: connection) }
    isLingering = true
  }

  /// The connection ends with the answer to the request under way.
  func endWithAnswer() { isLast = true }

  /// Bytes of an answer's body were written.
  func note(written size: Int) { written += UInt64(size) }

  /// How far the connection is, of a kind that the system does not tell it of; nil for what is no request.
  var progress: TCPProgress? {
    isHandedOver ? nil : TCPProgress(of: g_socket_get_fd(socket), read: count, written: written)
  }

  /// What comes from now on is no request.
  func handOver() { isHandedOver = true }

  // MARK: - What libsoup reads

  override func read(_ room: UnsafeMutableRawBufferPointer, _ failure: Failure?, _ plain: Plain) -> gssize {
    if isHandedOver { return held.isEmpty ? plain(room, failure) : held.take(room) }
    if isGone { return 0 }
    if isSkipping, let found = skip(room, failure) { return found }
    while fault == nil {
      if !ready.isEmpty {
        hasGiven = true
        return ready.take(room)
      }
      guard !framing.isGiven else { return refuse(.misread, room, failure) }
      if held.isEmpty, framing.waitsForAsking { askForBody() }
      do throws(RequestFault) {
        guard let found = try takePiece(room, failure, plain) else { continue }
        return found
      } catch { fault = error }
    }
    return refuse(fault ?? .misread, room, failure)
  }

  /// Takes what has come; what reading has answered where nothing has.
  private func takePiece(_ room: UnsafeMutableRawBufferPointer, _ failure: Failure?, _ plain: Plain)
    throws(RequestFault) -> gssize?
  {
    if held.isEmpty {
      let found = fill(failure, plain)
      if found <= 0 { return end(found, room, failure) }
    }
    let taken = try held.bytes.withUnsafeBufferPointer { bytes throws(RequestFault) in
      try framing.take(
        UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[held.start...])), &ready.bytes)
    }
    held.drop(taken)
    return nil
  }

  /// Reads what is there; what reading has answered.
  private func fill(_ failure: Failure?, _ plain: Plain) -> gssize {
    var found: gssize = 0
    held.bytes = [UInt8](unsafeUninitializedCapacity: Self.piece) { room, count in
      found = plain(UnsafeMutableRawBufferPointer(room), failure)
      count = max(0, found)
    }
    count += UInt64(max(0, found))
    return found
  }

  /// What libsoup gets where nothing was read: that has to wait, or the client has gone.
  private func end(_ found: gssize, _ room: UnsafeMutableRawBufferPointer, _ failure: Failure?) -> gssize {
    if found < 0, Self.isToWait(failure) { return found }
    if !hasGiven { return leave(room, failure) }
    // In the middle of a request, of which the part that came is not all.
    return found < 0 ? found : Self.fail(failure, G_IO_ERROR_PARTIAL_INPUT, "the request is not whole")
  }

  /// Tells libsoup that nobody asks for anything more. It keeps a connection for ever that ends between two
  /// requests (3.2), and lets go of one that ends in the middle of a head: so there is one byte of that, and
  /// nobody hears what it would answer.
  private func leave(_ room: UnsafeMutableRawBufferPointer, _ failure: Failure?) -> gssize {
    g_clear_error(failure)
    g_socket_shutdown(socket, 0, 1, nil)
    isGone = true
    hasGiven = true
    room.first.map { _ in room[0] = UInt8(ascii: "G") }
    return min(1, room.count)
  }

  private static func isToWait(_ failure: Failure?) -> Bool {
    guard let error = failure?.pointee else { return false }
    return error.pointee.domain == g_io_error_quark()
      && error.pointee.code == Int32(G_IO_ERROR_WOULD_BLOCK.rawValue)
  }

  private static func fail(_ failure: Failure?, _ code: GIOErrorEnum, _ why: String) -> gssize {
    g_propagate_error(failure, g_error_new_literal(g_io_error_quark(), Int32(code.rawValue), why))
    return -1
  }

  // MARK: - Long bodies

  /// What is there of a long body.
  enum BodyStep {
    case bytes([UInt8])
    case waits
    case end
    /// The client has gone, or sends what is none.
    case cut
  }

  /// Whether all of the body was read.
  var hasReadBody: Bool { framing.isOver }

  /// Whether the client waits for being asked for the body.
  var waitsForAsking: Bool { framing.waitsForAsking }

  /// The next bytes of a long body.
  func readBody() -> BodyStep {
    guard fault == nil, !isHandedOver, let stream = g_io_stream_get_input_stream(connection),
      let plain = InputFilter.plain(UnsafeMutableRawPointer(stream))
    else { return .cut }
    while !framing.isOver {
      var failure: UnsafeMutablePointer<GError>?
      defer { g_clear_error(&failure) }
      if held.isEmpty {
        if framing.left > Self.piece { return readDirectly(plain) }
        let found = fill(&failure, plain)
        if found <= 0 { return found < 0 && Self.isToWait(&failure) ? .waits : .cut }
      }
      guard let bytes = takeBody() else { return .cut }
      if !bytes.isEmpty { return .bytes(bytes) }
    }
    return .end
  }

  /// What is of the body for certain: not the last of it, behind which more may have come with it.
  private func readDirectly(_ plain: Plain) -> BodyStep {
    var failure: UnsafeMutablePointer<GError>?
    defer { g_clear_error(&failure) }
    var found: gssize = 0
    let most = min(framing.left - Self.piece, Self.mostAtOnce)
    let bytes = [UInt8](unsafeUninitializedCapacity: most) { room, count in
      found = plain(
        UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[..<most]), &failure)
      count = max(0, found)
    }
    if found <= 0 { return found < 0 && Self.isToWait(&failure) ? .waits : .cut }
    framing.pass(bytes.count)
    count += UInt64(bytes.count)
    return .bytes(bytes)
  }

  /// Of what has come; nil for what is no body.
  private func takeBody() -> [UInt8]? {
    var bytes: [UInt8] = []
    do throws(RequestFault) {
      let taken = try held.bytes.withUnsafeBufferPointer { given throws(RequestFault) in
        try framing.takeBody(
          UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: given[held.start...])), &bytes)
      }
      held.drop(taken)
      return bytes
    } catch {
      fault = error
      return nil
    }
  }

  /// Ready when more of a long body has come.
  func bodySource() -> UnsafeMutablePointer<GSource>? {
    g_io_stream_get_input_stream(connection).flatMap { InputFilter.plainSource(UnsafeMutableRawPointer($0)) }
  }

  /// The body of one that waits for it (RFC 9110, 10.1.1). libsoup knows nothing of it.
  func askForBody() {
    if !framing.waitsForAsking { return }
    framing.ask()
    say("HTTP/1.1 100 Continue\r\n\r\n")
  }

  /// Passes over what is left of a body that was answered; nil at its end.
  private func skip(_ room: UnsafeMutableRawBufferPointer, _ failure: Failure?) -> gssize? {
    var sum = 0
    while sum < Self.mostAtOnce {
      switch readBody() {
      case .bytes(let bytes): sum += bytes.count
      case .waits: return Self.fail(failure, G_IO_ERROR_WOULD_BLOCK, "nothing has come")
      case .cut: return leave(room, failure)
      case .end:
        isSkipping = false
        framing.begin()
        return nil
      }
    }
    skipped += sum
    if skipped > bodyLimit { return refuse(.misread, room, failure) }
    isTired = true
    return Self.fail(failure, G_IO_ERROR_WOULD_BLOCK, "others have their turn")
  }

  // MARK: - What is no request

  private func say(_ text: String) {
    guard let output = g_io_stream_get_output_stream(connection) else { return }
    _ = text.withCString {
      g_pollable_output_stream_write_nonblocking(OpaquePointer(output), $0, gsize(text.utf8.count), nil, nil)
    }
  }

  /// Answers what is no request, and ends the connection for libsoup. That answers what it has read whole
  /// alone, so that nothing was said of this request.
  private func refuse(_ fault: RequestFault, _ room: UnsafeMutableRawBufferPointer, _ failure: Failure?)
    -> gssize
  {
    self.fault = fault
    sayFault()
    return hasGiven ? Self.fail(failure, G_IO_ERROR_INVALID_DATA, "this is no request") : leave(room, failure)
  }

  /// Tells the client, which is to read it whatever it still sends.
  func sayFault() {
    if isRefused { return }
    isRefused = true
    if let status = fault?.status {
      say("HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    }
    linger()
  }

  override var hasMore: Bool {
    if isHandedOver { return !held.isEmpty }
    return isGone || isTired || fault != nil || !ready.isEmpty || !held.isEmpty
  }

  override func restBeforeMore() -> guint {
    defer { isTired = false }
    return isTired ? 1 : 0
  }
}
