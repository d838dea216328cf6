// SPDX-License-Identifier: MIT

internal import NBridgeScript

/// Values and evaluations: the domain `Runtime`, and what of `Debugger` evaluates.
extension DebugSession {
  static let runtimeCommands: [String: Command] = [
    "Runtime.enable": { session, _, reply in
      session.engine.send("Runtime.enable") { _ in
        session.tellContext()
        reply(.success(.object([])))
      }
    },
    "Runtime.disable": { _, _, reply in reply(.success(.object([]))) },
    "Runtime.runIfWaitingForDebugger": { session, _, reply in
      session.release()
      reply(.success(.object([])))
    },
    "Runtime.getIsolateId": { _, _, reply in reply(.success(.of(["id": "nbridge"]))) },
    "Runtime.globalLexicalScopeNames": { _, _, reply in reply(.success(.of(["names": .array([])]))) },
    "Runtime.evaluate": { session, params, reply in session.evaluate(params, reply) },
    "Debugger.evaluateOnCallFrame": { session, params, reply in
      guard params["throwOnSideEffect"]?.bool != true else { return reply(.success(refusedEagerly)) }
      session.evaluateOnFrame(evaluation(params).with("callFrameId", params["callFrameId"]), 8, reply)
    },
    "Debugger.setVariableValue": { session, params, reply in session.setVariable(params, reply) },
    "Runtime.callFunctionOn": { session, params, reply in session.callFunction(params, reply) },
    "Runtime.getProperties": { session, params, reply in session.properties(params, reply) },
    "Runtime.awaitPromise": { session, params, reply in session.settled(params, reply) },
    "Runtime.compileScript": { session, params, reply in session.compile(params, reply) },
    "Runtime.releaseObject": passed("Runtime.releaseObject", "objectId"),
    "Runtime.releaseObjectGroup": passed("Runtime.releaseObjectGroup", "objectGroup"),
    "Profiler.enable": { _, _, reply in reply(.success(.object([]))) },
    "Profiler.setSamplingInterval": { _, _, reply in reply(.success(.object([]))) },
    "HeapProfiler.enable": { _, _, reply in reply(.success(.object([]))) },
    "Network.enable": { _, _, reply in reply(.success(.object([]))) },
    "Log.enable": { _, _, reply in reply(.success(.object([]))) },
  ]

  func tellContext() {
    tell(
      "Runtime.executionContextCreated",
      .of([
        "context": .of([
          "id": .int(1), "origin": "", "name": "nbridge", "uniqueId": "nbridge.1",
          "auxData": .of(["isDefault": true]),
        ])
      ]))
  }

  // MARK: - Evaluations

  /// The parameters that the engine knows under other names.
  private static func evaluation(_ params: JSON) -> JSON {
    .of([
      "expression": params["expression"], "objectGroup": params["objectGroup"],
      "includeCommandLineAPI": params["includeCommandLineAPI"],
      "doNotPauseOnExceptionsAndMuteConsole": params["silent"],
      "returnByValue": params["returnByValue"], "generatePreview": params["generatePreview"],
    ])
  }

  /// The engine can't tell whether an expression changes something: as if it did.
  private static var refusedEagerly: JSON {
    let error = JSON.of([
      "type": "object", "subtype": "error", "className": "EvalError",
      "description": "EvalError: Possible side-effect in debug-evaluate",
    ])
    return .of([
      "result": error,
      "exceptionDetails": .of([
        "exceptionId": .int(1), "text": "Uncaught", "lineNumber": .int(0), "columnNumber": .int(0),
        "exception": error,
      ]),
    ])
  }

  /// What a module imports is no name where it runs: when the engine does not find one, it is looked for
  /// among those.
  private func evaluateOnFrame(_ sent: JSON, _ names: Int, _ reply: @escaping Reply) {
    engine.send("Debugger.evaluateOnCallFrame", sent) { [weak self] result in
      guard let self, names > 0, case .success(let answer) = result, answer["wasThrown"]?.bool == true,
        let name = Self.missing(answer), let expression = sent["expression"]?.string,
        let other = DebuggedNames.importing(name, in: expression)
      else { return reply(result.map(RemoteObjects.evaluated)) }
      evaluateOnFrame(sent.with("expression", .string(other)), names - 1) { second in
        // In a script that is no module, nothing is imported: then the first error is the right one.
        let isFound = (try? second.get())?["exceptionDetails"] == nil
        reply(isFound ? second : result.map(RemoteObjects.evaluated))
      }
    }
  }

  /// The name that an error says is not there.
  private static func missing(_ answer: JSON) -> String? {
    let text = answer["result"]?["description"]?.string ?? ""
    let mark = "ReferenceError: Can't find variable: "
    return text.hasPrefix(mark) ? String(text.dropFirst(mark.count)) : nil
  }

  private func evaluate(_ params: JSON, _ reply: @escaping Reply) {
    guard params["throwOnSideEffect"]?.bool != true else { return reply(.success(Self.refusedEagerly)) }
    let awaits = params["awaitPromise"]?.bool == true || params["replMode"]?.bool == true
    var sent = Self.evaluation(params)
    // The value is asked for when the promise has settled.
    if awaits { sent = sent.with("returnByValue", nil) }
    engine.send("Runtime.evaluate", sent) { [weak self] result in
      guard let self, awaits, case .success(let answer) = result else {
        return reply(result.map(RemoteObjects.evaluated))
      }
      let object = answer["result"]
      if answer["wasThrown"]?.bool == true {
        guard let inner = Self.awaiting(params, object) else {
          return reply(.success(RemoteObjects.evaluated(answer)))
        }
        return evaluate(inner, reply)
      }
      guard params["awaitPromise"]?.bool == true, object?["className"]?.string == "Promise",
        let id = object?["objectId"]
      else { return reply(.success(RemoteObjects.evaluated(answer))) }
      settled(params.with("promiseObjectId", id), reply)
    }
  }

  /// The same as a function that may await, where the engine found that it can't as it stands.
  private static func awaiting(_ params: JSON, _ error: JSON?) -> JSON? {
    guard let text = params["expression"]?.string, text.contains("await"), !text.hasPrefix(asyncHead),
      error?["className"]?.string == "SyntaxError"
    else { return nil }
    return params.with("expression", .string(asyncHead + text + "\n))()")).with("awaitPromise", true)
  }

  private static let asyncHead = "(async()=>(\n"

  private func settled(_ params: JSON, _ reply: @escaping Reply) {
    let sent = JSON.of([
      "promiseObjectId": params["promiseObjectId"], "returnByValue": params["returnByValue"],
      "generatePreview": params["generatePreview"],
    ])
    engine.send("Runtime.awaitPromise", sent) { reply($0.map(RemoteObjects.evaluated)) }
  }

  private func callFunction(_ params: JSON, _ reply: @escaping Reply) {
    guard let object = params["objectId"] else {
      // On the global object, where none is named.
      return engine.send("Runtime.evaluate", .of(["expression": "globalThis"])) { [weak self] result in
        guard case .success(let answer) = result, let id = answer["result"]?["objectId"] else {
          return reply(.failure(EngineFailure("there is no global object")))
        }
        self?.callFunction(params.with("objectId", id), reply)
      }
    }
    guard params["throwOnSideEffect"]?.bool != true else { return reply(.success(Self.refusedEagerly)) }
    let arguments = (params["arguments"]?.array ?? []).map(Self.argument)
    let sent = JSON.of([
      "objectId": object, "functionDeclaration": params["functionDeclaration"],
      "arguments": .array(arguments),
      "doNotPauseOnExceptionsAndMuteConsole": params["silent"], "returnByValue": params["returnByValue"],
      "generatePreview": params["generatePreview"], "awaitPromise": params["awaitPromise"],
    ])
    engine.send("Runtime.callFunctionOn", sent) { reply($0.map(RemoteObjects.evaluated)) }
  }

  /// A value of the debugger's. What JSON lacks, the engine takes as a number that is written so, or not at
  /// all.
  private static func argument(_ argument: JSON) -> JSON {
    argument["objectId"] != nil ? .of(["objectId": argument["objectId"]]) : .of(["value": argument["value"]])
  }

  /// Only whether it is one is told: that is what debuggers ask it for.
  private func compile(_ params: JSON, _ reply: @escaping Reply) {
    engine.send("Runtime.parse", .of(["source": params["expression"]])) { result in
      reply(
        result.map { answer in
          guard let message = answer["message"]?.string, answer["result"]?.string != "none" else {
            return .object([])
          }
          return .of([
            "exceptionDetails": .of([
              "exceptionId": .int(1), "text": .string("Uncaught SyntaxError: \(message)"),
              "lineNumber": .int(0),
              "columnNumber": .int(0),
            ])
          ])
        })
    }
  }
}
