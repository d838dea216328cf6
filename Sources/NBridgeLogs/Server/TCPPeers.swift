// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc
internal import NBridgeSystem

/// The users whose processes are at the other ends of TCP connections within this machine: the kernel's
/// tables as they are now.
struct TCPPeers {
  private let ipv4 = KernelTable.bytes("/proc/net/tcp")
  // A peer that speaks IPv6 to an IPv4 address stands in the other table.
  private let ipv6 = KernelTable.bytes("/proc/net/tcp6")

  /// The user at the other end of a connection; nil when that can't be told, because it has been closed there
  /// already.
  ///
  /// The kernel's table (proc(5), "/proc/net/tcp") has each end's owner as long as a process has it open; of
  /// one that was closed it says 0. So only one counts that is open, is established or has ended its half,
  /// and whose ends are just the other way round than here. Two can't have the same.
  func user(of file: Int32) -> uid_t? {
    guard let peer = Self.place(file, getpeername), let own = Self.place(file, getsockname) else {
      return nil
    }
    let mapped = "0000000000000000FFFF0000"
    return Self.user("\(peer) \(own)", in: ipv4) ?? Self.user("\(mapped)\(peer) \(mapped)\(own)", in: ipv6)
  }

  /// ESTABLISHED, FIN_WAIT1 and FIN_WAIT2 (net/tcp_states.h).
  private static let open: Set<Substring> = ["01", "04", "05"]

  static func user(_ ends: String, in table: [UInt8]) -> uid_t? {
    let wanted = Array(" \(ends) ".utf8)
    let found = table.withUnsafeBytes { table -> Int? in
      guard let start = table.baseAddress else { return nil }
      return memmem(start, table.count, wanted, wanted.count).map { start.distance(to: UnsafeRawPointer($0)) }
    }
    guard let found else { return nil }
    // What follows: state, queues, timer, retransmissions, user, timeout, inode; which is 0 for what no
    // process has open.
    let rest = String(decoding: table[(found + wanted.count)...].prefix(100), as: UTF8.self)
    let columns = rest.split(separator: " ", maxSplits: 7)
    guard columns.count > 6, open.contains(columns[0]), columns[6] != "0" else { return nil }
    return uid_t(columns[4])
  }

  /// An end as the table has it: the address's bytes as a number of this machine, and the port.
  private static func place(
    _ file: Int32, _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> String? {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(file, $0, &size) }
    }
    guard status == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
    let port = UInt16(bigEndian: address.sin_port)
    return hexadecimal(UInt64(address.sin_addr.s_addr), 8) + ":" + hexadecimal(UInt64(port), 4)
  }

  private static func hexadecimal(_ number: UInt64, _ digits: Int) -> String {
    let text = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}

/// Files of the kernel's, which say no size.
enum KernelTable {
  /// All of it; nothing when it can't be read.
  static func bytes(_ path: String) -> [UInt8] {
    guard let file = try? Descriptor.open(path, O_RDONLY) else { return [] }
    var all: [UInt8] = []
    while let piece = try? file.read(atMost: 1 << 16), !piece.isEmpty { all += piece }
    return all
  }

  static func text(_ path: String) -> String { String(decoding: bytes(path), as: UTF8.self) }
}
