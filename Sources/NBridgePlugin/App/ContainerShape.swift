// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
package import NBridgeSystem

/// Containers are known by their shape: `--container` puts them anywhere.
extension Container {
  private static let marks = ["Library/Preferences", "Documents"]

  /// The innermost app's folder that a path lies in, itself included; nil when it lies in none.
  package static func around(_ path: RealPath) -> RealPath? {
    sequence(first: path, next: \.parent).first { $0 != .root && stands(at: $0) }
  }

  private static func stands(at folder: RealPath) -> Bool {
    // Most folders have nothing of the kind, which one question tells.
    let library = folder.appending(marks[0].utf8).bytes
    if library.withCString({ access($0, F_OK) }) != 0, errno == ENOENT || errno == ENOTDIR { return false }
    let opened: Descriptor
    do {
      opened = try Descriptor.open(folder.bytes, in: AT_FDCWD, Int32(NB_O_PATH) | Int32(NB_O_DIRECTORY))
    } catch { return error.code != ENOENT && error.code != ENOTDIR }
    // Nothing below a folder that can't be entered is reached by its path.
    return faccessat(opened.number, ".", X_OK, 0) == 0 && stands(at: opened.number)
  }

  /// Whether an open folder is one. What can't be looked at, as behind a folder that this user can't enter,
  /// may be there.
  package static func stands(at folder: Int32) -> Bool {
    marks.allSatisfy { faccessat(folder, $0, F_OK, 0) == 0 || (errno != ENOENT && errno != ENOTDIR) }
  }
}
