// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgeSystem

/// What ties a handshake to a Unix socket: the processes at its ends. Each side signs which process it is,
/// and the kernel says which one is at the other end, so a process that relays what others sign is found out.
enum LocalBinding {
  /// A process, as its own namespace of process numbers counts it (pid_namespaces(7)).
  struct Place: Equatable {
    /// The namespace's inode; 0 when it can't be told, as without /proc.
    var namespace: UInt64
    var process: Int32

    static let size = 12

    var bytes: [UInt8] {
      withUnsafeBytes(of: namespace.littleEndian) { Array($0) }
        + withUnsafeBytes(of: process.littleEndian) { Array($0) }
    }

    init(namespace: UInt64, process: Int32) { (self.namespace, self.process) = (namespace, process) }

    init?(_ bytes: [UInt8]) {
      guard bytes.count == Self.size else { return nil }
      (namespace, process) = bytes.withUnsafeBytes { bytes in
        (
          UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
          Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: Int32.self))
        )
      }
    }
  }

  /// The binding of a connected socket.
  static func of(_ socket: Int32) -> LinkBinding {
    let own = Place(namespace: namespace(of: "self"), process: getpid())
    let seen = peer(of: socket)
    return LinkBinding(own: own.bytes) { problem($0, seen: seen, from: own) }
  }

  /// - Parameters:
  ///   - theirs: what the other side signed.
  ///   - seen: the process at the other end as the kernel tells it here; 0 for one of a namespace that can't
  ///     be seen from here.
  static func problem(_ theirs: [UInt8], seen: Int32, from own: Place) -> String? {
    guard let place = Place(theirs) else { return "it does not say which process it is" }
    // Unknown numbers can't be compared. The README says so.
    guard own.namespace != 0, place.namespace != 0 else { return nil }
    if place.namespace == own.namespace {
      return place.process == seen
        ? nil : "it is process \(place.process), and the socket is process \(seen)'s"
    }
    guard seen != 0, case let namespace = namespace(of: "\(seen)"), namespace != 0 else { return nil }
    return namespace == place.namespace ? nil : "it is of another namespace of processes than process \(seen)"
  }

  private static func namespace(of process: String) -> UInt64 {
    var status = stat()
    return stat("/proc/\(process)/ns/pid", &status) == 0 ? UInt64(status.st_ino) : 0
  }

  /// The process that made the connection, or that listened for it.
  private static func peer(of socket: Int32) -> Int32 { UnixSocket.peer(of: socket)?.process ?? 0 }
}
