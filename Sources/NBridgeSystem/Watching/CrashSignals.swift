// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import Synchronization

/// Tells of a fault that is about to end this process, while it still can say something. Any thread.
public enum CrashSignals {
  /// How a thread ran into a fault.
  public struct Crash: Sendable {
    /// The thread, as ``Processor/thread`` has it.
    public let thread: Int32
    /// `SIGSEGV`, `SIGABRT` and their like.
    public let signal: Int32
  }

  private static let isWatched = Atomic<Bool>(false)
  /// What a fault of native code comes as.
  private static let numbers = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS]

  /// Has `tell` called on a thread of its own when a thread of this process runs into a fault. That thread
  /// stands still meanwhile, a second at the most: it may hold any lock. Then comes what would have come
  /// without: another handler, or the end. Of several calls the first counts.
  public static func watch(_ tell: @escaping @Sendable (Crash) -> Void) {
    if isWatched.exchange(true, ordering: .acquiringAndReleasing) { return }
    let (wake, done) = (WakeFile(), WakeFile())
    guard wake.isOpen, done.isOpen else { return }
    let isStarted = PlainThread.start("nb-crash", stackSize: 256 << 10) {
      // It may be started before this process has settled which thread takes its signals.
      var all = sigset_t()
      sigfillset(&all)
      // What stops threads for a backtrace comes by one of these.
      for number in [SIGUSR1, SIGUSR2, SIGPROF, SIGURG] { sigdelset(&all, number) }
      pthread_sigmask(SIG_BLOCK, &all, nil)
      while true {
        if !wake.wait() { continue }
        let crash = nb_crash_state().pointee
        // The handler that a terminal in raw mode has for that may not be there.
        if crash.ends != 0 { RawTerminal.leave() }
        tell(Crash(thread: crash.thread, signal: crash.number))
        done.set()
      }
    }
    guard isStarted else { return }
    nb_crash_state().pointee.wake = wake.number
    nb_crash_state().pointee.done = done.number
    for number in numbers { nb_watch_crash(number) }
  }

  private static let stackSize = 64 << 10
  /// Holds the memory of a thread's stack, and gives it back when the thread ends.
  private static let stack: pthread_key_t? = {
    var key = pthread_key_t()
    let failed = pthread_key_create(&key) { memory in
      var none = stack_t(ss_sp: nil, ss_flags: Int32(SS_DISABLE), ss_size: 0)
      sigaltstack(&none, nil)
      if let memory { munmap(memory, CrashSignals.stackSize) }
    }
    return failed == 0 ? key : nil
  }()

  /// Gives the handler a stack of its own on this thread, whose own may be what is used up.
  public static func giveStack() {
    var old = stack_t()
    guard let key = stack, pthread_getspecific(key) == nil, sigaltstack(nil, &old) == 0,
      old.ss_flags & Int32(SS_DISABLE) != 0
    else { return }
    let memory = mmap(nil, stackSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory, memory != MAP_FAILED else { return }
    var stack = stack_t(ss_sp: memory, ss_flags: 0, ss_size: stackSize)
    if sigaltstack(&stack, nil) == 0, pthread_setspecific(key, memory) == 0 { return }
    stack.ss_flags = Int32(SS_DISABLE)
    sigaltstack(&stack, nil)
    munmap(memory, stackSize)
  }

  /// Has the handlers of what a used up stack comes as use that one, whoever they are of: the engine puts its
  /// own there when it likes.
  public static func keepStack() {
    nb_keep_crash_stack(SIGSEGV)
    nb_keep_crash_stack(SIGBUS)
  }

  /// What a signal is called: `SIGSEGV`.
  public static func name(_ signal: Int32) -> String {
    let names: [Int32: String] = [
      SIGSEGV: "SIGSEGV", SIGABRT: "SIGABRT", SIGILL: "SIGILL", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE",
      SIGTRAP: "SIGTRAP", SIGKILL: "SIGKILL", SIGTERM: "SIGTERM", SIGSYS: "SIGSYS", SIGXCPU: "SIGXCPU",
    ]
    return names[signal] ?? "signal \(signal)"
  }
}
