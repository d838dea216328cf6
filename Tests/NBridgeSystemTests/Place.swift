// SPDX-License-Identifier: MIT

import Glibc
import NBridgeSystem

/// A folder of a test's own, which goes with it.
final class Place {
  let path: String

  init() {
    path = "/tmp/nbridge-system-\(RandomName.make())"
    mkdir(path, 0o700)
  }

  deinit {
    for name in FolderNames.of(path) {
      unlink("\(path)/\(name)")
      rmdir("\(path)/\(name)")
    }
    rmdir(path)
  }

  subscript(_ name: String) -> String { "\(path)/\(name)" }

  /// A file with a content.
  @discardableResult
  func file(_ name: String, _ text: String = "") throws -> String {
    let file = try Descriptor.open(self[name], O_WRONLY | O_CREAT | O_EXCL)
    try file.write(Array(text.utf8))
    return self[name]
  }
}

/// Whether a number is open in this process.
func isOpen(_ number: Int32) -> Bool { fcntl(number, F_GETFD) >= 0 }
