// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc

/// Sockets over TCP (tcp(7)) at addresses that are numbers: no name is looked up. All are closed on exec.
public enum TCPSocket {
  /// A socket that listens.
  ///
  /// - Parameters:
  ///   - address: of this machine, as `127.0.0.1` or `::1`.
  ///   - port: 0 for one that the system chooses: see ``port(of:)``.
  ///   - queue: so many clients wait until they are accepted.
  /// - Throws: `EADDRINUSE` for a port that is taken, `EINVAL` for what is no address.
  public static func listening(_ address: String, port: UInt16, queue: Int32) throws(SystemError)
    -> Descriptor
  {
    guard let place = SocketPlace(address, port) else {
      throw SystemError("listen at", "\(address):\(port)", code: EINVAL)
    }
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let made = Descriptor(taking: socket(place.family, type, 0))
    guard made.isOpen else { throw .last("make a socket") }
    var yes: Int32 = 1
    // A port that was just let go of is no port that is taken.
    setsockopt(made.number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard place.with({ bind(made.number, $0, $1) }) == 0, listen(made.number, queue) == 0 else {
      throw .last("listen at", "\(address):\(port)")
    }
    return made
  }

  /// The next client: a connection that doesn't wait, and sends small pieces at once.
  ///
  /// - Throws: `EAGAIN` when no client waits, `EMFILE` when the process has too many files open.
  public static func accept(_ listener: Int32) throws(SystemError) -> Descriptor {
    let number = nb_accept(listener)
    guard number >= 0 else { throw .last("take a connection") }
    var yes: Int32 = 1
    setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    return Descriptor(taking: number)
  }

  /// Has the other end know at once what has come: one that waits for that before it sends more, as one with
  /// Nagle's algorithm does, would wait for 40 ms. For what comes next only; asked again each time.
  public static func answersAtOnce(_ number: Int32) {
    var yes: Int32 = 1
    setsockopt(number, Int32(IPPROTO_TCP), TCP_QUICKACK, &yes, socklen_t(MemoryLayout<Int32>.size))
  }

  /// The port that a socket has on this side; nil for another kind of socket.
  public static func port(of number: Int32) -> UInt16? { SocketPlace(number, getsockname)?.port }

  /// Whether this process has the other end of a connection, too.
  public static func isOwn(_ number: Int32) -> Bool {
    guard let here = SocketPlace(number, getsockname), let there = SocketPlace(number, getpeername) else {
      return false
    }
    return FolderNames.of("/proc/self/fd").compactMap { Int32($0) }.contains { other in
      SocketPlace(other, getsockname) == there && SocketPlace(other, getpeername) == here
    }
  }
}
