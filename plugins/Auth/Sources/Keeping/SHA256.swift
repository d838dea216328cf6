// SPDX-License-Identifier: MIT

internal import CGLib

/// SHA-256 (FIPS 180-4), by GLib.
enum SHA256 {
  /// Sixty-four lower-case digits.
  static func hex(_ parts: [UInt8]...) -> String {
    // Nil for a kind that GLib does not know only; it knows this one since 2.16.
    guard let sum = g_checksum_new(G_CHECKSUM_SHA256) else { return "" }
    defer { g_checksum_free(sum) }
    for part in parts { g_checksum_update(sum, part, part.count) }
    return g_checksum_get_string(sum).map { String(cString: $0) } ?? ""
  }
}
