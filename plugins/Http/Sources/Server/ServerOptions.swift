// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Where a server listens, and what it takes.
struct ServerOptions: Codable, Sendable {
  /// An address of this machine, as `127.0.0.1`; nil for that one.
  var host: String?
  /// Nil or 0 for one that the system chooses.
  var port: Int?
  /// A certificate and its key in PEM; both or none.
  var cert: String?
  var key: String?
  /// The most bytes of a request's body; nil for 64 MiB.
  var bodyLimit: Int?
}

/// A server that listens.
struct Listening: Codable, Sendable {
  var server: Handle<HttpServer>
  var port: Int
}

/// A request that came.
struct ServerRequest: Codable, Sendable {
  var number: Int
  var method: String
  /// The path and what follows it.
  var target: String
  /// Names and values in turn, each character one byte.
  var headers: [String]
  var body: Bytes?
}

/// The answer to a request, or its beginning.
struct ServerAnswer: Codable, Sendable {
  var number: Int
  var status: Int
  var reason: String
  /// Names and values in turn, each character one byte.
  var headers: [String]
  /// The whole body; nil where its pieces follow.
  var body: Bytes?
}

/// A piece of an answer's body.
struct ServerPiece: Codable, Sendable {
  var number: Int
  /// Nil behind the last.
  var bytes: Bytes?
}

/// Whether a script may listen there.
struct ServerPlace {
  private let address: String

  init(_ options: ServerOptions) throws {
    guard 0...65535 ~= options.port ?? 0 else {
      throw BridgeError(.invalidParameter, "option.port must be from 0 to 65535, not \(options.port ?? 0)")
    }
    guard 0...(1 << 30) ~= options.bodyLimit ?? 0 else {
      throw BridgeError(.invalidParameter, "option.bodyLimit must be from 0 to \(1 << 30)")
    }
    let host = options.host ?? "127.0.0.1"
    address = (host.contains(":") ? "[\(host)]" : host) + ":\(options.port ?? 0)"
  }

  /// - Throws: `permission_denied`, with the entry to add.
  func check(_ call: Call) throws {
    guard call.allows("http.serve:\(address)") else {
      throw BridgeError(
        .permissionDenied,
        """
        a server at \(address) is not permitted; to allow it, add "http.serve:\(address)" to "permissions" \
        in app.json (or to --permissions)
        """)
    }
  }
}
