// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// A socket in a folder, which others connect to.
final class LocalListener: Reactor.Source {
  private let socket: Descriptor
  var descriptor: Int32 { socket.number }
  private let name: String
  private let folder: String
  private let accepted: @Sendable (Int32) -> Void
  private let number = Atomic<UInt64>(0)
  /// Given up when the process has no descriptors left, so that a peer that connects can be turned away
  /// instead of waiting for ever.
  private let spare = Mutex<Descriptor?>(nil)

  init(_ name: String, in folder: String, _ accepted: @escaping @Sendable (Int32) -> Void) throws {
    (self.name, self.folder, self.accepted) = (name, folder, accepted)
    do { socket = try UnixSocket.listening(name, in: folder, queue: 512, waits: false) } catch {
      throw BridgeError(SystemError("listen in", folder, code: error.code))
    }
    keepSpare()
  }

  private func keepSpare() { spare.withLock { $0 = try? Descriptor.open("/dev/null", O_RDONLY) } }

  func start(_ reactor: Reactor) { number.store(reactor.add(self, EPOLLIN.rawValue), ordering: .relaxed) }

  /// No other peer finds the socket any more: at once, because the program may be about to end.
  func unlink() { Glibc.unlink("\(folder)/\(name)") }

  func stop(_ reactor: Reactor) {
    reactor.remove(number.load(ordering: .relaxed), descriptor)
  }

  func ready(_ events: UInt32) {
    for _ in 0..<64 {
      let link = nb_accept(descriptor)
      if link >= 0 {
        accepted(link)
      } else if errno == EMFILE || errno == ENFILE {
        turnAway()
        return
      } else if errno != EINTR, errno != ECONNABORTED {
        return
      }
    }
  }

  private func turnAway() {
    spare.withLock { $0 = nil }
    _ = try? UnixSocket.accept(descriptor)
    keepSpare()
  }
}
