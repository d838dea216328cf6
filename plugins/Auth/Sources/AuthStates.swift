// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeStore
internal import NBridgeSystem
internal import Synchronization

/// Tells subscribers of changes of readers and locks, whichever program makes them. Any thread.
final class AuthStates: Sendable {
  private struct State {
    var readers: [Int: AsyncStream<AuthState>.Continuation] = [:]
    var last = 0
    var told: AuthState?
    var watcher: FolderWatcher?
  }
  private let state = Mutex(State())
  private let telling = Mutex<Void>(())

  /// A stream for a reader: how it is now, then each change. A slow reader gets the latest only.
  ///
  /// - Throws: `io_error`.
  func stream(_ session: AuthSession) throws -> AsyncStream<AuthState> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: AuthState.self, bufferingPolicy: .bufferingNewest(1))
    _ = try session.authState  // makes the files that are watched, if there are none
    // The subscriber hears of changes before it is told the present state: it misses none in between.
    let id = try state.withLock { state in
      if state.watcher == nil { state.watcher = try watch(session) }
      state.last += 1
      state.readers[state.last] = continuation
      return state.last
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.readers.removeValue(forKey: id) }
    }
    do { try tell(session, new: continuation) } catch {
      continuation.finish()
      throw error
    }
    return stream
  }

  /// Other programs write the lockout state in place.
  private func watch(_ session: AuthSession) throws -> FolderWatcher {
    let watcher = try FolderWatcher([
      (path: AuthStore.folder(session.shared), mask: Int32(IN_MODIFY | IN_MOVED_TO | IN_DELETE))
    ])
    watcher.start("nb-auth-states") { [weak self, weak session] _ in
      if let self, let session { look(session) }
      return nil
    }
    return watcher
  }

  /// Something may have changed.
  func look(_ session: AuthSession) {
    guard state.withLock({ !$0.readers.isEmpty }) else { return }
    try? tell(session)
  }

  /// Reads how it is and tells it, in one: of two threads the one that reads later tells later.
  private func tell(_ session: AuthSession, new: AsyncStream<AuthState>.Continuation? = nil) throws {
    try telling.withLock { _ in
      let now = try session.authState
      let readers = state.withLock { state -> [AsyncStream<AuthState>.Continuation] in
        defer { state.told = now }
        return state.told == now ? [new].compactMap(\.self) : Array(state.readers.values)
      }
      for reader in readers { reader.yield(now) }
    }
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
