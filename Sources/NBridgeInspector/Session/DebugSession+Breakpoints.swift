// SPDX-License-Identifier: MIT

internal import NBridgeScript

/// Breakpoints: what the debugger means by one, and where the engine has it.
extension DebugSession {
  func setBreakpoint(_ params: JSON, _ reply: @escaping Reply) {
    guard let place = ScriptPlaces.Place(params) else {
      return reply(.failure(EngineFailure("lineNumber is missing")))
    }
    let line = place.line
    let meant: Breakpoint.Scripts
    if let url = params["url"]?.string {
      meant = .url(url)
    } else if let pattern = params["urlRegex"]?.string {
      meant = .pattern(pattern)
    } else {
      return reply(.failure(EngineFailure("Either url or urlRegex must be specified.")))
    }
    guard meant.isValid else {
      return reply(
        .failure(EngineFailure("urlRegex is no regular expression: \(params["urlRegex"]?.string ?? "")")))
    }
    let column = params["columnNumber"].map { _ in place.column }
    let name = params["url"]?.string ?? params["urlRegex"]?.string ?? ""
    let id = "1:\(line):\(column ?? 0):\(name)"
    guard breakpoints.all[id] == nil else {
      return reply(.failure(EngineFailure("Breakpoint at specified location already exists.")))
    }
    let condition = params["condition"]?.string
    breakpoints.add(
      Breakpoint(
        id: id, scripts: meant, line: line, column: column,
        condition: condition?.isEmpty == true ? nil : condition
      ))
    set(id, in: scripts.urls(where: meant.mean), [], reply)
  }

  /// Sets a breakpoint in scripts one after the other, and answers where it is.
  private func set(_ id: String, in urls: [String], _ found: [JSON], _ reply: @escaping Reply) {
    guard let url = urls.first, let breakpoint = breakpoints.all[id] else {
      return reply(.success(.of(["breakpointId": .string(id), "locations": .array(found)])))
    }
    set(breakpoint, in: url) { [weak self] locations in
      self?.set(id, in: Array(urls.dropFirst()), found + locations, reply)
    }
  }

  /// Has the engine stop there; answers the places where it will.
  func set(_ breakpoint: Breakpoint, in url: String, _ done: @escaping ([JSON]) -> Void) {
    var place = ScriptPlaces.Place(line: breakpoint.line, column: breakpoint.column ?? 0)
    if let script = scripts.places(of: url) {
      guard let running = script.running(place) else { return done([]) }
      place = running
    }
    let params = JSON.of([
      "url": .string(url), "lineNumber": .int(place.line), "columnNumber": .int(place.column),
      "options": breakpoint.condition.map { .of(["condition": .string($0)]) },
    ])
    engine.send("Debugger.setBreakpointByUrl", params) { [self] result in
      guard case .success(let answer) = result, let engineID = answer["breakpointId"]?.string else {
        // The engine has one there already, which then is for both.
        if let shared = breakpoints.engineID(in: url, line: breakpoint.line) {
          breakpoints.note(breakpoint.id, shared, in: url)
        }
        return done([])
      }
      breakpoints.note(breakpoint.id, engineID, in: url)
      done((answer["locations"]?.array ?? []).map(scripts.authored))
    }
  }

  /// At a place of one script.
  func setBreakpoint(at params: JSON, _ reply: @escaping Reply) {
    guard let location = params["location"], let id = location["scriptId"]?.string,
      let script = scripts.parsed[id]
    else { return reply(.failure(EngineFailure("there is no such script"))) }
    let url = JSON.string(scripts.clientURL(script.url))
    let byURL = JSON.of([
      "url": url, "lineNumber": location["lineNumber"], "columnNumber": location["columnNumber"],
      "condition": params["condition"],
    ])
    setBreakpoint(byURL) { result in
      reply(
        result.flatMap { answer in
          guard let actual = answer["locations"]?.array?.first else {
            return .failure(EngineFailure("Could not resolve breakpoint"))
          }
          return .success(.of(["breakpointId": answer["breakpointId"], "actualLocation": actual]))
        })
    }
  }

  func removeBreakpoint(_ params: JSON, _ reply: @escaping Reply) {
    guard let id = params["breakpointId"]?.string, let breakpoint = breakpoints.remove(id) else {
      return reply(.success(.object([])))
    }
    for engineID in breakpoint.set.values where breakpoints.id(of: engineID) == nil {
      engine.send("Debugger.removeBreakpoint", .of(["breakpointId": .string(engineID)]))
    }
    reply(.success(.object([])))
  }

  func possible(_ params: JSON, _ reply: @escaping Reply) {
    guard let start = params["start"], let from = scripts.running(start) else {
      return reply(.success(.of(["locations": .array([])])))
    }
    let last = JSON.of([
      "scriptId": start["scriptId"], "lineNumber": .int((ScriptPlaces.Place(start)?.line ?? 0) + 1),
      "columnNumber": .int(0),
    ])
    let until = (params["end"] ?? last)
    guard let to = scripts.running(until) else { return reply(.success(.of(["locations": .array([])]))) }
    engine.send("Debugger.getBreakpointLocations", .of(["start": from, "end": to])) { [self] result in
      guard case .success(let answer) = result else {
        return reply(.success(.of(["locations": .array([])])))
      }
      reply(.success(.of(["locations": .array((answer["locations"]?.array ?? []).map(scripts.authored))])))
    }
  }
}
