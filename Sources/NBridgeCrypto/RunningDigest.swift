// SPDX-License-Identifier: MIT

/// A digest in the making, of any kind that OpenSSL has by a name. What it was given it does not keep. One
/// thread at a time may use it.
package final class RunningDigest {
  private let library: LibRunningDigests
  private let method: OpaquePointer  // one of OpenSSL's own, which stay
  private let state: OpaquePointer  // an EVP_MD_CTX of ours alone, freed in deinit

  /// EVP_MD_FLAG_XOF (openssl/evp.h).
  private static let extendable: UInt = 2

  /// Nil for a name that OpenSSL does not know.
  package convenience init?(_ name: String) throws(CryptoFault) {
    let library = try LibRunningDigests.opened()
    guard !name.utf8.contains(0), let method = library.method(name) else { return nil }
    try self.init(library, method)
    if library.begin(state, method, nil) != 1 {
      library.clearErrors()
      throw .operation("OpenSSL has no \(name); its configuration may forbid it")
    }
  }

  private init(_ library: LibRunningDigests, _ method: OpaquePointer) throws(CryptoFault) {
    guard let state = library.new() else { throw .operation("there is no memory for a digest") }
    (self.library, self.method, self.state) = (library, method, state)
  }

  deinit { library.free(state) }

  /// How many bytes a digest has; of a kind that gives as many as are asked for, what is usual.
  package var size: Int { Int(library.size(method)) }
  /// How many bytes a block has, by which an HMAC pads its key (RFC 2104).
  package var blockSize: Int { Int(library.blockSize(method)) }
  /// Whether it gives as many bytes as are asked for, as SHAKE does (FIPS 202).
  package var isExtendable: Bool { library.flags(method) & Self.extendable != 0 }

  package func add(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    _ = library.add(state, bytes.baseAddress, bytes.count)  // fails only after its end
  }

  /// Another one that has come as far.
  package func copy() throws(CryptoFault) -> RunningDigest {
    let copy = try RunningDigest(library, method)
    guard library.copy(copy.state, state) == 1 else {
      library.clearErrors()
      throw .operation("OpenSSL can't copy a digest")
    }
    return copy
  }

  /// The digest, after which it takes no more.
  ///
  /// - Parameter size: how many bytes, of a kind that gives as many as are asked for.
  package func finish(size: Int) throws(CryptoFault) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: max(size, self.size))
    let isMade =
      isExtendable ? library.finishExtended(state, &digest, size) : library.finish(state, &digest, nil)
    guard isMade == 1 else {
      library.clearErrors()
      throw .operation("OpenSSL can't end a digest")
    }
    return Array(digest.prefix(size))
  }
}
