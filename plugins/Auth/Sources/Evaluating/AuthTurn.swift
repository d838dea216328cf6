// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// One evaluation at a time for an app: within the process by a queue, between processes by a locked file,
/// which the kernel lets go however a process ends.
final class AuthTurn: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [(id: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    var last = 0
    /// The locked file; kept open for the next turn.
    var lock: FileLock?
  }

  private let path: String
  private let clock: any AuthClock
  private let state = Mutex(State())
  /// In milliseconds: how often it is looked whether another process is done.
  private static let look = 20

  /// - Parameter path: of the file.
  init(_ path: String, _ clock: any AuthClock) { (self.path, self.clock) = (path, clock) }

  /// Takes the turn if it is free.
  ///
  /// - Throws: `io_error` when the file can't be used.
  func takeAtOnce() throws -> Bool {
    let isFree = state.withLock { state in
      defer { state.isTaken = true }
      return !state.isTaken
    }
    guard isFree else { return false }
    do {
      if try tryFile() { return true }
    } catch {
      leaveHere()
      throw error
    }
    leaveHere()
    return false
  }

  /// Takes the turn, once it is free; false when the task was cancelled.
  ///
  /// - Throws: `io_error` when the file can't be used.
  func take(isolation: isolated (any Actor)? = #isolation) async throws -> Bool {
    guard await takeHere() else { return false }
    do {
      if try await takeFile() { return true }
    } catch {
      leaveHere()
      throw error
    }
    leaveHere()
    return false
  }

  /// Gives it to the next.
  func leave() {
    state.withLock { $0.lock?.release() }
    leaveHere()
  }

  // MARK: - In this process

  private func takeHere(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    let id = state.withLock { state -> Int? in
      guard state.isTaken else {
        state.isTaken = true
        return nil
      }
      state.last += 1
      return state.last
    }
    guard let id else { return true }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          if Task.isCancelled { return false }
          guard state.isTaken else {
            state.isTaken = true
            return true
          }
          state.waiting.append((id, continuation))
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
      }
      waiting?.resume(returning: false)
    }
  }

  private func leaveHere() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      if state.waiting.isEmpty {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: true)
  }

  // MARK: - Between processes

  private func takeFile(isolation: isolated (any Actor)? = #isolation) async throws -> Bool {
    // The kernel tells no process that a lock is free, and a thread that waits for one can't be called back.
    while try !tryFile() {
      do { try await clock.sleep(milliseconds: Self.look) } catch { return false }
    }
    return true
  }

  private func tryFile() throws -> Bool {
    do throws(SystemError) {
      return try openedLock().attempt()
    } catch {
      throw BridgeError(SystemError(error.verb, path, code: error.code))
    }
  }

  private func openedLock() throws(SystemError) -> FileLock {
    try state.withLock { (state) throws(SystemError) in
      if let lock = state.lock { return lock }
      let lock = try FileLock(at: path)
      state.lock = lock
      return lock
    }
  }
}
