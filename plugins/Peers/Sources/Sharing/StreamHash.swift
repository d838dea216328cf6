// SPDX-License-Identifier: MIT

internal import CXXHash

/// XXH3 with 128 bits over what comes piece by piece: finds what went wrong on the way, at the speed of memory. It proves
/// nothing about who sent it. One user at a time.
final class StreamHash: @unchecked Sendable {  // handed from thread to thread by who uses it
  private let state = XXH3_createState()

  init() { XXH3_128bits_reset(state) }
  deinit { XXH3_freeState(state) }

  func add(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { _ = XXH3_128bits_update(state, $0.baseAddress, $0.count) }
  }

  /// The canonical form, 16 bytes.
  var digest: [UInt8] {
    let hash = XXH3_128bits_digest(state)
    var canonical = XXH128_canonical_t()
    XXH128_canonicalFromHash(&canonical, hash)
    return withUnsafeBytes(of: &canonical) { Array($0) }
  }

  var text: String { digest.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined() }
}
