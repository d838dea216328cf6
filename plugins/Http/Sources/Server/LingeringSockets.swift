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
  /// The most bytes that are read of one.
  private let limit: Int
  private var all: [Int: LingeringSocket] = [:]
  private var last = 0
  private var emptied: (() -> Void)?

  /// What a client still does.
  enum Rest {
    /// It sends so many bytes; nil where nobody knows.
    case sending(Int?)
    /// It reads what was sent; what it sends counts for nothing.
    case reading
  }

  /// A descriptor each.
  private static let most = 256

  /// Of a client that still sends then nobody thinks that it reads.
  private static let least = 64 << 20

  /// - Parameter limit: of bodies, in bytes; what frames them comes beside.
  init(limit: Int) { self.limit = max(2 * limit, Self.least) }

  /// To be called before the connection is closed.
  ///
  /// - Parameters:
  ///   - connection: one that is encrypted has an end of its own, which may still be on its way.
  ///   - rest: what it is kept for.
  func keep(
    _ socket: UnsafeMutablePointer<GSocket>, by connection: UnsafeMutablePointer<GIOStream>, _ rest: Rest
  ) {
    if all.count >= Self.most, let oldest = all.keys.min() { all[oldest]?.end() }
    let copy = fcntl(g_socket_get_fd(socket), F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { return }
    let instance = UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GTypeInstance.self)
    let isEncrypted = g_type_check_instance_is_a(instance, g_tls_connection_get_type()) != 0
    last += 1
    // What is encrypted is longer by nobody knows how much.
    var rest = rest
    if isEncrypted, case .sending(let count?) = rest, count > 0 { rest = .sending(nil) }
    let kept = LingeringSocket(Descriptor(taking: copy), context, rest, limit) { [weak self, last] in
      self?.remove(last)
    }
    all[last] = kept
    // Behind what is written and closed in this turn.
    context.later(milliseconds: 0) { [weak kept] in kept?.begin(saysEnd: !isEncrypted) }
  }

  private func remove(_ number: Int) {
    all[number] = nil
    guard all.isEmpty else { return }
    emptied?()
    emptied = nil
  }

  /// Waits no more for clients that only send, and calls `body` once when there are none any more.
  func stop(whenEmpty body: @escaping () -> Void) {
    for one in all.values { one.stop() }
    if all.isEmpty { body() } else { emptied = body }
  }

  /// The loop ends.
  func abandon() {
    emptied = nil
    for one in all.values { one.end() }
  }
}

/// One of them.
private final class LingeringSocket: @unchecked Sendable {  // on the thread of its context
  /// Another descriptor of the connection's, which outlives that.
  private let socket: Descriptor
  private let context: LoopContext
  private let rest: LingeringSockets.Rest
  private let limit: Int
  private let ended: () -> Void
  private var source: UnsafeMutablePointer<GSource>?
  private var hasEnded = false
  private var received = 0
  /// How far it was when it had come on last, and how many moments ago that was.
  private var mark = (received: 0, unsent: Int.max), age = 0
  /// For so many moments more it may go on; nil for as many as it wants.
  private var left: Int?

  /// In milliseconds.
  private static let moment: UInt32 = 1000
  /// In moments: how long a client may send nothing in the middle of a body, as one whose body is read; and
  /// how long it has when the server stops.
  private static let patience = ClientPatience.window, mostAtStop = 3
  /// So much is read in a turn.
  private static let mostAtOnce = 256 << 10

  init(
    _ socket: Descriptor, _ context: LoopContext, _ rest: LingeringSockets.Rest, _ limit: Int,
    ended: @escaping () -> Void
  ) {
    (self.socket, self.context, self.rest, self.limit, self.ended) = (socket, context, rest, limit, ended)
  }

  deinit { if let source { PollableSource.detach(source) } }

  func begin(saysEnd: Bool) {
    if hasEnded { return }
    if saysEnd { shutdown(socket.number, Int32(SHUT_WR)) }
    source = PollableSource.attach(reading: socket.number) { [weak self] in self?.pass() ?? false }
    wait()
  }

  /// Whether the client has sent all, as far as is known.
  private var isWhole: Bool {
    if case .sending(let count?) = rest { count <= received } else { false }
  }
  private var isHeard: Bool { if case .reading = rest { false } else { true } }
  private var queues: TCPProgress { TCPProgress(of: socket.number, read: 0, written: 0) }

  /// The server stops. What the system still sends, it sends by itself where nothing more comes.
  func stop() {
    left = Self.mostAtStop
    if isWhole, queues.unread == 0 { end() }
  }

  private func wait() {
    context.later(milliseconds: Self.moment) { [weak self] in self?.look() }
  }

  private func look() {
    if hasEnded { return }
    let unsent = queues.unsent
    age += 1
    left = left.map { $0 - 1 }
    if isHeard && received >= mark.received + Int(ClientPatience.leastBytes)
      || unsent > 0 && unsent < mark.unsent
      || isWhole && received > mark.received
    {
      (mark, age) = ((received, unsent), 0)
    }
    guard age < (isWhole ? 1 : Self.patience), left ?? 1 > 0 else { return end() }
    wait()
  }

  /// Whether more may come.
  private func pass() -> Bool {
    var room = [UInt8](repeating: 0, count: 64 << 10)
    for _ in 0..<Self.mostAtOnce / room.count {
      let found = recv(socket.number, &room, room.count, Int32(MSG_DONTWAIT))
      received += max(0, found)
      if found > 0, received <= limit { continue }
      if found < 0, errno == EAGAIN || errno == EINTR { return true }
      end()
      return false
    }
    return true
  }

  func end() {
    if hasEnded { return }
    hasEnded = true
    if let source { PollableSource.detach(source) }
    source = nil
    socket.close()
    ended()
  }
}
