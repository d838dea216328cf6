// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// A connection of a debugger's: some questions over HTTP, or a WebSocket. Confined to the inspector's
/// thread.
final class InspectorClient {
  private let connection: Connection
  private let page: InspectedPage
  private(set) var isSocket = false
  private var message: [UInt8] = []
  private var hasBegunMessage = false
  /// Whether this one may be the debugger: there is one at a time.
  var mayDebug: () -> Bool = { true }
  /// Takes messages, also those that came before.
  var onMessage: (([UInt8]) -> Void)? { didSet { tell() } }
  private var untold: [[UInt8]] = []

  init(_ socket: Descriptor, _ page: InspectedPage) {
    connection = Connection(socket)
    self.page = page
    begin(Self.patience)
  }

  var socket: Int32 { connection.socket.number }
  var events: Poller.Readiness { connection.events }
  var isOver: Bool { connection.isOver }

  func attend(_ ready: Poller.Readiness) {
    connection.flush()
    if !ready.isEmpty { connection.receive() }
    while !isOver, !connection.isEnding, isSocket ? readFrame() : readRequest() {}
    if isSocket, !connection.isEnding {
      due = nil
    } else if connection.isEnding, !wasEnding {
      begin(Self.farewell)
    }
    wasEnding = connection.isEnding
  }

  /// When it is given up, in milliseconds of ``MonotonicTime``: one that asks nothing, or that does not take
  /// what is left for it.
  private(set) var due: Int?
  private var wasEnding = false
  private static let (patience, farewell) = (10_000, 2_000)

  private func begin(_ milliseconds: Int) { due = MonotonicTime.milliseconds + milliseconds }

  /// Gives it up, if that is due.
  func heedTime() {
    if let due, due <= MonotonicTime.milliseconds { connection.end() }
  }

  func send(_ text: [UInt8]) { connection.send(WebSocketFrame(kind: .text, payload: text).bytes) }

  /// - Parameter code: of RFC 6455, section 7.4.1.
  func close(_ code: UInt16 = 1001) {
    if isSocket {
      connection.send(
        WebSocketFrame(kind: .close, payload: [UInt8(code >> 8), UInt8(code & 255)]).bytes)
    }
    connection.endBehind()
  }

  // MARK: - HTTP

  private func readRequest() -> Bool {
    switch HTTPRequest.find(in: connection.incoming) {
    case .incomplete: return false
    case .wrong: refuse("400 Bad Request", "this is no request that a debugger makes")
    case .request(let request, let count):
      connection.consume(count)
      answer(request)
    }
    return true
  }

  private func answer(_ request: HTTPRequest) {
    guard request.namesThisMachine, !request.isOfPage else {
      return refuse("403 Forbidden", "a debugger names this machine by its number, and is no page of the web")
    }
    guard request.method == "GET" else { return refuse("405 Method Not Allowed", "only GET is answered") }
    if request.isUpgrade { return open(request) }
    guard let text = page.answer(request.path) else {
      return refuse("404 Not Found", "there is nothing here")
    }
    reply("200 OK", "application/json; charset=UTF-8", text)
  }

  private func open(_ request: HTTPRequest) {
    guard let key = request.headers["sec-websocket-key"], request.headers["sec-websocket-version"] == "13"
    else { return refuse("400 Bad Request", "a WebSocket of version 13 needs a key") }
    guard request.path == "/\(page.id)" else { return refuse("404 Not Found", "no program has this name") }
    guard mayDebug() else { return refuse("503 Service Unavailable", "another debugger is connected") }
    isSocket = true
    connection.send(
      Array(
        """
        HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Accept: \(WebSocketHandshake.accept(key: key))\r\n\r\n
        """.utf8))
  }

  private func refuse(_ status: String, _ reason: String) {
    reply(status, "text/plain; charset=UTF-8", Array((reason + "\n").utf8))
    connection.endBehind()
  }

  private func reply(_ status: String, _ type: String, _ body: [UInt8]) {
    let head =
      "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nCache-Control: no-cache\r\n"
      + "Content-Length: \(body.count)\r\n\r\n"
    connection.send(Array(head.utf8) + body)
  }

  // MARK: - WebSocket

  private func readFrame() -> Bool {
    switch WebSocketFrame.find(in: connection.incoming) {
    case .incomplete: return false
    case .wrong: close(1002)
    case .frame(let frame, let count):
      connection.consume(count)
      take(frame)
    }
    return true
  }

  private func tell() {
    while let onMessage, !untold.isEmpty { onMessage(untold.removeFirst()) }
  }

  private func take(_ frame: WebSocketFrame) {
    switch frame.kind {
    case .ping: connection.send(WebSocketFrame(kind: .pong, payload: frame.payload).bytes)
    case .pong: break
    case .close:
      connection.send(WebSocketFrame(kind: .close, payload: Array(frame.payload.prefix(2))).bytes)
      connection.endBehind()
    case .text, .binary, .continuation:
      guard (frame.kind == .continuation) == hasBegunMessage else { return close(1002) }
      message += frame.payload
      guard message.count <= WebSocketFrame.maxLength else { return close(1009) }
      hasBegunMessage = !frame.isLast
      guard frame.isLast else { return }
      untold.append(message)
      message = []
      tell()
    }
  }
}
