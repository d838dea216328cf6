// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// Why something of Web Cryptography was not done, by the exceptions that its standard names.
package enum CryptoFault: Error, Hashable, Sendable {
  /// What was to be a key is none (DataError).
  case data(String)
  /// The operation failed (OperationError).
  case operation(String)

  package var text: String {
    switch self {
    case .data(let text), .operation(let text): text
    }
  }
}

extension OpenedOnce {
  /// The library, for operations: one that is missing makes them fail.
  func forUse() throws(CryptoFault) -> Library {
    do throws(MissingLibrary) { return try get() } catch { throw .operation(error.description) }
  }
}

extension DynamicLibrary {
  /// OPENSSL_INIT_NO_ATEXIT (openssl/crypto.h).
  private static let noCleanup: UInt64 = 0x80000

  /// OpenSSL's libcrypto. Threads may be at work in it when the process ends: it is told not to take itself
  /// down then, under their feet.
  static func libcrypto() throws(MissingLibrary) -> DynamicLibrary {
    let library = try DynamicLibrary(LibCrypto.name, of: "OpenSSL 3", package: "libssl3")
    let begin: @convention(c) (UInt64, OpaquePointer?) -> Int32 = try library.function("OPENSSL_init_crypto")
    _ = begin(noCleanup, nil)
    return library
  }
}
