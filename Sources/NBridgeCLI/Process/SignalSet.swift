// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc

/// Signals that a thread of its own takes, because a handler could do next to nothing.
struct SignalSet: Sendable {
  private let numbers: [Int32]

  init(_ numbers: [Int32]) { self.numbers = numbers }

  /// The signals that ask the process to end: ^C, a polite kill, and a terminal that goes away, unless
  /// `nohup` has it ignored.
  static var ending: [Int32] { [SIGINT, SIGTERM] + (isIgnored(SIGHUP) ? [] : [SIGHUP]) }

  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    sigaction(signal, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private var mask: sigset_t {
    var mask = sigset_t()
    sigemptyset(&mask)
    for number in numbers { sigaddset(&mask, number) }
    return mask
  }

  /// Keeps them from the calling thread, and from those that it starts.
  func block() {
    var mask = mask
    pthread_sigmask(SIG_BLOCK, &mask, nil)
  }

  /// Lets them reach the calling thread.
  func unblock() {
    var mask = mask
    pthread_sigmask(SIG_UNBLOCK, &mask, nil)
  }

  /// A descriptor that is readable when one has come, and never waits; -1 when the process has none left.
  func descriptor() -> Int32 {
    var mask = mask
    return signalfd(-1, &mask, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
  }

  /// The next one, for a thread that keeps them from itself.
  func wait() -> Int32 {
    var mask = mask
    var number: Int32 = 0
    while sigwait(&mask, &number) != 0 {}
    return number
  }

  /// The same; nil when none came in time.
  func wait(within time: Duration) -> Int32? {
    var mask = mask
    let (seconds, attoseconds) = max(time, .zero).components
    var limit = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    let number = sigtimedwait(&mask, nil, &limit)
    return number > 0 ? number : nil
  }
}
