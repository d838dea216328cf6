// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// The functions of libcrypto that encrypt with a secret key. Opened with their first use.
struct LibCiphers: @unchecked Sendable {  // pointers to functions, which many threads may use
  typealias Cipher = OpaquePointer
  typealias Context = OpaquePointer
  typealias Bytes = UnsafePointer<UInt8>
  typealias Room = UnsafeMutablePointer<UInt8>
  typealias Count = UnsafeMutablePointer<Int32>

  let fetch: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Cipher?
  let free: @convention(c) (Cipher?) -> Void
  let newContext: @convention(c) () -> Context?
  let freeContext: @convention(c) (Context?) -> Void
  /// Key, initial value, whether it encrypts.
  let begin:
    @convention(c) (
      Context?, Cipher?, Bytes?, Bytes?, Int32, UnsafeMutableRawPointer?
    ) -> Int32
  let update: @convention(c) (Context?, Room?, Count?, Bytes?, Int32) -> Int32
  let finish: @convention(c) (Context?, Room?, Count?) -> Int32
  let control: @convention(c) (Context?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32
  let setFlags: @convention(c) (Context?, Int32) -> Void
  let clearErrors: @convention(c) () -> Void

  static func opened() throws(CryptoFault) -> LibCiphers { try shared.forUse() }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try LibCiphers() }

  private init() throws(MissingLibrary) {
    let library = try DynamicLibrary.libcrypto()
    fetch = try library.function("EVP_CIPHER_fetch")
    free = try library.function("EVP_CIPHER_free")
    newContext = try library.function("EVP_CIPHER_CTX_new")
    freeContext = try library.function("EVP_CIPHER_CTX_free")
    begin = try library.function("EVP_CipherInit_ex2")
    update = try library.function("EVP_CipherUpdate")
    finish = try library.function("EVP_CipherFinal_ex")
    control = try library.function("EVP_CIPHER_CTX_ctrl")
    setFlags = try library.function("EVP_CIPHER_CTX_set_flags")
    clearErrors = try library.function("ERR_clear_error")
  }
}

/// One message that is encrypted or decrypted.
struct CipherRun: ~Copyable {
  let library: LibCiphers
  let context: LibCiphers.Context

  /// The lengths of one call are C's `int`.
  private static let piece = 1 << 30

  /// - Parameter mode: as OpenSSL names it, `CBC`.
  init(_ mode: String, key: CryptoBytes, isEncrypting: Bool) throws(CryptoFault) {
    let library = try LibCiphers.opened()
    let cipher = library.fetch(nil, "AES-\(key.count * 8)-\(mode)", nil)
    guard let cipher, let context = library.newContext() else {
      library.free(cipher)
      library.clearErrors()
      throw .operation("OpenSSL has no AES-\(key.count * 8)-\(mode); its configuration may forbid it")
    }
    defer { library.free(cipher) }
    library.setFlags(context, Self.allowsWrapping)
    // The key comes with the initial value: a length of that must be told between.
    guard library.begin(context, cipher, nil, nil, isEncrypting ? 1 : 0, nil) == 1 else {
      library.freeContext(context)
      library.clearErrors()
      throw .operation("OpenSSL can't use AES-\(key.count * 8)-\(mode)")
    }
    (self.library, self.context) = (library, context)
  }

  deinit { library.freeContext(context) }

  /// EVP_CIPHER_CTX_FLAG_WRAP_ALLOW (openssl/evp.h).
  private static let allowsWrapping: Int32 = 1

  borrowing func begin(_ key: CryptoBytes, _ initial: CryptoBytes?) throws(CryptoFault) {
    guard library.begin(context, nil, key.start, initial?.start, -1, nil) == 1 else {
      throw failure("OpenSSL takes no such key or initial value")
    }
  }

  /// What is signed and not encrypted.
  borrowing func authenticate(_ bytes: CryptoBytes) throws(CryptoFault) {
    var at = 0
    while at < bytes.count {
      var made: Int32 = 0
      let size = min(Self.piece, bytes.count - at)
      guard library.update(context, nil, &made, bytes.start + at, Int32(size)) == 1 else {
        throw failure("OpenSSL takes no such additional data")
      }
      at += size
    }
  }

  /// Handles `count` bytes from `start`; answers how many came of them.
  borrowing func update(_ start: LibCiphers.Bytes, _ count: Int, into room: LibCiphers.Room)
    throws(CryptoFault) -> Int
  {
    var (at, made) = (0, 0)
    while at < count {
      var came: Int32 = 0
      let size = min(Self.piece, count - at)
      guard library.update(context, room + made, &came, start + at, Int32(size)) == 1 else {
        throw failure(Self.failed)
      }
      at += size
      made += Int(came)
    }
    return made
  }

  /// The rest; it fails where what was decrypted is not what was encrypted.
  borrowing func finish(into room: LibCiphers.Room) throws(CryptoFault) -> Int {
    var came: Int32 = 0
    guard library.finish(context, room, &came) == 1 else { throw failure(Self.failed) }
    return Int(came)
  }

  borrowing func control(_ what: Int32, _ size: Int, _ memory: UnsafeMutableRawPointer?) throws(CryptoFault) {
    guard let size = Int32(exactly: size), library.control(context, what, size, memory) == 1 else {
      throw failure("OpenSSL takes no such initial value or tag")
    }
  }

  borrowing func failure(_ text: String) -> CryptoFault {
    library.clearErrors()
    return .operation(text)
  }

  static let failed = "the key is another one, or the data is not what was encrypted"
}
