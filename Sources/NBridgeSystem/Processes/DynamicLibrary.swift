// SPDX-License-Identifier: MIT

internal import Glibc

/// A library of the system that is opened when it is first needed, so that a program that does not need it
/// neither reads nor demands it. What was opened stays open.
public struct DynamicLibrary {
  private let handle: UnsafeMutableRawPointer
  private let name: String
  private let product: String
  private let debianPackage: String

  /// Opens the library of a file name, `libcrypto.so.3`, in the loader's folders.
  ///
  /// - Throws: ``MissingLibrary``, with what to install.
  public init(_ name: String, of product: String, package debianPackage: String) throws(MissingLibrary) {
    guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
      let reason = dlerror().map { String(cString: $0) } ?? "it can't be opened"
      throw MissingLibrary(name, of: product, package: debianPackage, reason)
    }
    (self.handle, self.name, self.product, self.debianPackage) = (handle, name, product, debianPackage)
  }

  /// Finds a function. The caller names its type, as the library's manual does.
  ///
  /// - Throws: ``MissingLibrary`` when it has none of that name.
  public func function<F>(_ symbol: String) throws(MissingLibrary) -> F {
    guard let address = dlsym(handle, symbol) else {
      throw MissingLibrary(name, of: product, package: debianPackage, "it has no '\(symbol)'")
    }
    return unsafeBitCast(address, to: F.self)
  }
}
