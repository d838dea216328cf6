// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeBuiltins
internal import NBridgeHost
public import NBridgePlugin
internal import Synchronization

/// A JavaScript engine with plugins: what `nbridge run` is, as a library.
///
/// ```swift
/// let runtime = try Runtime(plugins: [GreeterPlugin()])
/// let status = runtime.run(.text("console.log(await nbridge.greeter.hello({name: 'Ada'}))"))
/// ```
///
/// Confined to the thread that makes it, except for ``controller``. One thread may have one runtime at a
/// time.
public final class Runtime {
  let options: RuntimeOptions
  let parts: ProgramParts
  /// What the program is told with when it ends by itself: a function of a status that answers one. Nil as
  /// long as no module asked for it.
  var atExit: JSHandle?
  /// Tells the program that nothing is left to be done; nil where it does not want to know, and in a replay.
  var idle: (() -> Void)?
  /// Samples the program; nil where no profile is made.
  var profiler: RunProfiler?
  /// Whether something of the program ran, or might have.
  var hasBegun = true
  /// The script that the program begins with, once it is known.
  var entry: String?
  /// The file that the program began with, once it is known; nil where it is none.
  var programFile: String?
  /// The modules of the page that runs; nil for a program that is none.
  var pageModules: PageModules?
  /// What the global object has of a runtime that is a worker; nil in any other.
  var globals: (any WorkerScope)?
  /// The workers that its scripts started; nil as long as none was.
  private(set) var crew: WorkerCrew?
  /// What ran of the program's own files; nil where it is not counted.
  let coverage: CoverageCounters?

  /// Makes a runtime on the calling thread.
  ///
  /// - Throws: ``PluginError`` for a bad or taken service name, or what a plugin's `start` throws.
  public init(_ options: RuntimeOptions = RuntimeOptions(), plugins: [any Plugin]) throws {
    let options = options.asRecorded
    self.options = options
    if options.endProcess != nil { NativeCalls.endsOtherwise.store(true, ordering: .relaxed) }
    let isCounted = options.testing?.countsCoverage == true || options.worker?.coverage != nil
    coverage = isCounted ? CoverageCounters() : nil
    parts =
      options.profile == nil
      ? ProgramParts(options, plugins) : SamplingProfiler.withPace { ProgramParts(options, plugins) }
    programFile = options.worker?.programFile
    parts.services.makeWorkers = { [unowned self] in workers() }
    if options.replay == nil { try parts.world.add(plugins, options) }
    try addTape()
    try parts.boot(seed: options.mathSeed) { [unowned self] code in exitNow(code) }
    // First: it makes the polls of the other more frequent.
    startProfile()
    try startInspector()
    if options.interruptsLoops { machine.watchInterrupter() }
    loop.lateness.isStopping = { [interrupter = machine.interrupter] in interrupter.isRequested }
  }

  deinit {
    machine.endScripts()
    crew?.endAll()
    parts.close()
    if globals != nil { machine.stopLeftovers() }
  }

  private func workers() -> WorkerCrew {
    if let crew { return crew }
    let made = WorkerCrew(self)
    crew = made
    return made
  }

  /// Closes what is open and keeps the memory, for a process that ends next: to free the engine's heap piece
  /// by piece would take a tenth of a short script's time. The thread can't make another runtime.
  package func closeForGood() {
    parts.close()
    _ = Unmanaged.passRetained(self)
  }

  /// Tells whether the engine still exists, also when the runtime does not.
  package var engineExists: @Sendable () -> Bool { { [engine = WeakEngine(machine)] in engine.exists } }

  /// Stops a plugin and starts it anew. False when there is none of that name.
  package func restart(_ service: String) throws -> Bool { try plugins.restart(service) }

  /// Runs what waits for the loop, where no script turns it.
  package func poll() { loop.poll() }

  /// Ends the running script from any thread, as ^C does.
  public var controller: RuntimeControl { parts.control }

  /// The ledger: every call and watch that is open now. On the engine's thread.
  public func openCalls() -> [OpenCall] { parts.openCalls() }

  /// `exit(code)`: nothing of the script runs after it. A program of its own ends here and now; in a program
  /// that embeds the runtime, the script gets an exception that it should let through.
  private func exitNow(_ code: Int32) -> JSException {
    if ending == nil { ending = .exited(code) }
    if let endProcess = options.endProcess { endProcess(finish()) }
    return JSException(message: "the script called exit(\(code))")
  }
}

/// Knows of an engine without keeping it.
private final class WeakEngine: @unchecked Sendable {
  // Sendable because it only looks whether the reference is there, which may be asked from any thread.
  private weak var machine: JSVirtualMachine?
  init(_ machine: JSVirtualMachine) { self.machine = machine }
  var exists: Bool { machine != nil }
}
