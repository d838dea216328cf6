// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc

/// Whether this process may open more files: libraries that can't say so end the process instead.
public enum DescriptorRoom {
  /// Throws when fewer than so many descriptors can be opened. Others may take them as soon as this was
  /// asked.
  ///
  /// - Parameter verb: what can't be done then, as `"ask the desktop"`.
  public static func demand(_ count: Int, to verb: String) throws(TooManyFiles) {
    var opened: [Int32] = []
    defer { opened.forEach { close($0) } }
    for _ in 0..<count {
      let descriptor = eventfd(0, Int32(EFD_CLOEXEC))
      guard descriptor >= 0 else {
        throw TooManyFiles(
          description: "can't \(verb): too many files are open (\(SystemError.lastReason)); close some")
      }
      opened.append(descriptor)
    }
  }
}

/// This process has too many files open for what it was to do.
public struct TooManyFiles: Error, Hashable, Sendable, CustomStringConvertible {
  /// The whole message.
  public let description: String
}
