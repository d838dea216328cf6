// SPDX-License-Identifier: MIT

internal import CNBridgeXXHash
internal import NBridgePlugin
internal import NBridgeSystem

/// XXH3 with 128 bits over a stream, piece by piece: finds damage on the way, at the speed of memory. The
/// hash proves nothing about the sender. One user at a time.
final class StreamHash: @unchecked Sendable {  // its one user hands it from thread to thread
  private let library: LibXXHash
  private let state: OpaquePointer?

  /// Throws ``BridgeError`` with `unavailable` where the library is not installed.
  init() throws {
    library = try LibXXHash.opened()
    state = library.create()
    _ = library.reset(state)
  }

  deinit { _ = library.free(state) }

  func add(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { _ = library.update(state, $0.baseAddress, $0.count) }
  }

  /// The canonical form, 16 bytes.
  var digest: [UInt8] {
    var canonical = XXH128_canonical_t()
    library.canonical(&canonical, library.digest(state))
    return withUnsafeBytes(of: &canonical) { Array($0) }
  }

  var text: String { digest.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined() }
}

/// The functions of xxHash that are used here; the library is opened with the first resource that is sent.
private struct LibXXHash: @unchecked Sendable {  // pointers to functions, which many threads may use
  let create: @convention(c) () -> OpaquePointer?
  let free: @convention(c) (OpaquePointer?) -> XXH_errorcode
  let reset: @convention(c) (OpaquePointer?) -> XXH_errorcode
  let update: @convention(c) (OpaquePointer?, UnsafeRawPointer?, Int) -> XXH_errorcode
  let digest: @convention(c) (OpaquePointer?) -> XXH128_hash_t
  let canonical: @convention(c) (UnsafeMutablePointer<XXH128_canonical_t>?, XXH128_hash_t) -> Void

  static func opened() throws -> LibXXHash { try shared.orUnavailable() }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try LibXXHash() }

  private init() throws(MissingLibrary) {
    let library = try DynamicLibrary("libxxhash.so.0", of: "xxHash", package: "libxxhash0")
    create = try library.function("XXH3_createState")
    free = try library.function("XXH3_freeState")
    reset = try library.function("XXH3_128bits_reset")
    update = try library.function("XXH3_128bits_update")
    digest = try library.function("XXH3_128bits_digest")
    canonical = try library.function("XXH128_canonicalFromHash")
  }
}
