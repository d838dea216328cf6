// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup

/// Sees that a client has gone while libsoup reads nothing of it: while its request waits for the answer, and
/// between two requests. Each turn of the loop goes through all of its sources, so one for each request and
/// each pause would cost a busy server more than its requests: only what has rested for a moment gets one.
/// Confined to the engine's thread.
final class RestWatch {
  typealias Socket = UnsafeMutablePointer<GSocket>

  /// In milliseconds; what gets a source has rested for one of these, and less than two.
  private static let moment: UInt32 = 100

  private let context: LoopContext
  private let watchAnswer: (Int) -> Void
  private var answers: (young: [Int], old: [Int]) = ([], [])
  /// Each is kept, with the tick in which it came to rest.
  private var sockets: [Socket: Int] = [:]
  private var tick = 0
  private var isTicking = false

  /// - Parameter watchAnswer: looks after the client that waits for an answer, unless it was given.
  init(_ context: LoopContext, watchAnswer: @escaping (Int) -> Void) {
    (self.context, self.watchAnswer) = (context, watchAnswer)
  }

  deinit {
    let sockets = UncheckedSendable(Array(sockets.keys))
    if sockets.value.isEmpty { return }
    // They belong to the loop's thread.
    context.later(milliseconds: 0) { for socket in sockets.value { Self.release(socket) } }
  }

  /// A request waits for its answer.
  func waits(_ answer: Int) {
    answers.young.append(answer)
    begin()
  }

  /// An answer is out, and the next request has not come.
  func rests(_ socket: Socket?) {
    guard let socket, sockets.updateValue(tick, forKey: socket) == nil else { return }
    g_object_ref(UnsafeMutableRawPointer(socket))
    begin()
  }

  /// The next request has come.
  func goesOn(_ socket: Socket) {
    IdleSocket.forget(socket)
    if sockets.removeValue(forKey: socket) != nil { Self.release(socket) }
  }

  /// The loop ends, or nobody comes any more.
  func end() {
    for socket in sockets.keys { Self.release(socket) }
    (sockets, answers) = ([:], ([], []))
  }

  private static func release(_ socket: Socket) { g_object_unref(UnsafeMutableRawPointer(socket)) }

  private func begin() {
    if isTicking { return }
    isTicking = true
    context.later(milliseconds: Self.moment) { [weak self] in self?.look() }
  }

  private func look() {
    isTicking = false
    let old = answers.old
    answers = ([], answers.young)
    for answer in old { watchAnswer(answer) }
    for (socket, since) in sockets where since < tick {
      sockets[socket] = nil
      if g_socket_is_closed(socket) == 0 { IdleSocket.watch(socket, patience: ConnectionGuard.headPatience) }
      Self.release(socket)
    }
    tick += 1
    if !answers.old.isEmpty || !sockets.isEmpty { begin() }
  }
}
