// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup
internal import NBridgeSystem

/// A WebSocket that is open (RFC 6455), and what comes in by it. No other end keeps the loop from its other
/// work: so much is read in a turn, and no more while the script is behind.
///
/// The engine's thread alone uses it and GLib's objects in it, but ``close()`` and its end, which any thread
/// may cause.
class SocketConnection: HandleObject, Abandonable, @unchecked Sendable {  // see above
  class var handle: HandleType { HandleType("socket", "A WebSocket that is open.") }

  /// What comes, as it is asked for.
  let events: AsyncStream<SocketEvent>
  /// The protocol that the server chose.
  let chosen: String
  private let told: SocketEvents
  private let stream: UnsafeMutablePointer<GIOStream>
  /// That of `stream`, which keeps it.
  private let socket: UnsafeMutablePointer<GSocket>?
  private let context = LoopContext()
  private let isServer: Bool
  /// The other end sends no more. It may still read (RFC 9293, 3.6).
  private var hasInputEnded = false
  /// Nothing goes out any more, and what has come is still told.
  private var isOutputLost = false
  private var reader: FrameReader
  private let writer: FrameWriter
  private var output: StreamOutput?
  private var source: UnsafeMutablePointer<GSource>?
  private var room = [UInt8](repeating: 0, count: SocketConnection.piece)

  private enum State { case open, closing, over }
  private var state = State.open
  /// Whether the connection broke while it was open.
  private var isCut = false
  /// Whether it did not take what the system has for it.
  private var isGivenUp = false
  /// What the other end has said last: all that comes behind it is passed over (RFC 6455, 5.5.1).
  private var farewell: SocketClosing?
  /// So many bytes have come behind it.
  private var passed = 0
  /// The last ping, which is answered when what is before it is out.
  private var ping: [UInt8]?
  private var reported = 0
  private var willReport = false
  private var willGoOn = false

  /// Messages of other ends are as long at the most, in bytes.
  static let longest = 256 << 20
  /// So much is read at once, and in a turn of the loop, in bytes; and so many frames.
  private static let piece = 64 << 10
  private static let mostBytes = 256 << 10
  private static let mostFrames = 256
  /// So much is passed over behind a Close, in bytes.
  private static let mostPassed = 64 << 20
  /// So much of what is compressed is unfolded in a turn, in bytes.
  private static let mostUnfolded = 1 << 20
  /// So long, in milliseconds, the other end has for its side of the end.
  private static let patience: UInt32 = 10_000

  /// Takes over a stream behind the handshake.
  ///
  /// - Parameters:
  ///   - socket: what the stream goes by; nil where nobody knows.
  ///   - early: what has come behind the handshake already.
  ///   - compression: what was agreed on; nil for none.
  ///   - longest: of the other end's messages, in bytes, as they come and as they unfold.
  init(
    _ stream: UnsafeMutablePointer<GIOStream>, by socket: UnsafeMutablePointer<GSocket>?, isServer: Bool,
    chosen: String, compression: SocketCompression?, longest: Int = SocketConnection.longest,
    early: [UInt8] = []
  ) throws {
    (self.stream, self.socket) = (stream, socket)
    (self.isServer, self.chosen) = (isServer, chosen)
    g_object_ref(UnsafeMutableRawPointer(stream))
    reader = FrameReader(
      isServer: isServer, limit: longest, inflater: try compression.map { _ in try SocketInflater() })
    writer = FrameWriter(isClient: !isServer, deflater: try compression?.deflater())
    let wake = Wake(context)
    let told = SocketEvents { wake.goOn() }
    self.told = told
    events = AsyncStream(unfolding: { await told.next() })
    wake.socket = self
    output = StreamOutput(OpaquePointer(g_io_stream_get_output_stream(stream))) { [weak self] in self?.flush()
    }
    early.withUnsafeBytes { reader.feed($0) }
    goOn()
  }

  /// Has a connection go on reading, from any thread.
  private final class Wake: @unchecked Sendable {  // `socket` is set before it is shared
    weak var socket: SocketConnection?
    private let context: LoopContext
    init(_ context: LoopContext) { self.context = context }
    func goOn() {
      context.later(milliseconds: 0) { [weak socket] in socket?.goOn() }
    }
  }

  deinit {
    let (source, output, stream) = (
      UncheckedSendable(source), UncheckedSendable(output), UncheckedSendable(stream)
    )
    context.later(milliseconds: 0) {
      if let source = source.value { PollableSource.detach(source) }
      output.value?.stop()
      g_object_unref(UnsafeMutableRawPointer(stream.value))
    }
  }

  /// Nobody wants it any more: the other end is told that we go away.
  func close() { context.run(keeping: self) { [self] in end(SocketEnd(code: 1001, reason: "")) } }

  /// See ``Abandonable``.
  func abandon() {
    if state == .over { return }
    if state == .open {
      output?.add(writer.close(1001, ""))
      output?.write()
    }
    state = .over
    unwatch()
    output?.stop()
    g_io_stream_close(stream, nil, nil)
    tellTaken()
    told.add(SocketEvent(end: SocketClosing(code: 1006, reason: "", isClean: false)))
  }

  /// Before the connection is closed in order: what the other end still sends must not have the system end it
  /// at once, before all has arrived there.
  func linger(by socket: UnsafeMutablePointer<GSocket>) {}

  // MARK: - What goes out

  func send(_ message: SocketMessage) {
    guard state == .open else { return }
    if var text = message.text {
      let (frame, count) = text.withUTF8 {
        (writer.message(UnsafeRawBufferPointer($0), isText: true), $0.count)
      }
      output?.add(frame, weight: count)
    } else {
      let bytes = message.bytes ?? Bytes.none
      output?.add(bytes.withUnsafeBytes { writer.message($0, isText: false) }, weight: bytes.count)
    }
    flush()
  }

  /// Ends it in order: what was sent goes out first.
  func end(_ end: SocketEnd) {
    guard state == .open else { return }
    startClosing(end.code, end.reason)
  }

  private func startClosing(_ code: Int?, _ reason: String) {
    state = .closing
    output?.add(writer.close(code, reason))
    flush()
    waitForEnd(since: progress)
  }

  private var progress: SendingProgress {
    // A full socket takes more only when much of it is free, which a slow other end takes long for.
    let unsent = socket.map { TCPProgress(of: g_socket_get_fd($0), read: 0, written: 0).unsent }
    return SendingProgress(taken: output?.progress ?? 0, unsent: unsent ?? 0)
  }

  /// The other end has its time from when it took the last byte; and what it has said is told first.
  private func waitForEnd(since last: SendingProgress) {
    context.later(milliseconds: Self.patience) { [weak self] in
      guard let self, state != .over else { return }
      let progress = progress
      if progress.hasComeOn(since: last) || told.holds() { return waitForEnd(since: progress) }
      isGivenUp = progress.unsent > 0
      finish()
    }
  }

  private func flush() {
    guard state != .over, let output else { return }
    output.write()
    if output.isEmpty, let ping, state == .open {
      self.ping = nil
      output.add(writer.pong(ping))
      output.write()
    }
    if output.hasFailed, !hasInputEnded { return loseOutput() }
    // The server lets go first (RFC 6455, 7.1.1).
    let mayEnd = hasInputEnded || farewell != nil && isServer
    if state == .closing, mayEnd, output.isEmpty || output.hasFailed { return finish() }
    report()
  }

  /// What has come before is still read and told, and its end follows.
  private func loseOutput() {
    if !isOutputLost, state == .open { waitForEnd(since: progress) }
    isOutputLost = true
  }

  /// Tells how much the system has taken, for several messages at once.
  private func report() {
    guard !willReport, let output, output.taken != reported else { return }
    willReport = true
    context.later(milliseconds: 2) { [weak self] in
      guard let self else { return }
      willReport = false
      if state != .over { tellTaken() }
    }
  }

  private func tellTaken() {
    guard let output, output.taken != reported else { return }
    reported = output.taken
    told.add(SocketEvent(sent: reported))
  }

  // MARK: - What comes in

  /// Reads on, where it stopped, or for the first time.
  private func goOn() {
    willGoOn = false
    guard state != .over else { return }
    take()
  }

  /// Takes what there is, up to a turn's measure, and waits for more.
  private func take() {
    var (bytes, frames) = (0, 0)
    do throws(FrameFault) {
      while state != .over {
        while farewell == nil, frames < Self.mostFrames,
          let event = try reader.next(measure: Self.mostUnfolded)
        {
          frames += 1
          handle(event)
          if state == .over { return }
        }
        if told.holds() { return unwatch() }
        if farewell == nil && reader.isBusy || frames >= Self.mostFrames || bytes >= Self.mostBytes {
          return takeLater()
        }
        guard !hasInputEnded, let count = read() else { return }
        if count == 0 { return watch() }
        bytes += count
      }
    } catch { fail(error) }
  }

  /// Feeds the reader: how many bytes came, 0 for none yet; nil at the end.
  private func read() -> Int? {
    var failure: UnsafeMutablePointer<GError>?
    let input = OpaquePointer(g_io_stream_get_input_stream(stream))
    let count = room.withUnsafeMutableBytes {
      g_pollable_input_stream_read_nonblocking(input, $0.baseAddress, gsize($0.count), nil, &failure)
    }
    if let failure, GLibFailure.taking(failure).isIO(G_IO_ERROR_WOULD_BLOCK) { return 0 }
    guard failure == nil, count > 0 else {
      if failure == nil { endInput() } else { lose() }
      return nil
    }
    guard farewell == nil else { return pass(Int(count)) }
    room.withUnsafeBytes { reader.feed(UnsafeRawBufferPointer(rebasing: $0[..<Int(count)])) }
    return Int(count)
  }

  /// What comes behind a Close is nothing, and not without end.
  private func pass(_ count: Int) -> Int? {
    passed += count
    if passed <= Self.mostPassed { return count }
    lose()
    return nil
  }

  private func watch() {
    if source != nil { return }
    let input = OpaquePointer(g_io_stream_get_input_stream(stream))
    source = PollableSource.attach(g_pollable_input_stream_create_source(input, nil)) { [weak self] in
      self?.take()
      return self != nil
    }
  }

  private func unwatch() {
    if let source { PollableSource.detach(source) }
    source = nil
  }

  /// More is there, and others have their turn first.
  private func takeLater() {
    unwatch()
    if willGoOn { return }
    willGoOn = true
    context.later(milliseconds: 0) { [weak self] in self?.goOn() }
  }

  private func handle(_ event: FrameReader.Event) {
    switch event {
    case .text(let text): if state == .open { told.add(SocketEvent(text: text)) }
    case .bytes(let bytes):
      if state == .open { told.add(SocketEvent(bytes: bytes.withUnsafeBytes { Bytes($0) })) }
    case .ping(let payload):
      ping = payload
      flush()
    case .pong: break
    case .close(let code, let reason):
      farewell = SocketClosing(code: code ?? 1005, reason: reason, isClean: true)
      guard state == .open else { return flush() }
      told.add(SocketEvent(closing: true))
      startClosing(code, reason)
    }
  }

  // MARK: - The end

  /// Nothing more comes, and nothing is added to what was sent before. For that the other end has the more
  /// time.
  private func endInput() {
    hasInputEnded = true
    unwatch()
    if state == .open {
      isCut = true
      state = .closing
      told.add(SocketEvent(closing: true))
      waitForEnd(since: progress)
    }
    flush()
  }

  /// The connection has gone.
  private func lose() {
    isCut = isCut || state == .open
    finish()
  }

  private func fail(_ fault: FrameFault) {
    farewell = SocketClosing(code: 1006, reason: "", isClean: false, failure: fault.text)
    if state == .open { output?.add(writer.close(fault.code.rawValue, "")) }
    output?.write()
    finish()
  }

  private func finish() {
    if state == .over { return }
    state = .over
    unwatch()
    output?.stop()
    tellTaken()
    told.add(SocketEvent(end: ending))
    if isServer, isAllSent, !hasInputEnded, let socket { linger(by: socket) }
    // Nobody waits where the other end does not listen (``UnwaitingOutput``).
    g_io_stream_close(stream, nil, nil)
  }

  private var isAllSent: Bool { !isGivenUp && output.map { $0.isEmpty && !$0.hasFailed } ?? true }

  /// Clean is the end where both ends have said that it is one (RFC 6455, 7.1.4); to a client the end of the
  /// connection is a failure unless the server took its leave (7.2.1).
  private var ending: SocketClosing {
    guard var farewell else {
      let why = "the connection broke before the server closed the WebSocket"
      return SocketClosing(code: 1006, reason: "", isClean: false, failure: isCut && !isServer ? why : nil)
    }
    if !isAllSent, farewell.isClean {
      farewell.isClean = false
      farewell.failure = "the other end closed the WebSocket without taking all that was sent before"
    }
    return farewell
  }
}
