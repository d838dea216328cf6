// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// The functions of libcrypto that hash what comes piece by piece. Opened with their first use.
struct LibRunningDigests: @unchecked Sendable {  // pointers to functions, which many threads may use
  typealias Method = OpaquePointer
  typealias State = OpaquePointer
  typealias Room = UnsafeMutablePointer<UInt8>

  let method: @convention(c) (UnsafePointer<CChar>?) -> Method?
  let new: @convention(c) () -> State?
  let free: @convention(c) (State?) -> Void
  let begin: @convention(c) (State?, Method?, OpaquePointer?) -> Int32
  let add: @convention(c) (State?, UnsafeRawPointer?, Int) -> Int32
  let copy: @convention(c) (State?, State?) -> Int32
  let finish: @convention(c) (State?, Room?, UnsafeMutablePointer<UInt32>?) -> Int32
  let finishExtended: @convention(c) (State?, Room?, Int) -> Int32
  let size: @convention(c) (Method?) -> Int32
  let blockSize: @convention(c) (Method?) -> Int32
  let flags: @convention(c) (Method?) -> UInt
  let clearErrors: @convention(c) () -> Void

  static func opened() throws(CryptoFault) -> LibRunningDigests { try shared.forUse() }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try LibRunningDigests() }

  private init() throws(MissingLibrary) {
    let library = try DynamicLibrary.libcrypto()
    method = try library.function("EVP_get_digestbyname")
    new = try library.function("EVP_MD_CTX_new")
    free = try library.function("EVP_MD_CTX_free")
    begin = try library.function("EVP_DigestInit_ex")
    add = try library.function("EVP_DigestUpdate")
    copy = try library.function("EVP_MD_CTX_copy_ex")
    finish = try library.function("EVP_DigestFinal_ex")
    finishExtended = try library.function("EVP_DigestFinalXOF")
    size = try library.function("EVP_MD_get_size")
    blockSize = try library.function("EVP_MD_get_block_size")
    flags = try library.function("EVP_MD_get_flags")
    clearErrors = try library.function("ERR_clear_error")
  }
}
