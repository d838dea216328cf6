// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSoup

/// A server's socket that is a file, for this user's programs alone.
enum SocketFile {
  /// Whether it names one place in one way, as permissions compare it, and fits into an address (unix(7)).
  static func isName(_ path: String) -> Bool {
    let bytes = path.utf8
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return bytes.first == UInt8(ascii: "/") && bytes.count <= 107 && !bytes.contains(0)
      && !parts.dropFirst().contains { ["", ".", ".."].contains($0) }
  }

  /// Listens at a path. One that a program left behind, at which nobody listens, is taken away.
  static func listen(_ path: String) throws -> UnsafeMutablePointer<GSocket> {
    guard let address = g_unix_socket_address_new(path) else {
      throw BridgeError(.invalidParameter, "option.unix: '\(path)' is no path of a socket")
    }
    defer { g_object_unref(UnsafeMutableRawPointer(address)) }
    if isLeftBehind(path, address) { unlink(path) }
    var failure: UnsafeMutablePointer<GError>?
    let family = g_socket_address_get_family(address)
    guard let socket = g_socket_new(family, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_DEFAULT, &failure) else {
      throw refusal(path, GLibFailure.taking(failure))
    }
    // Linux gives the file the mode of the socket (unix(7)): at no time may another user connect.
    fchmod(g_socket_get_fd(socket), 0o600)
    g_socket_set_listen_backlog(socket, 1024)
    guard g_socket_bind(socket, address, 0, &failure) != 0, g_socket_listen(socket, &failure) != 0 else {
      g_object_unref(UnsafeMutableRawPointer(socket))
      throw refusal(path, GLibFailure.taking(failure))
    }
    return socket
  }

  private static func refusal(_ path: String, _ reason: GLibFailure) -> BridgeError {
    BridgeError(.unavailable, "no server can listen at '\(path)': \(reason.text)")
  }

  private static func isLeftBehind(_ path: String, _ address: UnsafeMutablePointer<GSocketAddress>) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
    let family = g_socket_address_get_family(address)
    guard let probe = g_socket_new(family, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_DEFAULT, nil) else {
      return false
    }
    defer { g_object_unref(UnsafeMutableRawPointer(probe)) }
    g_socket_set_blocking(probe, 0)
    var failure: UnsafeMutablePointer<GError>?
    if g_socket_connect(probe, address, nil, &failure) != 0 { return false }
    return GLibFailure.taking(failure).isIO(G_IO_ERROR_CONNECTION_REFUSED)
  }
}
