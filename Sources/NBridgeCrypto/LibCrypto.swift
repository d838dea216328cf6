// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// The functions of OpenSSL 3's libcrypto that are used here. The library is opened when the first key is made, so that a
/// program without one neither reads nor needs it. What was opened stays: libcrypto can't be taken out of a process.
struct LibCrypto: @unchecked Sendable {  // pointers to functions and a constant, which many threads may use
  typealias Key = OpaquePointer
  typealias Context = OpaquePointer
  typealias Bytes = UnsafePointer<UInt8>
  typealias Room = UnsafeMutablePointer<UInt8>
  typealias Size = UnsafeMutablePointer<Int>

  let newPrivateKey: @convention(c) (Int32, OpaquePointer?, Bytes?, Int) -> Key?
  let newPublicKey: @convention(c) (Int32, OpaquePointer?, Bytes?, Int) -> Key?
  let getPublicKey: @convention(c) (Key?, Room?, Size?) -> Int32
  let freeKey: @convention(c) (Key?) -> Void
  let newDigest: @convention(c) () -> Context?
  let freeDigest: @convention(c) (Context?) -> Void
  let signInit: @convention(c) (Context?, OpaquePointer?, OpaquePointer?, OpaquePointer?, Key?) -> Int32
  let sign: @convention(c) (Context?, Room?, Size?, Bytes?, Int) -> Int32
  let verifyInit: @convention(c) (Context?, OpaquePointer?, OpaquePointer?, OpaquePointer?, Key?) -> Int32
  let verify: @convention(c) (Context?, Bytes?, Int, Bytes?, Int) -> Int32
  let newDerivation: @convention(c) (Key?, OpaquePointer?) -> Context?
  let freeDerivation: @convention(c) (Context?) -> Void
  let deriveInit: @convention(c) (Context?) -> Int32
  let setPeer: @convention(c) (Context?, Key?) -> Int32
  let derive: @convention(c) (Context?, Room?, Size?) -> Int32
  let sha256: @convention(c) (Bytes?, Int, Room?) -> Room?
  let hmac:
    @convention(c) (
      OpaquePointer?, UnsafeRawPointer?, Int32, Bytes?, Int, Room?, UnsafeMutablePointer<UInt32>?
    )
      -> Room?
  let compare: @convention(c) (UnsafeRawPointer?, UnsafeRawPointer?, Int) -> Int32
  let cleanse: @convention(c) (UnsafeMutableRawPointer?, Int) -> Void
  let clearErrors: @convention(c) () -> Void
  /// What HMAC hashes with (`EVP_sha256()`).
  let digest: OpaquePointer?

  static let name = "libcrypto.so.3"

  /// The library, opened once.
  static func opened() throws -> LibCrypto {
    switch shared {
    case .success(let library): return library
    case .failure(let problem): throw problem
    }
  }

  private static let shared = Result<LibCrypto, BridgeError> { () throws(BridgeError) in
    try LibCrypto(named: name)
  }

  /// - Throws: ``BridgeError/Code/unavailable``, with what to install.
  init(named name: String) throws(BridgeError) {
    guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
      throw Self.missing(name, dlerror().map { String(cString: $0) } ?? "it can't be opened")
    }
    newPrivateKey = try Self.look("EVP_PKEY_new_raw_private_key", library)
    newPublicKey = try Self.look("EVP_PKEY_new_raw_public_key", library)
    getPublicKey = try Self.look("EVP_PKEY_get_raw_public_key", library)
    freeKey = try Self.look("EVP_PKEY_free", library)
    newDigest = try Self.look("EVP_MD_CTX_new", library)
    freeDigest = try Self.look("EVP_MD_CTX_free", library)
    signInit = try Self.look("EVP_DigestSignInit", library)
    sign = try Self.look("EVP_DigestSign", library)
    verifyInit = try Self.look("EVP_DigestVerifyInit", library)
    verify = try Self.look("EVP_DigestVerify", library)
    newDerivation = try Self.look("EVP_PKEY_CTX_new", library)
    freeDerivation = try Self.look("EVP_PKEY_CTX_free", library)
    deriveInit = try Self.look("EVP_PKEY_derive_init", library)
    setPeer = try Self.look("EVP_PKEY_derive_set_peer", library)
    derive = try Self.look("EVP_PKEY_derive", library)
    sha256 = try Self.look("SHA256", library)
    hmac = try Self.look("HMAC", library)
    compare = try Self.look("CRYPTO_memcmp", library)
    cleanse = try Self.look("OPENSSL_cleanse", library)
    clearErrors = try Self.look("ERR_clear_error", library)
    let sha256Method: @convention(c) () -> OpaquePointer? = try Self.look("EVP_sha256", library)
    digest = sha256Method()
  }

  private static func look<F>(_ symbol: String, _ library: UnsafeMutableRawPointer) throws(BridgeError) -> F {
    guard let address = dlsym(library, symbol) else { throw missing(name, "it has no '\(symbol)'") }
    // The caller names the type of the function as OpenSSL's manual does.
    return unsafeBitCast(address, to: F.self)
  }

  private static func missing(_ name: String, _ reason: String) -> BridgeError {
    BridgeError(
      .unavailable,
      "keys need OpenSSL 3, and '\(name)' can't be used: \(reason). Run: sudo apt-get install libssl3")
  }
}
