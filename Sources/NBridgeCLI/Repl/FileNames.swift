// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgeScript
internal import NBridgeTerminal

/// Names of files for completion, from the current folder on.
enum FileNames {
  /// Those that begin as a path does, folders with a `/`. Hidden ones are left out until their dot is typed.
  static func beginning(as typed: String) -> [String] {
    entries(typed).map { TextWidth.visible($0.path) + ($0.isFolder ? "/" : "") }
  }

  /// The same of what `import` takes: scripts, data, and folders. A bare name is a package's.
  static func importable(_ typed: String) -> [String] {
    if [".", ".."].contains(typed) || typed.isEmpty { return ["./", "../"] }
    guard ["./", "../", "/"].contains(where: typed.hasPrefix) else { return [] }
    return entries(typed).filter { $0.isFolder || ModuleFile.isImportable($0.path) }
      .filter { !$0.path.unicodeScalars.contains(where: wouldBeEscaped) }
      .map { $0.path + ($0.isFolder ? "/" : "") }
  }

  /// Whether a string could not hold it as it is, whatever its quotes; or it stands for bytes that are no
  /// text.
  private static func wouldBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\0"..<" ", "\u{7F}", "\u{FFFD}", "\"", "'", "`", "\\": true
    default: false
    }
  }

  private static func entries(_ typed: String) -> [(path: String, isFolder: Bool)] {
    let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
    let start = typed.dropFirst(folder.count)
    guard let stream = opendir(folder.isEmpty ? "." : folder) else { return [] }
    defer { closedir(stream) }
    var found: [(path: String, isFolder: Bool)] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name != ".", name != "..", name.hasPrefix(start), !name.hasPrefix(".") || start.hasPrefix(".")
      else {
        continue
      }
      found.append((folder + name, isFolder(folder + name, entry.pointee.d_type)))
    }
    return found
  }

  /// A link to a folder is one.
  private static func isFolder(_ path: String, _ type: UInt8) -> Bool {
    if type != UInt8(DT_LNK), type != UInt8(DT_UNKNOWN) { return type == UInt8(DT_DIR) }
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
