// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import Synchronization

/// What watches signals instead of what the system, or this program, does about them. Any thread.
///
/// A signal that all threads block, because one of its own takes it, is watched with that thread's help:
/// ``deliver(_:)``. Another gets a handler with its first watcher, and loses it with its last.
public enum SignalWatchers {
  /// A watcher of signals, until it is stopped.
  public final class Watcher: Sendable {
    fileprivate let numbers: Set<Int32>
    fileprivate let receive: @Sendable (Int32) -> Void
    /// Since when a signal waits to be taken, in milliseconds of ``MonotonicTime``; -1 when none does.
    fileprivate let waiting = Atomic<Int>(-1)

    fileprivate init(_ numbers: Set<Int32>, _ receive: @escaping @Sendable (Int32) -> Void) {
      (self.numbers, self.receive) = (numbers, receive)
    }

    /// All that came was taken: the program is alive.
    public func taken() { waiting.store(-1, ordering: .releasing) }

    /// Watches no more.
    public func stop() { SignalWatchers.remove(self) }
  }

  private struct State {
    var watchers: [ObjectIdentifier: Watcher] = [:]
    /// When a signal that ends programs was last taken by a watcher, by number.
    var last: [Int32: Int] = [:]
    /// Whether a thread takes the signals that all others block.
    var hasTaker = false
    /// The watchers of each number that has a handler.
    var handled: [Int32: Int] = [:]
  }

  private static let state = Mutex(State())

  /// One stop often comes as several signals within so many milliseconds: `timeout` signals its child, then
  /// the child's group.
  private static let same = 500

  /// Says that a thread takes the signals that all others block, and calls ``deliver(_:)``.
  public static func noteTaker() { state.withLock { $0.hasTaker = true } }

  /// Calls `receive`, on any thread, with each of these signals that comes from now on.
  ///
  /// - Throws: the first signal that is blocked and that no thread takes; it belongs to another part of the
  ///   program.
  public static func watch(
    _ numbers: Set<Int32>, _ receive: @escaping @Sendable (Int32) -> Void
  ) throws(SystemError) -> Watcher {
    let watcher = Watcher(numbers, receive)
    let blocked = numbers.filter(isBlocked)
    try state.withLock { state throws(SystemError) in
      if !state.hasTaker, let first = blocked.min() {
        throw SystemError("watch", "signal \(first)", code: EBUSY)
      }
      for number in numbers.subtracting(blocked) {
        try SignalHandlers.add(number, isFirst: state.handled[number, default: 0] == 0)
        state.handled[number, default: 0] += 1
      }
      state.watchers[ObjectIdentifier(watcher)] = watcher
    }
    return watcher
  }

  private static func remove(_ watcher: Watcher) {
    state.withLock { state in
      guard state.watchers.removeValue(forKey: ObjectIdentifier(watcher)) != nil else { return }
      for number in watcher.numbers {
        guard let count = state.handled[number] else { continue }
        state.handled[number] = count == 1 ? nil : count - 1
        if count == 1 { SignalHandlers.remove(number) }
      }
    }
  }

  /// Gives a signal to those that watch it; false when it is to be treated as without them: none does, or
  /// they did not take the one before.
  public static func deliver(_ number: Int32) -> Bool {
    let now = MonotonicTime.milliseconds
    let receivers = state.withLock { state -> [Watcher]? in
      let watchers = state.watchers.values.filter { $0.numbers.contains(number) }
      guard ends(number) else { return watchers }
      // A program that cleans up after the first must not be ended by its double.
      if let last = state.last[number], now - last < same { return [] }
      guard !watchers.isEmpty, !watchers.contains(where: { isStuck($0, now) }) else { return nil }
      state.last[number] = now
      return watchers
    }
    guard let receivers else { return false }
    for watcher in receivers {
      _ = watcher.waiting.compareExchange(expected: -1, desired: now, ordering: .acquiringAndReleasing)
      watcher.receive(number)
    }
    return ends(number) || !receivers.isEmpty
  }

  private static func ends(_ number: Int32) -> Bool { [SIGINT, SIGTERM, SIGHUP].contains(number) }

  private static func isStuck(_ watcher: Watcher, _ now: Int) -> Bool {
    let since = watcher.waiting.load(ordering: .acquiring)
    return since >= 0 && now - since >= same
  }

  private static func isBlocked(_ number: Int32) -> Bool {
    var mask = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &mask)
    return sigismember(&mask, number) == 1
  }
}

/// The handlers of watched signals: each writes the signal's number into a pipe, which a thread reads. Under
/// the lock of the watchers.
private enum SignalHandlers {
  /// The pipe, once there is one. It lives as long as the process: a handler may be about to write.
  private nonisolated(unsafe) static var pipe: PipeEnds?  // under the lock of the watchers

  static func add(_ number: Int32, isFirst: Bool) throws(SystemError) {
    guard isFirst else { return }
    let file = try opened()
    guard nb_watch_signal(number, file) == 0 else { throw .last("watch", "signal \(number)") }
  }

  static func remove(_ number: Int32) { nb_unwatch_signal(number) }

  private static func opened() throws(SystemError) -> Int32 {
    if let pipe { return pipe.writing.number }
    let made = try PipeEnds()
    // A handler must not wait; of so many signals one more tells nothing.
    made.writing.neverWait()
    pipe = made
    let reading = made.reading
    guard PlainThread.start("nb-watched", { read(reading) }) else {
      pipe = nil
      throw SystemError("start a thread", code: EAGAIN)
    }
    return made.writing.number
  }

  private static func read(_ file: Descriptor) {
    while let numbers = try? file.read(atMost: 64), !numbers.isEmpty {
      for number in numbers { _ = SignalWatchers.deliver(Int32(number)) }
    }
  }
}
