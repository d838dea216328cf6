// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import JSEngine

/// A digest of `node:crypto` in the making, by GLib: MD5 and SHA-1 for what other programs have named by
/// them, SHA-2. What it was given it does not keep. Confined to the engine's thread.
final class NodeDigest {
  // A GChecksum of ours alone, freed in deinit.
  private let sum: OpaquePointer

  /// Nil for another name.
  convenience init?(_ name: String) {
    guard let kind = Self.kind(name), let sum = g_checksum_new(kind) else { return nil }
    self.init(sum)
  }

  private init(_ sum: OpaquePointer) { self.sum = sum }

  deinit { g_checksum_free(sum) }

  /// What scripts of the runtime have of it: called with bytes, an `ArrayBuffer` or a view of one, and how
  /// many of them, it takes these; called with `true` it answers another one that has come as far, called
  /// with nothing the digest in hexadecimal, after which it takes no more.
  func function(in context: JSContext) -> JSValue {
    // The engine keeps the digest with the function; it ends before the context.
    JSFunction.make(in: context) { [unowned context] frame throws(JSException) in
      if let bytes = frame[0].bytes {
        self.add(UnsafeRawBufferPointer(rebasing: bytes.prefix(max(0, frame[1].integer))))
        return frame.undefined
      }
      if frame[0].bool { return self.copy?.function(in: context) ?? frame.undefined }
      return frame.make(String(cString: g_checksum_get_string(self.sum)))
    }
  }

  private func add(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    g_checksum_update(sum, start.assumingMemoryBound(to: UInt8.self), gssize(bytes.count))
  }

  private var copy: NodeDigest? { g_checksum_copy(sum).map(NodeDigest.init) }

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
}
