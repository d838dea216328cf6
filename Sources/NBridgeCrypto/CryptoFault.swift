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
