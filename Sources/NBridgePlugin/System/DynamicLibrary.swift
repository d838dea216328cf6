// SPDX-License-Identifier: MIT

internal import Glibc

/// A library of the system that is opened when it is first needed, so that a program that does not need it neither reads
/// nor demands it. What was opened stays open.
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

  private static func missing(
    _ name: String, _ product: String, _ debianPackage: String, _ reason: String
  ) -> BridgeError {
    BridgeError(
      .unavailable,
      "\(product) is needed, and '\(name)' can't be used: \(reason). Run: sudo apt-get install \(debianPackage)"
    )
  }
}
