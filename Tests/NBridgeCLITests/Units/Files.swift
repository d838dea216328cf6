// SPDX-License-Identifier: MIT

import Foundation
import NBridgeTesting

@testable import NBridgeCLI

extension NBridgeCLI.Path {
  /// Writes a file and makes the folders above it.
  static func write(_ text: String, to path: String) throws {
    try makeFolders(parent(path))
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  static func text(of path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
}

/// A folder for as long as a test lasts.
final class ScratchFolder {
  let path = TemporaryFolder.make()
  deinit { TemporaryFolder.remove(path) }

  /// Makes files, by path in the folder.
  func write(_ files: [String: String]) throws {
    for (name, text) in files { try NBridgeCLI.Path.write(text, to: path + "/" + name) }
  }
}
