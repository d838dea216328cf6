// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgeSystem

/// Whose program is at the other end of a connection of this machine: other users of it can't connect,
/// whatever they know.
enum PeerOwner {
  /// Whether it is this user's, or the superuser's. What the kernel does not tell is nobody's.
  static func isOurs(_ socket: UnsafeMutablePointer<GSocket>?) -> Bool {
    guard let socket, let user = TCPPeers().user(of: g_socket_get_fd(socket)) else { return false }
    return user == geteuid() || user == 0
  }
}
