// SPDX-License-Identifier: MIT

internal import Glibc

/// Paths as the kernel knows them.
package enum RealPath {
  /// The path without links; nil when nothing is there.
  package static func of(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// The path of what a descriptor is open on; of what was removed since, the one that it had. Nil for what has none.
  package static func of(descriptor: Int32) -> String? {
    var room = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = readlink("/proc/self/fd/\(descriptor)", &room, Int(PATH_MAX))
    guard count > 0, room[0] == CChar(bitPattern: UInt8(ascii: "/")) else { return nil }
    let path = String(decoding: room.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var status = stat()
    let mark = " (deleted)"
    guard path.hasSuffix(mark), fstat(descriptor, &status) == 0, status.st_nlink == 0 else { return path }
    return String(path.dropLast(mark.count))
  }

  /// The same for a path whose end may not be there yet: without the links of what leads to it.
  package static func ofPlanned(_ path: String) -> String {
    if let real = of(path) { return real }
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return path }
    return ofPlanned(String(path[..<slash])) + path[slash...]
  }
}
