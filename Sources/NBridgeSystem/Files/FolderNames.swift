// SPDX-License-Identifier: MIT

internal import Glibc

/// What is in a folder, by name.
public enum FolderNames {
  /// The names that don't begin with a dot, in no order; none for a folder that can't be read.
  public static func of(_ path: String) -> [String] {
    guard let list = opendir(path) else { return [] }
    defer { closedir(list) }
    var names: [String] = []
    while let entry = readdir(list) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names.filter { !$0.hasPrefix(".") }
  }
}
