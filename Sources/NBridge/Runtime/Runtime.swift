// SPDX-License-Identifier: MIT

internal import Glibc
internal import JSEngine
public import NBridgePlugin
internal import Synchronization

/// A JavaScript engine with plugins: what `nbridge run` is, as a library.
///
/// ```swift
/// let runtime = try Runtime(plugins: [GreeterPlugin()])
/// let status = runtime.run(.text("console.log(await nbridge.greeter.hello({name: 'Ada'}))"))
/// ```
///
/// Confined to the thread that makes it, except for ``interrupt()``. One thread may have one runtime at a time.
public final class Runtime {
  let options: RuntimeOptions
  let machine: JSVirtualMachine
  let context: JSContext
  let loop: EventLoop
  let plugins: PluginTable
  /// Plugins, loop and threads; nobody who calls.
  let pluginHost: PluginHost
  /// The script's calls.
  let session: CallSession
  /// The calls that plugins make of each other.
  let invocations: CallSession
  /// The script's way to its session.
  let bridge: Bridge
  let host: RuntimeHost
  let observers: ObserverList
  let container: Container
  /// The scripts that ran, for reports.
  let atlas = SourceAtlas()
  var mains: [MainScript] = []
  var libraries: [ScriptLibrary: JSHandle] = [:]
  /// When the runtime was made, in microseconds of its clock.
  let startTime: Int
  var timerFire: JSHandle?
  var timerRecover: JSHandle?
  var timer: TimerQueue.ID?
  var describeWaiting: JSHandle?
  /// Begins what plugins' scripts must not lose at the end; nil as long as none of them asked for it.
  var beginLastCalls: JSHandle?
  /// In a replay: what was thrown and is being told.
  var beingReported: JSException?
  private var globalTarget: JSHandle?
  /// Whether a script may have asked to hear of errors that nobody caught.
  var hasGlobalTarget: Bool { globalTarget != nil }
  private(set) var laterMember: JSHandle?
  /// Takes what the bridge needs of the engine, before the first script that has anything in it; nil once it has.
  private var prepare: JSHandle?
  private(set) var globalNames: GlobalNames?
  /// boot.js's helpers: follows a promise to its end; keeps the program alive while WebAssembly compiles.
  var follow: JSHandle?
  var holdWhile: JSHandle?
  /// What is done with a program's value.
  var printResult: ((JSValue) throws(JSException) -> Void)?
  var nativeBridge: JSHandle?
  /// What scripts may call; a prompt changes it.
  var permissions: PermissionSet {
    didSet {
      host.setPermissions(permissions)
      session.permissions = permissions
      invocations.permissions = permissions
    }
  }
  /// Takes what nobody caught, for a prompt that goes on; nil where that ends the program.
  var onFailure: ((JSException, _ unhandled: Bool) -> Void)?
  /// Takes rejections that nobody handled by the end of a drain; nil where they are reported at once.
  var onRejection: ((_ promise: JSValue, _ reason: JSValue) -> Void)?
  /// How the program ended, once it did.
  var ending: Ending? { didSet { noteEnding() } }
  /// What stands between the script and the world: a recording that is made or replayed; nil for most programs.
  private(set) var tape: (any ProgramTape)?
  var isFinishing = false
  /// How mocked answers of linked plugins are marked, by `service.action`; empty without mocks.
  private(set) var linkedMarks: [String: MockMark] = [:]
  /// Of which the person was told that they are mocked.
  var notedMocks: Set<String> = []
  let control: RuntimeControl

  /// Makes a runtime on the calling thread.
  ///
  /// - Throws: ``PluginError`` for a bad or taken service name, or what a plugin's `start` throws.
  public init(_ options: RuntimeOptions = RuntimeOptions(), plugins: [any Plugin]) throws {
    let options = options.asRecorded
    self.options = options
    permissions = options.permissions
    machine = JSVirtualMachine()
    context = JSContext(in: machine)
    loop = EventLoop(context: machine.mainContext, clock: options.clock)
    startTime = options.clock.now
    observers = ObserverList(options.tracing, output: options.output)
    container = AppContainer.open(options.container, app: options.app)
    let shared = options.sharedFolders(container)
    host = RuntimeHost(
      loop: loop, output: options.output, permissions: options.permissions,
      sealed: options.sealed(container))
    control = RuntimeControl(interrupter: machine.interrupter, host: host)
    self.plugins = PluginTable(
      app: AppEnvironment(
        info: options.app, container: container, bundle: options.bundle, resources: options.resources,
        arguments: options.arguments, registeredDefaults: options.registeredDefaults,
        shared: shared, schemes: options.schemes, host: host), settings: options.settings)
    pluginHost = PluginHost(loop: loop, plugins: self.plugins)
    session = CallSession(pluginHost, permissions: options.permissions, holdsProgram: true)
    invocations = CallSession(pluginHost, permissions: options.permissions, holdsProgram: false)
    bridge = Bridge(context: context, session: session)
    bridge.onFailure = { [unowned self] in fail($0) }
    host.attach(self, invocations: invocations)
    if !options.mocks.isEmpty { linkedMarks = Self.mockMarks(plugins) }
    if options.replay == nil { try add(plugins) }
    tape = try makeTape()
    (session.tap, bridge.tape) = (tape, tape)
    setObserver()
    loop.endOfRound = { [unowned session, unowned invocations] in
      invocations.flush()
      session.flush()
    }
    loop.willSleep = { [output = options.output] in output.flush() }
    try boot()
    if options.interruptsLoops { machine.watchInterrupter() }
  }

  private static func mockMarks(_ linked: [any Plugin]) -> [String: MockMark] {
    var marks: [String: MockMark] = [:]
    for plugin in linked.map(LinkedPlugin.init) {
      for declaration in plugin.declarations {
        marks["\(plugin.manifest.service).\(declaration.name)"] = declaration.mockMark
      }
    }
    return marks
  }

  private func add(_ linked: [any Plugin]) throws {
    let loaded = LoadedPlugins(
      loop: loop, host: host, lifecycles: host.lifecycles, startLimit: options.pluginStartLimit)
    for plugin in linked {
      if let receiver = plugin as? any LogReceiver { host.setReceiver(receiver) }
      try plugins.add(LinkedPlugin(plugin))
    }
    for library in options.libraries { try plugins.add(loaded.plugin(of: library)) }
    for opening in options.openings { try plugins.add(loaded.plugin(of: opening.library())) }
    for plugin in InstalledPlugin.all(in: options.pluginFolders) { plugins.note(loaded.found(plugin)) }
  }

  deinit {
    // Where the engine outlives this thread nobody may interrupt it any more.
    machine.unwatchInterrupter()
    // A handle that the context has of itself would keep it.
    context.keepsThrown = false
    host.detach()
    pluginHost.close()
  }

  /// Tells the sessions who hears of their calls: nobody, as long as nobody wants to.
  func setObserver() {
    session.observer = observers.isEmpty ? nil : observers
    invocations.observer = session.observer
  }

  /// Tells whether the engine still exists, also when the runtime does not.
  package var engineExists: @Sendable () -> Bool { { [engine = WeakEngine(machine)] in engine.exists } }

  /// Stops a plugin and starts it anew. False when there is none of that name.
  package func restart(_ service: String) throws -> Bool { try plugins.restart(service) }

  /// Ends the running script from any thread, as ^C does.
  public var controller: RuntimeControl { control }

  // MARK: - The runtime's own scripts

  private func boot() throws(JSException) {
    let host = HostObject(context)
    host.function("load") { [unowned self] frame throws(JSException) in
      try load(named: frame[0].string ?? "")
    }
    host.function("exposeBridge") { [unowned self] frame throws(JSException) in
      try exposeBridge(frame[0], frame[1])
      return frame.undefined
    }
    host.function("exit") { [unowned self] frame throws(JSException) in
      guard frame[0].isUndefined || !frame[0].number.isNaN else {
        throw JSException(message: "exit takes a number, 0 for success")
      }
      throw exitNow(Int32(truncatingIfNeeded: frame[0].integer))
    }
    if let seed = options.mathSeed { host.set("seed", context.make(Double(seed))) }
    let boot = try context.evaluate(ascii: ScriptLibrary.boot.source, url: ScriptLibrary.boot.url)
    let helpers = try context.call(boot, host.value)
    follow = JSHandle(helpers["follow"], in: context)
    holdWhile = JSHandle(helpers["holdWhile"], in: context)
    nativeBridge = JSHandle(helpers["nativeBridge"], in: context)
    if tape != nil { _ = try load(.tape) }
    prepare = JSHandle(helpers["prepare"], in: context)
    laterMember = JSHandle(helpers["laterMember"], in: context)
    globalNames = GlobalNames(helpers["lazyNames"].string ?? "")
    let onRejection = JSFunction.make(in: context) { [unowned self] frame throws(JSException) in
      if let take = self.onRejection { take(frame[0], frame[1]) } else { reportRejection(frame[0], frame[1]) }
      return frame.undefined
    }
    _ = context.onUnhandledRejection(onRejection)
    rejectionHook = JSHandle(onRejection, in: context)
  }
  private var rejectionHook: JSHandle?

  /// Puts the lazy globals that a script mentions in place.
  func placeGlobals(mentionedIn text: String) {
    if let prepare, text.utf8.contains(where: { $0 > 0x20 }) {
      self.prepare = nil
      _ = try? context.call(prepare.value)
    }
    for name in globalNames?.takeMentioned(in: text) ?? [] { _ = context.global[name] }
  }

  func load(named name: String) throws(JSException) -> JSValue {
    if name == "target" { return try loadTarget() }
    guard let library = ScriptLibrary(rawValue: name) else {
      throw JSException(message: "no script '\(name)'")
    }
    return try load(library)
  }

  /// Evaluates one of the runtime's own scripts, once, and answers what it exports.
  func load(_ library: ScriptLibrary) throws(JSException) -> JSValue {
    if let loaded = libraries[library] { return loaded.value }
    let function = try context.evaluate(ascii: library.source, url: library.url)
    let exports = try context.call(function, hostObject(for: library))
    libraries[library] = JSHandle(exports, in: context)
    if library == .timers { return connectTimers(exports) }
    return exports
  }

  /// The global object as an event target: its methods, and `onerror` and its kin.
  func loadTarget() throws(JSException) -> JSValue {
    if let globalTarget { return globalTarget.value }
    let target = try context.call(load(.events)["makeGlobalTarget"])
    // Handlers are accessors: their descriptors are what boot.js places.
    let flatten = try context.evaluate(
      "((t) => Object.defineProperties(t, Object.getOwnPropertyDescriptors(t.handlers)))",
      url: ScriptLibrary.scheme + "target")
    globalTarget = JSHandle(try context.call(flatten, target), in: context)
    return target
  }

  private func hostObject(for library: ScriptLibrary) throws(JSException) -> JSValue {
    switch library {
    case .timers: timersHost()
    case .console: try consoleHost()
    case .inspect: try inspectHost()
    case .format: try load(.inspect)
    case .dialogs: dialogsHost()
    case .page: try pageHost()
    case .test: try testHost()
    case .tape: tapeHost()
    case .repl: try replHost()
    case .boot, .intrinsics, .nbridge, .tagging, .control, .watch, .mocks, .seed, .primordials, .domexception,
      .platform, .pairlist, .streamcore,
      .encodinglabels:
      context.undefined
    case .events, .reports, .abort, .clone, .messaging, .encoding, .base64, .performance, .crypto, .navigator,
      .url, .urlsearchparams, .urlparser, .blob, .formdata, .queuing, .writable, .readable, .readablepipes,
      .readablebytes,
      .readablebyob,
      .transform, .textstreams:
      try webHost(for: library)
    }
  }

  // MARK: - Ending

  /// Ends the program because of what a script threw.
  func fail(_ exception: JSException, unhandled: Bool = false) {
    guard ending == nil else { return }
    if let onFailure { return onFailure(exception, unhandled) }
    // A stop that met one of our own functions is thrown by it as an error like others.
    if exception.isTermination || machine.interrupter.isRequested {
      ending = .interrupted
    } else {
      ending = .failed(exception, unhandled: unhandled)
    }
  }
}

extension Runtime {
  /// `exit(code)`: nothing of the script runs after it. A program of its own ends here and now; in a program
  /// that embeds the runtime, the script gets an exception that it should let through.
  private func exitNow(_ code: Int32) -> JSException {
    if ending == nil { ending = .exited(code) }
    if let endProcess = options.endProcess { endProcess(finish()) }
    return JSException(message: "the script called exit(\(code))")
  }
}

/// How a program ended.
enum Ending: Sendable {
  case exited(Int32)
  case failed(JSException, unhandled: Bool)
  case neverSettles(url: String, line: Int?)
  case notBundled(BundleError)
  case timedOut(seconds: Double)
  case interrupted
  /// Calls held a script that had run, and none moved for so many seconds.
  case stalled([OpenCall], seconds: Double)
  /// A replay in which the script did something else than was recorded.
  case differed(String)
}

/// The part of a runtime that other threads may use.
public final class RuntimeControl: Sendable {
  private let interrupter: JSInterrupter
  private let host: RuntimeHost
  private let guarded = Atomic<Bool>(false)
  private let stop = Mutex<Stop>(Stop())

  private struct Stop {
    var isSaving = false
    var isSaved = false
    /// SIGINT until another one stops it.
    var signal: Int32 = 2
    /// How a program ends whose script was stopped for another reason than a signal.
    var ending: Ending?
  }

  /// Whether a script that never comes back to its loop can be stopped, because it may hold what must not be lost. The
  /// engine does it after up to a quarter of a second of the processor's time.
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

  /// Tells the script that the program is about to be stopped (^Z), or goes on.
  public func enterBackground(_ background: Bool) { host.enter(background ? .background : .active) }

  /// Ends the program because its time is over; the run answers 124. A script that doesn't come back to its loop for it
  /// is ended by ``stopScript()``.
  public func expire(seconds: Double) {
    stop.withLock { $0.ending = .timedOut(seconds: seconds) }
    host.request(.timedOut(seconds: seconds))
  }

  /// The signal that stopped the program; ^C's when none is known.
  package var signal: Int32 { stop.withLock { $0.signal } }

  package func note(signal: Int32) { stop.withLock { $0.signal = signal } }

  /// How the program ends when its script was stopped.
  var endingOfStopped: Ending? { stop.withLock { $0.ending } }

  /// Stops the script wherever it is; the run answers 128 and the signal's number: 130 after ^C. What is being saved by
  /// then is not stopped.
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

  /// Stops a script that the engine can stop: one that is guarded, or any where ``RuntimeOptions/interruptsLoops`` is set.
  public func stopScript() {
    stop.withLock { stop in
      if !stop.isSaving { interrupter.interrupt() }
    }
  }
}

/// Knows of an engine without keeping it.
private final class WeakEngine: @unchecked Sendable {
  // Sendable because it only looks whether the reference is there, which may be asked from any thread.
  private weak var machine: JSVirtualMachine?
  init(_ machine: JSVirtualMachine) { self.machine = machine }
  var exists: Bool { machine != nil }
}
