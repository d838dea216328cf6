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

  /// The same for a path whose end may not be there yet: without the links of what leads to it.
  package static func ofPlanned(_ path: String) -> String {
    if let real = of(path) { return real }
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return path }
    return ofPlanned(String(path[..<slash])) + path[slash...]
  }
}
