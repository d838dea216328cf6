// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import JSEngine

/// The digests of `node:crypto`, by GLib: MD5 and SHA-1 for what other programs have named by them, SHA-2.
enum NodeDigests {
  /// The digest of bytes, an `ArrayBuffer` or a view of one, in hexadecimal; nil for another name.
  static func hexadecimal(_ name: String, of value: JSValue) -> String? {
    guard let kind = kind(name), let bytes = value.bytes else { return nil }
    guard let text = g_compute_checksum_for_data(kind, bytes.baseAddress ?? empty, gsize(bytes.count)) else {
      return nil
    }
    defer { g_free(text) }
    return String(cString: text)
  }

  private static func kind(_ name: String) -> GChecksumType? {
    switch name {
    case "md5": G_CHECKSUM_MD5
    case "sha1": G_CHECKSUM_SHA1
    case "sha256": G_CHECKSUM_SHA256
    case "sha384": G_CHECKSUM_SHA384
    case "sha512": G_CHECKSUM_SHA512
    default: nil
    }
  }

  /// Where nothing lies.
  private static var empty: UnsafeMutableRawPointer {
    guard let place = UnsafeMutableRawPointer(bitPattern: 1) else { preconditionFailure("1 is not 0") }
    return place
  }
}
