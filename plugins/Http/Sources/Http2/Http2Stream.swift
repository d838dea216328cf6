// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup

/// A request by HTTP/2 and its answer, a stream of a connection. Confined to the engine's thread, but
/// ``drop()`` and its end.
final class Http2Stream: Answer, @unchecked Sendable {  // see above
  private let connection: Http2Connection
  private let cancellable: UnsafeMutablePointer<GCancellable>?
  private let context = LoopContext()
  private(set) var upload: Http2Upload?
  /// Its number; 0 before it has one.
  var number: Int32 = 0
  /// Whether its head went out.
  var isSent = false

  private var answered: ResponseHead?
  /// The fields of a head, as they come: names and values in turn.
  private var fields: [String] = []
  private var fieldBytes = 0
  private var informed = 0
  private var received = ReceivedBytes()
  /// How many of these the server knows as read already.
  private var credited = 0
  private var isAtEnd = false
  private var failure: Http2Failure?
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// Whether something has come since somebody looked, who may wait some turns of the loop later.
  private var hasNews = false

  /// So many bytes a head may have, as RFC 9113, 6.5.2, counts them.
  static let longestHead = 128 << 10
  /// So many answers of 100 to 199 may come before the answer, as by HTTP/1.1.
  private static let mostInformed = 32
  /// So much is kept of an answer that comes before the request is whole, in bytes.
  private static let mostEarly = 64 << 20

  /// - Parameter cancellable: ends it, from any thread.
  init(
    _ connection: Http2Connection, _ upload: Http2Upload?, _ cancellable: UnsafeMutablePointer<GCancellable>?
  ) {
    (self.connection, self.upload, self.cancellable) = (connection, upload, cancellable)
    if let cancellable { g_object_ref(UnsafeMutableRawPointer(cancellable)) }
  }

  deinit {
    let (upload, connection, cancellable) = (
      UncheckedSendable(upload), connection, UncheckedSendable(cancellable)
    )
    // They have sources of the loop's.
    context.later(milliseconds: 0) {
      upload.value?.stop()
      withExtendedLifetime(connection) {}
      if let cancellable = cancellable.value { g_object_unref(UnsafeMutableRawPointer(cancellable)) }
    }
  }

  // MARK: - The answer

  /// Waits until it begins, and the request is whole: a stream of the script's belongs to the call that sends
  /// it. An answer that comes before is kept, or a server that sends back what it gets would wait for ever.
  func head() async throws(Http2Failure) -> ResponseHead {
    while true {
      if let answered, !isUploading || isAtEnd || failure != nil { return answered }
      if let failure { throw failure }
      if isCancelled {
        connection.reset(self)
        throw .cancelled
      }
      hasNews = false
      await wait()
    }
  }

  var isUploading: Bool { upload?.isOver == false }
  var isCancelled: Bool { g_cancellable_is_cancelled(cancellable) != 0 }

  func read(_ room: UnsafeMutableRawBufferPointer) throws(AnswerFault) -> Int? {
    if received.count > 0 { return take(room) }
    if isAtEnd { return 0 }
    if let failure { throw failure.answerFault }
    var cancelled: UnsafeMutablePointer<GError>?
    if g_cancellable_set_error_if_cancelled(cancellable, &cancelled) != 0 {
      throw .failed(GLibFailure.taking(cancelled))
    }
    hasNews = false
    return nil
  }

  private func take(_ room: UnsafeMutableRawBufferPointer) -> Int {
    let count = received.take(room)
    let known = min(credited, count)
    credited -= known
    connection.consumed(self, count - known)
    return count
  }

  func wait() async {
    let source = PollableSource.attach(g_cancellable_source_new(cancellable)) { [weak self] in
      self?.wake()
      return false
    }
    await withCheckedContinuation { if hasNews { $0.resume() } else { waiting.append($0) } }
    if let source { PollableSource.detach(source) }
  }

  private func wake() {
    hasNews = true
    let woken = waiting
    waiting = []
    for one in woken { one.resume() }
  }

  func drop() { context.run(keeping: self) { [self] in connection.reset(self) } }

  // MARK: - What the connection tells

  /// A field of a head. False when that is longer than it may be.
  func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Bool {
    fieldBytes += name.count + value.count + 32
    guard fieldBytes <= Self.longestHead else {
      end(.fault(.broken("its head has more than \(Self.longestHead) bytes")))
      return false
    }
    fields.append(HeaderTexts.decoded(UnsafeRawBufferPointer(name)))
    fields.append(HeaderTexts.decoded(UnsafeRawBufferPointer(value)))
    return true
  }

  /// A head is whole: that of the answer, one before it, or one behind it, which nobody asks for. False when
  /// there are too many, or it is none.
  func endHead() -> Bool {
    defer { fields = [] }
    guard answered == nil, fields.count >= 2, fields[0] == ":status", let status = Int(fields[1]) else {
      return true
    }
    // nghttp2 takes three figures of any kind, and one below 100 for an answer's, which may end with it.
    guard status >= 100 else {
      end(.fault(.broken("its status is \(fields[1])")))
      return false
    }
    guard status < 200 else {
      answered = ResponseHead(status: status, headers: Array(fields[2...]))
      fieldBytes = 0
      wake()
      return true
    }
    informed += 1
    guard informed > Self.mostInformed else { return true }
    end(.fault(.broken("it says without end that an answer is to come")))
    return false
  }

  /// A piece of the body.
  ///
  /// - Returns: whether the server may send as much more at once.
  func add(_ piece: UnsafeBufferPointer<UInt8>) -> Bool {
    received.append(piece)
    wake()
    guard isUploading else { return false }
    guard received.count <= Self.mostEarly else {
      end(.fault(.broken("it has more than \(Self.mostEarly) bytes before the request is whole")))
      return false
    }
    credited += piece.count
    return true
  }

  /// All of the request's body is taken.
  func endUpload() { wake() }

  /// No more of the body comes.
  func endBody() {
    guard answered != nil else { return end(.fault(.broken("it ends before it has a status"))) }
    isAtEnd = true
    wake()
  }

  /// It is over; nothing that was known before changes by it.
  func end(_ reason: Http2Failure) {
    if failure == nil, !isAtEnd { failure = reason }
    // What is left of the request is let go of with it.
    upload?.stop()
    upload = nil
    wake()
  }
}
