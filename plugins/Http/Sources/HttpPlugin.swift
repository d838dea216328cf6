// SPDX-License-Identifier: MIT

public import NBridgePlugin
internal import Synchronization

/// Requests to servers: what `fetch` is made of.
public struct HttpPlugin: Plugin {
  /// `nbridge.http`.
  public static let manifest = PluginManifest(
    service: "http", version: "1.0.0",
    help: "HTTP: servers of scripts; and what the global fetch is made of.",
    script: PluginScript(
      files: [PackageResources.http_js], members: PackageResources.members_d_ts,
      types: PackageResources.types_d_ts))

  private let client: HttpClient
  private let open = OpenConnections()

  /// Makes the plugin.
  public init() { client = HttpClient(nil) }

  /// Makes one that trusts the certificates of a file, whatever the environment says.
  init(authorities path: String) { client = HttpClient(path) }

  /// Ends the requests under way, servers and sockets: the loop of their thread may not turn again.
  public func stop() {
    client.end()
    open.end()
  }

  /// The plugin's actions.
  public var body: PluginBody {
    Action("exchange", "Sends a request, and answers the beginning of what the server says.") {
      (options: ExchangeOptions, call) async throws -> ExchangeStart in
      try await client.exchange(options, call)
    }
    .hidden().permission("fetch").confidential()
    Handles(Exchange.self) {
      Action("read", "The next bytes of the answer; null at its end.") { (exchange: Exchange, call) in
        try await exchange.read()
      }
      .permission("fetch")
      Immediate("cancel", "Ends a read that waits.") { (exchange: Exchange, call) in exchange.close() }
        .permission("fetch")
    }
    .hidden()
    serverBody
    Action("connect", "Opens a WebSocket.") { (options: SocketOptions, call) async throws -> OpenSocket in
      try await client.connect(options, call, open)
    }
    .hidden().permission("fetch").confidential()
    sockets(SocketConnection.self, permission: "fetch")
    sockets(ServedSocket.self, permission: "serve")
  }

  /// The methods of open WebSockets.
  private func sockets<Socket: SocketConnection>(_ type: Socket.Type, permission: String) -> Handles {
    Handles(type) {
      Watch("events", "What comes in, and how it ends.") { (socket: Socket, call) in socket.events }
        .permission(permission)
      Immediate("send", "Sends a message.") { (socket: Socket, message: SocketMessage, call) in
        socket.send(message)
      }
      .permission(permission).confidential()
      Immediate("end", "Ends it, behind what was sent.") { (socket: Socket, end: SocketEnd, call) in
        socket.end(end)
      }
      .permission(permission)
    }
    .hidden()
  }
}

/// Servers of scripts.
extension HttpPlugin {
  @PluginBuilder private var serverBody: PluginBody {
    Action("listen", "Starts a server.") { (options: ServerOptions, call) async throws -> Listening in
      try ServerPlace(options).check(call)
      let turn: SocketTurn? = if let path = options.unix { try await SocketTurn.take(path) } else { nil }
      let server = try HttpServer(options, turn)
      open.add(server)
      return Listening(server: call.hold(server), port: server.port)
    }
    .hidden().permission("serve").confidential()
    Handles(HttpServer.self) {
      Watch("requests", "The requests that come.") { (server: HttpServer, call) in server.requests }
        .permission("serve")
      Immediate("answer", "Answers one, or begins to.") {
        (server: HttpServer, answer: ServerAnswer, call) in
        server.answer(answer)
      }
      .permission("serve").confidential()
      Action("write", "Sends a piece of an answer.") {
        (server: HttpServer, piece: ServerPiece, call) async throws in
        try await server.write(piece)
      }
      .permission("serve").confidential()
      Action("read", "The next bytes of a request's body; null at its end.") {
        (server: HttpServer, request: ServedRequest, call) async throws -> Bytes? in
        try await server.read(request)
      }
      .permission("serve")
      Immediate("drop", "Reads no more of a request's body.") {
        (server: HttpServer, request: ServedRequest, call) in
        server.drop(request)
      }
      .permission("serve")
      Action("upgrade", "Answers one by a WebSocket.") {
        (server: HttpServer, upgrade: ServerUpgrade, call) async throws -> UpgradedSocket in
        try await server.upgrade(upgrade, call, open)
      }
      .permission("serve")
      Immediate("stop", "Takes no more requests.") { (server: HttpServer, call) in server.stop() }
        .permission("serve")
    }
    .hidden()
  }
}

/// Sends requests for one program.
private final class HttpClient: Sendable {
  private struct State {
    /// What is in it the engine's thread alone uses.
    var ways: UncheckedSendable<(session: HttpSession, protocols: Http2Protocols)>?
  }
  private let state = Mutex(State())
  private let authorities: String?

  /// - Parameter authorities: a file of certificates to trust; nil for those that the environment names.
  init(_ authorities: String?) { self.authorities = authorities }

  func exchange(_ options: ExchangeOptions, _ call: Call) async throws -> ExchangeStart {
    let place = try RequestPlace(options.url)
    let fence = AddressFence(place, call)
    try fence.checkName()
    let (session, protocols) = try ways()
    let exchange = Exchange(options, place, session, protocols)
    let head = try await exchange.begin(options.stream, fence)
    // Where there is none its end is read all the same, which the connection is free from.
    let (bytes, isAll) = exchange.readWhatIsThere()
    return ExchangeStart(
      status: head.status, reason: head.reason, headers: head.headers, body: head.hasNoBody ? nil : bytes,
      rest: isAll || head.hasNoBody ? nil : call.hold(exchange))
  }

  func connect(_ options: SocketOptions, _ call: Call, _ open: OpenConnections) async throws -> OpenSocket {
    let place = try RequestPlace(options.url)
    let fence = AddressFence(place, call)
    try fence.checkName()
    return try await SocketOpening(options, place, ways().session).open(fence, call, open)
  }

  private func ways() throws -> (session: HttpSession, protocols: Http2Protocols) {
    try state.withLock { state in
      if let ways = state.ways { return ways.value }
      let made = UncheckedSendable((session: try HttpSession(authorities), protocols: Http2Protocols()))
      state.ways = made
      return made.value
    }
  }

  func end() {
    let ways = state.withLock { state in
      defer { state.ways = nil }
      return state.ways
    }
    ways?.value.session.end()
    ways?.value.protocols.end()
  }
}
