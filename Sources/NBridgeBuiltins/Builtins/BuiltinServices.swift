// SPDX-License-Identifier: MIT

package import JSEngine
package import NBridgeHost
package import NBridgePlugin
package import NBridgeRecording
package import NBridgeScript

/// What built-in modules' hosts may use of the program they are part of; never the runtime itself. Confined
/// to the engine's thread.
///
/// The functions of a host must not keep it: the engine keeps them, and it keeps the engine.
package final class BuiltinServices {
  package let context: JSContext
  /// Clocks, dice, people, and turns of the loop: what a recording sees.
  package let inputs: ScriptInputs
  /// Where each line of a script stands in its author's files.
  package let sources: SourceRegistry
  package let output: any ScriptOutput
  package let dialogs: any DialogAnswerer
  /// Seeds `crypto` and identifiers, for runs that repeat; nil for true randomness.
  package let seed: UInt64?
  /// Takes the steps of a file of tests; nil in any other program.
  package var tests: TestRecorder?
  /// Takes what `console` prints, where that is the program's log; nil where it is the output.
  package let log: ((LogRecord) -> Void)?
  /// The calls and watches that are open, for tests.
  package var openCalls: () -> [OpenCall] = { [] }
  /// The names that scripts looked for in the bridge in vain.
  package let missed = MissedNames()
  /// A function that calls an action of a plugin, hidden ones, too: `service`, `name`.
  package var pluginAction: (String, String) throws(JSException) -> JSValue = { _, _ throws(JSException) in
    throw JSException(message: "there are no plugins here")
  }
  /// Functions that hosts call, by names. Kept here: a handle in a host's function would keep the engine for
  /// ever.
  private var kept: [String: JSHandle] = [:]
  /// Where the app keeps its files; set with the parts of a program.
  package var container: () -> Container = { Container(path: Folders.nowhere) }
  /// Why scripts do not have a permission; nil when they have it.
  package var denial: (_ permission: String) -> BridgeError? = { _ in nil }
  /// Takes uncaught errors.
  package weak var faults: (any FaultHandler)?
  /// Makes what connects this engine with others, when it is first used.
  package var makeLinks: (() -> MessageLinks)?
  /// What it made; nil as long as nothing was.
  package private(set) var links: MessageLinks?
  /// Starts workers, once it is needed; nil where there are none.
  package var workers: (any WorkerStarter)? { makeWorkers?() }
  package var makeWorkers: (() -> any WorkerStarter)?
  /// Of an engine that is a worker's; nil in any other.
  package weak var scope: (any WorkerScope)?
  /// Set when they are made.
  package private(set) weak var builtins: Builtins?
  package private(set) weak var timers: ScriptTimers?

  package init(
    _ context: JSContext, _ inputs: ScriptInputs, _ sources: SourceRegistry, output: any ScriptOutput,
    dialogs: any DialogAnswerer, seed: UInt64?, log: ((LogRecord) -> Void)?
  ) {
    (self.context, self.inputs, self.sources) = (context, inputs, sources)
    (self.output, self.dialogs, self.seed, self.log) = (output, dialogs, seed, log)
  }

  package func connect(_ builtins: Builtins, _ timers: ScriptTimers) {
    (self.builtins, self.timers) = (builtins, timers)
  }

  /// What connects this engine with others.
  package func openLinks() throws(JSException) -> MessageLinks {
    if let links { return links }
    guard let made = makeLinks?() else { throw JSException(message: "there are no other engines here") }
    links = made
    return made
  }

  /// What a module exports.
  package func load(_ name: String) throws(JSException) -> JSValue {
    guard let builtins else { throw JSException(message: "the program has ended") }
    return try builtins.load(name)
  }

  /// A function for a host, made when it is first asked for.
  package func kept(_ name: String, _ make: () throws(JSException) -> JSValue) throws(JSException) -> JSValue
  {
    if let known = kept[name] { return known.value }
    let made = JSHandle(try make(), in: context)
    kept[name] = made
    return made.value
  }

  /// Calls a function of a script in a turn of its own.
  package func call(_ callback: JSHandle) {
    do throws(JSException) { try context.call(callback.value) } catch {
      faults?.fail(error, unhandled: false)
    }
  }

  /// Runs `work` on a thread of the program's, and calls a function of ours with what `argument` makes of its
  /// answer, in a turn of its own. The program stays alive meanwhile; behind its end nothing is called.
  package func work<Answer: Sendable>(
    for callback: JSHandle, count: Int, _ work: @escaping @Sendable () -> Answer,
    argument: @escaping (Answer, Int) -> JSValue
  ) {
    inputs.work(work) { [weak self] answer in
      guard let self, faults?.isOver != true else { return }
      do throws(JSException) {
        try context.call(callback.value, count: count) { argument(answer, $0) }
      } catch { faults?.fail(error, unhandled: false) }
    }
  }

  /// `file:line` of a frame, as its author sees it; empty for none.
  package func place(of frame: String) -> (function: String, place: String)? {
    guard let found = StackFrame(frame), let authored = sources.authored(found) else { return nil }
    let file = DisplayPath(folder: ScriptFile.currentFolder).shown(authored.url)
    return (authored.function, "\(file):\(authored.line)")
  }

  /// `file:line` of the author's innermost frame of a stack; empty for none.
  func place(ofCall stack: String) -> String {
    guard let frame = sources.frames(of: stack).first else { return "" }
    return "\(DisplayPath(folder: ScriptFile.currentFolder).shown(frame.url)):\(frame.line)"
  }
}

/// Takes a program's uncaught errors.
package protocol FaultHandler: AnyObject {
  /// Dispatches the global's "error" event, and ends the program when no listener takes the error.
  func report(_ error: JSValue)
  /// Ends the program; `unhandled` for a rejection.
  func fail(_ exception: JSException, unhandled: Bool)
  /// Of a file of tests, whose failures no handler of the file may hide: true when the error was taken, false
  /// when the file ends with it. Nil where the program's handlers decide.
  func judge(_ error: JSValue) -> Bool?
  /// Whether the program is over.
  var isOver: Bool { get }
}

/// Members that several hosts have.
extension HostObject {
  /// `messageFor(text, stack)`: an error's message as its author wrote it, with what a misspelt name stands
  /// near.
  func addMessages(_ services: BuiltinServices) {
    function("messageFor") { [unowned services] frame throws(JSException) in
      guard let text = frame[0].string else { return frame[0] }
      let named = services.sources.naming(text, frame[1].string ?? "")
      let message = AuthoredMessage.of(named)
      return services.context.make(message + services.missed.hint(for: message))
    }
  }

  /// `now()`: the clock of timers, in milliseconds.
  package func addClock(_ services: BuiltinServices) {
    function("now") { [unowned inputs = services.inputs] frame throws(JSException) in
      frame.make(inputs.scriptClock)
    }
  }

  /// `report(error)`: the global's "error" event, and the program's end when no listener takes the error.
  func addReport(_ services: BuiltinServices) {
    function("report") { [unowned services] frame throws(JSException) in
      services.faults?.report(frame[0])
      return frame.undefined
    }
  }

  /// `fail(error)`: ends the program.
  package func addFailure(_ services: BuiltinServices) {
    function("fail") { [unowned services] frame throws(JSException) in
      services.context.noteThrown(frame[0])
      services.faults?.fail(services.context.exception(of: frame[0]), unhandled: false)
      return frame.undefined
    }
  }

  /// `hold(1)` keeps the program alive, `hold(-1)` lets it go.
  func addHold(_ services: BuiltinServices) {
    function("hold") { [unowned inputs = services.inputs] frame throws(JSException) in
      inputs.hold(frame[0].number > 0)
      return frame.undefined
    }
  }

  /// `delay(milliseconds, callback)`: runs a callback later; it does not hold the program until then.
  func addDelay(_ services: BuiltinServices) {
    function("delay") { [unowned services] frame throws(JSException) in
      let callback = JSHandle(frame[1], in: services.context)
      let microseconds = min(max(0, frame[0].integer), 9_000_000_000_000) * 1000
      services.inputs.runLater(after: microseconds) { [unowned services] in services.call(callback) }
      return frame.undefined
    }
  }

  /// `task(callback)`: runs a callback in a turn of its own; it holds the program until then.
  func addTask(_ services: BuiltinServices) {
    function("task") { [unowned services] frame throws(JSException) in
      let callback = JSHandle(frame[0], in: services.context)
      services.inputs.runLater(after: 0, holding: true) { [unowned services] in services.call(callback) }
      return frame.undefined
    }
  }

  /// `encodeUTF8(text)`, `decodeUTF8(bytes, isFatal)`: undefined for what is none.
  func addUTF8(_ services: BuiltinServices) {
    function("encodeUTF8") { [unowned context = services.context] frame throws(JSException) in
      try context.encodeUTF8(frame[0])
    }
    function("decodeUTF8") { [unowned context = services.context] frame throws(JSException) in
      guard let bytes = frame[0].bytes else { return frame.undefined }
      let memory = UnsafeBufferPointer(bytes.bindMemory(to: UInt8.self))
      return try context.decodeUTF8(memory, isFatal: frame[1].bool) ?? frame.undefined
    }
  }

  /// The engine's own looks, which run nothing: a proxy's target, a promise's state.
  func addLooks(_ services: BuiltinServices) {
    function("proxyTarget") { frame throws(JSException) in frame[0].proxyTarget ?? frame.undefined }
    let peek = JSPromisePeek(services.context)
    function("promiseState") { [unowned context = services.context] frame throws(JSException) in
      guard let (state, result) = peek?.look(at: frame[0]) else { return frame.undefined }
      return context.makeArray(count: 2) { $0 == 0 ? context.make(state.rawValue) : result }
    }
  }
}

extension BuiltinModule {
  /// Adds members to a module's host.
  package typealias Host =
    @Sendable (_ host: HostObject, _ services: BuiltinServices) throws(JSException) -> Void
}
