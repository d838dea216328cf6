// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgeSystem
internal import Synchronization

/// One descriptor that tasks wait for, one at a time: a duplicate, so that the number may be closed, and be
/// another file's, while one waits.
final class WaitedDescriptor: Sendable {
  private let file: Descriptor
  private let events: UInt32
  private let tag: UInt64
  private let thread: ReadinessThread
  /// False for what is always ready, as a file on a disk: epoll takes none.
  private let canWait: Bool

  init(_ descriptor: Int32, _ moment: Readiness.Moment) throws {
    thread = ReadinessThread.shared
    // Each moment is asked for by itself: what nobody waits for wakes no thread.
    let bits = moment == .readable ? EPOLLIN.rawValue : EPOLLOUT.rawValue
    events = bits | EPOLLONESHOT.rawValue
    let number = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard number >= 0 else { throw BridgeError.system("wait for a descriptor") }
    file = Descriptor(taking: number)
    (tag, canWait) = try thread.add(file)
  }

  deinit { if canWait { thread.remove(file) } }

  /// Suspends the task until the moment is there.
  func wait(isolation: isolated (any Actor)? = #isolation) async throws {
    try Task.checkCancellation()
    guard canWait else { return }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation(isolation: isolation) { continuation in
        thread.wait(tag, continuation)
        // Cancelled before there was anybody to wake: the handler below has run in vain.
        if Task.isCancelled { return thread.cancel(tag) }
        thread.arm(file, events, tag)
      }
    } onCancel: {
      thread.cancel(tag)
    }
  }
}

/// The one thread that waits for descriptors. It comes with the first, and stays.
private final class ReadinessThread: Sendable {
  static let shared = ReadinessThread()

  typealias Waiter = CheckedContinuation<Void, any Error>
  private struct State {
    var epoll: Epoll?
    var lastTag: UInt64 = 0
    var waiters: [UInt64: Waiter] = [:]
  }
  private let state = Mutex(State())

  /// Takes a descriptor in, for nothing yet; a hang-up, which is told unasked, finds nobody.
  func add(_ file: Descriptor) throws -> (tag: UInt64, canWait: Bool) {
    let (epoll, tag) = try state.withLock { state in
      state.lastTag += 1
      return (try Self.running(&state.epoll, self), state.lastTag)
    }
    do { try epoll.add(file.number, EPOLLONESHOT.rawValue, tag: tag) } catch {
      if error.code == EPERM { return (tag, false) }
      throw BridgeError(error)
    }
    return (tag, true)
  }

  private static func running(_ epoll: inout Epoll?, _ thread: ReadinessThread) throws -> Epoll {
    if let epoll { return epoll }
    let made: Epoll
    do { made = try Epoll() } catch { throw BridgeError(error) }
    guard PlainThread.start("nb-readiness", { thread.serve(made) }) else {
      throw BridgeError(.unavailable, "the system gives no more threads")
    }
    epoll = made
    return made
  }

  func remove(_ file: Descriptor) { state.withLock(\.epoll)?.remove(file.number) }

  func wait(_ tag: UInt64, _ waiter: Waiter) { state.withLock { $0.waiters[tag] = waiter } }

  func arm(_ file: Descriptor, _ events: UInt32, _ tag: UInt64) {
    state.withLock(\.epoll)?.change(file.number, events, tag: tag)
  }

  func cancel(_ tag: UInt64) { take(tag)?.resume(throwing: CancellationError()) }

  private func take(_ tag: UInt64) -> Waiter? { state.withLock { $0.waiters.removeValue(forKey: tag) } }

  private func serve(_ epoll: Epoll) {
    // Signals are for the threads of the program.
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
    while true {
      for event in epoll.wait(milliseconds: nil) { take(event.tag)?.resume() }
    }
  }
}
