// SPDX-License-Identifier: MIT

internal import CNBridgeGLib

/// Bytes as text.
package enum Base64 {
  static func encode(_ bytes: [UInt8]) -> String {
    guard let text = g_base64_encode(bytes, gsize(bytes.count)) else { return "" }
    defer { g_free(text) }
    return String(cString: text)
  }

  /// The bytes of a text; what is none of base64 in it is passed over.
  package static func decode(_ text: String) -> [UInt8] {
    var count: gsize = 0
    guard let bytes = g_base64_decode(text, &count) else { return [] }
    defer { g_free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }
}
