// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// Certificates of servers (X.509), and the keys that they are for.
package enum CertificateKey {
  /// Whether a private key is the one whose public half a certificate has: the first, of several. True where
  /// OpenSSL can't read one of them, as a key with a password, or is not installed: who uses them tells.
  ///
  /// - Parameters:
  ///   - key: in PEM.
  ///   - certificate: in PEM.
  package static func may(_ key: String, belongTo certificate: String) -> Bool {
    guard let library = try? LibCertificates.opened() else { return true }
    defer { library.clearErrors() }
    guard let shown = library.read(certificate, library.readCertificate) else { return true }
    defer { library.freeCertificate(shown) }
    guard let own = library.read(key, library.readKey) else { return true }
    defer { library.freeKey(own) }
    return library.check(shown, own) == 1
  }
}

/// The functions of libcrypto that read certificates. Opened with their first use.
private struct LibCertificates: @unchecked Sendable {  // pointers to functions, which many threads may use
  typealias Ask =
    @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32
  typealias Read =
    @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, Ask?, UnsafeMutableRawPointer?)
    -> OpaquePointer?

  let newText: @convention(c) (UnsafePointer<UInt8>?, Int32) -> OpaquePointer?
  let freeText: @convention(c) (OpaquePointer?) -> Int32
  let readCertificate: Read
  let freeCertificate: @convention(c) (OpaquePointer?) -> Void
  let readKey: Read
  let freeKey: @convention(c) (OpaquePointer?) -> Void
  let check: @convention(c) (OpaquePointer?, OpaquePointer?) -> Int32
  let clearErrors: @convention(c) () -> Void

  static func opened() throws(CryptoFault) -> LibCertificates { try shared.forUse() }

  private static let shared = OpenedOnce { () throws(MissingLibrary) in try LibCertificates() }

  private init() throws(MissingLibrary) {
    let library = try DynamicLibrary.libcrypto()
    newText = try library.function("BIO_new_mem_buf")
    freeText = try library.function("BIO_free")
    readCertificate = try library.function("PEM_read_bio_X509")
    freeCertificate = try library.function("X509_free")
    readKey = try library.function("PEM_read_bio_PrivateKey")
    freeKey = try library.function("EVP_PKEY_free")
    check = try library.function("X509_check_private_key")
    clearErrors = try library.function("ERR_clear_error")
  }

  /// Reads the first of a text; nil for none.
  func read(_ text: String, _ read: Read) -> OpaquePointer? {
    // Else OpenSSL asks for a password at the terminal.
    let noPassword: Ask = { _, _, _, _ in -1 }
    var text = text
    return text.withUTF8 { bytes in
      let source = newText(bytes.baseAddress, Int32(clamping: bytes.count))
      defer { _ = freeText(source) }
      return read(source, nil, noPassword, nil)
    }
  }
}
