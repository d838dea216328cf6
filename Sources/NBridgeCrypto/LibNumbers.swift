// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// The functions of libcrypto that calculate. Opened with their first use.
struct LibNumbers: @unchecked Sendable {  // pointers to functions, which many threads may use
  typealias Number = OpaquePointer
  typealias Context = OpaquePointer
  typealias Bytes = UnsafePointer<UInt8>

  let newContext: @convention(c) () -> Context?
  let freeContext: @convention(c) (Context?) -> Void
  let new: @convention(c) () -> Number?
  let read: @convention(c) (Bytes?, Int32, Number?) -> Number?
  /// Wipes the number, too.
  let free: @convention(c) (Number?) -> Void
  let multiply: @convention(c) (Number?, Number?, Number?, Context?) -> Int32
  /// Where the quotient goes and where the rest does, what is divided, by what.
  let divide: @convention(c) (Number?, Number?, Number?, Number?, Context?) -> Int32
  let subtractWord: @convention(c) (Number?, UInt) -> Int32
  let compare: @convention(c) (Number?, Number?) -> Int32
  let isOne: @convention(c) (Number?) -> Int32
  let clearErrors: @convention(c) () -> Void

  static func opened() throws(CryptoFault) -> LibNumbers { try shared.forUse() }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try LibNumbers() }

  private init() throws(MissingLibrary) {
    let library = try DynamicLibrary.libcrypto()
    newContext = try library.function("BN_CTX_new")
    freeContext = try library.function("BN_CTX_free")
    new = try library.function("BN_new")
    read = try library.function("BN_bin2bn")
    free = try library.function("BN_clear_free")
    multiply = try library.function("BN_mul")
    divide = try library.function("BN_div")
    subtractWord = try library.function("BN_sub_word")
    compare = try library.function("BN_cmp")
    isOne = try library.function("BN_is_one")
    clearErrors = try library.function("ERR_clear_error")
  }
}
