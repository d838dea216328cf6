// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup
internal import NBridgeSystem

/// The certificate that browsers of other machines are shown.
final class PageCertificate {
  let certificate: UnsafeMutablePointer<GTlsCertificate>
  private let path: String

  /// In bytes; a chain has some thousand.
  private static let largest = 1 << 20

  /// Reads a certificate, the chain behind it, and its key, in PEM.
  ///
  /// - Throws: `not_found`, `io_error` and `invalid_parameter`, with the path, and without a word of the key.
  init(_ path: String, key keyPath: String) throws {
    self.path = path
    let chain = try Self.read(path, "--cert")
    let key = try Self.read(keyPath, "--key")
    if let reason = KeyPair.problem(chain, key) {
      throw BridgeError(
        .invalidParameter, "--cert '\(path)' and --key '\(keyPath)' don't go together: \(reason)")
    }
    let text = String(decoding: chain + [UInt8(ascii: "\n")] + key, as: UTF8.self)
    var failure: UnsafeMutablePointer<GError>?
    guard let made = g_tls_certificate_new_from_pem(text, gssize(text.utf8.count), &failure) else {
      _ = GLibFailure.taking(failure)
      throw BridgeError(
        .invalidParameter,
        """
        --cert '\(path)' and --key '\(keyPath)' are no certificate and key in PEM (-----BEGIN \
        CERTIFICATE----- and -----BEGIN PRIVATE KEY-----); or TLS is not installed: apt-get install \
        glib-networking
        """)
    }
    certificate = made
  }

  deinit { g_object_unref(UnsafeMutableRawPointer(certificate)) }

  private static func read(_ path: String, _ option: String) throws -> [UInt8] {
    do {
      guard let bytes = try SmallFile.read(path, followsLinks: true, atMost: largest) else {
        throw BridgeError(.notFound, "\(option) '\(path)': there is no such file")
      }
      return bytes
    } catch let error as BridgeError where error.code != .notFound {
      throw BridgeError(error.code, "\(option): \(error.message)")
    }
  }

  /// What browsers will say against it at an address; nil for nothing that can be told here.
  func flaw(at name: String) -> String? {
    let bare = name.hasPrefix("[") ? String(name.dropFirst().dropLast()) : name
    guard let identity = g_network_address_new(bare, 0) else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(identity)) }
    let flags = g_tls_certificate_verify(certificate, identity, nil).rawValue
    // Times are looked at by itself: it is verified without authorities, which comes before them.
    let now = Int(g_get_real_time() / 1_000_000)
    if let end = Self.seconds(g_tls_certificate_get_not_valid_after(certificate)), end < now {
      return "the certificate '\(path)' has expired"
    }
    if let start = Self.seconds(g_tls_certificate_get_not_valid_before(certificate)), start > now {
      return "the certificate '\(path)' does not hold yet"
    }
    return flags & G_TLS_CERTIFICATE_BAD_IDENTITY.rawValue == 0
      ? nil : "the certificate '\(path)' is not for '\(bare)'"
  }

  /// Since 1970; takes the time over.
  private static func seconds(_ time: OpaquePointer?) -> Int? {
    guard let time else { return nil }
    defer { g_date_time_unref(time) }
    return Int(g_date_time_to_unix(time))
  }
}

/// Asks GnuTLS, by which GIO speaks TLS, whether a key is a certificate's own: GIO itself notices with the
/// first browser only, and says nothing then.
private enum KeyPair {
  /// `GNUTLS_X509_FMT_PEM` and `GNUTLS_E_CERTIFICATE_KEY_MISMATCH` (gnutls/gnutls.h).
  private static let pem: Int32 = 1
  private static let mismatch: Int32 = -60

  private typealias Make = @convention(c) (UnsafeMutablePointer<OpaquePointer?>?) -> Int32
  private typealias Free = @convention(c) (OpaquePointer?) -> Void
  private typealias Set =
    @convention(c) (OpaquePointer?, UnsafeRawPointer?, UnsafeRawPointer?, Int32) -> Int32

  /// Nil where they fit, and where that can't be told.
  static func problem(_ chain: [UInt8], _ key: [UInt8]) -> String? {
    do throws(MissingLibrary) {
      let library = try DynamicLibrary("libgnutls.so.30", of: "GnuTLS", package: "libgnutls30")
      let make: Make = try library.function("gnutls_certificate_allocate_credentials")
      let free: Free = try library.function("gnutls_certificate_free_credentials")
      let set: Set = try library.function("gnutls_certificate_set_x509_key_mem")
      var made: OpaquePointer?
      guard make(&made) == 0 else { return nil }
      defer { free(made) }
      let status = datum(chain) { chain in datum(key) { key in set(made, chain, key, pem) } }
      return status == mismatch ? "the key is another certificate's" : nil
    } catch {
      return nil
    }
  }

  /// A `gnutls_datum_t`: where the bytes are, and how many, as a 32-bit number behind it.
  private static func datum(_ bytes: [UInt8], _ body: (UnsafeRawPointer?) -> Int32) -> Int32 {
    bytes.withUnsafeBytes { bytes in
      withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { memory in
        memory.storeBytes(of: UInt(bitPattern: bytes.baseAddress), toByteOffset: 0, as: UInt.self)
        memory.storeBytes(of: UInt(bytes.count), toByteOffset: 8, as: UInt.self)
        return body(memory.baseAddress)
      }
    }
  }
}
