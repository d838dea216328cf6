// SPDX-License-Identifier: MIT

extension [UInt8] {
  /// Calls `body` with these bytes as a C string.
  func withCString<R>(_ body: (UnsafePointer<CChar>) throws -> R) rethrows -> R {
    try (self + [0]).withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { preconditionFailure("never empty: a NUL was added") }
      return try body(base.assumingMemoryBound(to: CChar.self))
    }
  }
}
