// SPDX-License-Identifier: MIT

/// Whether bytes from outside are text.
package enum UTF8Check {
  /// Whether all of it is well-formed UTF-8 (Unicode 16, table 3-7). ASCII, the common case, eight bytes at a
  /// time.
  package static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    isASCII(bytes) || String(validating: bytes, as: UTF8.self) != nil
  }

  private static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let raw = UnsafeRawBufferPointer(bytes)
    var at = 0
    var bits: UInt64 = 0
    while at + 8 <= raw.count {
      bits |= raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      at += 8
    }
    while at < raw.count {
      bits |= UInt64(raw[at])
      at += 1
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }
}
