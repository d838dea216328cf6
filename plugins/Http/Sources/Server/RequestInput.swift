// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeSoup
internal import NBridgeSystem

/// Stands between a client and libsoup: what libsoup reads is ``RequestFraming``'s, one request at a time.
/// The next one comes when that was answered, so that no byte of one request can be read for another. A long
/// body is read here, by ``ComingBody``, and by nobody else. Confined to the engine's thread.
final class RequestInput: InputFilter {
  private var framing: RequestFraming
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
  private(set) var isSkipping = false
  private var skipped = 0
  /// Ready when more of that has come.
  private var coming: UnsafeMutablePointer<GSource>?
  /// Cancelled at its end, for which libsoup waits.
  private var skipping: UnsafeMutablePointer<GCancellable>?
  /// Whether the connection ends with the answer to the request under way.
  private(set) var isLast = false
  private var isLingering = false
  /// What has come behind what was taken.
  private var held = ByteQueue()
  /// What libsoup is to read.
  private var ready = ByteQueue()
  /// The connection, until it goes.
  private var connection: UnsafeMutablePointer<GIOStream>?
  /// It keeps this.
  private let socket: UnsafeMutablePointer<GSocket>
  private let bodyLimit: Int
  private let lingering: LingeringSockets
  private let context = LoopContext()

  /// Bytes that were read, and of answers that were written where that is counted.
  private(set) var count: UInt64 = 0
  private var written: UInt64 = 0

  /// So much is read at once where there may be more than one request in it: a whole record of TLS (RFC 8446,
  /// 5.1), for what stays of one in there makes no stream readable.
  private static let piece = 16 << 10
  /// So much of a long body is read at once, and is passed over in a turn.
  private static let mostAtOnce = 256 << 10
  /// A longer body is read apart from its head, in bytes.
  private static let longestWithHead = 64 << 10

  init(
    _ connection: UnsafeMutablePointer<GIOStream>, _ socket: UnsafeMutablePointer<GSocket>, _ bodyLimit: Int,
    _ lingering: LingeringSockets
  ) {
    (self.connection, self.socket, self.bodyLimit) = (connection, socket, bodyLimit)
    self.lingering = lingering
    framing = RequestFraming(longestBody: min(bodyLimit, Self.longestWithHead))
  }

  deinit {
    unwatch()
    if let skipping { g_object_unref(UnsafeMutableRawPointer(skipping)) }
  }

  /// The head of the request under way.
  var head: RequestHead? { framing.head }

  /// libsoup has answered a request.
  func next() {
    (hasGiven, skipped) = (false, 0)
    guard framing.isGiven, ready.isEmpty else { return fault = fault ?? .misread }
    if isLast || framing.head?.isLast == true { return lingerIfNeeded() }
    if framing.isOver { return framing.begin() }
    isSkipping = true
    skip()
  }

  /// The connection goes.
  func lose() {
    connection = nil
    isSkipping = false
    unwatch()
  }

  /// Keeps the connection for a moment that is closed now.
  private func linger() { linger(for: .sending(rest)) }

  /// The same of one that speaks another protocol now.
  func lingerHandedOver() { linger(for: .reading) }

  private func linger(for rest: LingeringSockets.Rest) {
    if !isLingering, let connection { lingering.keep(socket, by: connection, rest) }
    isLingering = true
  }

  /// Bytes that the client still sends of the request under way; nil where nobody knows.
  private var rest: Int? {
    guard isUnderWay, fault == nil else { return 0 }
    return framing.left > 0 ? framing.left : nil
  }
  private var isUnderWay: Bool { framing.head != nil && !framing.isOver }

  /// The same where its client still sends, or has not read all.
  private func lingerIfNeeded() {
    let state = TCPProgress(of: g_socket_get_fd(socket), read: 0, written: 0)
    if isUnderWay || state.unread > 0 || state.unsent > 0 { linger() }
  }

  /// The connection is closed between two requests.
  func close() {
    lingerIfNeeded()
    if isSkipping { endSkipping(isWhole: false) }
  }

  /// Whether the body of the request under way comes apart from it.
  var hasBodyApart: Bool { framing.isApart }

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
    if isSkipping { return Self.fail(failure, G_IO_ERROR_WOULD_BLOCK, "others have their turn") }
    while fault == nil {
      if !ready.isEmpty {
        hasGiven = true
        return ready.take(room)
      }
      guard !framing.isGiven else { return refuse(.misread, room, failure) }
      if held.isEmpty { askForBody() }
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
    if room.isEmpty { return 0 }
    room[0] = UInt8(ascii: "G")
    return 1
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
    guard fault == nil, !isHandedOver, let connection, let stream = g_io_stream_get_input_stream(connection),
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
    guard let connection, let stream = g_io_stream_get_input_stream(connection) else { return nil }
    return InputFilter.plainSource(UnsafeMutableRawPointer(stream))
  }

  /// Asks a client for the body that waits for it (RFC 9110, 10.1.1). libsoup knows nothing of it.
  func askForBody() {
    if !framing.waitsForAsking { return }
    framing.ask()
    say("HTTP/1.1 100 Continue\r\n\r\n")
  }

  // MARK: - What is left of a body

  /// Passes over what is left of a body that was answered, before the next request. Others have their turns
  /// meanwhile, for which libsoup would not wait.
  private func skip() {
    unwatch()
    if !isSkipping { return }
    let end = count + UInt64(Self.mostAtOnce)
    while count < end {
      switch readBody() {
      case .bytes(let bytes):
        skipped += bytes.count
        if skipped > bodyLimit { return endSkipping(isWhole: false) }
      case .waits:
        return coming = bodySource().flatMap {
          PollableSource.attach($0) { [weak self] in
            self?.skip()
            return false
          }
        }
      case .cut: return endSkipping(isWhole: false)
      case .end: return endSkipping(isWhole: true)
      }
    }
    context.later(milliseconds: 0) { [weak self] in self?.skip() }
  }

  private func unwatch() {
    if let coming { PollableSource.detach(coming) }
    coming = nil
  }

  private func endSkipping(isWhole: Bool) {
    isSkipping = false
    unwatch()
    if isWhole {
      framing.begin()
    } else {
      // It was answered.
      (fault, isRefused) = (fault ?? .misread, true)
      linger()
    }
    if let skipping { g_cancellable_cancel(skipping) }
  }

  override func waitingSource() -> UnsafeMutablePointer<GSource>? {
    guard isSkipping else { return nil }
    if let skipping { g_object_unref(UnsafeMutableRawPointer(skipping)) }
    skipping = g_cancellable_new()
    return g_cancellable_source_new(skipping)
  }

  // MARK: - What is no request

  private func say(_ text: String) {
    guard let connection, let output = g_io_stream_get_output_stream(connection) else { return }
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

  /// Tells the client, which is to read it whatever it still sends. False where there is nothing to tell.
  @discardableResult func sayFault() -> Bool {
    guard !isRefused, let fault else { return false }
    isRefused = true
    linger()
    guard let status = fault.status else { return false }
    say("HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    return true
  }

  override var hasMore: Bool {
    if isHandedOver { return !held.isEmpty }
    return isGone || fault != nil || !ready.isEmpty || !held.isEmpty
  }
}
