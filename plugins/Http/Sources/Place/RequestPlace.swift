// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeCompression
internal import NBridgePlugin
internal import NBridgeSoup

/// Where a request goes, as permissions and messages say it: never its path, which may hold a secret.
struct RequestPlace: Sendable {
  let scheme: String
  /// A name, or an address, without brackets.
  let host: String
  let port: Int
  /// As `https://example.org`, or with a port that is not the scheme's own: a URL's `origin`.
  let origin: String

  /// - Parameter url: as URL serializes it.
  init(_ url: String) throws {
    var failure: UnsafeMutablePointer<GError>?
    guard let uri = g_uri_parse(try AddressParts(url).beginning, G_URI_FLAGS_ENCODED, &failure) else {
      _ = GLibFailure.taking(failure)
      throw BridgeError(.invalidParameter, "the address of the request is no URL")
    }
    defer { g_uri_unref(uri) }
    let given = String(cString: g_uri_get_scheme(uri))
    // A WebSocket is a request first, and what permits the one permits the other.
    scheme = given == "ws" ? "http" : given == "wss" ? "https" : given
    host = g_uri_get_host(uri).map { HostAddress.canonical(String(cString: $0)) } ?? ""
    guard scheme == "http" || scheme == "https", !host.isEmpty else {
      throw BridgeError(.invalidParameter, "only http, https, ws and wss have servers, not '\(given)'")
    }
    // No server has such a name, and another than permissions know would be looked for.
    guard !host.split(separator: ".", omittingEmptySubsequences: false).contains("") else {
      throw BridgeError(.ioError, "there is no host '\(host)': a part of its name is empty")
    }
    let usual = scheme == "https" ? 443 : 80
    let number = Int(g_uri_get_port(uri))
    port = number > 0 ? number : usual
    origin = Self.origin(scheme, host, port)
  }

  /// The origin with its port, which tells GIO where to go.
  var target: String { Self.target(scheme, host, port) }

  static func target(_ scheme: String, _ host: String, _ port: Int) -> String {
    "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  /// As the header Host has it (RFC 9110, 7.2).
  var hostHeader: String { String(origin.dropFirst(scheme.utf8.count + 3)) }

  /// The same as permissions name it.
  var permittedOrigin: String { origin(at: host) }

  /// The origin of another name or address, as permissions name it.
  func origin(at address: String) -> String { Self.origin(scheme, HostAddress.permitted(address), port) }

  private static func origin(_ scheme: String, _ host: String, _ port: Int) -> String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (scheme == "https" ? 443 : 80) ? "\(scheme)://\(name)" : "\(scheme)://\(name):\(port)"
  }

  // MARK: - Failures

  /// Why there is no answer, or no more of it.
  ///
  /// - Parameter tls: what is wrong with the server's certificate, as GTlsCertificateFlags; 0 for nothing.
  func failure(_ reason: GLibFailure, tls: UInt32) -> BridgeError {
    if reason.isIO(G_IO_ERROR_CANCELLED) { return BridgeError(.cancelled, "the request was cancelled") }
    if reason.isIO(G_IO_ERROR_TIMED_OUT) { return BridgeError(.timeout, "\(origin) does not answer") }
    if tls != 0 {
      return BridgeError(
        .unavailable,
        """
        \(origin) has a certificate that can't be trusted: \(Self.faults(of: tls)). Add its authority to the \
        system's, or name a file of certificates in SSL_CERT_FILE
        """)
    }
    if reason.domain == g_tls_error_quark(), reason.text.contains("TLS support is not available") {
      return BridgeError(
        .unavailable, "TLS for \(origin) is not installed. Run: sudo apt-get install glib-networking")
    }
    if reason.isIO(G_IO_ERROR_PARTIAL_INPUT) || reason.isIO(G_IO_ERROR_CONNECTION_CLOSED) { return cut }
    if reason.domain == g_tls_error_quark(), reason.code == Int32(bitPattern: G_TLS_ERROR_EOF.rawValue) {
      return cut
    }
    return BridgeError(.ioError, "\(origin): \(reason.text)")
  }

  /// Why there is no more of an answer's body.
  func failure(_ fault: AnswerFault) -> BridgeError {
    switch fault {
    case .failed(let reason): failure(reason, tls: 0)
    case .cut: cut
    case .malformed:
      BridgeError("invalid_data", "\(origin) sends its answer in chunks that are none (RFC 9112, 7.1)")
    case .broken(let what): BridgeError("invalid_data", "\(origin) gives no whole answer: \(what)")
    }
  }

  private var cut: BridgeError {
    BridgeError(.ioError, "\(origin) closed the connection before the answer was whole")
  }

  /// It speaks no TLS that is not broken.
  var old: BridgeError {
    BridgeError(.unavailable, "\(origin) speaks no TLS newer than 1.1, which is broken")
  }

  func malformed(_ fault: CompressionFault) -> BridgeError {
    let what =
      switch fault {
      case .truncated: "ends too early"
      case .noMemory: "needs more memory than there is"
      default: "is not what its Content-Encoding says"
      }
    return BridgeError("invalid_data", "the answer of \(origin) \(what)")
  }

  private static func faults(of flags: UInt32) -> String {
    let known: [(GTlsCertificateFlags, String)] = [
      (G_TLS_CERTIFICATE_UNKNOWN_CA, "its authority is not known"),
      (G_TLS_CERTIFICATE_BAD_IDENTITY, "it is for another host"),
      (G_TLS_CERTIFICATE_NOT_ACTIVATED, "it is not valid yet"),
      (G_TLS_CERTIFICATE_EXPIRED, "it has expired"), (G_TLS_CERTIFICATE_REVOKED, "it was revoked"),
      (G_TLS_CERTIFICATE_INSECURE, "its algorithms are not safe"),
    ]
    let found = known.filter { flags & $0.0.rawValue != 0 }.map(\.1)
    return found.isEmpty ? "it is not in order" : found.joined(separator: ", ")
  }
}
