// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// The functions of OpenSSL 3's libcrypto that are used here. The library is opened when the first key is
/// made, so that a program without one neither reads nor needs it. What was opened stays: libcrypto can't be
/// taken out of a process.
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

  /// The library, opened with its first use.
  static func opened() throws -> LibCrypto { try shared.orUnavailable() }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try LibCrypto(named: name) }

  /// - Throws: ``BridgeError/Code/unavailable``, with what to install.
  init(named name: String) throws(MissingLibrary) {
    let library = try DynamicLibrary(name, of: "OpenSSL 3", package: "libssl3")
    newPrivateKey = try library.function("EVP_PKEY_new_raw_private_key")
    newPublicKey = try library.function("EVP_PKEY_new_raw_public_key")
    getPublicKey = try library.function("EVP_PKEY_get_raw_public_key")
    freeKey = try library.function("EVP_PKEY_free")
    newDigest = try library.function("EVP_MD_CTX_new")
    freeDigest = try library.function("EVP_MD_CTX_free")
    signInit = try library.function("EVP_DigestSignInit")
    sign = try library.function("EVP_DigestSign")
    verifyInit = try library.function("EVP_DigestVerifyInit")
    verify = try library.function("EVP_DigestVerify")
    newDerivation = try library.function("EVP_PKEY_CTX_new")
    freeDerivation = try library.function("EVP_PKEY_CTX_free")
    deriveInit = try library.function("EVP_PKEY_derive_init")
    setPeer = try library.function("EVP_PKEY_derive_set_peer")
    derive = try library.function("EVP_PKEY_derive")
    sha256 = try library.function("SHA256")
    hmac = try library.function("HMAC")
    compare = try library.function("CRYPTO_memcmp")
    cleanse = try library.function("OPENSSL_cleanse")
    clearErrors = try library.function("ERR_clear_error")
    let sha256Method: @convention(c) () -> OpaquePointer? = try library.function("EVP_sha256")
    digest = sha256Method()
  }
}
