// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup

/// A connection by HTTP/2 (RFC 9113), for any number of requests at once. Confined to the engine's thread,
/// but its end.
///
/// Each answer may be ahead of its reader by ``streamWindow`` bytes: that one is slow holds up no other.
final class Http2Connection: @unchecked Sendable {  // see above
  private let library: LibNghttp2
  private let stream: UnsafeMutablePointer<GIOStream>
  private let context = LoopContext()
  private let ended: (Http2Connection) -> Void
  private var session: LibNghttp2.Session?
  private var output: StreamOutput?
  private var source: UnsafeMutablePointer<GSource>?
  private var streams: [Int32: Http2Stream] = [:]
  /// Requests that are to go out soon.
  private var begun: [Int32] = []
  private var room = [UInt8](repeating: 0, count: Http2Connection.piece)
  private var isOver = false
  private var hasFarewell = false
  /// Whether it looks after a while whether it is used; one timer, not one for each request.
  private var isResting = false
  /// Grows with each request.
  private var uses = 0
  /// Whether an answer has begun.
  private(set) var hasAnswered = false
  /// Whether the server, as it went away, has said that it takes some of the requests.
  private(set) var hasTaken = false

  private static let streamWindow: UInt32 = 1 << 20
  private static let connectionWindow: Int32 = 16 << 20
  /// So much is read and written at once, and read in a turn of the loop, in bytes.
  private static let piece = 64 << 10
  private static let mostBytes = 256 << 10
  /// Without a request it is closed after so long, in milliseconds.
  private static let idle: UInt32 = 30_000
  /// RFC 9113, 7.
  private static let noError: UInt32 = 0
  private static let cancelled: UInt32 = 8

  /// Takes over a connection on which both sides have agreed on HTTP/2.
  ///
  /// - Parameter ended: called once, when it takes no more requests.
  init(_ stream: UnsafeMutablePointer<GIOStream>, ended: @escaping (Http2Connection) -> Void) throws {
    library = try LibNghttp2.opened()
    (self.stream, self.ended) = (stream, ended)
    g_object_ref(UnsafeMutableRawPointer(stream))
    session = try makeSession()
    output = StreamOutput(OpaquePointer(g_io_stream_get_output_stream(stream))) { [weak self] in self?.flush()
    }
    let input = OpaquePointer(g_io_stream_get_input_stream(stream))
    source = PollableSource.attach(g_pollable_input_stream_create_source(input, nil)) { [weak self] in
      self?.receive()
      return self?.isOver == false
    }
    flush()
    rest()
  }

  deinit {
    let (source, output, stream) = (
      UncheckedSendable(source), UncheckedSendable(output), UncheckedSendable(stream)
    )
    library.free(session)
    context.later(milliseconds: 0) {
      if let source = source.value { PollableSource.detach(source) }
      output.value?.stop()
      g_object_unref(UnsafeMutableRawPointer(stream.value))
    }
  }

  private func makeSession() throws -> LibNghttp2.Session {
    var callbacks: OpaquePointer?
    var option: OpaquePointer?
    var made: LibNghttp2.Session?
    defer {
      library.freeCallbacks(callbacks)
      library.freeOption(option)
    }
    guard library.newCallbacks(&callbacks) == 0, library.newOption(&option) == 0 else { throw Self.noMemory }
    library.onField(callbacks, Http2Callbacks.field)
    library.onFrame(callbacks, Http2Callbacks.frame)
    library.onSent(callbacks, Http2Callbacks.sent)
    library.onNotSent(callbacks, Http2Callbacks.notSent)
    library.onData(callbacks, Http2Callbacks.data)
    library.onClose(callbacks, Http2Callbacks.close)
    library.setNoWindowUpdates(option, 1)
    // It lets go of the session, and with it of this pointer, before it goes.
    let this = Unmanaged.passUnretained(self).toOpaque()
    guard library.newClient(&made, callbacks, this, option) == 0, let made else { throw Self.noMemory }
    // ENABLE_PUSH, INITIAL_WINDOW_SIZE and MAX_HEADER_LIST_SIZE (RFC 9113, 6.5.2).
    let settings = [
      LibNghttp2.Setting(id: 2, value: 0), LibNghttp2.Setting(id: 4, value: Self.streamWindow),
      LibNghttp2.Setting(id: 6, value: UInt32(Http2Stream.longestHead)),
    ]
    _ = library.submitSettings(made, 0, settings, settings.count)
    _ = library.setWindow(made, 0, 0, Self.connectionWindow)
    return made
  }

  private static var noMemory: BridgeError { BridgeError(.unavailable, "nghttp2 makes no connection") }

  /// Whether more requests may be sent.
  var takesRequests: Bool { !isOver && !hasFarewell }

  // MARK: - Requests

  /// Sends a request. One that can't be taken any more ends as one that was not.
  ///
  /// - Throws: ``BridgeError`` for what can't be sent.
  func begin(
    _ options: ExchangeOptions, _ place: RequestPlace, _ body: KeptUpload?,
    _ cancellable: UnsafeMutablePointer<GCancellable>?
  ) throws -> Http2Stream {
    let fields = try Http2Fields(options, place)
    let number = Number()
    let upload = Http2Upload(options.body, body) { [weak self] in self?.goOn(number.value) }
    let stream = Http2Stream(self, upload, cancellable)
    guard takesRequests else {
      stream.end(.notTaken)
      return stream
    }
    var provider = LibNghttp2.Provider(source: nil, read: Http2Callbacks.read)
    let given = fields.withFields { list in
      withUnsafePointer(to: &provider) {
        library.submitRequest(session, nil, list.baseAddress, list.count, upload == nil ? nil : $0, nil)
      }
    }
    guard given > 0 else {
      let reason = library.text(given).map { String(cString: $0) } ?? "no reason is given"
      throw BridgeError(.ioError, "\(place.origin) can't be asked: \(reason)")
    }
    (stream.number, number.value) = (given, given)
    streams[given] = stream
    uses += 1
    begun.append(given)
    if begun.count == 1 { later { $0.sendBegun() } }
    return stream
  }

  /// Behind what the script is in the middle of: what it makes together goes out together, and what it aborts
  /// at once does not.
  private func sendBegun() {
    flush()
    begun = []
  }

  /// In the middle of a turn of the script's nothing is written that it may abort yet.
  private func flushUnlessBegun() { if begun.isEmpty { flush() } }

  /// A stream's number, for what is made before it has one.
  private final class Number {
    var value: Int32 = 0
  }

  private func goOn(_ number: Int32) {
    if isOver { return }
    _ = library.resume(session, number)
    flushUnlessBegun()
  }

  /// Nobody wants the answer any more.
  func reset(_ stream: Http2Stream) {
    guard !isOver, streams[stream.number] === stream else { return }
    cancel(stream.number)
    flushUnlessBegun()
  }

  private func cancel(_ number: Int32) {
    end(number, .cancelled)
    _ = library.submitReset(session, 0, number, Self.cancelled)
  }

  /// So much of an answer was read: the server may send as much more.
  func consumed(_ stream: Http2Stream, _ count: Int) {
    guard count > 0, !isOver, streams[stream.number] === stream else { return }
    _ = library.consumeStream(session, stream.number, count)
    flushUnlessBegun()
  }

  // MARK: - The connection

  private func receive() {
    var count = 0
    while count < Self.mostBytes, !isOver {
      var failure: UnsafeMutablePointer<GError>?
      let input = OpaquePointer(g_io_stream_get_input_stream(stream))
      let size = room.withUnsafeMutableBytes {
        g_pollable_input_stream_read_nonblocking(input, $0.baseAddress, gsize($0.count), nil, &failure)
      }
      if let failure {
        let reason = GLibFailure.taking(failure)
        if reason.isIO(G_IO_ERROR_WOULD_BLOCK) { break }
        return reason.isEnd ? cut() : end(.fault(.failed(reason)))
      }
      if size <= 0 { return cut() }
      count += size
      // What nghttp2 calls may let go of this.
      let taken = withExtendedLifetime(self) {
        room.withUnsafeBufferPointer { library.receive(session, $0.baseAddress, size) }
      }
      if taken < 0 { return end(.fault(.broken(text(Int32(clamping: taken))))) }
    }
    flush()
  }

  /// The server has said its last. Where it broke the rules before, that is told.
  private func cut() {
    flush()
    end(.cut)
  }

  private func text(_ code: Int32) -> String {
    "it does not speak HTTP/2 (\(library.text(code).map { String(cString: $0) } ?? "\(code)"))"
  }

  /// Writes what there is to write, as far as the system takes it. Frames are made when those before them are
  /// out: what waits for a server that reads nothing stays nghttp2's, which counts it.
  private func flush() {
    guard !isOver, let output else { return }
    for number in begun where streams[number]?.isCancelled == true { cancel(number) }
    repeat {
      if output.isEmpty {
        guard let bytes = pending() else { return end(.cut) }
        if bytes.isEmpty { break }
        output.add(bytes)
      }
      output.write()
      if output.hasFailed { return end(isDone ? whyOver : .cut) }
    } while output.isEmpty
    if isDone, output.isEmpty { end(whyOver) }
  }

  /// Whether nghttp2 is done with the connection.
  private var isDone: Bool { library.wantsRead(session) == 0 && library.wantsWrite(session) == 0 }

  /// Why it is: where requests are under way it has sent a GOAWAY of its own.
  private var whyOver: Http2Failure {
    streams.isEmpty ? .cut : .fault(.broken("it breaks the rules of HTTP/2 (RFC 9113, 5.4.1)"))
  }

  /// Frames to be written; nil when none can be made any more.
  private func pending() -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < Self.piece {
      var start: LibNghttp2.Memory?
      let count = library.send(session, &start)
      if count < 0 { return nil }
      if count == 0 { break }
      bytes += UnsafeBufferPointer(start: start, count: count)
    }
    return bytes
  }

  /// Without requests it is closed after a while.
  private func rest() {
    if isResting { return }
    isResting = true
    let before = uses
    context.later(milliseconds: Self.idle) { [weak self] in
      guard let self else { return }
      isResting = false
      guard streams.isEmpty else { return }
      if uses == before { close() } else { rest() }
    }
  }

  /// Ends it in order; requests under way fail.
  func close() {
    guard !isOver else { return }
    _ = library.terminate(session, Self.noError)
    flush()
    end(.cut)
  }

  private func end(_ reason: Http2Failure) {
    if isOver { return }
    isOver = true
    let left = streams
    streams = [:]
    // Of what was never sent the server has done nothing.
    for stream in left.values { stream.end(stream.isSent ? reason : .notTaken) }
    if let source { PollableSource.detach(source) }
    source = nil
    output?.stop()
    g_io_stream_close(stream, nil, nil)
    farewell()
  }

  private func farewell() {
    if hasFarewell { return }
    hasFarewell = true
    ended(self)
  }

  // MARK: - What nghttp2 tells

  func field(_ number: Int32, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Bool
  {
    streams[number]?.add(name, value) ?? true
  }

  func frame(_ head: LibNghttp2.FrameHead) {
    guard let stream = streams[head.stream] else { return }
    if head.type == LibNghttp2.headers {
      hasAnswered = true
      if !stream.endHead() { _ = library.submitReset(session, 0, head.stream, Self.cancelled) }
    }
    let mayEnd = head.type == LibNghttp2.headers || head.type == LibNghttp2.data
    guard mayEnd, head.flags & LibNghttp2.endsStream != 0 else { return }
    stream.endBody()
    // Who has answered wants no more of the request; the stream would stay open for it. (By NO_ERROR servers
    // of Node's keep what they have not read of it.)
    if stream.isUploading { _ = library.submitReset(session, 0, head.stream, Self.cancelled) }
  }

  /// The server takes no more requests, and of those that it was sent none behind a certain one. Those that
  /// wait for others to end are not sent any more.
  func goesAway(_ last: Int32) {
    if streams.keys.contains(where: { $0 <= last }) { hasTaken = true }
    farewell()
    for (number, stream) in streams where number > last || !stream.isSent { end(number, .notTaken) }
  }

  /// A request's head went out.
  func sent(_ number: Int32) { streams[number]?.isSent = true }

  /// It did not, and will not.
  func notSent(_ number: Int32) { end(number, .notTaken) }

  func data(_ number: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
    // One answer that nobody reads is not to hold up the others.
    _ = library.consumeConnection(session, bytes.count)
    if streams[number]?.add(bytes) == true { _ = library.consumeStream(session, number, bytes.count) }
  }

  func closed(_ number: Int32, _ code: UInt32) { end(number, Http2Failure(code: code)) }

  private func end(_ number: Int32, _ reason: Http2Failure) {
    guard let stream = streams.removeValue(forKey: number) else { return }
    stream.end(reason)
    guard streams.isEmpty else { return }
    if hasFarewell { later { $0.close() } } else { rest() }
  }

  /// Behind what nghttp2 is in the middle of.
  private func later(_ body: @escaping (Http2Connection) -> Void) {
    context.later(milliseconds: 0) { [weak self] in if let self { body(self) } }
  }

  /// Reads of a request's body; nil where there is none any more.
  func read(_ number: Int32, _ room: UnsafeMutableRawBufferPointer) -> Http2Upload.Step? {
    guard let stream = streams[number], let upload = stream.upload else { return nil }
    let step = upload.read(room)
    if upload.isOver { stream.endUpload() }
    return step
  }
}

extension GLibFailure {
  /// Whether it says no more than that the connection has ended.
  var isEnd: Bool {
    if domain == g_tls_error_quark() { return code == Int32(bitPattern: G_TLS_ERROR_EOF.rawValue) }
    return isIO(G_IO_ERROR_CONNECTION_CLOSED) || isIO(G_IO_ERROR_PARTIAL_INPUT)
  }
}
