// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
package import Synchronization

/// Where a thread runs native code of a plugin just now: what is said of a crash, or of a thread that does
/// not come back. Set by its thread, read by any.
final class NativeMark: Sendable {
  fileprivate let thread: Int32
  fileprivate let library: PluginLibrary
  fileprivate let host: any LibraryHost
  /// 0 when it runs none; 1 for work that is no call; else an action's number and 2.
  private let word = Atomic<UInt64>(0)

  /// For this thread, until ``remove()``.
  init(_ library: PluginLibrary, _ host: any LibraryHost) {
    (thread, self.library, self.host) = (Processor.thread, library, host)
    NativeCalls.add(self)
  }

  func remove() { NativeCalls.remove(self) }

  /// Runs an action's code.
  @inline(__always)
  func during<R>(_ action: UInt32, _ body: () throws -> R) rethrows -> R {
    let outer = word.load(ordering: .relaxed)
    word.store(UInt64(action) + 2, ordering: .relaxed)
    defer { word.store(outer, ordering: .relaxed) }
    return try body()
  }

  /// Runs code that is no call of an action.
  func duringWork<R>(_ body: () throws -> R) rethrows -> R {
    let outer = word.load(ordering: .relaxed)
    word.store(1, ordering: .relaxed)
    defer { word.store(outer, ordering: .relaxed) }
    return try body()
  }

  /// This thread's: another thread than the engine's gets one for the time of `body`.
  func ofThisThread<R>(_ body: (NativeMark) throws -> R) rethrows -> R {
    if Processor.thread == thread { return try body(self) }
    let other = NativeMark(library, host)
    defer { other.remove() }
    return try body(other)
  }

  /// Runs code that is no call of an action, on any thread.
  func here<R>(_ body: () throws -> R) rethrows -> R {
    try ofThisThread { mark in try mark.duringWork(body) }
  }

  fileprivate var isSet: Bool { word.load(ordering: .relaxed) != 0 }

  /// `in 'weather.forecast'`, or where else.
  fileprivate var place: String {
    let word = word.load(ordering: .relaxed)
    let members = library.descriptor.members
    guard word >= 2, Int(word - 2) < members.count else { return "in work of its own" }
    return "in '\(library.service).\(members[Int(word - 2)].name)'"
  }
}

/// The threads that run plugins' native code in this process, and what is said when one of them crashes.
package enum NativeCalls {
  private struct Marks { var all: [ObjectIdentifier: NativeMark] = [:] }
  private static let marks = Mutex(Marks())

  static func add(_ mark: NativeMark) { marks.withLock { $0.all[ObjectIdentifier(mark)] = mark } }
  static func remove(_ mark: NativeMark) {
    marks.withLock { _ = $0.all.removeValue(forKey: ObjectIdentifier(mark)) }
  }

  private static func mark(of thread: Int32) -> NativeMark? {
    marks.withLock { $0.all.values.first { $0.thread == thread && $0.isSet } }
  }

  /// What native code a thread runs just now: `the plugin 'weather' in 'weather.forecast'`. nil when none.
  package static func running(on thread: Int32) -> String? {
    mark(of: thread).map { "the plugin '\($0.library.service)' \($0.place)" }
  }

  /// Libraries that a thread is just opening, by its number: their code runs before there is a plugin.
  private static let openings = Mutex<[Int32: String]>([:])
  /// Whether the program never ends by exit(3) itself.
  package static let endsOtherwise = Atomic(false)

  /// Opens a library: what its code does to the program meanwhile is told.
  static func opening<R>(_ path: String, _ body: () throws -> R) rethrows -> R {
    watchCrashes()
    let thread = Processor.thread
    let outer = openings.withLock { openings in
      defer { openings[thread] = path }
      return openings[thread]
    }
    defer { openings.withLock { $0[thread] = outer } }
    return try body()
  }

  /// From now on a crash in a plugin's code says whose it was; what was printed before goes out.
  static func watchCrashes() {
    _ = watchesExits
    CrashSignals.giveStack()
    CrashSignals.watch { crash in
      guard let mark = mark(of: crash.thread) else { return noteCrash(crash) }
      let (service, signal) = (mark.library.service, CrashSignals.name(crash.signal))
      mark.host.note(
        """
        nbridge: the plugin '\(service)' crashed (\(signal)) \(mark.place), and this program with it
          --isolate \(service) keeps it in a process of its own; SWIFT_BACKTRACE=enable=yes shows where
        """)
    }
  }

  /// The same for one that ends the program by exit(3) in the middle of a call.
  private static let watchesExits: Bool = atexit { NativeCalls.noteExit() } == 0

  /// No program ends so in order: who waits for it must not take it for a success.
  private static func noteExit() {
    guard let mark = mark(of: Processor.thread) else { return noteExitOutside() }
    let service = mark.library.service
    mark.host.note(
      """
      nbridge: the plugin '\(service)' called exit() \(mark.place), and ended this program
        --isolate \(service) keeps it in a process of its own
      """)
    _exit(1)
  }

  /// The same outside of all calls: a library that is opened, or a thread of a plugin's own.
  private static func noteExitOutside() {
    if let path = openings.withLock({ $0[Processor.thread] }) {
      tell("nbridge: the library '\(path)' called exit() when it was opened, and ended this program\n")
      _exit(1)
    }
    guard endsOtherwise.load(ordering: .relaxed) else { return }
    tell(
      "nbridge: native code called exit() outside of any call, and ended this program; plugins in its "
        + "process: \(servicesHere)\n")
    _exit(1)
  }

  /// There may be no program yet to say it.
  private static func tell(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  private static var servicesHere: String {
    let here = marks.withLock { $0.all.values.filter { !$0.library.isIsolated } }
    return Set(here.map(\.library.service)).sorted().map { "'\($0)'" }.joined(separator: ", ")
  }

  /// Of a thread that nobody here has lent to a plugin: it may be a plugin's own.
  private static func noteCrash(_ crash: CrashSignals.Crash) {
    let here = marks.withLock { $0.all.values.first { !$0.library.isIsolated } }
    here?.host.note(
      "nbridge: this program crashed (\(CrashSignals.name(crash.signal))) outside of any call of a plugin; "
        + "plugins in its process: \(servicesHere)")
  }
}
