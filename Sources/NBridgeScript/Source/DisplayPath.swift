// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// How files are named in what a person reads: from the current folder when they are in it, else in full.
package struct DisplayPath {
  package let folder: String

  package init(folder: String) {
    self.folder = folder
  }

  package func shown(_ path: String) -> String {
    guard path.hasPrefix("../") || path.hasPrefix("/") else { return path }
    let full = absolute(path)
    return full.hasPrefix(folder + "/") ? String(full.dropFirst(folder.count + 1)) : full
  }

  /// The folder that a path stands in, `.` for a bare name.
  package static func folder(of path: String) -> String {
    guard let slash = path.lastSlash else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  package static func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }

  /// The full path, without `.` and `..`.
  package func absolute(_ path: String) -> String {
    var parts: [Substring] = []
    for part in (Self.isAbsolute(path) ? path : folder + "/" + path).pathNames where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    var full = parts.isEmpty ? "/" : ""
    for part in parts {
      full.append("/")
      full.append(contentsOf: part)
    }
    return full
  }
}
