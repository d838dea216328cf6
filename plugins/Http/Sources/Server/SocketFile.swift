// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSoup
internal import NBridgeSystem

/// A server's socket that is a file, for this user's programs alone. It is the file that was made, not
/// whatever stands at its path later.
struct SocketFile {
  private let path: String
  private let identity: Identity

  /// The number of a file, and of its disk.
  private struct Identity: Equatable {
    let disk: dev_t
    let number: ino_t

    /// Of the socket at a path; nil where none is.
    init?(ofSocketAt path: String) {
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
      (disk, number) = (status.st_dev, status.st_ino)
    }
  }

  /// Whether it names one place in one way, as permissions compare it, and fits into an address (unix(7)).
  static func isName(_ path: String) -> Bool {
    let bytes = path.utf8
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return bytes.first == UInt8(ascii: "/") && bytes.count <= 107 && !bytes.contains(0)
      && !parts.dropFirst().contains { ["", ".", ".."].contains($0) }
  }

  /// Takes the file away, unless another stands at its path by now.
  func remove() { if Identity(ofSocketAt: path) == identity { unlink(path) } }

  /// Listens at a path. One that a program left behind, at which nobody listens, is taken away.
  ///
  /// - Parameter turn: that of this path.
  static func listen(_ path: String, _ turn: SocketTurn) throws -> (
    socket: UnsafeMutablePointer<GSocket>, file: SocketFile?
  ) {
    defer { withExtendedLifetime(turn) {} }
    guard let address = g_unix_socket_address_new(path) else {
      throw BridgeError(.invalidParameter, "option.unix: '\(path)' is no path of a socket")
    }
    defer { g_object_unref(UnsafeMutableRawPointer(address)) }
    if turn.mayRemove, isLeftBehind(path, address) { unlink(path) }
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
    return (socket, Identity(ofSocketAt: path).map { SocketFile(path: path, identity: $0) })
  }

  private static func refusal(_ path: String, _ reason: GLibFailure) -> BridgeError {
    BridgeError(.unavailable, "no server can listen at '\(path)': \(reason.text)")
  }

  private static func isLeftBehind(_ path: String, _ address: UnsafeMutablePointer<GSocketAddress>) -> Bool {
    guard let identity = Identity(ofSocketAt: path) else { return false }
    let family = g_socket_address_get_family(address)
    guard let probe = g_socket_new(family, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_DEFAULT, nil) else {
      return false
    }
    defer { g_object_unref(UnsafeMutableRawPointer(probe)) }
    g_socket_set_blocking(probe, 0)
    var failure: UnsafeMutablePointer<GError>?
    if g_socket_connect(probe, address, nil, &failure) != 0 { return false }
    // A program that takes no turns may have come meanwhile.
    return GLibFailure.taking(failure).isIO(G_IO_ERROR_CONNECTION_REFUSED)
      && Identity(ofSocketAt: path) == identity
  }
}

/// The turn of a program that begins to listen at a path: the lock of the path's folder, held from the look
/// at what stands there until its own socket listens. Of two that find the same socket left behind, the
/// second looks when the first one's is there; and nobody takes one for left behind that is bound, but
/// listens a moment later. The lock ends with the program, however it ends.
struct SocketTurn: Sendable {
  /// Nil where this user may not read the folder: then no other program of his takes a turn there either.
  private let lock: FileLock?

  /// Whether what was left behind may be taken away.
  var mayRemove: Bool { lock != nil }

  /// Waits for the turn, on a thread that may wait.
  static func take(_ path: String) async throws -> SocketTurn {
    try await Blocking.run {
      let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
      let file: Descriptor
      do { file = try Descriptor.open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY) } catch {
        return SocketTurn(lock: nil)
      }
      let lock = FileLock(file)
      guard lock.take() else {
        throw BridgeError(
          .unavailable,
          "no server can listen at '\(path)': for \(FileLock.patience / 1000) s another program has held the "
            + "lock of the folder '\(folder)'")
      }
      return SocketTurn(lock: lock)
    }
  }
}
