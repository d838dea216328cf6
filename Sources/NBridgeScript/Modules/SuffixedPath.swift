// SPDX-License-Identifier: MIT

/// A path of a file, and what stands behind it from `?` or `#` on: that makes another instance of the file,
/// as in a URL.
struct SuffixedPath {
  var path: String
  /// Empty without.
  let suffix: String

  init(_ path: String, suffix: String) { (self.path, self.suffix) = (path, suffix) }

  /// Where a name is cut by its looks alone.
  init(cutting name: String) {
    let end = name.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? name.endIndex
    self.init(String(name[..<end]), suffix: String(name[end...]))
  }

  /// The same, unless a file is really called so.
  init(_ name: String) {
    self.init(cutting: name)
    if !suffix.isEmpty, ScriptFile.isFile(name) { self.init(name, suffix: "") }
  }
}
