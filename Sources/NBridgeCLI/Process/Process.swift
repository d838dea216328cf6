// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// What concerns the process as a whole.
enum Process {
  /// Ends at once: nothing that a destructor would do is worth waiting for, and everything is written.
  static func exit(_ status: ExitStatus) -> Never {
    OutputGate.process.endQuestion()
    ProcessGroups.killAll()
    RawTerminal.leave()
    _exit(status.code)
  }

  /// Whether the program was asked to stop: a person who is asked something need not answer any more.
  static let isEnding = Atomic<Bool>(false)

  /// What a program may use.
  struct Limits: Sendable {
    var seconds: Double?
    var megabytes: Double?
    /// Whether the engine can stop a script that never comes back to its loop.
    var stopsLoops = false
  }

  /// ^C and a polite kill stop the script; a second one, or a script that doesn't let go in time, the
  /// process. So do the limits.
  ///
  /// A thread that does nothing else takes the signals: a handler could do next to nothing.
  static func watch(_ controller: RuntimeControl, _ limits: Limits, output: any ScriptOutput) {
    attend(to: output, of: controller)
    let watch = ProcessWatch(controller, limits, output)
    SignalWatchers.noteTaker()
    PlainThread.start("nb-signals") { watch.run() }
  }

  /// A file that would be larger than `ulimit -f` allows is an error of the script that writes it, not the
  /// process's end.
  static func ignoreFileLimit() { signal(SIGXFSZ, SIG_IGN) }

  /// Keeps the signals for that thread. Before the engine starts its threads: each gets the mask of its
  /// maker, and one that lets a signal through would take it.
  static func blockSignals() {
    handled.block()
    // A quit (^\) ends the process and leaves a core, as the system has it; Swift's runtime would go on after
    // a trace.
    signal(SIGQUIT, SIG_DFL)
  }

  /// Stops the process as ^Z does, on a thread that keeps that signal from itself. The kernel decides: it
  /// stops no process that no shell could continue (POSIX, 2.4.3: orphaned process groups).
  static func stop() {
    OutputGate.process.endQuestion()
    let stop = SignalSet([SIGTSTP])
    stop.unblock()
    pthread_kill(pthread_self(), SIGTSTP)
    stop.block()
  }

  /// Sees to it that what is printed goes out: the thread that takes SIGALRM calls ``flushOnAlarm(_:)``. A
  /// reader that goes away costs nothing that is unsaved.
  static func attend(to output: any ScriptOutput, of controller: RuntimeControl) {
    guard let output = output as? StandardOutput else { return }
    output.whenTextWaits(alarmSoon)
    output.whenBroken { status in
      if controller.takesLostOutput(status) { return true }
      guard controller.isUnsaved else { return false }
      controller.end(with: status)
      return true
    }
  }

  static func flushOnAlarm(_ output: any ScriptOutput) {
    if (output as? StandardOutput)?.flushWithoutWaiting() == false { alarmSoon() }
  }

  /// How long what was printed may wait for a script to come back to its loop, in microseconds.
  private static let longestUnflushed = 100_000

  private static func alarmSoon() {
    var once = itimerval()
    once.it_value.tv_usec = longestUnflushed
    setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &once, nil)
  }

  static var handled: SignalSet { SignalSet(SignalSet.ending + [SIGTSTP, SIGCONT, SIGALRM]) }
}

/// The thread that waits for signals and for limits.
private final class ProcessWatch: Sendable {
  private let controller: RuntimeControl
  private let limits: Process.Limits
  private let output: any ScriptOutput
  private let started = ContinuousClock.now

  /// How often memory is looked at, when it has a limit.
  private static let memoryInterval = Duration.milliseconds(50)
  init(_ controller: RuntimeControl, _ limits: Process.Limits, _ output: any ScriptOutput) {
    self.controller = controller
    self.limits = limits
    self.output = output
  }

  func run() -> Never {
    while true {
      switch wait(nextWait) {
      case SIGTSTP: stopProcess()
      case SIGCONT: controller.enterBackground(false)
      case SIGALRM: Process.flushOnAlarm(output)
      case let signal? where signal > 0: if !SignalWatchers.deliver(signal) { interrupt(by: signal) }
      default: checkLimits()
      }
    }
  }

  /// The next signal; nil when none came in time.
  private func wait(_ time: Duration?) -> Int32? {
    guard let time else { return Process.handled.wait() }
    return Process.handled.wait(within: time)
  }

  private var remaining: Duration? {
    limits.seconds.map { .seconds(min($0, 1e9)) - (ContinuousClock.now - started) }
  }

  private var nextWait: Duration? {
    [remaining, limits.megabytes.map { _ in Self.memoryInterval }].compactMap { $0 }.min()
  }

  private func checkLimits() {
    if let megabytes = limits.megabytes, residentMegabytes > megabytes {
      end(
        .failure,
        "the program uses \(Int(residentMegabytes)) MB, more than --memory-limit \(Int(megabytes)); ended")
    }
    guard let remaining, remaining <= .zero, let seconds = limits.seconds else { return }
    controller.expire(seconds: seconds)
    if limits.stopsLoops { controller.stopScript() }
    letGo(.timedOut, "ended after the limit of --timeout; ")
  }

  /// What is mapped of files to be sent, and can be read again, is not the program's; its own text is.
  private var residentMegabytes: Double {
    let files = ResidentMemory.ofFiles
    return (ResidentMemory.bytes - max(0, files - ownFiles)) / 1_048_576
  }
  /// So much of files a program has that maps none, and some to come.
  private let ownFiles = ResidentMemory.ofFiles + 67_108_864

  /// ^Z: the script hears of it, has a moment to keep its state, then the process stops as any other.
  private func stopProcess() {
    controller.enterBackground(true)
    usleep(50_000)
    Process.stop()
  }

  /// A script that comes back to its loop ends now. One that doesn't would only be stopped by a watch of the
  /// engine's that costs every call dearly; so the process ends, with what was printed.
  private func interrupt(by signal: Int32) -> Never {
    controller.interrupt(by: signal)
    letGo(ExitStatus(128 + signal))
  }

  /// Gives the script time to come back to its loop, and to save what must not be lost; the process ends with
  /// it, or here.
  private func letGo(_ status: ExitStatus, _ reason: String = "") -> Never {
    Process.isEnding.store(true, ordering: .releasing)
    (output as? StandardOutput)?.stopWaiting()
    OutputGate.process.endQuestion()
    var request = StopRequest()
    let start = ContinuousClock.now
    while true {
      let time = Int((ContinuousClock.now - start) / .milliseconds(1))
      if time >= StopRequest.Times.grace { controller.stopScript() }
      let situation = StopRequest.Situation(
        isGuarded: controller.isGuarded, stopsLoops: limits.stopsLoops, isSaving: controller.isSaving,
        nativeCall: controller.nativeCall)
      switch request.next(at: time, situation) {
      case .tell(let text): say(text)
      case .end(let text): end(status, reason + text)
      case .wait(let milliseconds):
        // A terminal's stop and go are no wish to end.
        guard let signal = wait(.milliseconds(milliseconds)), ![SIGCONT, SIGTSTP, SIGALRM].contains(signal)
        else { continue }
        request.signal(at: Int((ContinuousClock.now - start) / .milliseconds(1)))
      }
    }
  }

  private func end(_ status: ExitStatus, _ reason: String) -> Never {
    say(reason)
    Process.exit(status)
  }

  /// What is printed may wait for a reader that takes nothing: that must not hold up what ends the program.
  private func say(_ text: String) {
    guard let output = output as? StandardOutput else { return output.writeError("nbridge: \(text)\n") }
    output.writeErrorInTime("nbridge: \(text)\n")
  }
}
