// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// The functions of libcrypto that sign, encrypt and agree with pairs of keys. Opened with their first use.
struct LibKeyOperations: @unchecked Sendable {  // pointers to functions, which many threads may use
  typealias Key = OpaquePointer
  typealias Context = OpaquePointer
  typealias Name = UnsafePointer<UInt8>
  typealias Bytes = UnsafePointer<UInt8>
  typealias Room = UnsafeMutablePointer<UInt8>
  typealias Size = UnsafeMutablePointer<Int>
  /// Of ``OpenSSLParameter``s, which no C knows.
  typealias Parameters = UnsafeMutableRawPointer
  /// Where the key's own context goes, the name of the hash, library, properties, key, parameters.
  typealias Begin =
    @convention(c) (
      Context?, UnsafeMutablePointer<Context?>?, Name?, OpaquePointer?, Name?, Key?, Parameters?
    ) -> Int32
  typealias Step = @convention(c) (Context?, Room?, Size?, Bytes?, Int) -> Int32

  let newDigest: @convention(c) () -> Context?
  let freeDigest: @convention(c) (Context?) -> Void
  let beginSigning: Begin
  let sign: Step
  let beginVerifying: Begin
  let verify: @convention(c) (Context?, Bytes?, Int, Bytes?, Int) -> Int32
  let newContext: @convention(c) (OpaquePointer?, Key?, Name?) -> Context?
  let freeContext: @convention(c) (Context?) -> Void
  let beginEncrypting: @convention(c) (Context?, Parameters?) -> Int32
  let encrypt: Step
  let beginDecrypting: @convention(c) (Context?, Parameters?) -> Int32
  let decrypt: Step
  let beginAgreeing: @convention(c) (Context?) -> Int32
  let setPeer: @convention(c) (Context?, Key?) -> Int32
  let agree: @convention(c) (Context?, Room?, Size?) -> Int32
  let clearErrors: @convention(c) () -> Void

  static func opened() throws(CryptoFault) -> LibKeyOperations { try shared.forUse() }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try LibKeyOperations() }

  private init() throws(MissingLibrary) {
    let library = try DynamicLibrary.libcrypto()
    newDigest = try library.function("EVP_MD_CTX_new")
    freeDigest = try library.function("EVP_MD_CTX_free")
    beginSigning = try library.function("EVP_DigestSignInit_ex")
    sign = try library.function("EVP_DigestSign")
    beginVerifying = try library.function("EVP_DigestVerifyInit_ex")
    verify = try library.function("EVP_DigestVerify")
    newContext = try library.function("EVP_PKEY_CTX_new_from_pkey")
    freeContext = try library.function("EVP_PKEY_CTX_free")
    beginEncrypting = try library.function("EVP_PKEY_encrypt_init_ex")
    encrypt = try library.function("EVP_PKEY_encrypt")
    beginDecrypting = try library.function("EVP_PKEY_decrypt_init_ex")
    decrypt = try library.function("EVP_PKEY_decrypt")
    beginAgreeing = try library.function("EVP_PKEY_derive_init")
    setPeer = try library.function("EVP_PKEY_derive_set_peer")
    agree = try library.function("EVP_PKEY_derive")
    clearErrors = try library.function("ERR_clear_error")
  }

  func failure(_ text: String) -> CryptoFault {
    clearErrors()
    return .operation(text)
  }
}
