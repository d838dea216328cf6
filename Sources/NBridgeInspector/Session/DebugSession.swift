// SPDX-License-Identifier: MIT

internal import NBridgeScript

/// One debugger, which speaks the DevTools protocol (as Chrome and Node do, tip of tree), and the engine,
/// which speaks WebKit's inspector protocol: each one's words in the other's. Confined to the inspector's
/// thread.
final class DebugSession {
  typealias Reply = (Result<JSON, EngineFailure>) -> Void
  typealias Command = @Sendable (DebugSession, JSON, @escaping Reply) -> Void

  let engine: EngineLink
  let scripts: ScriptTable
  let say: (JSON) -> Void
  /// Called when the debugger lets a program begin that waits for it.
  let release: () -> Void
  var breakpoints = BreakpointTable()
  var isDebugging = false
  /// Whether the program has stopped where it begins, and goes to its first statement.
  var isBeginning = false
  /// How many steps were made that the debugger does not hear of.
  var stepsPassed = 0

  init(
    _ engine: EngineLink, _ scripts: ScriptTable, say: @escaping (JSON) -> Void, release: @escaping () -> Void
  ) {
    (self.engine, self.scripts, self.say, self.release) = (engine, scripts, say, release)
    engine.onEvent = { [unowned self] method, params in take(method, params) }
  }

  /// The debugger went. Another may come when `done` is called.
  func close(_ done: @escaping () -> Void) {
    scripts.forgetParsed()
    engine.close(done)
  }

  // MARK: - The debugger's words

  /// What a debugger may say; anything else is answered as an unknown command.
  static let commands: [String: Command] = debuggerCommands.merging(runtimeCommands) { first, _ in first }

  /// A message of the debugger's.
  func receive(_ text: [UInt8]) {
    guard let message = JSONReader.read(text), let id = message["id"], id.int != nil else {
      return say(.of(["error": .of(["code": .int(-32700), "message": "Message must be a valid JSON"])]))
    }
    guard let method = message["method"]?.string, let command = Self.commands[method] else {
      let name = message["method"]?.string ?? ""
      return fail(id, -32601, "'\(name)' wasn't found")
    }
    command(self, message["params"] ?? .object([])) { [weak self] result in
      switch result {
      case .success(let result): self?.say(.of(["id": id, "result": result]))
      case .failure(let failure): self?.fail(id, -32000, failure.message)
      }
    }
  }

  private func fail(_ id: JSON, _ code: Int, _ message: String) {
    say(.of(["id": id, "error": .of(["code": .int(code), "message": .string(message)])]))
  }

  func tell(_ method: String, _ params: JSON) { say(.of(["method": .string(method), "params": params])) }

  // MARK: - A script will run

  /// Has the engine know the breakpoints in a script before it runs; `done` is called when it does.
  func prepare(_ script: ScriptPlaces, _ done: @escaping () -> Void) {
    var left = 1
    let one = {
      left -= 1
      if left == 0 { done() }
    }
    guard isDebugging else { return done() }
    let url = script.url
    for breakpoint in breakpoints.wanted(in: scripts.clientURL(url), url) {
      left += 1
      set(breakpoint, in: url) { _ in one() }
    }
    one()
  }
}
