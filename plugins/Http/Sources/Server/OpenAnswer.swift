// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSoup

/// A request that waits for its answer, or for the rest of it. Confined to the engine's thread.
final class OpenAnswer: @unchecked Sendable {  // see above
  let message: OpaquePointer
  /// The request's, where it is read while it comes.
  var body: ComingBody?
  /// What libsoup waits for.
  private var waits: Set<Wait> = []
  private let library: SoupServers
  private let ended: (Bool) -> Void
  private var waiting: CheckedContinuation<Bool, Never>?
  /// Takes the connection over, when the head of an answer 101 is written.
  private var take: (() -> Void)?
  private var handlers: [gulong] = []
  private var hearsPieces = false
  private var hasEnded = false
  private var isAnswered = false
  private var isComplete = false
  private var isGathered = false
  /// Tells that the client has gone while libsoup reads nothing of it: a request waits for its answer.
  private var leaving: UnsafeMutablePointer<GSource>?

  /// - Parameter ended: called once, with true when the answer is out, false when the client has gone.
  init(_ message: OpaquePointer, _ library: SoupServers, _ ended: @escaping (Bool) -> Void) {
    (self.message, self.library, self.ended) = (message, library, ended)
    g_object_ref(UnsafeMutableRawPointer(message))
    when("finished") { _, data in OpenAnswer.of(data)?.finish() }
    when("disconnected") { _, data in OpenAnswer.of(data)?.end(isWhole: false) }
  }

  private typealias Handler = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void

  private func when(_ signal: String, _ handler: Handler) {
    handlers.append(GLibSignal.connect(message, signal, handler, unretained: self))
  }

  deinit {
    forgetLeaving()
    for handler in handlers { g_signal_handler_disconnect(UnsafeMutableRawPointer(message), handler) }
    g_object_unref(UnsafeMutableRawPointer(message))
  }

  /// The answer is over with its head. libsoup would let it end with its connection: it takes what has no
  /// length for that, and forgets that it was told otherwise when it writes the head of a 204 (3.2).
  func hasNoBody() {
    setNoBody()
    when("wrote-headers") { _, data in OpenAnswer.of(data)?.setNoBody() }
  }

  private func setNoBody() { library.setEncoding(library.responseHeaders(message), SoupServers.none) }

  enum Wait { case answer, reader }

  /// Has libsoup stop for something.
  func wait(for reason: Wait) {
    if waits.isEmpty { library.pause(message) }
    waits.insert(reason)
  }

  func waits(for reason: Wait) -> Bool { waits.contains(reason) }

  /// It is there: libsoup goes on, unless it waits for the other.
  func go(on reason: Wait) {
    if reason == .answer { isAnswered = true }
    if waits.remove(reason) != nil, waits.isEmpty { library.unpause(message) }
  }

  /// More of the answer is there.
  func goOn() { if waits.isEmpty { library.unpause(message) } }

  // MARK: - Packets

  /// Head and body, which libsoup writes one after the other, go out together (tcp(7), TCP_CORK): of an
  /// answer that is there whole.
  func gather() { cork(1) }

  private func cork(_ isOn: gint) {
    guard let socket = AcceptedSocket.of(message, library) else { return }
    isGathered = g_socket_set_option(socket, Int32(IPPROTO_TCP), TCP_CORK, isOn, nil) != 0 && isOn != 0
  }

  // MARK: - A client that goes

  /// All of the request has come.
  func isWhole() {
    go(on: .reader)
    watchLeaving()
  }

  /// The client has gone in the middle of its request, or sends what is none.
  func isCut(isTold: Bool) {
    if isComplete, !isTold { return go(on: .reader) }
    if let socket = AcceptedSocket.of(message, library) { g_socket_shutdown(socket, 0, 1, nil) }
    leave()
  }

  /// Looks for the client's end: libsoup reads nothing.
  func watchLeaving() {
    guard leaving == nil, !hasEnded, let socket = AcceptedSocket.of(message, library) else { return }
    let look: GUnixFDSourceFunc = { _, _, data in
      OpenAnswer.of(data)?.clientHasLeft()
      return 0  // G_SOURCE_REMOVE
    }
    leaving = IdleSocket.whenLeft(socket, look, Unmanaged.passUnretained(self).toOpaque())
  }

  private func forgetLeaving() {
    guard let source = leaving else { return }
    leaving = nil
    g_source_destroy(source)
    g_source_unref(source)
  }

  private func clientHasLeft() {
    if hasEnded { return }
    guard let body, !body.isOver else { return clientHasGone() }
    // What it has sent may be all.
    forgetLeaving()
    body.takeRest()
  }

  /// libsoup finds out when it writes. A client that only said that it sends no more still gets an answer
  /// that is whole, and never a part of one for all.
  private func clientHasGone() {
    if isComplete { return forgetLeaving() }
    cut()
    leave()
  }

  private func leave() {
    let (message, library) = (message, library)
    withExtendedLifetime(self) {
      if hasEnded { return }
      end(isWhole: false)
      if !isAnswered { library.setStatus(message, 500, nil) }
      library.complete(library.responseBody(message))
      waits = []
      library.unpause(message)
    }
  }

  /// Ends the connection of an answer of which a part may be out, so that nobody takes that for all: TLS
  /// would take leave of its client as behind a whole one. An answer that only its connection's end would end
  /// has that reset.
  func cut() {
    guard isAnswered, !isComplete, let socket = AcceptedSocket.of(message, library) else { return }
    let isOld = library.version(message) == SoupServers.oldest
    if !isOld || !Self.reset(socket) { g_socket_shutdown(socket, 1, 1, nil) }
  }

  /// Has the client get an error in place of an end (connect(2), `AF_UNSPEC`); false for a socket at a path,
  /// where there is none.
  private static func reset(_ socket: UnsafeMutablePointer<GSocket>) -> Bool {
    var nowhere = sockaddr(
      sa_family: sa_family_t(AF_UNSPEC), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    let size = socklen_t(MemoryLayout<sockaddr>.size)
    return connect(g_socket_get_fd(socket), &nowhere, size) == 0
  }

  /// All of the answer is there.
  func complete() {
    isComplete = true
    library.complete(library.responseBody(message))
  }

  private static func of(_ data: UnsafeMutableRawPointer?) -> OpenAnswer? {
    // The handlers go with this object.
    GLibSignal.listener(data, as: OpenAnswer.self)
  }

  /// Waits until what `send` has libsoup write is written.
  ///
  /// - Throws: `closed` when the client has gone.
  func written(_ send: () -> Void) async throws {
    if !hearsPieces {
      hearsPieces = true
      when("wrote-chunk") { _, data in OpenAnswer.of(data)?.resume(true) }
    }
    try await resumed(send)
  }

  private func resumed(_ send: () -> Void) async throws {
    let isOut = await withCheckedContinuation { continuation in
      waiting = continuation
      send()
    }
    if !isOut { throw BridgeError(.closed, "the client has gone before the answer was whole") }
  }

  /// Waits until the head of an answer 101, which `send` has libsoup write, is out; `take` is called then, in
  /// the middle of libsoup's writing, as it wants it.
  ///
  /// - Throws: `closed` when the client has gone.
  func switched(_ send: () -> Void, _ take: @escaping () -> Void) async throws {
    self.take = take
    when("wrote-informational") { _, data in OpenAnswer.of(data)?.switchOver() }
    try await resumed(send)
  }

  private func switchOver() {
    guard let take else { return }
    self.take = nil
    // What comes from now on is the WebSocket's.
    forgetLeaving()
    withExtendedLifetime(self) {
      // Who waits goes on later; to libsoup the message is over when its connection is taken.
      resume(true)
      take()
    }
  }

  private func resume(_ isOut: Bool) {
    let waiting = waiting
    self.waiting = nil
    waiting?.resume(returning: isOut)
  }

  /// libsoup is done with it: also with a request that broke in its middle.
  private func finish() { end(isWhole: isAnswered || body?.isOver != false) }

  private func end(isWhole: Bool) {
    if hasEnded { return }
    hasEnded = true
    if isGathered { cork(0) }
    resume(false)
    body?.end(
      isWhole
        ? BridgeError(.closed, "the request was answered before its body was read")
        : BridgeError(.closed, "the client has gone before its request was whole"))
    // It lets go of this, in the middle of a signal of the message.
    withExtendedLifetime(self) { ended(isWhole) }
  }
}
