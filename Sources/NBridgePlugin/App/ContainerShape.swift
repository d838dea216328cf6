// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc

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
    let flags = Int32(NB_O_PATH) | Int32(NB_O_DIRECTORY) | O_CLOEXEC
    let opened = folder.bytes.withCString { nb_openat(AT_FDCWD, $0, flags, 0) }
    guard opened >= 0 else { return errno != ENOENT && errno != ENOTDIR }
    defer { close(opened) }
    // Nothing below a folder that can't be entered is reached by its path.
    return faccessat(opened, ".", X_OK, 0) == 0 && stands(at: opened)
  }

  /// Whether an open folder is one. What can't be looked at, as behind a folder that this user can't enter,
  /// may be there.
  package static func stands(at folder: Int32) -> Bool {
    marks.allSatisfy { faccessat(folder, $0, F_OK, 0) == 0 || (errno != ENOENT && errno != ENOTDIR) }
  }
}
