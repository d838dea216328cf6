// SPDX-License-Identifier: MIT

internal import Glibc
internal import Synchronization

/// A library of the system that is opened when it is first needed, so that a program that does not need it
/// neither reads nor demands it. What was opened stays open.
package struct DynamicLibrary {
  private let handle: UnsafeMutableRawPointer
  private let name: String
  private let product: String
  private let debianPackage: String

  /// Opens the library of a file name, `libcrypto.so.3`, in the loader's folders.
  ///
  /// - Throws: ``BridgeError`` with `unavailable`, and what to install.
  package init(_ name: String, of product: String, package debianPackage: String) throws(BridgeError) {
    guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
      let reason = dlerror().map { String(cString: $0) } ?? "it can't be opened"
      throw Self.missing(name, product, debianPackage, reason)
    }
    (self.handle, self.name, self.product, self.debianPackage) = (handle, name, product, debianPackage)
  }

  /// Finds a function. The caller names its type, as the library's manual does.
  package func function<F>(_ symbol: String) throws(BridgeError) -> F {
    guard let address = dlsym(handle, symbol) else {
      throw Self.missing(name, product, debianPackage, "it has no '\(symbol)'")
    }
    return unsafeBitCast(address, to: F.self)
  }

  /// The advice fits the reason: what is installed and still can't be opened, for want of a descriptor or of
  /// memory, is not mended by installing it again.
  private static func missing(
    _ name: String, _ product: String, _ debianPackage: String, _ reason: String
  ) -> BridgeError {
    let isAbsent = reason.contains("No such file") || reason.hasPrefix("it has no")
    let advice = isAbsent ? "Run: sudo apt-get install \(debianPackage)" : "Try again when that is mended"
    return BridgeError(
      .unavailable, "\(product) is needed, and '\(name)' can't be used: \(reason). \(advice)"
    )
  }
}

/// What a library gives, opened by the first that asks. A failure is not kept: what was missing then, a
/// descriptor or memory, may be there the next time. Thread-safe.
package final class OpenedOnce<Library: Sendable>: Sendable {
  private let opened = Mutex<Library?>(nil)
  private let open: @Sendable () throws(BridgeError) -> Library

  package init(_ open: @escaping @Sendable () throws(BridgeError) -> Library) { self.open = open }

  /// - Throws: what opening it throws.
  package func get() throws(BridgeError) -> Library {
    try opened.withLock { (known) throws(BridgeError) in
      if let known { return known }
      let made = try open()
      known = made
      return made
    }
  }
}
