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
}
