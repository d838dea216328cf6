// SPDX-License-Identifier: MIT

/// A library of the system that is needed and can't be used, with what to do about it.
public struct MissingLibrary: Error, Hashable, Sendable, CustomStringConvertible {
  /// The whole message.
  public let description: String

  /// The advice fits the reason: what is installed and still can't be opened, for want of a descriptor or
  /// of memory, is not mended by installing it again.
  init(_ name: String, of product: String, package debianPackage: String, _ reason: String) {
    let isAbsent = reason.contains("No such file") || reason.hasPrefix("it has no")
    let advice = isAbsent ? "Run: sudo apt-get install \(debianPackage)" : "Try again when that is mended"
    description = "\(product) is needed, and '\(name)' can't be used: \(reason). \(advice)"
  }
}
