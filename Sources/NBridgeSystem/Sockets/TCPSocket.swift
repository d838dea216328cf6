// SPDX-License-Identifier: MIT

internal import CLinux
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

/// An address and a port.
private struct SocketPlace: Equatable {
  let family: Int32
  /// A `sockaddr_in` or `sockaddr_in6`.
  private let bytes: [UInt8]

  init?(_ address: String, _ port: UInt16) {
    var four = sockaddr_in()
    var six = sockaddr_in6()
    if inet_pton(AF_INET, address, &four.sin_addr) == 1 {
      four.sin_family = sa_family_t(AF_INET)
      four.sin_port = port.bigEndian
      (family, bytes) = (AF_INET, withUnsafeBytes(of: four) { Array($0) })
    } else if inet_pton(AF_INET6, address, &six.sin6_addr) == 1 {
      six.sin6_family = sa_family_t(AF_INET6)
      six.sin6_port = port.bigEndian
      (family, bytes) = (AF_INET6, withUnsafeBytes(of: six) { Array($0) })
    } else {
      return nil
    }
  }

  /// What a call tells of a socket.
  init?(
    _ number: Int32,
    _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) {
    var memory = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_in6>.size)
    var size = socklen_t(memory.count)
    let status = memory.withUnsafeMutableBytes { memory in
      guard let start = memory.baseAddress else { return Int32(-1) }
      return ask(number, start.assumingMemoryBound(to: sockaddr.self), &size)
    }
    guard status == 0, size >= 8 else { return nil }
    family = Int32(memory.withUnsafeBytes { $0.loadUnaligned(as: sa_family_t.self) })
    guard family == AF_INET || family == AF_INET6 else { return nil }
    bytes = Array(memory.prefix(Int(size)))
  }

  /// It stands at the same place in both.
  var port: UInt16 { UInt16(bytes[2]) << 8 | UInt16(bytes[3]) }

  func with(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    bytes.withUnsafeBytes { memory in
      guard let start = memory.baseAddress else { return -1 }
      return body(start.assumingMemoryBound(to: sockaddr.self), socklen_t(memory.count))
    }
  }
}
