// SPDX-License-Identifier: MIT

package import Glibc

/// Unix sockets in folders.
package enum UnixAddress {
  /// Calls `body` with the address of a socket in a folder. A socket's path may have 107 bytes (unix(7)), a folder's more:
  /// the way goes over its descriptor.
  ///
  /// - Throws: ``BridgeError/Code/ioError`` when the folder can't be opened.
  package static func with(
    _ name: String, in folder: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws -> Int32 {
    let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else {
      throw BridgeError(.ioError, "can't open '\(folder)': \(String(cString: strerror(errno)))")
    }
    defer { close(directory) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array("/proc/self/fd/\(directory)/\(name)".utf8)
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else {
      errno = ENAMETOOLONG
      return -1
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Whether who is at the other end of a connected socket is the same user.
  package static func isOwn(_ descriptor: Int32) -> Bool {
    var who: (process: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)  // struct ucred, unix(7)
    var size = socklen_t(MemoryLayout.size(ofValue: who))
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.user == getuid()
  }
}
