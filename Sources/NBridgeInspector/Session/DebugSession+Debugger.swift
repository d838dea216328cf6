// SPDX-License-Identifier: MIT

internal import NBridgeScript

/// Steps and what else the domain `Debugger` has.
extension DebugSession {
  static let debuggerCommands: [String: Command] = [
    "Debugger.enable": { session, _, reply in session.enable(reply) },
    "Debugger.disable": { session, _, reply in
      session.isDebugging = false
      session.engine.send("Debugger.disable") { reply($0.map { _ in .object([]) }) }
    },
    "Debugger.pause": passed("Debugger.pause"),
    "Debugger.resume": passed("Debugger.resume"),
    "Debugger.stepOver": passed("Debugger.stepOver"),
    "Debugger.stepInto": passed("Debugger.stepInto"),
    "Debugger.stepOut": passed("Debugger.stepOut"),
    "Debugger.setPauseOnExceptions": { session, params, reply in
      // "caught" alone is none of the engine's words: all are more than that, and uncaught ones less.
      let state = params["state"]?.string == "caught" ? "all" : params["state"]?.string ?? "none"
      session.engine.send("Debugger.setPauseOnExceptions", .of(["state": .string(state)])) {
        reply($0.map { _ in .object([]) })
      }
    },
    "Debugger.setBreakpointsActive": passed("Debugger.setBreakpointsActive", "active"),
    "Debugger.setSkipAllPauses": { session, params, reply in
      let skips = params["skip"]?.bool ?? false
      session.engine.send("Debugger.setBreakpointsActive", .of(["active": .bool(!skips)])) {
        reply($0.map { _ in .object([]) })
      }
    },
    "Debugger.setAsyncCallStackDepth": { session, params, reply in
      let depth = JSON.int(max(0, params["maxDepth"]?.int ?? 0))
      session.engine.send("Debugger.setAsyncStackTraceDepth", .of(["depth": depth])) {
        reply($0.map { _ in .object([]) })
      }
    },
    "Debugger.setBlackboxPatterns": { session, params, reply in
      for pattern in params["patterns"]?.array ?? [] { session.passOver(pattern) }
      reply(.success(.object([])))
    },
    "Debugger.setBreakpointByUrl": { session, params, reply in session.setBreakpoint(params, reply) },
    "Debugger.setBreakpoint": { session, params, reply in session.setBreakpoint(at: params, reply) },
    "Debugger.removeBreakpoint": { session, params, reply in session.removeBreakpoint(params, reply) },
    "Debugger.getPossibleBreakpoints": { session, params, reply in session.possible(params, reply) },
    "Debugger.continueToLocation": { session, params, reply in
      let place = params["location"].flatMap(session.scripts.running)
      guard let place else { return reply(.failure(EngineFailure("nothing runs at that place"))) }
      session.engine.send("Debugger.continueToLocation", .of(["location": place])) {
        reply($0.map { _ in .object([]) })
      }
    },
    "Debugger.getScriptSource": { session, params, reply in session.source(params, reply) },
  ]

  /// A command that both protocols have, with those of its parameters that both know.
  static func passed(_ method: String, _ names: String...) -> Command {
    { session, params, reply in
      let members = names.compactMap { name in params[name].map { JSON.Member(name: name, value: $0) } }
      session.engine.send(method, .object(members)) { reply($0.map { _ in .object([]) }) }
    }
  }

  private func enable(_ reply: @escaping Reply) {
    isDebugging = true
    passOver("^nbridge:")
    engine.send("Debugger.enable") { [self] result in
      guard case .success = result else { return reply(result) }
      engine.send("Debugger.setBreakpointsActive", .of(["active": true]))
      engine.send("Debugger.setPauseOnDebuggerStatements", .of(["enabled": true])) { _ in
        reply(.success(.of(["debuggerId": "nbridge"])))
      }
    }
  }

  /// Steps do not go into scripts of such names.
  private func passOver(_ pattern: JSON) {
    engine.send(
      "Debugger.setShouldBlackboxURL", .of(["url": pattern, "shouldBlackbox": true, "isRegex": true]))
  }

  private func source(_ params: JSON, _ reply: @escaping Reply) {
    guard let id = params["scriptId"]?.string, let script = scripts.parsed[id] else {
      return reply(.failure(EngineFailure("No script for id: \(params["scriptId"]?.string ?? "")")))
    }
    if let places = script.places {
      return reply(.success(.of(["scriptSource": .string(places.text)])))
    }
    engine.send("Debugger.getScriptSource", .of(["scriptId": .string(id)])) { reply($0) }
  }
}
