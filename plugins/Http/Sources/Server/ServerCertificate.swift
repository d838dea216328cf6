// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeCrypto
internal import NBridgePlugin
internal import NBridgeSoup

/// The certificate that a server shows.
enum ServerCertificate {
  /// Nil for a server without TLS; the caller lets go of it.
  ///
  /// - Throws: `invalid_parameter`, without a word of the key.
  static func of(_ options: ServerOptions) throws -> UnsafeMutablePointer<GTlsCertificate>? {
    guard options.cert != nil || options.key != nil else { return nil }
    guard let certificate = options.cert, let key = options.key else {
      throw BridgeError(.invalidParameter, "option.cert and option.key go together: give both, or none")
    }
    for (name, text) in [("cert", certificate), ("key", key)] where !text.contains("-----BEGIN ") {
      throw BridgeError(
        .invalidParameter,
        """
        option.\(name) is no PEM, which has a line -----BEGIN …-----: give the text of such a file, not its \
        path, and not DER
        """)
    }
    let text = certificate + "\n" + key
    // GIO takes the first key that is there, and does not compare it: each client would be cut in its
    // handshake without a word.
    guard CertificateKey.may(text, belongTo: certificate) else {
      throw BridgeError(
        .invalidParameter,
        """
        option.key is not the key of option.cert: give the pair that was made together, and of a chain the \
        server's own certificate first
        """)
    }
    var failure: UnsafeMutablePointer<GError>?
    if let made = g_tls_certificate_new_from_pem(text, gssize(text.utf8.count), &failure) {
      if hasKey(made) { return made }
      g_object_unref(UnsafeMutableRawPointer(made))
    }
    _ = GLibFailure.taking(failure)
    guard g_tls_backend_supports_tls(g_tls_backend_get_default()) != 0 else {
      throw BridgeError(
        .unavailable,
        "TLS is not installed, which a server with option.cert needs: apt-get install glib-networking")
    }
    throw BridgeError(
      .invalidParameter,
      "option.cert or option.key is broken: nothing in their PEM is a certificate with its key")
  }

  /// GIO makes one of a certificate alone, too.
  private static func hasKey(_ certificate: UnsafeMutablePointer<GTlsCertificate>) -> Bool {
    var key = GValue()
    g_value_init(&key, g_type_from_name("gchararray"))
    defer { g_value_unset(&key) }
    g_object_get_property(
      UnsafeMutableRawPointer(certificate).assumingMemoryBound(to: GObject.self), "private-key-pem", &key)
    return g_value_get_string(&key) != nil
  }
}
