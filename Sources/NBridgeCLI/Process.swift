// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc
internal import NBridge

/// What concerns the process as a whole.
enum Process {
  /// Ends at once: nothing that a destructor would do is worth waiting for, and everything is written.
  static func exit(_ status: ExitStatus) -> Never { _exit(status.code) }

  /// ^C and a polite kill stop the script; a second one, or a script that doesn't let go in time, the process.
  ///
  /// The signals are taken by a thread that does nothing else: a handler could do next to nothing.
  static func onInterrupt(_ controller: RuntimeControl, output: any ScriptOutput) {
    let box = Unmanaged.passRetained(Interruption(controller, output))  // lives as long as the process
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Process.waitForSignals(Unmanaged<Interruption>.fromOpaque(argument).takeUnretainedValue())
      }, box.toOpaque())
  }

  /// Keeps the signals for that thread. Before the engine starts its threads: each gets the mask of its maker, and one
  /// that lets a signal through would take it.
  static func blockSignals() {
    var signals = handled
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  private static var handled: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGTSTP)
    sigaddset(&signals, SIGCONT)
    return signals
  }

  private final class Interruption: Sendable {
    let controller: RuntimeControl
    let output: any ScriptOutput
    init(_ controller: RuntimeControl, _ output: any ScriptOutput) {
      self.controller = controller
      self.output = output
    }
  }

  /// ^Z: the script hears of it, has a moment to keep its state, then the process stops as any other.
  private static func stopProcess(_ controller: RuntimeControl) {
    controller.enterBackground(true)
    usleep(50_000)
    kill(getpid(), SIGSTOP)
  }

  private static func waitForSignals(_ interruption: Interruption) -> Never {
    pthread_setname_np(pthread_self(), "nb-signals")
    var signals = handled
    var number: Int32 = 0
    repeat {
      while sigwait(&signals, &number) != 0 {}
      if number == SIGTSTP { stopProcess(interruption.controller) }
      if number == SIGCONT { interruption.controller.enterBackground(false) }
    } while number == SIGTSTP || number == SIGCONT
    interruption.controller.interrupt()
    // A script that comes back to its loop ends now. One that doesn't would only be stopped by a watch of the engine's
    // that costs every call dearly; so the process ends, with what was printed.
    var limit = timespec(tv_sec: 0, tv_nsec: 300_000_000)
    sigtimedwait(&signals, nil, &limit)
    interruption.output.writeError("nbridge: the script did not come back to its loop; ended\n")
    _exit(128 + number)
  }
}
