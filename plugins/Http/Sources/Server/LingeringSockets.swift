// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgeSoup
internal import NBridgeSystem

/// Connections of a server that are closed though their clients still send, or have not read all: the system
/// would end them at once, and a client would lose the answer (RFC 9112, 9.6). So they are kept while
/// something comes or goes, and what comes is read to no purpose. Confined to the engine's thread.
final class LingeringSockets {
  private let context = LoopContext()
  private var all: [ObjectIdentifier: LingeringSocket] = [:]
  private var emptied: (() -> Void)?

  /// A descriptor each.
  private static let most = 256

  /// To be called before the connection is closed.
  ///
  /// - Parameter connection: one that is encrypted has an end of its own, which may still be on its way.
  func keep(_ socket: UnsafeMutablePointer<GSocket>, by connection: UnsafeMutablePointer<GIOStream>) {
    guard all.count < Self.most, case let copy = fcntl(g_socket_get_fd(socket), F_DUPFD_CLOEXEC, 0), copy >= 0
    else { return }
    let instance = UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GTypeInstance.self)
    let isEncrypted = g_type_check_instance_is_a(instance, g_tls_connection_get_type()) != 0
    let kept = LingeringSocket(Descriptor(taking: copy), context) { [weak self] in self?.remove($0) }
    all[ObjectIdentifier(kept)] = kept
    // Behind what is written and closed in this turn.
    context.later(milliseconds: 0) { [weak kept] in kept?.begin(saysEnd: !isEncrypted) }
  }

  private func remove(_ one: LingeringSocket) {
    all[ObjectIdentifier(one)] = nil
    guard all.isEmpty else { return }
    emptied?()
    emptied = nil
  }

  /// Waits no more for clients that only send, and calls `body` once when there are none any more.
  func stop(whenEmpty body: @escaping () -> Void) {
    for one in all.values { one.stop() }
    if all.isEmpty { body() } else { emptied = { withExtendedLifetime(self, body) } }
  }
}

/// One of them.
private final class LingeringSocket: @unchecked Sendable {  // on the thread of its context
  /// Another descriptor of the connection's, which outlives that.
  private let socket: Descriptor
  private let context: LoopContext
  private let ended: (LingeringSocket) -> Void
  private var source: UnsafeMutablePointer<GSource>?
  private var received = 0
  /// For so many moments it may go on, and while its client only sends.
  private var left = mostMoments, leftToSend = mostToSend
  /// How far it was a moment ago.
  private var mark = (received: 0, unsent: Int.max)

  /// In milliseconds: so long nothing may come or go.
  private static let moment: UInt32 = 1000
  /// Of these, in all; for a client that has all of its answer; and for one when the server stops.
  private static let mostMoments = 300, mostToSend = 60, mostAtStop = 3
  /// So much is read in a turn, and in all: a client that still sends then does not read.
  private static let mostAtOnce = 256 << 10, most = 64 << 20

  init(_ socket: Descriptor, _ context: LoopContext, ended: @escaping (LingeringSocket) -> Void) {
    (self.socket, self.context, self.ended) = (socket, context, ended)
  }

  func begin(saysEnd: Bool) {
    if saysEnd { shutdown(socket.number, Int32(SHUT_WR)) }
    source = PollableSource.attach(reading: socket.number) { [weak self] in self?.pass() ?? false }
    wait()
  }

  /// The server stops.
  func stop() { leftToSend = min(leftToSend, Self.mostAtStop) }

  private func wait() {
    context.later(milliseconds: Self.moment) { [weak self] in self?.look() }
  }

  private func look() {
    let unsent = TCPProgress(of: socket.number, read: 0, written: 0).unsent
    left -= 1
    if unsent == 0 { leftToSend -= 1 }
    let hasMoved = received > mark.received || unsent < mark.unsent && unsent > 0
    guard hasMoved, left > 0, leftToSend > 0 else { return end() }
    mark = (received, unsent)
    wait()
  }

  /// Whether more may come.
  private func pass() -> Bool {
    var room = [UInt8](repeating: 0, count: 64 << 10)
    for _ in 0..<Self.mostAtOnce / room.count {
      let found = recv(socket.number, &room, room.count, Int32(MSG_DONTWAIT))
      received += max(0, found)
      if found > 0, received < Self.most { continue }
      if found < 0, errno == EAGAIN || errno == EINTR { return true }
      end()
      return false
    }
    return true
  }

  private func end() {
    if let source { PollableSource.detach(source) }
    source = nil
    socket.close()
    ended(self)
  }
}
