// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeSystem

/// The clients of a server: how many there are, of which address, and how long each may take. Bytes that come
/// one by one keep no place for ever: a head has its time in all, and of a body something has to come.
/// Confined to the engine's thread.
final class ClientPatience {
  typealias Socket = UnsafeMutablePointer<GSocket>

  /// What a client is waited for.
  enum Phase {
    /// For the whole head of a request, or its first byte.
    case head
    case body
    /// For nothing, or to take the answer.
    case answer
  }

  private struct Client {
    let place: String
    var phase = Phase.head
    /// Since when, in seconds, and how far its connection was then.
    var since: Int
    var mark: TCPProgress?
  }

  private var clients: [Socket: Client] = [:]
  /// Whether no one is to come any more: then who takes no answer is not waited for, either.
  var isStopping = false

  /// A head has come within so many seconds of the end of the last answer.
  static let longestHead = 60
  /// Every so many seconds a body has come on by so many bytes, unless the script keeps it waiting.
  static let window = 30, leastBytes: UInt64 = 30_000
  /// So many are let go of at once where there are too many.
  static let portion = 16

  var count: Int { clients.count }
  var all: some Collection<Socket> { clients.keys }

  /// - Parameter place: the client's address.
  func add(_ socket: Socket, at place: String, now: Int) {
    clients[socket] = Client(place: place, since: now)
  }

  func remove(_ socket: Socket) { clients[socket] = nil }

  func enter(_ phase: Phase, _ socket: Socket, now: Int) {
    guard clients[socket] != nil else { return }
    clients[socket]?.phase = phase
    clients[socket]?.since = now
    clients[socket]?.mark = nil
  }

  /// Those whose time is over.
  ///
  /// - Parameter progress: of a connection; nil where the system does not tell.
  func late(now: Int, _ progress: (Socket) -> TCPProgress?) -> [Socket] {
    var found: [Socket] = []
    for (socket, client) in clients where !isInTime(socket, client, now, progress) { found.append(socket) }
    return found
  }

  private func isInTime(_ socket: Socket, _ client: Client, _ now: Int, _ progress: (Socket) -> TCPProgress?)
    -> Bool
  {
    switch client.phase {
    case .head: return now - client.since <= Self.longestHead
    case .answer where !isStopping: return true
    case .body, .answer: break
    }
    guard let mark = client.mark else {
      clients[socket]?.since = now
      clients[socket]?.mark = progress(socket)
      return true
    }
    guard now - client.since >= Self.window, let reached = progress(socket) else { return true }
    let isWaitedFor =
      client.phase == .body
      ? reached.unread == 0 && reached.received < mark.received + Self.leastBytes
      : reached.unsent > 0 && reached.acknowledged < mark.acknowledged + Self.leastBytes
    clients[socket]?.since = now
    clients[socket]?.mark = reached
    return !isWaitedFor
  }

  /// Those that have been waited for longest, of the address of which most are: one that comes from elsewhere
  /// finds a place. Who sends a body makes room only where nobody is there without one.
  func crowd() -> [Socket] {
    var counts: [String: Int] = [:]
    for client in clients.values where client.phase != .answer { counts[client.place, default: 0] += 1 }
    guard let place = counts.max(by: { $0.value < $1.value })?.key else { return [] }
    let own = clients.filter { $0.value.place == place && $0.value.phase != .answer }
    let resting = own.filter { $0.value.phase == .head }
    let waiting = resting.isEmpty ? own : resting
    return waiting.sorted { $0.value.since < $1.value.since }.prefix(Self.portion).map(\.key)
  }
}
