// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// The functions of libcrypto that make keys, read them and write them. Opened with their first use.
struct LibKeys: @unchecked Sendable {  // pointers to functions, which many threads may use
  typealias Key = OpaquePointer
  typealias Context = OpaquePointer
  typealias Name = UnsafePointer<UInt8>
  typealias Bytes = UnsafePointer<UInt8>
  typealias Room = UnsafeMutablePointer<UInt8>
  /// Of ``OpenSSLParameter``s, which no C knows.
  typealias Parameters = UnsafeMutableRawPointer
  typealias Cursor = UnsafeMutablePointer<UnsafePointer<UInt8>?>
  typealias Writer = UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>

  let newContext: @convention(c) (OpaquePointer?, Name?, Name?) -> Context?
  let newContextOf: @convention(c) (OpaquePointer?, Key?, Name?) -> Context?
  let freeContext: @convention(c) (Context?) -> Void
  let beginData: @convention(c) (Context?) -> Int32
  let fromData: @convention(c) (Context?, UnsafeMutablePointer<Key?>?, Int32, Parameters?) -> Int32
  let beginGenerating: @convention(c) (Context?) -> Int32
  let setParameters: @convention(c) (Context?, Parameters?) -> Int32
  let generate: @convention(c) (Context?, UnsafeMutablePointer<Key?>?) -> Int32
  let free: @convention(c) (Key?) -> Void
  let isA: @convention(c) (Key?, Name?) -> Int32
  let getParameters: @convention(c) (Key?, Parameters?) -> Int32
  let check: @convention(c) (Context?) -> Int32
  let checkPublic: @convention(c) (Context?) -> Int32
  let newRawPrivate: @convention(c) (OpaquePointer?, Name?, Name?, Bytes?, Int) -> Key?
  let newRawPublic: @convention(c) (OpaquePointer?, Name?, Name?, Bytes?, Int) -> Key?
  let rawPrivate: @convention(c) (Key?, Room?, UnsafeMutablePointer<Int>?) -> Int32
  let rawPublic: @convention(c) (Key?, Room?, UnsafeMutablePointer<Int>?) -> Int32
  let readSPKI: @convention(c) (UnsafeMutablePointer<Key?>?, Cursor?, Int) -> Key?
  let writeSPKI: @convention(c) (Key?, Writer?) -> Int32
  let readPKCS8: @convention(c) (UnsafeMutablePointer<OpaquePointer?>?, Cursor?, Int) -> OpaquePointer?
  let writePKCS8: @convention(c) (OpaquePointer?, Writer?) -> Int32
  let freePKCS8: @convention(c) (OpaquePointer?) -> Void
  let keyOfPKCS8: @convention(c) (OpaquePointer?) -> Key?
  let pkcs8OfKey: @convention(c) (Key?) -> OpaquePointer?
  let clearErrors: @convention(c) () -> Void

  static func opened() throws(CryptoFault) -> LibKeys { try shared.forUse() }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try LibKeys() }

  private init() throws(MissingLibrary) {
    let library = try DynamicLibrary.libcrypto()
    newContext = try library.function("EVP_PKEY_CTX_new_from_name")
    newContextOf = try library.function("EVP_PKEY_CTX_new_from_pkey")
    freeContext = try library.function("EVP_PKEY_CTX_free")
    beginData = try library.function("EVP_PKEY_fromdata_init")
    fromData = try library.function("EVP_PKEY_fromdata")
    beginGenerating = try library.function("EVP_PKEY_keygen_init")
    setParameters = try library.function("EVP_PKEY_CTX_set_params")
    generate = try library.function("EVP_PKEY_generate")
    free = try library.function("EVP_PKEY_free")
    isA = try library.function("EVP_PKEY_is_a")
    getParameters = try library.function("EVP_PKEY_get_params")
    check = try library.function("EVP_PKEY_check")
    checkPublic = try library.function("EVP_PKEY_public_check")
    newRawPrivate = try library.function("EVP_PKEY_new_raw_private_key_ex")
    newRawPublic = try library.function("EVP_PKEY_new_raw_public_key_ex")
    rawPrivate = try library.function("EVP_PKEY_get_raw_private_key")
    rawPublic = try library.function("EVP_PKEY_get_raw_public_key")
    readSPKI = try library.function("d2i_PUBKEY")
    writeSPKI = try library.function("i2d_PUBKEY")
    readPKCS8 = try library.function("d2i_PKCS8_PRIV_KEY_INFO")
    writePKCS8 = try library.function("i2d_PKCS8_PRIV_KEY_INFO")
    freePKCS8 = try library.function("PKCS8_PRIV_KEY_INFO_free")
    keyOfPKCS8 = try library.function("EVP_PKCS82PKEY")
    pkcs8OfKey = try library.function("EVP_PKEY2PKCS8")
    clearErrors = try library.function("ERR_clear_error")
  }
}
