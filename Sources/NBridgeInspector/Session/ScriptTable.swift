// SPDX-License-Identifier: MIT

internal import NBridgeScript
internal import NBridgeSystem

/// The scripts of the program, by what the engine and the debugger call them. Confined to the inspector's
/// thread.
final class ScriptTable {
  /// A script that the engine has read.
  struct Script {
    let id: String
    let url: String
    /// The engine's last place in it.
    let end: ScriptPlaces.Place
    let isModule: Bool
    /// What is known of its author's text.
    var places: ScriptPlaces?
  }

  private let names: DisplayPath
  private var places: [String: ScriptPlaces] = [:]
  private var clientURLs: [String: String] = [:]
  private(set) var parsed: [String: Script] = [:]

  /// - Parameter folder: what names of scripts start from.
  init(folder: String) { names = DisplayPath(folder: folder) }

  /// Scripts of ours have this before their names; no debugger sees them.
  static func isInternal(_ url: String) -> Bool { url.hasPrefix("nbridge:") }

  /// A script of the program's will run.
  func add(_ script: ScriptPlaces) { places[script.url] = script }

  /// The engine has read a script.
  ///
  /// Of several of one name, as a page's, it is the one that was added last.
  func add(_ script: Script) {
    var script = script
    script.places = places[script.url]
    parsed[script.id] = script
  }

  /// The debugger went; the next one is told all scripts again.
  func forgetParsed() { parsed = [:] }

  func places(of url: String) -> ScriptPlaces? { places[url] }

  /// What is known of the script that a place of the engine's is in.
  func places(at location: JSON) -> ScriptPlaces? {
    location["scriptId"]?.string.flatMap { parsed[$0] }?.places
  }

  /// What the engine calls those scripts that a debugger means.
  func urls(where isMeant: (String) -> Bool) -> [String] {
    Set(places.keys).union(parsed.values.map(\.url)).filter { !$0.isEmpty && isMeant(clientURL($0)) }.sorted()
  }

  /// What a debugger calls a script: a file's URL for what is a file.
  func clientURL(_ url: String) -> String {
    if let known = clientURLs[url] { return known }
    guard FileURL.scheme(of: url) == nil, places[url] != nil else { return url }
    let path = names.absolute(url)
    let isFile = (try? NamePresence.isTaken(path)) == true
    clientURLs[url] = isFile ? FileURL.text(path) : url
    return isFile ? FileURL.text(path) : url
  }

  // MARK: - Places

  /// A place of the engine's, as `{scriptId, lineNumber, columnNumber}`, in the author's text.
  func authored(_ location: JSON) -> JSON {
    guard let script = places(at: location), let place = ScriptPlaces.Place(location) else {
      return location
    }
    let authored = script.authored(place)
    return location.with("lineNumber", .int(authored.line)).with("columnNumber", .int(authored.column))
  }

  /// The other way; nil for a place behind which nothing runs.
  func running(_ location: JSON) -> JSON? {
    guard let script = places(at: location), let place = ScriptPlaces.Place(location) else {
      return location
    }
    guard let running = script.running(place) else { return nil }
    return location.with("lineNumber", .int(running.line)).with("columnNumber", .int(running.column))
  }
}

extension ScriptPlaces.Place {
  init?(_ location: JSON) {
    guard let line = location["lineNumber"]?.int, line >= 0 else { return nil }
    let column = max(0, location["columnNumber"]?.int ?? 0)
    // No text is so long.
    self.init(line: min(line, Int(Int32.max)), column: min(column, Int(Int32.max)))
  }
}
