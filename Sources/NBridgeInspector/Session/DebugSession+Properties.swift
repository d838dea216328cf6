// SPDX-License-Identifier: MIT

internal import NBridgeScript

/// What objects and functions hold: members, entries, variables.
extension DebugSession {
  func setVariable(_ params: JSON, _ reply: @escaping Reply) {
    guard let name = params["variableName"]?.string, let value = params["newValue"] else {
      return reply(.failure(EngineFailure("variableName or newValue is missing")))
    }
    let text =
      value["unserializableValue"]?.string
      ?? value["value"].map { String(decoding: $0.text, as: UTF8.self) } ?? "undefined"
    guard value["objectId"] == nil else {
      return reply(.failure(EngineFailure("only values that JSON has can be put into a variable")))
    }
    let sent = JSON.of(["callFrameId": params["callFrameId"], "expression": .string("\(name) = \(text)")])
    engine.send("Debugger.evaluateOnCallFrame", sent) { result in
      reply(
        result.flatMap { answer in
          answer["wasThrown"]?.bool == true
            ? .failure(EngineFailure(answer["result"]?["description"]?.string ?? "it can't be set"))
            : .success(.object([]))
        })
    }
  }

  func properties(_ params: JSON, _ reply: @escaping Reply) {
    let sent = JSON.of([
      "objectId": params["objectId"], "ownProperties": params["ownProperties"],
      "generatePreview": params["generatePreview"],
    ])
    let onlyAccessors = params["accessorPropertiesOnly"]?.bool == true
    entries(params) { [engine] entries in
      engine.send("Runtime.getProperties", sent) { result in
        reply(
          result.map { answer in
            var list = answer["properties"]?.array ?? answer["result"]?.array ?? []
            if onlyAccessors { list = list.filter { $0["get"] != nil || $0["set"] != nil } }
            list = list.filter { !DebuggedNames.isOurs($0["name"]?.string ?? "") }
            // What it inherits from is no member of it.
            let prototype = list.first { $0["name"]?.string == "__proto__" && $0["value"] != nil }
            let inner = (answer["internalProperties"]?.array ?? []).map(RemoteObjects.property)
            let parent = prototype.flatMap { $0["value"] }.map { value in
              JSON.of(["name": "[[Prototype]]", "value": RemoteObjects.translated(value)])
            }
            return .of([
              "result": .array(
                list.filter { $0["name"]?.string != "__proto__" }.map(RemoteObjects.property)),
              "internalProperties": .array(inner + entries + (parent.map { [$0] } ?? [])),
            ])
          })
      }
    }
  }

  /// What a Map or a Set holds, as a list.
  private func entries(_ params: JSON, _ done: @escaping ([JSON]) -> Void) {
    let asked = JSON.of(["objectId": params["objectId"], "fetchCount": .int(1)])
    engine.send("Runtime.getCollectionEntries", asked) { [engine] result in
      guard case .success(let answer) = result, answer["entries"]?.array?.isEmpty == false else {
        return done([])
      }
      let listed = JSON.of([
        "objectId": params["objectId"], "functionDeclaration": "function () { return [...this] }",
        "doNotPauseOnExceptionsAndMuteConsole": true,
      ])
      engine.send("Runtime.callFunctionOn", listed) { result in
        guard case .success(let answer) = result, answer["wasThrown"]?.bool != true,
          let list = answer["result"]
        else { return done([]) }
        done([.of(["name": "[[Entries]]", "value": RemoteObjects.translated(list)])])
      }
    }
  }
}
