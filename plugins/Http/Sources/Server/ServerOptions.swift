// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// Where a server listens, and what it takes.
struct ServerOptions: Codable, Sendable {
  /// An address of this machine, as `127.0.0.1`; nil for that one.
  var host: String?
  /// The path of a socket of this machine, in place of `host` and `port`.
  var unix: String?
  /// Nil or 0 for one that the system chooses.
  var port: Int?
  /// A certificate and its key in PEM; both or none.
  var cert: String?
  var key: String?
  /// The most bytes of a request's body, and of a client's message; nil for 64 MiB.
  var bodyLimit: Int?
}

/// A server that listens.
struct Listening: Codable, Sendable {
  var server: Handle<HttpServer>
  var port: Int
}

/// A request that came, or the number of one whose client has gone.
struct ServerRequest: Codable, Sendable {
  var number = 0
  var method = ""
  /// The path and what follows it.
  var target = ""
  /// Names in small letters and values in turn, each character one byte.
  var headers: [String] = []
  /// All of it; nil for none, and for one that is read while it comes.
  var body: Bytes?
  var isComing: Bool?
  var gone: Int?
}

/// A request by its number.
struct ServedRequest: Codable, Sendable {
  var number: Int
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
  /// Bytes of a body that does not follow: of what answers HEAD.
  var length: Int?
  /// Whether the handler failed, and nobody said what to answer then.
  var isFailure: Bool?
}

/// A piece of an answer's body.
struct ServerPiece: Codable, Sendable {
  var number: Int
  /// Nil behind the last.
  var bytes: Bytes?
  /// Whether no more comes although that is not all.
  var isCut: Bool?
}

/// Whether a script may listen there.
struct ServerPlace {
  private let address: String

  init(_ options: ServerOptions) throws {
    guard 0...65535 ~= options.port ?? 0 else {
      throw BridgeError(.invalidParameter, "option.port must be from 0 to 65535, not \(options.port ?? 0)")
    }
    let (bodyLimit, most) = (options.bodyLimit ?? 0, 1 << 30)
    guard 0...most ~= bodyLimit else {
      throw BridgeError(.invalidParameter, "option.bodyLimit must be from 0 to \(most), not \(bodyLimit)")
    }
    if let path = options.unix {
      guard options.host == nil, options.port == nil, options.cert == nil else {
        throw BridgeError(
          .invalidParameter, "option.unix stands without host, port and cert: it is one or the other")
      }
      guard SocketFile.isName(path) else {
        throw BridgeError(
          .invalidParameter,
          "option.unix must be a whole path of at most 107 bytes, without '.' and '..' in it, not '\(path)'")
      }
      address = "unix:" + RealPath.inRealFolder(path)
      return
    }
    let host = Self.address(of: options.host)
    // What is no address GIO might still take for one, by another name than permissions have for it.
    guard HostAddress.isAddress(host) else {
      throw BridgeError(
        .invalidParameter, "option.host must be an address of this machine, as \"127.0.0.1\", not '\(host)'")
    }
    address = (host.contains(":") ? "[\(host)]" : host) + ":\(options.port ?? 0)"
  }

  /// The address that a script names: `localhost` is one of them.
  static func address(of host: String?) -> String {
    guard let host, host.lowercased() != "localhost" else { return "127.0.0.1" }
    return HostAddress.canonical(host)
  }

  /// - Throws: `permission_denied`, with the entry to add.
  func check(_ call: Call) throws {
    guard call.allows("http.serve:\(address)") else {
      throw call.denial(of: "a server at \(address)", permission: "http.serve:\(address)")
    }
  }
}
