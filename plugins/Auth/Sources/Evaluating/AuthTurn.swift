// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import Synchronization

/// One evaluation at a time for an app: within the process by a queue, between processes by a locked file, which the
/// kernel lets go however a process ends.
final class AuthTurn: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [(id: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    var last = 0
    /// The locked file; kept open for the next turn.
    var file: Int32 = -1
  }

  private let path: String
  private let state = Mutex(State())

  /// - Parameter path: of the file.
  init(_ path: String) { self.path = path }

  deinit { state.withLock { if $0.file >= 0 { close($0.file) } } }

  /// Takes the turn; false when it is somebody else's and this one does not wait, or was cancelled.
  ///
  /// - Throws: `io_error` when the file can't be used.
  func take(waits: Bool, isolation: isolated (any Actor)? = #isolation) async throws -> Bool {
    guard try await takeHere(waits: waits) else { return false }
    do {
      if try await takeFile(waits: waits) { return true }
    } catch {
      leaveHere()
      throw error
    }
    leaveHere()
    return false
  }

  /// Gives it to the next.
  func leave() {
    state.withLock { _ = flock($0.file, LOCK_UN) }
    leaveHere()
  }

  // MARK: - In this process

  private func takeHere(waits: Bool, isolation: isolated (any Actor)? = #isolation) async throws -> Bool {
    let id = state.withLock { state -> Int? in
      guard state.isTaken else {
        state.isTaken = true
        return nil
      }
      state.last += 1
      return state.last
    }
    guard let id else { return true }
    guard waits else { return false }
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

  private func takeFile(waits: Bool, isolation: isolated (any Actor)? = #isolation) async throws -> Bool {
    let file = try state.withLock { state in
      if state.file < 0 { state.file = try Self.open(path) }
      return state.file
    }
    if flock(file, LOCK_EX | LOCK_NB) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw Self.failure("lock", path) }
    guard waits else { return false }
    return try await waitForFile()
  }

  /// Waits on a thread. It can't be called back: if nobody wants the lock any more, it lets go of it at once.
  private func waitForFile(isolation: isolated (any Actor)? = #isolation) async throws -> Bool {
    let file = try Self.open(path)
    let once = Once()
    let isTaken = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        once.begin(continuation)
        let isStarted = PlainThread.start("nb-auth-turn") {
          while flock(file, LOCK_EX) != 0, errno == EINTR {}
          if !once.end(true) { close(file) }
        }
        if !isStarted {
          _ = once.end(false)
          close(file)
        }
      }
    } onCancel: {
      _ = once.end(false)
    }
    guard isTaken else { return false }
    state.withLock { state in
      close(state.file)
      state.file = file
    }
    return true
  }

  private static func open(_ path: String) throws -> Int32 {
    let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failure("open", path) }
    return file
  }

  private static func failure(_ verb: String, _ path: String) -> BridgeError {
    BridgeError(.ioError, "can't \(verb) '\(path)': \(String(cString: strerror(errno)))")
  }
}

/// A continuation that is resumed by whoever is first.
private final class Once: Sendable {
  private enum State {
    case waiting
    case begun(CheckedContinuation<Bool, Never>)
    case over
  }
  private let state = Mutex(State.waiting)

  func begin(_ continuation: CheckedContinuation<Bool, Never>) {
    let isOver = state.withLock { state in
      if case .over = state { return true }
      state = .begun(continuation)
      return false
    }
    if isOver { continuation.resume(returning: false) }
  }

  /// True for the first.
  func end(_ answer: Bool) -> Bool {
    let (isFirst, continuation) = state.withLock { state in
      switch state {
      case .over: return (false, CheckedContinuation<Bool, Never>?.none)
      case .waiting:
        state = .over
        return (true, nil)
      case .begun(let continuation):
        state = .over
        return (true, continuation)
      }
    }
    continuation?.resume(returning: answer)
    return isFirst
  }
}
