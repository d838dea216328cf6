// SPDX-License-Identifier: MIT

internal import CGLib
internal import NBridgePlugin
internal import NBridgeStore
internal import Synchronization

/// Tells what changes of readers and locks, whoever changes it. Any thread.
final class AuthStates: Sendable {
  private struct State {
    var readers: [Int: AsyncStream<AuthState>.Continuation] = [:]
    var last = 0
    var told: AuthState?
    var watcher: FolderWatcher?
  }
  private let state = Mutex(State())

  /// A stream for a reader: how it is now, then each change. A slow reader gets the latest only.
  ///
  /// - Throws: `io_error`.
  func stream(_ session: AuthSession) throws -> AsyncStream<AuthState> {
    let now = try session.authState
    let (stream, continuation) = AsyncStream.makeStream(
      of: AuthState.self, bufferingPolicy: .bufferingNewest(1))
    let (id, others) = try state.withLock { state in
      if state.watcher == nil { state.watcher = try watch(session) }
      // What this one is told first may be news for the others.
      let others = state.told == now ? [] : Array(state.readers.values)
      state.last += 1
      state.readers[state.last] = continuation
      state.told = now
      return (state.last, others)
    }
    for reader in others + [continuation] { reader.yield(now) }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.readers.removeValue(forKey: id) }
    }
    return stream
  }

  /// Other programs write the lockout state in place.
  private func watch(_ session: AuthSession) throws -> FolderWatcher {
    let watcher = try FolderWatcher([
      (path: AuthStore.folder(session.sharedData), mask: Int32(IN_MODIFY | IN_MOVED_TO | IN_DELETE))
    ])
    watcher.start("nb-auth-states") { [weak self, weak session] _ in
      if let self, let session { look(session) }
      return nil
    }
    return watcher
  }

  /// Something may have changed.
  func look(_ session: AuthSession) {
    guard state.withLock({ !$0.readers.isEmpty }), let now = try? session.authState else { return }
    let readers = state.withLock { state -> [AsyncStream<AuthState>.Continuation] in
      guard state.told != now else { return [] }
      state.told = now
      return Array(state.readers.values)
    }
    for reader in readers { reader.yield(now) }
  }

  func stop() {
    let (readers, watcher) = state.withLock { state in
      defer { state = State() }
      return (Array(state.readers.values), state.watcher)
    }
    watcher?.stop()
    for reader in readers { reader.finish() }
  }
}
