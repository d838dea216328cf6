// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// The signals that scripts may watch. SIGQUIT (`^\`) is not among them: it ends every program.
enum SignalName: String, Codable, CaseIterable, Sendable {
  case hangUp = "SIGHUP"
  case interrupt = "SIGINT"
  case terminate = "SIGTERM"
  case user1 = "SIGUSR1"
  case user2 = "SIGUSR2"
  case windowChange = "SIGWINCH"

  var number: Int32 {
    switch self {
    case .hangUp: SIGHUP
    case .interrupt: SIGINT
    case .terminate: SIGTERM
    case .user1: SIGUSR1
    case .user2: SIGUSR2
    case .windowChange: SIGWINCH
    }
  }
}

/// A signal that came.
struct SignalEvent: Codable, Sendable {
  var signal: SignalName
}

/// The signals that come while a script watches them.
struct SignalEvents: AsyncSequence, Sendable {
  private let stream: AsyncStream<SignalEvent>
  private let watcher: SignalWatchers.Watcher

  init(_ names: [SignalName]) throws {
    guard !names.isEmpty else {
      throw BridgeError(.invalidParameter, "option.signals must name a signal, as [\"SIGTERM\"]")
    }
    let (stream, continuation) = AsyncStream.makeStream(of: SignalEvent.self)
    let byNumber = Dictionary(names.map { ($0.number, $0) }) { first, _ in first }
    do throws(SystemError) {
      watcher = try SignalWatchers.watch(Set(byNumber.keys)) { number in
        if let name = byNumber[number] { continuation.yield(SignalEvent(signal: name)) }
      }
    } catch {
      guard error.code == EBUSY else { throw BridgeError(error) }
      let names = names.map(\.rawValue).joined(separator: ", ")
      throw BridgeError(.unavailable, "\(names) can't be watched here: the prompt takes them itself")
    }
    self.stream = stream
    continuation.onTermination = { [watcher] _ in watcher.stop() }
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    var signals: AsyncStream<SignalEvent>.AsyncIterator
    let watcher: SignalWatchers.Watcher

    mutating func next() async throws -> SignalEvent? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> SignalEvent? {
      let event = await signals.next(isolation: actor)
      watcher.taken()
      return event
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(signals: stream.makeAsyncIterator(), watcher: watcher)
  }
}

/// Which signals.
struct SignalOptions: Codable, Sendable {
  var signals: [SignalName]
}

/// Which variable.
struct VariableOptions: Codable, Sendable {
  var name: String
}

/// Which process gets which signal.
struct SignalledOptions: Codable, Sendable {
  var pid: Int
  var signal: String?
}
