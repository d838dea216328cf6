// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgeSystem

/// Whose program is at the other end of a connection of this machine: the kernel lists both ends with their
/// owners (proc(5), `/proc/net/tcp`). So other users of the machine can't connect, whatever they know.
enum PeerOwner {
  /// Whether it is this user's, or the superuser's. What the kernel does not list is nobody's.
  static func isOurs(_ socket: UnsafeMutablePointer<GSocket>?) -> Bool {
    guard let socket, let theirs = port(g_socket_get_remote_address(socket, nil)),
      let ours = port(g_socket_get_local_address(socket, nil)), let owner = owner(of: theirs, to: ours)
    else { return false }
    return owner == geteuid() || owner == 0
  }

  private static func port(_ address: UnsafeMutablePointer<GSocketAddress>?) -> UInt16? {
    guard let address else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(address)) }
    let inet = UnsafeMutableRawPointer(address).assumingMemoryBound(to: GInetSocketAddress.self)
    return g_inet_socket_address_get_port(inet)
  }

  /// The owner of the socket that is bound to one port and connected to another.
  private static func owner(of local: UInt16, to remote: UInt16) -> UInt32? {
    guard let file = try? Descriptor.open("/proc/net/tcp", O_RDONLY), let bytes = try? file.readToEnd() else {
      return nil
    }
    let (local, remote) = (hexadecimal(local), hexadecimal(remote))
    for line in bytes.split(separator: UInt8(ascii: "\n")).dropFirst() {
      // "sl local_address rem_address st tx:rx tr:tm retrnsmt uid …"
      let fields = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: true)
      guard fields.count > 7, fields[1].suffix(4).elementsEqual(local), fields[2].suffix(4).elementsEqual(remote)
      else { continue }
      return UInt32(String(decoding: fields[7], as: UTF8.self))
    }
    return nil
  }

  private static func hexadecimal(_ port: UInt16) -> [UInt8] {
    let digits = String(port, radix: 16, uppercase: true)
    return Array((String(repeating: "0", count: 4 - digits.count) + digits).utf8)
  }
}
