// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup

/// Requests that are answered by a WebSocket.
extension HttpServer {
  /// Answers a request by a WebSocket (RFC 6455, 4.2.2), which goes on when the server stops.
  ///
  /// - Throws: `closed` when the client has gone, `invalid_data` when it made no handshake; it is told so.
  func upgrade(_ wanted: ServerUpgrade, _ call: Call, _ opened: OpenConnections) async throws
    -> UpgradedSocket
  {
    guard let answer = open[wanted.number] else {
      throw BridgeError(.closed, "the client has gone before its WebSocket was open")
    }
    // What is said in the WebSocket's place stands before what is said by it.
    let isReady = await answer.body?.passOver() ?? true
    guard open[wanted.number] === answer else {
      throw BridgeError(.closed, "the client has gone before its WebSocket was open")
    }
    guard isReady else {
      RequestInput.of(AcceptedSocket.of(answer.message, library))?.endWithAnswer()
      library.setStatus(answer.message, 400, nil)
      tellLast(answer.message)
      answer.complete()
      answer.go(on: .answer)
      throw BridgeError("invalid_data", "the body of the request is being read, or has no end")
    }
    guard shakeHands(answer.message, wanted.chosen) else {
      answer.go(on: .answer)
      throw BridgeError("invalid_data", "the request is no whole handshake of a WebSocket (RFC 6455, 4.2.1)")
    }
    let compression = agree(answer.message)
    var made: Result<ServedSocket?, any Error> = .success(nil)
    try await answer.switched {
      answer.go(on: .answer)
    } _: { [library, bodyLimit] in
      made = Result {
        try ServedSocket.taking(answer.message, wanted.chosen, compression?.agreed, bodyLimit, library)
      }
    }
    open[wanted.number] = nil
    finishIfIdle()
    guard let made = try made.get() else {
      throw BridgeError(.closed, "the client has gone before its WebSocket was open")
    }
    opened.add(made)
    return UpgradedSocket(
      socket: call.hold(made), chosen: wanted.chosen ?? "", extensions: compression?.answer ?? "")
  }

  /// Writes the head of the answer: 101, or 400 for what is no handshake. Which pages may open a socket is
  /// the handler's to say, by the header Origin.
  private func shakeHands(_ message: OpaquePointer, _ chosen: String?) -> Bool {
    guard let chosen else { return library.handshake(message, nil, nil, nil, nil) != 0 }
    let name = strdup(chosen)
    defer { free(name) }
    var names: [UnsafeMutablePointer<CChar>?] = [name, nil]
    return names.withUnsafeMutableBufferPointer {
      library.handshake(message, nil, $0.baseAddress, nil, nil) != 0
    }
  }

  /// Writes what is agreed on about compression; nil for nothing.
  private func agree(_ message: OpaquePointer) -> (agreed: SocketCompression, answer: String)? {
    let name = "sec-websocket-extensions"
    let list = HeldRequest.of(message)?.head.headers ?? []
    let offers = stride(from: 0, to: list.count - 1, by: 2).filter { list[$0] == name }
    let found = SocketCompression.accepting(offers.map { list[$0 + 1] }.joined(separator: ", "))
    if let found {
      soup.appendHeader(library.responseHeaders(message), "Sec-WebSocket-Extensions", found.answer)
    }
    return found
  }
}
