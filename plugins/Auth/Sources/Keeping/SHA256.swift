// SPDX-License-Identifier: MIT

internal import CNBridgeGLib

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

  /// HMAC (RFC 2104) with it, in the same digits.
  static func code(_ key: [UInt8], _ parts: [UInt8]...) -> String {
    guard let sum = g_hmac_new(G_CHECKSUM_SHA256, key, gsize(key.count)) else { return "" }
    defer { g_hmac_unref(sum) }
    for part in parts { g_hmac_update(sum, part, part.count) }
    return g_hmac_get_string(sum).map { String(cString: $0) } ?? ""
  }

  /// Whether two texts are the same, in a time that does not tell where they differ.
  static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
