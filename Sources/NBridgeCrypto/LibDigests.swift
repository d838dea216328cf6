// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// The functions of libcrypto that hash. Opened with their first use.
struct LibDigests: @unchecked Sendable {  // pointers to functions and constants, which many threads may use
  typealias Method = OpaquePointer
  typealias Bytes = UnsafePointer<UInt8>
  typealias Room = UnsafeMutablePointer<UInt8>

  let digest:
    @convention(c) (Bytes?, Int, Room?, UnsafeMutablePointer<UInt32>?, Method?, OpaquePointer?) -> Int32
  let hmac:
    @convention(c) (
      Method?, UnsafeRawPointer?, Int32, Bytes?, Int, Room?, UnsafeMutablePointer<UInt32>?
    ) -> Room?
  /// Password and its length, salt and its length, iterations, hash, how many bytes, where to.
  let pbkdf2: @convention(c) (Bytes?, Int32, Bytes?, Int32, Int32, Method?, Int32, Room?) -> Int32
  let compare: @convention(c) (UnsafeRawPointer?, UnsafeRawPointer?, Int) -> Int32
  let clearErrors: @convention(c) () -> Void
  /// What OpenSSL's configuration lets hash, found once: to find one costs more than to hash a little.
  private let methods: [HashFunction: Method]

  static func opened() throws(CryptoFault) -> LibDigests { try shared.forUse() }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try LibDigests() }

  private init() throws(MissingLibrary) {
    let library = try DynamicLibrary.libcrypto()
    digest = try library.function("EVP_Digest")
    hmac = try library.function("HMAC")
    pbkdf2 = try library.function("PKCS5_PBKDF2_HMAC")
    compare = try library.function("CRYPTO_memcmp")
    clearErrors = try library.function("ERR_clear_error")
    let fetch: @convention(c) (OpaquePointer?, Bytes?, Bytes?) -> Method? = try library.function(
      "EVP_MD_fetch")
    var found: [HashFunction: Method] = [:]
    for hash in HashFunction.allCases { found[hash] = fetch(nil, hash.name.utf8Start, nil) }
    methods = found
    if found.count < HashFunction.allCases.count { clearErrors() }
  }

  func method(_ hash: HashFunction) throws(CryptoFault) -> Method {
    guard let method = methods[hash] else {
      throw .operation("OpenSSL has no \(hash.rawValue); its configuration may forbid it")
    }
    return method
  }

  func failure(_ text: String) -> CryptoFault {
    clearErrors()
    return .operation(text)
  }
}
