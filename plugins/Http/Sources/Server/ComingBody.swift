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
    /// The client has gone, or sends what is no body.
    case cut
  }

  private let limit: Int
  private let input: RequestInput
  private let context = LoopContext()
  private let tell: (News) -> Void
  private var pieces: [Bytes] = []
  /// Bytes: of `pieces`, of all that came, and of what was passed over.
  private var kept = 0, count = 0, passed = 0
  /// Whether all of it has come.
  private(set) var isOver = false
  private(set) var isTooLong = false
  private var failure: BridgeError?
  private var waiting: CheckedContinuation<Void, Never>?
  private var isWanted = false
  private var isAnswered = false
  /// Whether no more is read.
  private var hasEnded = false
  /// What is done with what comes without anybody's asking for it.
  private var pump: Pump?
  private var source: UnsafeMutablePointer<GSource>?

  private enum Pump { case keeps, passesOver }

  /// So much is handed out, or read without being asked for in a turn, in bytes.
  private static let mostAtOnce = 1 << 20

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
    while true {
      if pump == nil { while kept < Self.mostAtOnce, failure == nil, step() {} }
      if !pieces.isEmpty { return takeFirst() }
      if let failure { throw failure }
      if isOver { return nil }
      if waiting != nil { throw BridgeError(.invalidParameter, "the body is being read already") }
      input.askForBody()
      if pump == nil { watch() }
      await withCheckedContinuation { waiting = $0 }
    }
  }

  /// Nobody wants the rest.
  func drop() {
    isWanted = false
    fail(BridgeError(.cancelled, "the body of the request is not wanted any more"))
    tell(.waits(false))
  }

  /// Nobody wants any of it. Waits until it was passed over; false where that has no end.
  func passOver() async -> Bool {
    if waiting != nil { return false }
    drop()
    input.askForBody()
    begin(.passesOver)
    if pump != nil { await withCheckedContinuation { waiting = $0 } }
    return isOver
  }

  /// The request was answered, or the client has gone: what still comes is the connection's.
  func end(_ error: BridgeError) {
    (hasEnded, pump) = (true, nil)
    unwatch()
    fail(error)
    resume()
  }

  /// The answer begins. Who sends all before it reads would wait for who answers before it reads: so what is
  /// wanted comes in first, and what is not is passed over meanwhile.
  ///
  /// - Returns: whether the answer waits for the rest of this.
  func answer() -> Bool {
    isAnswered = true
    if hasEnded { return false }
    // What follows an answer that was not waited for is known to nobody (RFC 9110, 10.1.1).
    guard !isTooLong, !input.waitsForAsking else {
      input.endWithAnswer()
      return false
    }
    let isWaitedFor = isWanted && failure == nil
    begin(isWaitedFor ? .keeps : .passesOver)
    return isWaitedFor && !hasEnded && failure == nil
  }

  /// The client has said its last: whether that was all of it is known when it was read, which is not much.
  func takeRest() { begin(failure == nil ? .keeps : .passesOver) }

  // MARK: - What comes

  private func begin(_ pump: Pump) {
    self.pump = pump
    unwatch()
    turn()
  }

  /// Takes what comes, as long as others do not wait for long.
  private func turn() {
    let end = count + Self.mostAtOnce
    while pump != nil, count < end { if !step() { return pump == nil || hasEnded ? () : watch() } }
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
      if isAnswered { input.endWithAnswer() } else { input.sayFault() }
      failure = failure ?? BridgeError(.closed, "the client has gone before its request was whole")
      finish(.cut)
    }
    return !hasEnded
  }

  private func add(_ bytes: [UInt8]) {
    count += bytes.count
    if pump == .passesOver {
      passed += bytes.count
      if passed <= limit { return }
      pump = nil
      input.endWithAnswer()
      resume()
    } else if count > limit {
      isTooLong = true
      pump = nil
      input.endWithAnswer()
      fail(BridgeError(.tooLarge, "the body of the request is longer than \(limit) bytes, option.bodyLimit"))
      tell(.tooLong)
    } else {
      pieces.append(Bytes(bytes))
      kept += bytes.count
      resume()
    }
  }

  private func finish(_ news: News) {
    (hasEnded, pump) = (true, nil)
    unwatch()
    resume()
    tell(news)
  }

  /// No more of it is handed out.
  private func fail(_ error: BridgeError) {
    if isOver || failure != nil { return }
    failure = error
    (pieces, kept) = ([], 0)
    resume()
  }

  /// What came first of what is there; all of it, which may be as long as a body, would be copied at once.
  private func takeFirst() -> Bytes? {
    var (count, size) = (0, 0)
    while count < pieces.count, size < Self.mostAtOnce {
      size += pieces[count].count
      count += 1
    }
    let taken = Bytes(joining: Array(pieces[..<count]))
    pieces.removeFirst(count)
    kept -= size
    return taken
  }

  // MARK: - Waiting

  private func watch() {
    if source != nil { return }
    source = PollableSource.attach(input.bodySource()) { [weak self] in
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
