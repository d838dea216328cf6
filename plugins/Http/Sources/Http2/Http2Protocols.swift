// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSoup

/// Which servers speak HTTP/2, as they said when hands were shaken, and the connections to these. Confined to
/// the engine's thread.
final class Http2Protocols {
  private var isNewer: [String: Bool] = [:]
  private var connections: [String: Http2Connection] = [:]
  /// Who asks or connects, one for each origin.
  private let turns = HostPlaces(most: 1)
  /// How often a connection to an origin failed, otherwise than by the wish of who made it.
  private var failures: [String: Int] = [:]

  /// More origins than a program has; behind it all is asked anew.
  private static let mostOrigins = 4096
  /// A server that sends nothing for so long has gone, in seconds.
  private static let silence: UInt32 = 300

  /// Whether a server speaks HTTP/2, or was not asked yet.
  func mayBeNewer(_ origin: String) -> Bool { isNewer[origin] ?? true }

  func note(_ origin: String, isNewer known: Bool) {
    if isNewer.count >= Self.mostOrigins { isNewer = [:] }
    isNewer[origin] = known
  }

  /// Asks anew with the next request.
  func forget(_ origin: String) { isNewer[origin] = nil }

  /// The right to connect to a server, and hear what it speaks: who finds another at it waits. When that one
  /// has failed, all go on at once, with nil.
  private func take(_ origin: String) async throws -> HostPlace? {
    let before = failures[origin]
    let place = try await turns.take(origin)
    return failures[origin] == before ? place : nil
  }

  private func noteFailure(_ origin: String) {
    if failures.count >= Self.mostOrigins { failures = [:] }
    failures[origin, default: 0] += 1
  }

  // MARK: - Connections

  /// The connection to a server, which is made where there is none.
  ///
  /// - Returns: nil when the server speaks HTTP/1.1 alone.
  func connection(to place: RequestPlace, _ fence: AddressFence, _ session: HttpSession) async throws
    -> Http2Connection?
  {
    if let kept = connections[place.origin] { return kept }
    let turn = try await take(place.origin)
    defer { withExtendedLifetime(turn) {} }
    if let kept = connections[place.origin] { return kept }
    if isNewer[place.origin] == false { return nil }
    let connecting = try ClientConnecting(
      place, session, patience: Self.silence, protocols: [.http2, .http1])
    let stream = try await withTaskCancellationHandler {
      do { return try await connecting.connect(fence.another()) } catch {
        if !Task.isCancelled { noteFailure(place.origin) }
        throw error
      }
    } onCancel: {
      connecting.cancel()
    }
    defer { g_object_unref(UnsafeMutableRawPointer(stream)) }
    guard connecting.agreed == .http2 else {
      note(place.origin, isNewer: false)
      g_io_stream_close(stream, nil, nil)
      return nil
    }
    note(place.origin, isNewer: true)
    let made = try Http2Connection(stream) { [weak self] connection in
      if self?.connections[place.origin] === connection { self?.connections[place.origin] = nil }
    }
    if made.takesRequests { connections[place.origin] = made }
    return made
  }

  /// Requests under way fail.
  func end() {
    turns.end()
    for connection in connections.values { connection.close() }
  }
}
