// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import CNBridgeJavaScriptCore
internal import Glibc
internal import Synchronization

/// One JavaScript engine: a heap, bound to the thread that made it and to that thread's `GMainContext`.
///
/// Contexts of one machine share its heap; different machines share nothing and may run on different
/// threads at once. Everything here is confined to the owner thread, except ``interrupter``.
public final class JSVirtualMachine {
  /// The `GMainContext` whose iteration runs the engine's own timers (collection, WebAssembly, finalization).
  public let mainContext: OpaquePointer

  /// Stops a running script; may be used from any thread.
  public let interrupter: JSInterrupter

  let group: OpaquePointer
  let releases = ReleaseQueue()
  let life = ScriptLife()
  var pieces = PieceCollector()
  private let owner = pthread_self()
  private let pushedContext: Bool

  /// Makes an engine on the calling thread, which owns it from then on.
  ///
  /// On the process's main thread it is bound to the default `GMainContext`. On any other thread a new
  /// `GMainContext` is made and pushed as the thread's default: an engine made without one gets a private
  /// context that no loop iterates, and `WebAssembly.compile` would never settle.
  public init() {
    MainThread.prepare()
    if MainThread.isProcessMainThread, PrivateAPI.initializeMainThread != nil {
      mainContext = g_main_context_default()
      pushedContext = false
    } else {
      mainContext = g_main_context_new()
      g_main_context_push_thread_default(mainContext)
      pushedContext = true
    }
    group = JSContextGroupCreate()
    interrupter = JSInterrupter()
  }

  /// The last handle of a value may end on any thread, after the owner: bytes that a plugin keeps. The C API
  /// locks the engine for the thread that releases it; GLib takes a context off the stack of a thread that
  /// ends.
  deinit {
    releases.drain(into: nil)
    guard pushedContext else { return JSContextGroupRelease(group) }
    // Not by the thread's identity, which a later thread may have: by what stands on top of its stack.
    let isHere = g_main_context_get_thread_default() == mainContext
    let isTaken = !isHere && takeContext()
    JSContextGroupRelease(group)
    if isHere || isTaken {
      runWhatWaits()
      g_main_context_pop_thread_default(mainContext)
      if isTaken { g_main_context_release(mainContext) }
    }
    g_main_context_unref(mainContext)
  }

  /// Has this thread be the context's, whose own is over or ends just now: who else would run what waits?
  private func takeContext() -> Bool {
    for _ in 0..<Self.mostLooks {
      if g_main_context_acquire(mainContext) != 0 {
        g_main_context_push_thread_default(mainContext)
        return true
      }
      usleep(1000)
    }
    return false
  }

  /// Each a millisecond.
  private static let mostLooks = 200

  /// What lets go of objects on their thread waits in this context, which such objects may hold in turn.
  private func runWhatWaits() {
    for _ in 0..<Self.lastTurns where g_main_context_iteration(mainContext, 0) == 0 { return }
  }

  /// A source that is always ready must not keep a thread that ends.
  private static let lastTurns = 1000

  /// Whether the calling thread is the engine's.
  var isOwner: Bool { pthread_equal(pthread_self(), owner) != 0 }

  /// Traps unless the caller is on the owner thread; `hint` names what was tried.
  @inline(__always)
  public func preconditionOwner(_ hint: @autoclosure () -> String) {
    precondition(
      pthread_equal(pthread_self(), owner) != 0,
      "\(hint()) off the engine's thread; hop to the engine's actor first")
  }

  /// Polls ``interrupter`` while a script runs, every 250 ms of its CPU time. Without it an interrupt waits
  /// for the script to come back by itself. It makes each entry into the engine dear: an awaited call costs
  /// three times as much.
  ///
  /// What enters the engine anew again and again, as a row of promises' jobs does, starts its clock again and
  /// is not stopped. (A limit that is over at once, set when memory is collected, stops it; but timers that
  /// fire while another one is answered end the process, one time of a thousand.) Nor is WebAssembly's loop.
  public func watchInterrupter() { interrupter.arm(group) }

  /// Has the next poll come before the script goes on: to be called where it is paused.
  public func hurryInterrupter() {
    interrupter.arm(group, interval: JSInterrupter.atOnce)
    // The engine's own timer asks for the poll, on another thread.
    usleep(20_000)
  }

  /// Ends that: calls are as cheap as before, and a script that loops can't be stopped.
  public func unwatchInterrupter() {
    PrivateAPI.clearTimeLimit?(group)
    interrupter.disarm()
  }

  /// Has every native function throw from now on: what its program made it for goes. The engine runs jobs of
  /// its own as long as it is there (compiled WebAssembly, finalization), and with any entry all that wait.
  public func endScripts() { life.isOver = true }

  /// Has what such jobs run be stopped like a script that loops, until ``unwatchInterrupter()``.
  public func stopLeftovers() {
    interrupter.interrupt()
    watchInterrupter()
  }

  /// Drops the values whose handles ended on other threads or inside a collection.
  public func drainReleases(in context: JSContext) { releases.drain(into: context.ref) }
}

/// Whether scripts of a machine may still call native functions. Confined to the machine's thread.
final class ScriptLife {
  var isOver = false
}

/// Asks a running script to stop. Sendable: any thread may ask, the engine's poll sees it.
public final class JSInterrupter: Sendable {
  static let pollInterval = 0.25
  /// The same while a body is called at each poll.
  private static let shortPollInterval = 0.05
  /// The least that is more than none.
  static let atOnce = 1e-6
  private let requested = Atomic<Bool>(false)
  private let armed = Atomic<Bool>(false)
  /// Whether the engine's thread that polls was made.
  private let hasPoller = Atomic<Bool>(false)
  /// When a running script ends unasked, in microseconds of the monotonic clock; 0 for never.
  private let deadline = Atomic<Int>(0)
  /// Called on the engine's thread at each poll.
  private let polled = Mutex<Hook?>(nil)

  /// Called on the engine's thread before a script is ended.
  private let stopping = Mutex<Hook?>(nil)

  /// A function that stands in a lock by itself is wrapped once more at every access.
  private struct Hook {
    let run: @Sendable () -> Void
  }

  /// Whether a stop was asked for and not yet cleared.
  public var isRequested: Bool { requested.load(ordering: .acquiring) }

  /// Whether a stop was asked for that ends running scripts.
  var stopsScripts: Bool { isRequested && armed.load(ordering: .acquiring) }

  /// Asks for a stop: the script ends with an uncatchable exception at the next poll (≤ 0.3 s of CPU).
  public func interrupt() { requested.store(true, ordering: .releasing) }

  /// Takes the request back, so that the context can be used again.
  public func clear() { requested.store(false, ordering: .releasing) }

  /// Ends the script that runs in so many microseconds, at the next poll after them.
  public func setDeadline(in microseconds: Int) {
    let (sum, isPast) = g_get_monotonic_time().addingReportingOverflow(microseconds)
    deadline.store(isPast ? .max : sum, ordering: .releasing)
  }

  /// Takes that back.
  public func endDeadline() { deadline.store(0, ordering: .releasing) }

  /// Whether there is a deadline and it is over.
  public var isPastDeadline: Bool {
    let deadline = deadline.load(ordering: .acquiring)
    return deadline != 0 && g_get_monotonic_time() > deadline
  }

  /// Has a body called on the engine's thread at each poll of ``JSVirtualMachine/watchInterrupter()``, while
  /// a script runs, every 50 ms of its CPU time. It must not run any script; nil for none.
  public func atPoll(_ body: (@Sendable () -> Void)?) { polled.withLock { $0 = body.map(Hook.init) } }

  /// Has a body called on the engine's thread before a running script ends for a stop. It must not run any
  /// script; nil for none.
  public func beforeStop(_ body: (@Sendable () -> Void)?) { stopping.withLock { $0 = body.map(Hook.init) } }

  func disarm() { armed.store(false, ordering: .releasing) }

  /// The engine polls from a thread with a `GMainContext` of its own, and GLib ends the process that has no
  /// descriptor left for one: then scripts that loop can't be stopped, and what they have not saved is not
  /// lost for that.
  private var mayPoll: Bool {
    if hasPoller.load(ordering: .acquiring) { return true }
    let descriptors = [eventfd(0, Int32(EFD_CLOEXEC)), eventfd(0, Int32(EFD_CLOEXEC))]
    for descriptor in descriptors where descriptor >= 0 { close(descriptor) }
    guard descriptors.allSatisfy({ $0 >= 0 }) else { return false }
    hasPoller.store(true, ordering: .releasing)
    return true
  }

  /// The time limit is a single shot: a callback that answers "go on" has to set it again.
  func arm(_ group: OpaquePointer?, interval: Double? = nil) {
    guard let group, let setTimeLimit = PrivateAPI.setTimeLimit, mayPoll else { return }
    armed.store(true, ordering: .releasing)
    setTimeLimit(
      group, interval ?? (polled.withLock { $0 == nil } ? Self.pollInterval : Self.shortPollInterval),
      { context, flag in
        guard let flag else { return false }
        let interrupter = Unmanaged<JSInterrupter>.fromOpaque(flag).takeUnretainedValue()
        if interrupter.isPastDeadline { interrupter.interrupt() }
        if interrupter.isRequested {
          interrupter.stopping.withLock(\.self)?.run()
          return true
        }
        interrupter.polled.withLock(\.self)?.run()
        interrupter.arm(JSContextGetGroup(context))
        return false
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}

/// Values waiting to be unprotected on the owner thread: handles may end anywhere, also inside a finalizer,
/// where no call into the engine is allowed.
final class ReleaseQueue: Sendable {
  private struct Reference: @unchecked Sendable {
    let value: OpaquePointer  // only carried here, never used off the owner thread
  }
  private let pending = Mutex<[Reference]>([])
  private let isEmpty = Atomic<Bool>(true)

  func add(_ value: OpaquePointer) {
    let reference = Reference(value: value)
    pending.withLock { $0.append(reference) }
    isEmpty.store(false, ordering: .releasing)
  }

  func drain(into context: OpaquePointer?) {
    guard !isEmpty.load(ordering: .acquiring) else { return }
    isEmpty.store(true, ordering: .releasing)
    let values = pending.withLock { list in
      defer { list.removeAll(keepingCapacity: true) }
      return list
    }
    guard let context else { return }
    for value in values { JSValueUnprotect(context, value.value) }
  }
}
