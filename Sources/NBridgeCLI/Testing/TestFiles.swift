// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc
internal import NBridge
internal import NBridgeScript

/// Finds files of tests.
enum TestFiles {
  static func find(_ operands: [String]) throws -> [String] {
    var files: [String] = []
    for operand in operands.isEmpty ? ["."] : operands {
      guard let isFolder = isFolder(operand) else { throw UsageError("there is no '\(operand)'") }
      if isFolder { collect(operand, into: &files, depth: 32) } else { files.append(operand) }
    }
    return files
  }

  private static func collect(_ folder: String, into files: inout [String], depth: Int) {
    guard depth > 0, let stream = opendir(folder) else { return }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    closedir(stream)
    for name in names.sorted() where !name.hasPrefix(".") && name != "node_modules" {
      let path = folder == "." ? name : "\(folder)/\(name)"
      if isFolder(path) == true {
        collect(path, into: &files, depth: depth - 1)
      } else if CountedModule.isTest(name) {
        files.append(path)
      }
    }
  }

  private static func isFolder(_ path: String) -> Bool? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return status.st_mode & S_IFMT == S_IFDIR
  }
}
