// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem
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
  private let flush: @Sendable () -> Void
  /// Whether an entry runs, so that the prompt's thread may be busy for long.
  private let running = Atomic<Bool>(false)
  /// How many ^C came, and how many the prompt has dealt with.
  private let sent = Atomic<Int>(0)
  private let seen = Atomic<Int>(0)
  private let patience = Mutex(InterruptPatience())

  init(
    _ interrupter: SessionInterrupter, restore: @escaping @Sendable () -> Void,
    enterRawMode: @escaping @Sendable () -> Void = {}, flush: @escaping @Sendable () -> Void = {},
    tell: @escaping @Sendable (Event) -> Void
  ) {
    self.interrupter = interrupter
    self.restore = restore
    self.enterRawMode = enterRawMode
    self.flush = flush
    self.tell = tell
  }

  private static let handled = SignalSet(SignalSet.ending + [SIGWINCH, SIGTSTP, SIGCONT, SIGALRM])

  /// Keeps the signals for the thread; before the engine starts its own, which inherit that.
  static func block() { handled.block() }

  /// Starts the thread. It lives as long as the process.
  func start() { PlainThread.start("nb-signals") { [self] in run() } }

  /// Whether the prompt has not dealt with this ^C yet.
  func isOpen(_ number: Int) -> Bool { number > seen.load(ordering: .sequentiallyConsistent) }

  /// The prompt has dealt with everything that came.
  func noteSeen() {
    seen.store(sent.load(ordering: .sequentiallyConsistent), ordering: .sequentiallyConsistent)
  }

  private func run() -> Never {
    while true {
      switch Self.handled.wait() {
      case SIGINT: interrupt()
      case let number where number == SIGTERM || number == SIGHUP: end(number)
      case SIGWINCH: post(.resize)
      case SIGALRM: flush()
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
    OutputGate.process.endQuestion()
    restore()
    Process.stop()  // what goes on then is told by SIGCONT
  }

  private func post(_ event: Event) { interrupter.post { [tell] in tell(event) } }

  /// ^C that the prompt does not deal with end the process: native code must hold the thread.
  private func interrupt() {
    let number = sent.add(1, ordering: .sequentiallyConsistent).newValue
    let unseen = number - seen.load(ordering: .sequentiallyConsistent)
    switch patience.withLock({ $0.answer(to: unseen, at: .now) }) {
    case .waits: break
    case .warns: say("what runs has not let go; another ^C ends the prompt, with all that it holds")
    case .ends:
      OutputGate.process.endQuestion()
      restore()
      say("what runs did not let go after three ^C; ended")
      _exit(130)
    }
    interrupter.interrupt { [tell] in tell(.interrupt(number)) }
  }

  /// Says something unless the terminal takes nothing any more, or is gone.
  private func say(_ text: String) {
    var descriptor = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    let text = Array("\nnbridge: \(text)\n".utf8)
    guard poll(&descriptor, 1, 0) > 0 else { return }
    OutputGate.process.passOrHold { _ = write(STDERR_FILENO, text, text.count) }
  }

  /// Gives what runs time to let go, and to save what must not be lost; the process ends with it, or here.
  private func end(_ number: Int32) -> Never {
    interrupter.interrupt(by: number) { [tell] in tell(.end(number)) }
    var request = StopRequest()
    let start = ContinuousClock.now
    while true {
      let time = Int((ContinuousClock.now - start) / .milliseconds(1))
      let situation = StopRequest.Situation(isGuarded: interrupter.isGuarded, isSaving: interrupter.isSaving)
      switch request.next(at: time, situation) {
      case .tell(let text): say(text)
      case .end:
        OutputGate.process.endQuestion()
        restore()
        _exit(128 + number)
      case .wait(let milliseconds):
        guard let signal = Self.handled.wait(within: .milliseconds(milliseconds)),
          [SIGINT, SIGTERM, SIGHUP].contains(signal)
        else { continue }
        request.signal(at: Int((ContinuousClock.now - start) / .milliseconds(1)))
      }
    }
  }
}

/// How long ^C may stay without an answer.
struct InterruptPatience {
  private var first: ContinuousClock.Instant?

  enum Answer { case waits, warns, ends }

  /// A third ^C that the prompt has not dealt with ends it, where it had the time to: half a second since the
  /// first. A second one tells that.
  ///
  /// - Parameter unseen: how many it has not dealt with, with this one.
  mutating func answer(to unseen: Int, at now: ContinuousClock.Instant) -> Answer {
    if unseen <= 1 { first = now }
    guard unseen > 1, now - (first ?? now) > .milliseconds(500) else { return .waits }
    return unseen > 2 ? .ends : .warns
  }
}
