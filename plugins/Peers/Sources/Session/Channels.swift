// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// A resource or a stream on its way from or to a peer.
struct ChannelKey: Hashable, Sendable {
  let peer: PeerID
  let channel: UInt32
}

/// Why a channel ended before its end.
enum ChannelFailure: Error, Sendable {
  /// The peer has gone for good.
  case gone
  /// The session was closed.
  case closed
  /// The receiver wanted no more.
  case refused
  /// The sender gave it up.
  case cancelled

  func problem(_ what: String) -> BridgeError {
    switch self {
    case .gone: BridgeError(.unavailable, "\(what) did not come through: the peer has gone")
    case .closed: BridgeError(.cancelled, "\(what) did not come through: the session was closed")
    case .refused: BridgeError("declined", "\(what) was declined by the receiver")
    case .cancelled: BridgeError(.cancelled, "\(what) was cancelled by its sender")
    }
  }
}

/// The beginning of a channel: what the channel carries.
struct ChannelHeader: Codable, Sendable {
  /// What a channel carries.
  enum Kind: String, Codable {
    case resource, stream
  }

  var kind: Kind
  var name: String
  /// In bytes; nil where the sender does not know.
  var size: Int?

  /// The longest name, in bytes.
  static let longestName = 255

  static func problem(_ name: String) -> String? {
    if name.isEmpty { return "is empty" }
    if name.utf8.count > longestName { return "has \(name.utf8.count) bytes; at most \(longestName) may be" }
    return name.unicodeScalars.contains { $0.properties.generalCategory == .control }
      ? "holds control characters" : nil
  }
}

/// The sender's half.
final class OutgoingChannel: Sendable {
  private struct State {
    var waiters: [UnsafeContinuation<Void, Never>] = []
    var moves = 0
    var isEmpty = true
    var failure: ChannelFailure?
  }

  let key: ChannelKey
  private let state = Mutex(State())

  init(_ key: ChannelKey) { self.key = key }

  /// Counts acknowledgements: a writer that finds no room waits for the next one.
  var moves: Int { state.withLock { $0.moves } }
  var isEmpty: Bool { state.withLock { $0.isEmpty } }
  func filled() { state.withLock { $0.isEmpty = false } }

  func moved(isEmpty: Bool) {
    wake { state in
      state.moves += 1
      state.isEmpty = isEmpty
    }
  }

  func fail(_ failure: ChannelFailure) { wake { $0.failure = $0.failure ?? failure } }

  private func wake(_ change: (inout State) -> Void) {
    let waiters = state.withLock { state in
      change(&state)
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  func check(_ what: String) throws {
    if let failure = state.withLock({ $0.failure }) { throw failure.problem(what) }
  }

  /// Waits until something was acknowledged after `moves`, or the task is cancelled.
  func wait(after moves: Int, isolation: isolated (any Actor)?) async {
    await withTaskCancellationHandler {
      await withUnsafeContinuation(isolation: isolation) { continuation in
        let mustWait = state.withLock { state in
          guard state.moves == moves, state.failure == nil, !Task.isCancelled else { return false }
          state.waiters.append(continuation)
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      wake { _ in }
    }
  }
}

/// The receiver's half.
final class IncomingChannel: Sendable {
  /// A piece that came.
  struct Piece: Sendable {
    let flags: DataFrame.Flags
    let body: [UInt8]
    let cost: Int
  }

  let key: ChannelKey
  let header: ChannelHeader
  let pieces: Inbox<Piece>
  private let failure = Mutex<ChannelFailure?>(nil)
  private let claimed = Atomic<Bool>(false)
  var isClaimed: Bool { claimed.load(ordering: .relaxed) }
  /// Claims the channel for a reader; false when another reader has it.
  func claim() -> Bool { !claimed.exchange(true, ordering: .relaxed) }

  init(_ key: ChannelKey, _ header: ChannelHeader, consumed: @escaping @Sendable (Int) -> Void) {
    (self.key, self.header) = (key, header)
    // A piece of a stream is given to the script one by one; the pieces of a resource are written, many at
    // once.
    pieces = Inbox(maximum: header.kind == .stream ? (1, 1) : (8, 1 << 20), size: \.cost) { pieces in
      consumed(pieces.reduce(0) { $0 + $1.cost })
    }
  }

  func end(_ reason: ChannelFailure) {
    failure.withLock { $0 = $0 ?? reason }
    pieces.finish()
  }

  func check(_ what: String) throws {
    if let failure = failure.withLock(\.self) { throw failure.problem(what) }
  }
}
