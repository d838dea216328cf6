// SPDX-License-Identifier: MIT

internal import NBridgeScript

/// What the engine tells by itself.
extension DebugSession {
  func take(_ method: String, _ params: JSON) {
    switch method {
    case "Debugger.scriptParsed": parsed(params)
    case "Debugger.scriptFailedToParse": break
    case "Debugger.paused": paused(params)
    case "Debugger.resumed": if !isBeginning, stepsPassed == 0 { tell("Debugger.resumed", .object([])) }
    case "Debugger.breakpointResolved": resolved(params)
    default: break
    }
  }

  private func parsed(_ params: JSON) {
    guard let id = params["scriptId"]?.string else { return }
    let url = params["sourceURL"]?.string ?? params["url"]?.string ?? ""
    let script = ScriptTable.Script(
      id: id, url: url,
      end: ScriptPlaces.Place(line: params["endLine"]?.int ?? 0, column: params["endColumn"]?.int ?? 0),
      isModule: params["module"]?.bool == true)
    scripts.add(script)
    if ScriptTable.isInternal(url) { return }
    let places = scripts.parsed[id]?.places
    let end = places?.end ?? script.end
    tell(
      "Debugger.scriptParsed",
      .of([
        "scriptId": .string(id), "url": .string(scripts.clientURL(url)), "startLine": .int(0),
        "startColumn": .int(0), "endLine": .int(end.line), "endColumn": .int(end.column),
        "executionContextId": .int(1), "hash": .string(""), "isModule": .bool(script.isModule),
        "hasSourceURL": .bool(params["sourceURL"]?.string?.isEmpty == false),
        "scriptLanguage": "JavaScript",
        // What the author's text was made of is known already.
        "sourceMapURL": places == nil ? params["sourceMapURL"] : .string(""),
      ]))
  }

  private func paused(_ params: JSON) {
    if isAtHead(params) {
      isBeginning = true
      return engine.send("Debugger.stepOver")
    }
    let frames = CallFrames(scripts: scripts)
    if passesOver(params, frames) { return }
    let own = frames.translated(params["callFrames"]?.array ?? [])
    let hit = params["data"]?["breakpointId"]?.string
    // In a script of ours alone, nothing is to be seen.
    guard !own.isEmpty else { return engine.send("Debugger.resume") }
    var reason = "other"
    if params["reason"]?.string == "exception" { reason = "exception" }
    if isBeginning { reason = "Break on start" }
    isBeginning = false
    tell(
      "Debugger.paused",
      .of([
        "callFrames": .array(own), "reason": .string(reason),
        "data": reason == "exception" ? params["data"].map(RemoteObjects.translated) : nil,
        "hitBreakpoints": .array(hit.flatMap(breakpoints.id).map { [.string($0)] } ?? []),
        "asyncStackTrace": frames.asyncTrace(params["asyncStackTrace"]),
      ]))
  }

  /// Whether it has stopped before the author's part of a script: there a statement of ours stops it.
  private func isAtHead(_ params: JSON) -> Bool {
    guard params["reason"]?.string == "DebuggerStatement",
      let location = params["callFrames"]?.array?.first?["location"],
      let place = ScriptPlaces.Place(location)
    else { return false }
    return scripts.places(at: location)?.isHead(place) == true
  }

  /// Whether a step has come into what is ours, as into the function that stands for a name of another
  /// module: then it goes on.
  private func passesOver(_ params: JSON, _ frames: CallFrames) -> Bool {
    guard params["reason"]?.string != "exception", stepsPassed < Self.maxStepsPassed,
      let top = params["callFrames"]?.array?.first, frames.translated([top]).isEmpty
    else {
      stepsPassed = 0
      return false
    }
    stepsPassed += 1
    engine.send("Debugger.stepInto")
    return true
  }

  private static let maxStepsPassed = 100

  private func resolved(_ params: JSON) {
    guard let engineID = params["breakpointId"]?.string, let id = breakpoints.id(of: engineID),
      let location = params["location"]
    else { return }
    tell(
      "Debugger.breakpointResolved",
      .of(["breakpointId": .string(id), "location": scripts.authored(location)]))
  }
}
