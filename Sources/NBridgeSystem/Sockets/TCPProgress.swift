// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc

/// How far a TCP connection has come, as the kernel counts: a client that takes its time can be told from one
/// that is waited for.
public struct TCPProgress: Equatable, Sendable {
  /// Bytes that have come, and that the other end has acknowledged.
  public var received: UInt64, acknowledged: UInt64
  /// Bytes that have come and were not read yet, and that were written and not acknowledged.
  public var unread: Int, unsent: Int

  /// For tests.
  public init(received: UInt64, acknowledged: UInt64 = 0, unread: Int = 0, unsent: Int = 0) {
    (self.received, self.acknowledged, self.unread, self.unsent) = (received, acknowledged, unread, unsent)
  }

  /// Nil for what is no connection of TCP.
  public init?(of file: Int32) {
    // struct tcp_info (linux/tcp.h, which can't stand beside netinet/tcp.h): tcpi_bytes_acked is at 120,
    // tcpi_bytes_received at 128.
    var facts = [UInt64](repeating: 0, count: 32)
    var size = socklen_t(facts.count * 8)
    guard getsockopt(file, Int32(IPPROTO_TCP), TCP_INFO, &facts, &size) == 0, size >= 136 else { return nil }
    (acknowledged, received) = (facts[15], facts[16])
    (unread, unsent) = Self.queues(of: file)
  }

  /// For a connection of another kind, whose owner counts what it has read and written.
  public init(of file: Int32, read: UInt64, written: UInt64) {
    (unread, unsent) = Self.queues(of: file)
    received = read + UInt64(unread)
    // The system counts what it keeps with each piece, too.
    acknowledged = written - min(written, UInt64(unsent))
  }

  private static func queues(of file: Int32) -> (unread: Int, unsent: Int) {
    var counts: (Int32, Int32) = (0, 0)
    nb_socket_queues(file, &counts.0, &counts.1)
    return (Int(counts.0), Int(counts.1))
  }
}
