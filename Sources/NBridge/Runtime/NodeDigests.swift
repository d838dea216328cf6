// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import JSEngine

/// The digests of `node:crypto`, by GLib: MD5 and SHA-1 for what other programs have named by them, SHA-2.
enum NodeDigests {
  /// A function of a name and bytes that answers the digest in hexadecimal; undefined for another name.
  static let body: JSFunction.Body = { frame throws(JSException) in
    guard let kind = kind(frame[0].string ?? ""), let bytes = frame[1].bytes else { return frame.undefined }
    guard let text = g_compute_checksum_for_data(kind, bytes.baseAddress ?? empty, gsize(bytes.count)) else {
      return frame.undefined
    }
    defer { g_free(text) }
    return frame.make(String(cString: text))
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
