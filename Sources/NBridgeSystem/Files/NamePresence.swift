// SPDX-License-Identifier: MIT

internal import Glibc

/// Whether something stands under a name.
public enum NamePresence {
  /// Whether a path names something; a link does, wherever it leads.
  ///
  /// Who decides by a file that may be missing asks this, and not access(2): a file that can't be looked at
  /// is not one that is missing.
  ///
  /// - Throws: when that can't be told, as behind a folder that this user can't enter.
  public static func isTaken(_ path: String) throws(SystemError) -> Bool {
    var status = stat()
    if lstat(path, &status) == 0 { return true }
    let error = SystemError.last("look for", path)
    guard error.code == ENOENT || error.code == ENOTDIR else { throw error }
    return false
  }
}
