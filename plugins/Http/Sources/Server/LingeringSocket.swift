// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgeSoup
internal import NBridgeSystem
internal import Synchronization

/// A connection that is closed though its client may still send: the system would tell that at once, and the
/// client would lose the answer with it (RFC 9112, 9.6). So it is kept for a moment, in which what comes is
/// read to no purpose. On the thread of its context.
final class LingeringSocket: @unchecked Sendable {  // see above; it may end on any thread, behind that
  /// Another descriptor of the connection's, which outlives that.
  private let socket: Descriptor
  private var source: UnsafeMutablePointer<GSource>?
  private var left = mostInAll

  /// In milliseconds.
  private static let longest: UInt32 = 1000
  /// So much is read in a turn, and in all: a client that still sends then does not read.
  private static let mostAtOnce = 256 << 10, mostInAll = 64 << 20
  /// A descriptor each.
  private static let most = 256
  private static let count = Atomic<Int>(0)

  /// To be called before the connection is closed.
  ///
  /// - Parameter connection: one that is encrypted has an end of its own, which may still be on its way.
  static func keep(_ socket: UnsafeMutablePointer<GSocket>, by connection: UnsafeMutablePointer<GIOStream>) {
    let copy = fcntl(g_socket_get_fd(socket), F_DUPFD_CLOEXEC, 0)
    if copy < 0 { return }
    let kept = LingeringSocket(Descriptor(taking: copy))
    if count.load(ordering: .relaxed) > most { return }
    let instance = UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GTypeInstance.self)
    let isEncrypted = g_type_check_instance_is_a(instance, g_tls_connection_get_type()) != 0
    let context = LoopContext()
    // Behind what is written and closed in this turn.
    context.later(milliseconds: 0) { kept.begin(saysEnd: !isEncrypted) }
    context.later(milliseconds: longest) { kept.end() }
  }

  private init(_ socket: Descriptor) {
    self.socket = socket
    Self.count.add(1, ordering: .relaxed)
  }

  deinit { Self.count.subtract(1, ordering: .relaxed) }

  private func begin(saysEnd: Bool) {
    if saysEnd { shutdown(socket.number, Int32(SHUT_WR)) }
    source = PollableSource.attach(reading: socket.number) { [weak self] in self?.pass() ?? false }
  }

  /// Whether more may come.
  private func pass() -> Bool {
    var room = [UInt8](repeating: 0, count: 64 << 10)
    for _ in 0..<Self.mostAtOnce / room.count {
      let found = recv(socket.number, &room, room.count, Int32(MSG_DONTWAIT))
      left -= max(0, found)
      if found > 0, left > 0 { continue }
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
  }
}
