// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSoup

/// The handshake of a WebSocket (RFC 6455, section 4). Confined to the engine's thread.
final class SocketOpening: @unchecked Sendable {  // `cancellable` may be used by any thread
  private let session: HttpSession
  private let library: SoupSockets
  private let place: RequestPlace
  private let message: OpaquePointer
  private let cancellable = g_cancellable_new()
  private let protocols: [String]
  private let context = LoopContext()

  init(_ options: SocketOptions, _ place: RequestPlace, _ session: HttpSession) throws {
    (self.session, self.place, protocols) = (session, place, options.protocols)
    library = try SoupSockets.opened()
    let request = ExchangeOptions(
      url: options.url, method: "GET", headers: ["user-agent", "nbridge/\(NBridgeVersion.current)"])
    message = try RequestMessage.make(request, place, session)
  }

  deinit {
    var held = [UnsafeMutableRawPointer(message)]
    if let cancellable { held.append(UnsafeMutableRawPointer(cancellable)) }
    context.release(held, keeping: session)
  }

  /// Waits until the server has agreed.
  func open(_ fence: AddressFence, _ call: Call) async throws -> OpenSocket {
    fence.watch(message, cancellable)
    return try await withTaskCancellationHandler {
      let socket = try await connected(fence)
      let head = ResponseHead(message, session.soup)
      let extensions = head.value(of: "sec-websocket-extensions") ?? ""
      return OpenSocket(socket: call.hold(socket), chosen: socket.chosen, extensions: extensions)
    } onCancel: {
      g_cancellable_cancel(cancellable)
    }
  }

  private func connected(_ fence: AddressFence) async throws -> SocketConnection {
    var names: [UnsafeMutablePointer<CChar>?] = protocols.map { strdup($0) } + [nil]
    defer { for name in names { free(name) } }
    let opened = await GLibResult.wait { done, data in
      names.withUnsafeMutableBufferPointer { names in
        // They are copied into the request before this returns.
        library.connect(
          session.session, message, nil, protocols.isEmpty ? nil : names.baseAddress,
          EventPriority.first, cancellable, done, data)
      }
    } finish: { [self] result -> Result<SocketConnection, GLibFailure> in
      var failure: UnsafeMutablePointer<GError>?
      guard let connection = library.finish(session.session, result, &failure) else {
        return .failure(GLibFailure.taking(failure))
      }
      // Now: its first message may come with the next turn of the loop.
      return .success(SocketConnection(connection, library, session))
    }
    switch opened.value {
    case .success(let connection): return connection
    case .failure(let reason):
      if let refused = fence.refusal { throw refused }
      throw place.failure(reason, tls: session.soup.certificateErrors(message))
    }
  }
}
