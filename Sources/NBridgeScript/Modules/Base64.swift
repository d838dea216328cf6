// SPDX-License-Identifier: MIT

internal import CNBridgeGLib

/// Bytes as text.
enum Base64 {
  static func encode(_ bytes: [UInt8]) -> String {
    guard let text = g_base64_encode(bytes, gsize(bytes.count)) else { return "" }
    defer { g_free(text) }
    return String(cString: text)
  }
}
