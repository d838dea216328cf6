// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import CNBridgeLinux
internal import NBridgePlugin

/// Digests that GLib makes.
enum HashAlgorithm: String, Codable, CaseIterable, Sendable {
  case sha256, sha512, sha384, sha1, md5

  private var checksum: GChecksumType {
    switch self {
    case .sha256: G_CHECKSUM_SHA256
    case .sha512: G_CHECKSUM_SHA512
    case .sha384: G_CHECKSUM_SHA384
    case .sha1: G_CHECKSUM_SHA1
    case .md5: G_CHECKSUM_MD5
    }
  }

  /// The digest of a file in lower-case hexadecimal.
  func digest(_ file: OpenFile, _ call: Call, _ progress: Progress?) throws -> String {
    progress?.expect(Int(try file.demandRegular("read").st_size))
    guard let state = g_checksum_new(checksum) else {
      throw BridgeError(.unavailable, "GLib has no \(rawValue)")
    }
    defer { g_checksum_free(state) }
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 4096)
    defer { room.deallocate() }
    var offset = 0
    while true {
      try call.checkCancellation()
      let count = try file.read(into: room, at: offset)
      if count == 0 { break }
      g_checksum_update(state, room.baseAddress?.assumingMemoryBound(to: guchar.self), gssize(count))
      offset += count
      progress?.add(count)
    }
    return String(cString: g_checksum_get_string(state))
  }
}
