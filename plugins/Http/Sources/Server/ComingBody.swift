// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup

/// A long body of a request, which is read as far as somebody wants it: the client waits meanwhile. Confined
/// to the engine's thread.
final class ComingBody: @unchecked Sendable {  // see above
  enum News {
    /// The client is waited for, or no more.
    case waits(Bool)
    /// All of it has come.
    case whole
    case tooLong
    /// The client has gone, or sends what is no body, and was told so.
    case cut(isTold: Bool)
  }

  private let limit: Int
  private let input: RequestInput
  private let context = LoopContext()
  private let tell: (News) -> Void
  /// What has come and was not read.
  private var pieces = BodyPieces()
  /// Bytes: of all that came, and of what was passed over.
  private var count = 0, passed = 0
  /// Whether all of it has come.
  private(set) var isOver = false
  private(set) var isTooLong = false
  private var failure: BridgeError?
  private var waiting: CheckedContinuation<Void, Never>?
  private var isWanted = false
  private var isAnswered = false
  /// Whether no more is read.
  private var hasEnded = false
  /// Whether the client sends no more than what has come to the socket.
  private var isLast = false
  /// What is done with what comes without anybody's asking for it.
  private var pump: Pump?
  private var source: UnsafeMutablePointer<GSource>?

  private enum Pump {
    /// Up to a measure.
    case readsAhead
    case keeps, passesOver
  }

  /// So much is handed out at once, in bytes.
  private static let mostAtOnce = 1 << 20
  /// So much is read in a turn as it comes, with its framing: chunks of one byte take their time.
  private static let mostInTurn: UInt64 = 256 << 10

  /// - Parameters:
  ///   - limit: no longer body is taken, and no more of one is passed over, in bytes.
  ///   - tell: hears what becomes of it until the request was answered.
  init(_ limit: Int, by input: RequestInput, tell: @escaping (News) -> Void) {
    (self.limit, self.input, self.tell) = (limit, input, tell)
  }

  deinit { if let source { PollableSource.detach(source) } }

  // MARK: - Who wants it

  /// What is there, or comes next; nil at the end.
  func read() async throws -> Bytes? {
    if !isWanted, !hasEnded { tell(.waits(true)) }
    isWanted = true
    if pump == .readsAhead { stop() }
    while true {
      if pump == nil {
        let end = input.count + Self.mostInTurn
        while pieces.count < Self.mostAtOnce, input.count < end, failure == nil, step() {}
      }
      if pieces.count > 0 { return Bytes(joining: pieces.take(Self.mostAtOnce).map(Bytes.init)) }
      if let failure { throw failure }
      if isOver { return nil }
      if waiting != nil { throw BridgeError(.invalidParameter, "the body is being read already") }
      input.askForBody()
      if pump == nil { watch() }
      await withCheckedContinuation { waiting = $0 }
    }
  }

  /// Takes what comes before anybody wants it, a little: a client that goes is noticed where all is read.
  func readAhead() { begin(.readsAhead) }

  /// Nobody wants the rest.
  func drop() {
    isWanted = false
    if pump == .readsAhead { stop() }
    fail(BridgeError(.cancelled, "the body of the request is not wanted any more"))
    tell(.waits(false))
  }

  /// Nobody wants any of it. Waits until it was passed over; false where that has no end.
  func passOver() async -> Bool {
    if isOver { return true }
    if waiting != nil { return false }
    drop()
    tell(.waits(true))
    input.askForBody()
    begin(.passesOver)
    if pump != nil { await withCheckedContinuation { waiting = $0 } }
    return isOver
  }

  /// The request was answered, or the client has gone: what still comes is the connection's.
  func end(_ error: BridgeError) {
    hasEnded = true
    stop()
    fail(error)
    resume()
  }

  private func stop() {
    pump = nil
    unwatch()
  }

  /// The answer begins. Who sends all before it reads would wait for who answers before it reads: so what is
  /// wanted comes in first, and what is not is passed over meanwhile.
  ///
  /// - Returns: whether the answer waits for the rest of this.
  func answer() -> Bool {
    isAnswered = true
    if hasEnded { return false }
    // Who is not asked by now never is: that would stand in the midst of the answer.
    let isUnasked = input.waitsForAsking
    let isWaitedFor = isWanted && failure == nil && !isUnasked
    if !isWaitedFor {
      fail(BridgeError(.closed, "the answer had begun before anybody read the body of the request"))
    }
    // What follows an answer that was not waited for is known to nobody (RFC 9110, 10.1.1).
    guard !isTooLong, !isUnasked else {
      input.endWithAnswer()
      return false
    }
    begin(isWaitedFor ? .keeps : .passesOver)
    return isWaitedFor && !hasEnded && failure == nil
  }

  /// The client has said its last: whether that was all of it is known when it was read, which is not much.
  func takeRest() {
    isLast = true
    begin(failure == nil ? .keeps : .passesOver)
  }

  // MARK: - What comes

  private func begin(_ pump: Pump) {
    self.pump = pump
    unwatch()
    turn()
  }

  /// Takes what comes, as long as others do not wait for long.
  private func turn() {
    let end = input.count + Self.mostInTurn
    while pump != nil, input.count < end {
      if pump == .readsAhead, pieces.count >= Self.mostAtOnce { return stop() }
      if !step() { return pump == nil || hasEnded ? () : watch() }
    }
    if pump == nil || hasEnded { return }
    context.later(milliseconds: 0) { [weak self] in self?.turn() }
  }

  /// Takes what has come, a piece; false where that is nothing.
  private func step() -> Bool {
    if hasEnded { return false }
    switch input.readBody() {
    case .bytes(let bytes): add(bytes)
    case .waits: return false
    case .end:
      isOver = true
      finish(.whole)
    case .cut:
      // Nothing of an answer is out that waits for this.
      let isTold = (!isAnswered || pump == .keeps) && input.sayFault()
      if !isTold { input.endWithAnswer() }
      failure = failure ?? BridgeError(.closed, "the client has gone before its request was whole")
      finish(.cut(isTold: isTold))
    }
    return !hasEnded
  }

  private func add(_ bytes: [UInt8]) {
    count += bytes.count
    if pump == .passesOver {
      passed += bytes.count
      if passed <= limit { return }
      stopAtLimit()
      resume()
    } else if count > limit {
      isTooLong = true
      fail(BridgeError(.tooLarge, "the body of the request is longer than \(limit) bytes, option.bodyLimit"))
      tell(.tooLong)
      stopAtLimit()
    } else {
      pieces.append(bytes)
      resume()
    }
  }

  private func stopAtLimit() {
    pump = nil
    input.endWithAnswer()
    // Whatever it has sent, it has gone.
    if isLast { finish(.cut(isTold: false)) }
  }

  private func finish(_ news: News) {
    hasEnded = true
    stop()
    resume()
    tell(news)
  }

  /// No more of it is handed out.
  private func fail(_ error: BridgeError) {
    if isOver || failure != nil { return }
    failure = error
    pieces = BodyPieces()
    resume()
  }

  // MARK: - Waiting

  private func watch() {
    if source != nil { return }
    guard let coming = input.bodySource() else { return }
    source = PollableSource.attach(coming) { [weak self] in
      self?.come()
      return self != nil
    }
  }

  private func unwatch() {
    if let source { PollableSource.detach(source) }
    source = nil
  }

  /// Something has come.
  private func come() {
    unwatch()
    if pump != nil { turn() } else { resume() }
  }

  private func resume() {
    let waiting = waiting
    self.waiting = nil
    waiting?.resume()
  }
}
