// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeBuiltins
internal import NBridgeHost
internal import NBridgeRecording
internal import NBridgeScript

/// The state of a running program: which scripts await at their top, how it ended, and the handlers of its
/// uncaught errors and unhandled rejections. Confined to the engine's thread.
final class ProgramState: FaultHandler {
  private let context: JSContext
  private let inputs: ScriptInputs
  private let control: RuntimeControl
  weak var builtins: Builtins?
  /// How the program ended, once it did.
  var ending: Ending? { didSet { noteEnding() } }
  var isFinishing = false
  /// Whether an error was told, and the program went on.
  var hasToldFailure = false
  /// The scripts that await at their top.
  var mains: [MainScript] = []
  /// Takes the value that the program ends with, to print it.
  var printResult: ((JSValue) throws(JSException) -> Void)?
  /// Takes uncaught errors, for a prompt that goes on; nil where one ends the program.
  var onFailure: ((JSException, _ unhandled: Bool) -> Void)?
  /// Takes uncaught errors in a worker, which goes on.
  var onUncaught: ((JSException, _ unhandled: Bool) -> Void)?
  /// Hears of errors and rejections before the program's handlers do, which then decide nothing: true when it
  /// took one, false when the program ends with it.
  var onFault: ((JSException, _ unhandled: Bool) -> Bool)?
  /// Takes unhandled rejections at the end of a drain; nil where they are reported at once.
  var onRejection: ((_ promise: JSValue, _ reason: JSValue) -> Void)?
  /// In a replay: what was thrown and is being told.
  private(set) var beingReported: JSException?
  /// The `await` at the top of a script whose failure is being told.
  private var awaited: JSException.Place?
  private var rejectionHook: JSHandle?

  init(_ context: JSContext, _ inputs: ScriptInputs, _ control: RuntimeControl) {
    (self.context, self.inputs, self.control) = (context, inputs, control)
  }

  var isOver: Bool { ending != nil }

  /// Whether every script that awaits at its top has come to its end.
  var isSettled: Bool { mains.allSatisfy(\.isSettled) }

  /// Runs a script that awaits at its top, and follows its promise, for which the program waits.
  ///
  /// - Parameters:
  ///   - marker: where the script keeps the line of the `await` that it stands at.
  ///   - done: gets what it settled to, and whether it was rejected. When `main` answers undefined instead of
  ///     a promise, it has ended by then.
  func follow(
    _ main: JSValue, url: String, marker: JSValue,
    _ done: @escaping (JSValue, _ failed: Bool) throws(JSException) -> Void
  ) throws(JSException) {
    mains.append(MainScript(url: url, marker: JSHandle(marker, in: context)))
    let index = mains.count - 1
    let settled = JSFunction.make(in: context) { [unowned self] frame throws(JSException) in
      mains[index].isSettled = true
      try done(frame[0], false)
      return frame.undefined
    }
    let failed = JSFunction.make(in: context) { [unowned self] frame throws(JSException) in
      mains[index].isSettled = true
      awaited = mains[index].place
      defer { awaited = nil }
      try done(frame[0], true)
      return frame.undefined
    }
    guard let builtins else { return }
    // One entry into the engine, so that the promise is followed before its jobs run; by a native function,
    // so that no script of ours stands in the stacks of the program's errors.
    let start = JSFunction.make(in: context) {
      [unowned context, unowned builtins] frame throws(JSException) in
      let promise = try context.call(frame[0], frame[1])
      if promise.isUndefined { return try context.call(frame[2]) }
      return try context.call(builtins.helper(.follow), promise, frame[2], frame[3])
    }
    try context.call(start, main, marker, settled, failed)
  }

  // MARK: - Uncaught errors

  func report(_ error: JSValue) {
    guard let builtins else { return }
    if inputs.tape is Replayer { beingReported = context.exception(of: error) }
    defer { beingReported = nil }
    do throws(JSException) { try context.call(builtins.load("reports")["report"], error) } catch {
      fail(error, unhandled: false)
    }
  }

  func judge(_ error: JSValue) -> Bool? { onFault?(context.exception(of: error), false) }

  func reportRejection(_ promise: JSValue, _ reason: JSValue) {
    if inputs.tape is Replayer { beingReported = context.exception(of: reason) }
    defer { beingReported = nil }
    let verdict = onFault?(context.exception(of: reason), true)
    let isTaken = try? context.call(
      builtins?.load("reports")["reportRejection"] ?? context.undefined, promise, reason
    ).bool
    if verdict ?? (isTaken == true) { return }
    context.noteThrown(reason)
    fail(context.exception(of: reason), unhandled: true)
  }

  /// Has the engine report unhandled rejections to this program.
  func watchRejections() {
    let hook = JSFunction.make(in: context) { [unowned self] frame throws(JSException) in
      if let take = onRejection { take(frame[0], frame[1]) } else { reportRejection(frame[0], frame[1]) }
      return frame.undefined
    }
    _ = context.onUnhandledRejection(hook)
    rejectionHook = JSHandle(hook, in: context)
  }

  // MARK: - Ending

  /// Ends the program because of what a script threw.
  func fail(_ exception: JSException, unhandled: Bool = false) {
    guard ending == nil else { return }
    var exception = exception
    exception.awaited = awaited
    if let onFailure { return onFailure(exception, unhandled) }
    // A stop that met one of our own functions is thrown by it as an error like others.
    if exception.isTermination || context.machine.interrupter.isRequested {
      ending = .interrupted
    } else if let onUncaught {
      onUncaught(exception, unhandled)
    } else {
      ending = .failed(exception, unhandled: unhandled)
    }
  }

  /// Ends the program because of something outside of the script.
  func end(_ ending: Ending) {
    guard self.ending == nil else { return }
    if case .exited(let code) = ending { inputs.tape?.ended(.exited(code)) }
    self.ending = ending
  }

  private func noteEnding() {
    switch ending {
    case .interrupted: inputs.tape?.ended(.stopped(signal: control.signal))
    case .timedOut(let seconds): inputs.tape?.ended(.timedOut(seconds: seconds))
    case .stalled(_, let seconds): inputs.tape?.ended(.stalled(seconds: seconds))
    default: break
    }
  }
}

/// A script that awaits at its top.
struct MainScript {
  let url: String
  let marker: JSHandle
  var isSettled = false

  /// The `await` that it came to last.
  var place: JSException.Place? {
    Int(exactly: marker.value["at"].number).map { JSException.Place(url: url, line: $0) }
  }
}

/// How a program ended.
enum Ending: Sendable {
  case exited(Int32)
  case failed(JSException, unhandled: Bool)
  /// An error of a worker's that nobody took, as the worker tells it.
  case workerFailed(report: String)
  case neverSettles(url: String, line: Int?)
  case notBundled(BundleError)
  case timedOut(seconds: Double)
  case interrupted
  /// Calls held a script that had run, and none moved for so many seconds.
  case stalled([OpenCall], seconds: Double)
  /// A replay in which the script did something else than was recorded.
  case differed(String)
}
