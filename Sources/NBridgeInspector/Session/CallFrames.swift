// SPDX-License-Identifier: MIT

internal import NBridgeScript

/// The functions of a paused program, as debuggers want to hear of them.
struct CallFrames {
  let scripts: ScriptTable

  /// Those that are the program's own.
  func translated(_ frames: [JSON]) -> [JSON] {
    frames.compactMap { frame in
      guard let location = frame["location"], let id = location["scriptId"]?.string else { return nil }
      // What the engine has of itself is in no script that it tells of.
      guard let url = scripts.parsed[id]?.url, !ScriptTable.isInternal(url) else { return nil }
      if let place = ScriptPlaces.Place(location), scripts.places(at: location)?.isHead(place) == true {
        return nil
      }
      return .of([
        "callFrameId": frame["callFrameId"], "functionName": .string(name(frame)),
        "location": scripts.authored(location), "url": .string(scripts.clientURL(url)),
        "scopeChain": .array(scopes(frame["scopeChain"]?.array ?? [])),
        "this": frame["this"].map(RemoteObjects.translated) ?? .of(["type": "undefined"]),
      ])
    }
  }

  private func name(_ frame: JSON) -> String {
    let name = frame["functionName"]?.string ?? ""
    return name == "global code" || name == "eval code" || name == "module code" ? "" : name
  }

  /// The engine says nothing of which scopes are the function's own: the innermost that is no block's, and
  /// others of the same function, as its parameters have one of their own.
  private func scopes(_ chain: [JSON]) -> [JSON] {
    var local: JSON?
    return chain.compactMap { scope in
      guard let object = scope["object"] else { return nil }
      let type: String
      switch scope["type"]?.string {
      case "global": type = "global"
      case "globalLexicalEnvironment": type = "script"
      case "with": type = "with"
      case "catch": type = "catch"
      case "nestedLexical": type = "block"
      case "closure"
      where local.map { $0["location"] == scope["location"] && $0["name"] == scope["name"] } ?? true:
        local = scope
        type = "local"
      default: type = "closure"
      }
      if scope["empty"]?.bool == true, type != "local" { return nil }
      return .of([
        "type": .string(type), "object": RemoteObjects.translated(object),
        "name": scope["name"].flatMap { $0.string.map { $0.isEmpty ? nil : .string($0) } } ?? nil,
      ])
    }
  }

  /// Where calls came from that are over: `{description, callFrames, parent}`.
  func asyncTrace(_ trace: JSON?) -> JSON? {
    guard let trace else { return nil }
    let frames = (trace["callFrames"]?.array ?? []).compactMap { frame -> JSON? in
      let url = frame["url"]?.string ?? ""
      if ScriptTable.isInternal(url) { return nil }
      // These count from 1 in the engine's protocol only where it tells of the console: here from 0.
      let place = scripts.authored(frame)
      return place.with("url", .string(scripts.clientURL(url)))
    }
    return .of([
      "description": "async", "callFrames": .array(frames),
      "parent": asyncTrace(trace["parentStackTrace"]),
    ])
  }
}
