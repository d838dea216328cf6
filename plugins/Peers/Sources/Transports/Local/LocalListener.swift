// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc
internal import NBridgePlugin
internal import Synchronization

/// A socket in a folder, which others connect to.
final class LocalListener: Reactor.Source {
  let descriptor: Int32
  private let name: String
  private let folder: String
  private let accepted: @Sendable (Int32) -> Void
  private let number = Atomic<UInt64>(0)
  /// Given up when the process has no descriptors left, so that who comes can be turned away instead of
  /// waiting for ever.
  private let spare = Atomic<Int32>(-1)

  init(_ name: String, in folder: String, _ accepted: @escaping @Sendable (Int32) -> Void) throws {
    (self.name, self.folder, self.accepted) = (name, folder, accepted)
    descriptor = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    let status =
      descriptor < 0
      ? -1 : try UnixAddress.with(name, in: folder) { [descriptor] in bind(descriptor, $0, $1) }
    guard status == 0, listen(descriptor, 512) == 0 else {
      throw BridgeError(.ioError, "can't listen in '\(folder)': \(String(cString: strerror(errno)))")
    }
    spare.store(open("/dev/null", O_RDONLY | O_CLOEXEC), ordering: .relaxed)
  }

  deinit {
    close(descriptor)
    let spare = spare.load(ordering: .relaxed)
    if spare >= 0 { close(spare) }
  }

  func start(_ reactor: Reactor) { number.store(reactor.add(self, EPOLLIN.rawValue), ordering: .relaxed) }

  /// Nobody finds it any more: at once, because the program may be about to end.
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
    let old = spare.exchange(-1, ordering: .relaxed)
    if old >= 0 { close(old) }
    let link = accept(descriptor, nil, nil)
    if link >= 0 { close(link) }
    spare.store(open("/dev/null", O_RDONLY | O_CLOEXEC), ordering: .relaxed)
  }
}
