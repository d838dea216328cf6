// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeSoup

/// What a request says, as far as it is asked.
struct PageRequest {
  let method: String
  /// Decoded; nil for what can't be.
  let path: String?
  let host: String?
  let cookie: String?
  let origin: String?
  /// The link's, if it has one.
  let token: String?
  /// Whether it comes from a page of ours, or from the person: by the browser's own word (Fetch Metadata
  /// Request Headers, W3C), which older ones don't give. Another port of the address is another site here.
  let isFromHere: Bool
  /// Its body's, in bytes; nil where it does not say. No request of a page has one, but the passphrase's.
  let length: Int?
  /// Whose it is, a number.
  let address: String
  /// The number of the window whose page asks, by the word of the windows' program.
  let window: Int?

  init(_ message: OpaquePointer, _ library: SoupServers) {
    let headers = library.requestHeaders(message)
    // Of two none is believed.
    func header(_ name: String) -> String? { library.allHeaders(headers, name).map { String(cString: $0) } }
    method = library.method(message).map { String(cString: $0) } ?? ""
    let uri = library.uri(message)
    path = g_uri_get_path(uri).flatMap { String(validatingCString: $0) }
    let query = g_uri_get_query(uri).map { String(cString: $0) } ?? ""
    token = query.hasPrefix("token=") ? String(query.dropFirst(6)) : nil
    host = header("Host")
    cookie = header("Cookie")
    origin = header("Origin")
    length = header("Transfer-Encoding") == nil ? Int(header("Content-Length") ?? "0") : nil
    window = header("NBridge-Window").flatMap { Int($0) }
    address = library.remoteHost(message).map { String(cString: $0) } ?? ""
    let isVisit = header("Sec-Fetch-Mode") == "navigate" && header("Sec-Fetch-Dest") == "document"
    let site = header("Sec-Fetch-Site") ?? "none"
    isFromHere = site == "none" || site == "same-origin" || isVisit
  }
}

/// Why a request gets nothing.
enum Refusal {
  case method, body, stranger, origin, crowded
  case host([String])
  case missing(String)
  case unreadable(String)

  var status: UInt32 {
    switch self {
    case .method: 405
    case .host: 421
    case .body: 413
    case .origin, .unreadable: 403
    case .stranger: 401
    case .crowded: 503
    case .missing: 404
    }
  }

  var text: String {
    switch self {
    case .method: "A page's files are read with GET."
    case .host(let origins): "This page is at \(origins.joined(separator: "/ and "))/ and nowhere else."
    case .body: "A page's files are asked for without a body."
    case .stranger: "Open the link that nbridge serve has printed: it lets this browser in."
    case .origin: "This page's files are for the page itself."
    case .crowded: "Too many tabs have this page open."
    case .missing(let path): "There is no \(path) here."
    case .unreadable(let path): "\(path) can't be read."
    }
  }
}

/// What browsers may do with what is served.
enum PagePolicy {
  /// Nothing from elsewhere, no `eval`, in no frame of others. Scripts inside of the page run, as they always
  /// have: `onclick` is how the first pages of nBridge call.
  static func headers(host: String, isGuarded: Bool) -> [(String, String)] {
    [
      (
        "Content-Security-Policy",
        "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:; "
          + "style-src 'self' 'unsafe-inline'; "
          + "connect-src 'self' \(isGuarded ? "wss" : "ws")://\(host) data: blob:; "
          + "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
      ),
      ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Embedder-Policy", "require-corp"),
      ("Cross-Origin-Resource-Policy", "same-origin"), ("Referrer-Policy", "no-referrer"),
      ("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store"),
      // libsoup 3.2 keeps a connection that its client has closed between two requests for ever.
      ("Connection", "close"),
    ]
  }
}
