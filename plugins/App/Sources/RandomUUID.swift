// SPDX-License-Identifier: MIT

internal import CNBridgeGLib

/// Random UUIDs as text (RFC 9562, version 4).
enum RandomUUID {
  static func make() -> String {
    guard let text = g_uuid_string_random() else { return "" }
    defer { g_free(text) }
    return String(cString: text)
  }

  static func isOne(_ text: String) -> Bool { g_uuid_string_is_valid(text) != 0 }
}
