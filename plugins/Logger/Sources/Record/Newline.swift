// SPDX-License-Identifier: MIT

internal import Glibc

/// Looks for bytes with the C library's functions, which look at many at once.
package enum Newline {
  package static func find(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let base = bytes.baseAddress, let found = memchr(base, 0x0A, bytes.count) else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }
}
