// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc

/// Whether this process may open more files: libraries that can't say so end the process instead.
package enum DescriptorRoom {
  /// Throws `io_error` when fewer than so many descriptors can be opened, or others could have taken them
  /// meanwhile.
  ///
  /// - Parameter verb: what can't be done then, as `"ask the desktop"`.
  package static func demand(_ count: Int, to verb: String) throws {
    var opened: [Int32] = []
    defer { opened.forEach { close($0) } }
    for _ in 0..<count {
      let descriptor = eventfd(0, Int32(EFD_CLOEXEC))
      guard descriptor >= 0 else {
        throw BridgeError(
          .ioError, "can't \(verb): too many files are open (\(String(cString: strerror(errno)))); close some"
        )
      }
      opened.append(descriptor)
    }
  }
}
