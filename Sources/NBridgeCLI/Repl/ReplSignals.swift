// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc
internal import NBridge
internal import Synchronization

/// The thread that takes a prompt's signals: a script that runs for ever would keep any other from them.
final class ReplSignals: Sendable {
  /// What the prompt is told, on its own thread.
  enum Event: Sendable {
    /// ^C, by number.
    case interrupt(Int)
    case resize
    case end(Int32)
    case suspend
    case resume
  }

  private let interrupter: SessionInterrupter
  private let tell: @Sendable (Event) -> Void
  private let restore: @Sendable () -> Void
  private let enterRawMode: @Sendable () -> Void
  /// Whether an entry runs, so that the prompt's thread may be busy for long.
  private let running = Atomic<Bool>(false)
  /// How many ^C came, and how many were seen to.
  private let sent = Atomic<Int>(0)
  private let seen = Atomic<Int>(0)

  /// How long a script has to end when its process is to.
  private static let grace = timespec(tv_sec: 0, tv_nsec: 300_000_000)

  init(
    _ interrupter: SessionInterrupter, restore: @escaping @Sendable () -> Void,
    enterRawMode: @escaping @Sendable () -> Void = {},
    tell: @escaping @Sendable (Event) -> Void
  ) {
    self.interrupter = interrupter
    self.restore = restore
    self.enterRawMode = enterRawMode
    self.tell = tell
  }

  private static var handled: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT] { sigaddset(&signals, signal) }
    return signals
  }

  /// Keeps the signals for the thread; before the engine starts its own, which inherit that.
  static func block() {
    var signals = handled
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Starts the thread. It lives as long as the process.
  func start() {
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<ReplSignals>.fromOpaque(argument).takeUnretainedValue().run()
      }, Unmanaged.passRetained(self).toOpaque())
  }

  /// Whether nobody has seen to this ^C yet.
  func isOpen(_ number: Int) -> Bool { number > seen.load(ordering: .sequentiallyConsistent) }

  /// Everything that came was seen to.
  func noteSeen() {
    seen.store(sent.load(ordering: .sequentiallyConsistent), ordering: .sequentiallyConsistent)
  }

  private func run() -> Never {
    var signals = Self.handled
    while true {
      var number: Int32 = 0
      guard sigwait(&signals, &number) == 0 else { continue }
      switch number {
      case SIGINT: interrupt()
      case SIGTERM, SIGHUP: end(number)
      case SIGWINCH: post(.resize)
      case SIGTSTP: isRunning ? suspend() : post(.suspend)
      case SIGCONT:
        enterRawMode()
        post(.resume)
      default: break
      }
    }
  }

  /// Whether an entry runs.
  var isRunning: Bool {
    get { running.load(ordering: .relaxed) }
    set { running.store(newValue, ordering: .relaxed) }
  }

  /// ^Z while an entry runs: at once, not when the prompt's thread is free again.
  private func suspend() {
    restore()
    kill(getpid(), SIGSTOP)  // what goes on then is told by SIGCONT
  }

  private func post(_ event: Event) { interrupter.post { [tell] in tell(event) } }

  /// A third ^C that nobody has seen to ends the process: native code must hold the thread.
  private func interrupt() {
    let number = sent.add(1, ordering: .sequentiallyConsistent).newValue
    if number - seen.load(ordering: .sequentiallyConsistent) > 2 {
      restore()
      var descriptor = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
      let text = Array("\nnbridge: what runs did not let go after three ^C; ended\n".utf8)
      if poll(&descriptor, 1, 0) > 0 { _ = write(STDERR_FILENO, text, text.count) }
      _exit(130)
    }
    interrupter.interrupt { [tell] in tell(.interrupt(number)) }
  }

  private func end(_ number: Int32) {
    interrupter.interrupt { [tell] in tell(.end(number)) }
    var signals = sigset_t()
    sigemptyset(&signals)
    var grace = Self.grace
    _ = sigtimedwait(&signals, nil, &grace)
    restore()
    _exit(128 + number)
  }
}
