// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// The part of a runtime that other threads may use.
public final class RuntimeControl: Sendable {
  private let interrupter: JSInterrupter
  private let host: RuntimeHost
  private let guarded = Atomic<Bool>(false)
  /// The thread that runs the script, once it runs.
  private let thread = Atomic<Int32>(0)
  private let stop = Mutex<Stop>(Stop())

  private struct Stop {
    var isSaving = false
    var isSaved = false
    /// SIGINT until another one stops it.
    var signal: Int32 = 2
    /// How a program ends whose script was stopped for another reason than a signal.
    var ending: Ending?
    var onStop: (@Sendable () -> Void)?
    /// Whether the program has ended, and only its end is told and saved.
    var isFinishing = false
    /// With what status it ends because its output took no more meanwhile.
    var lostOutput: ExitStatus?
  }

  /// Whether a script that never comes back to its loop can be stopped, because it may hold what must not be
  /// lost. The engine does it after up to a quarter of a second of the processor's time.
  public internal(set) var isGuarded: Bool {
    get { guarded.load(ordering: .acquiring) }
    set { guarded.store(newValue, ordering: .releasing) }
  }

  /// Whether the program is over and only what must not be lost is still being written.
  public internal(set) var isSaving: Bool {
    get { stop.withLock { $0.isSaving } }
    set {
      stop.withLock { stop in
        stop.isSaved = stop.isSaved || stop.isSaving && !newValue
        stop.isSaving = newValue
      }
    }
  }

  /// Whether something is unsaved that must not be lost, and will be saved when the program ends.
  public var isUnsaved: Bool { isGuarded && !stop.withLock { $0.isSaved } }

  init(interrupter: JSInterrupter, host: RuntimeHost) {
    self.interrupter = interrupter
    self.host = host
  }

  /// The script runs on this thread.
  func runsHere() { thread.store(Processor.thread, ordering: .relaxed) }

  /// The plugin whose native code the script waits for just now, as `the plugin 'weather' in 'weather.now'`;
  /// nil while it runs itself. Any thread.
  public var nativeCall: String? { NativeCalls.running(on: thread.load(ordering: .relaxed)) }

  /// Tells the script that the program is about to be stopped (^Z), or goes on.
  public func enterBackground(_ background: Bool) { host.enter(background ? .background : .active) }

  /// Ends the program because its time is over; the run answers 124. A script that doesn't come back to its
  /// loop for it is ended by ``stopScript()``.
  public func expire(seconds: Double) {
    stop.withLock { $0.ending = .timedOut(seconds: seconds) }
    host.request(.timedOut(seconds: seconds))
  }

  /// The signal that stopped the program; ^C's when none is known.
  package var signal: Int32 { stop.withLock { $0.signal } }

  package func note(signal: Int32) { stop.withLock { $0.signal = signal } }

  /// How the program ends when its script was stopped.
  var endingOfStopped: Ending? { stop.withLock { $0.ending } }

  /// Stops the script wherever it is; the run answers 128 and the signal's number: 130 after ^C. What is
  /// being saved by then is not stopped.
  public func interrupt(by signal: Int32 = 2) {
    note(signal: signal)
    stopScript()
    host.request(.interrupted)
  }

  /// Ends the program with a status, wherever its script is. What must not be lost is saved.
  public func end(with status: ExitStatus) {
    stop.withLock { $0.ending = .exited(status.code) }
    stopScript()
    host.request(.exited(status.code))
  }

  /// Whether the program has ended by itself when its output takes no more: it keeps what it ended with, or
  /// gets this status where that is none of its own.
  public func takesLostOutput(_ status: ExitStatus) -> Bool {
    stop.withLock { stop in
      if stop.isFinishing { stop.lostOutput = status }
      return stop.isFinishing
    }
  }

  /// From now on the program has ended.
  func beginFinishing() { stop.withLock { $0.isFinishing = true } }

  /// The status that a program gets whose last output was lost.
  var lostOutput: ExitStatus? { stop.withLock { $0.lostOutput } }

  /// Stops a script that the engine can stop: one that is guarded, or any where
  /// ``RuntimeOptions/interruptsLoops`` is set.
  public func stopScript() {
    let told = stop.withLock { stop in
      if !stop.isSaving { interrupter.interrupt() }
      return stop.onStop
    }
    told?()
  }

  /// Called when a script is stopped, on any thread.
  var onStop: (@Sendable () -> Void)? {
    get { stop.withLock(\.onStop) }
    set { stop.withLock { $0.onStop = newValue } }
  }
}
