// SPDX-License-Identifier: MIT

internal import NBridgeSystem
internal import Synchronization

/// Something that happens once, for any number of watchers, those that come afterwards, too. Any thread.
final class Notice: Sendable {
  private struct State {
    var hasHappened = false
    var watchers: [Int: AsyncStream<Bool>.Continuation] = [:]
    var last = 0
    var blocked: [WakeFile] = []
  }

  private let state = Mutex(State())

  var hasHappened: Bool { state.withLock(\.hasHappened) }

  /// It happened. Again means nothing.
  func happen() {
    let (watchers, blocked) = state.withLock { state in
      defer { (state.hasHappened, state.watchers, state.blocked) = (true, [:], []) }
      return (state.watchers.values, state.blocked)
    }
    for thread in blocked { thread.set() }
    for watcher in watchers {
      watcher.yield(true)
      watcher.finish()
    }
  }

  /// Returns when it has happened; blocks.
  func wait() {
    let wake = WakeFile()
    state.withLock { if !$0.hasHappened { $0.blocked.append(wake) } }
    // Without a descriptor left, it is looked for.
    while !hasHappened { wake.wait(milliseconds: Self.look) }
  }

  private static let look = 20

  /// Tells once, now if it has happened.
  func stream() -> AsyncStream<Bool> {
    let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
    let number = state.withLock { state -> Int? in
      if state.hasHappened { return nil }
      state.last += 1
      state.watchers[state.last] = continuation
      return state.last
    }
    guard let number else {
      continuation.yield(true)
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.watchers.removeValue(forKey: number) }
    }
    return stream
  }
}
