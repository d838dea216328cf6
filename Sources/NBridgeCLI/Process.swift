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
  static func onInterrupt(_ controller: RuntimeControl) {
    let box = Unmanaged.passRetained(controller)  // lives as long as the process
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Process.waitForSignals(Unmanaged<RuntimeControl>.fromOpaque(argument).takeUnretainedValue())
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
    return signals
  }

  private static func waitForSignals(_ controller: RuntimeControl) -> Never {
    pthread_setname_np(pthread_self(), "nb-signals")
    var signals = handled
    var number: Int32 = 0
    while sigwait(&signals, &number) != 0 {}
    controller.interrupt()
    // The engine looks for the interrupt every 0.25 s of script; after 2 s it never will.
    var limit = timespec(tv_sec: 2, tv_nsec: 0)
    sigtimedwait(&signals, nil, &limit)
    _exit(128 + number)
  }
}
