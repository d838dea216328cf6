// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc

/// The users whose processes are at the other ends of TCP connections within this machine: the kernel's
/// tables as they are now.
public struct TCPPeers {
  private let ipv4 = KernelTable.bytes("/proc/net/tcp")
  // A peer that speaks IPv6 to an IPv4 address stands in the other table.
  private let ipv6 = KernelTable.bytes("/proc/net/tcp6")

  /// Reads the tables.
  public init() {}

  /// The user at the other end of a connection; nil when that can't be told, because it has been closed there
  /// already.
  ///
  /// The kernel's table (proc(5), "/proc/net/tcp") has each end's owner as long as a process has it open; of
  /// one that was closed it says 0. So only one counts that is open, is established or has ended its half,
  /// and whose ends are just the other way round than here. Two can't have the same.
  public func user(of file: Int32) -> UInt32? {
    guard let peer = Self.place(file, getpeername), let own = Self.place(file, getsockname) else {
      return nil
    }
    if peer.utf8.count > 13 { return Self.user("\(peer) \(own)", in: ipv6) }
    let mapped = "0000000000000000FFFF0000"
    return Self.user("\(peer) \(own)", in: ipv4) ?? Self.user("\(mapped)\(peer) \(mapped)\(own)", in: ipv6)
  }

  /// ESTABLISHED, FIN_WAIT1 and FIN_WAIT2 (net/tcp_states.h).
  private static let open: Set<Substring> = ["01", "04", "05"]

  static func user(_ ends: String, in table: [UInt8]) -> uid_t? {
    let wanted = Array(" \(ends) ".utf8)
    // The tables are long where many connections are, and each new one asks.
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

  /// An end as the table has it: the address's bytes as numbers of this machine, and the port.
  private static func place(
    _ file: Int32, _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> String? {
    guard let place = SocketPlace(file, ask) else { return nil }
    let words = place.words.map { hexadecimal(UInt64($0), 8) }.joined()
    return words + ":" + hexadecimal(UInt64(place.port), 4)
  }

  private static func hexadecimal(_ number: UInt64, _ digits: Int) -> String {
    let text = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}

/// Files of the kernel's, which say no size.
public enum KernelTable {
  /// All of it; nothing when it can't be read.
  public static func bytes(_ path: String) -> [UInt8] {
    guard let file = try? Descriptor.open(path, O_RDONLY) else { return [] }
    var all: [UInt8] = []
    while let piece = try? file.read(atMost: 1 << 16), !piece.isEmpty { all += piece }
    return all
  }

  /// The same as text.
  public static func text(_ path: String) -> String { String(decoding: bytes(path), as: UTF8.self) }
}
