// SPDX-License-Identifier: MIT

public import Glibc

/// Where Unix sockets in folders are.
public enum UnixAddress {
  /// Calls `body` with the address of a socket in a folder, and answers what it answers; -1 for a name that
  /// is too long. A socket's path may have 107 bytes (unix(7)), a folder's more: the way goes over its
  /// descriptor.
  ///
  /// - Throws: when the folder can't be opened.
  public static func with(
    _ name: String, in folder: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws(SystemError) -> Int32 {
    let directory = try Descriptor.open(folder, O_RDONLY | O_DIRECTORY)
    defer { directory.close() }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array("/proc/self/fd/\(directory.number)/\(name)".utf8)
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
}
