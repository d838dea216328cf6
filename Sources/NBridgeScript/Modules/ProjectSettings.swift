// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// The settings that esbuild reads by itself on its way up from a folder: `package.json`, `tsconfig.json`,
/// `jsconfig.json`, and what those extend. They are looked at before it comes to them: one that is a pipe
/// would hang it, and one that leads to another file would have its errors tell what stands in there.
struct ProjectSettings {
  private let hasList: Bool
  private var seen: Set<String> = []
  /// Where those that were looked at send names.
  private var aliases: [PathAliases] = []
  /// How many files may extend each other.
  private static let deepest = 16
  private static let names = ["package.json", "tsconfig.json", "jsconfig.json"]

  init(_ scope: ModuleScope) { hasList = scope.hasList }

  /// Looks at those of a folder and of all above it. Throws ``ScriptFileError``.
  mutating func demand(around folder: String, _ fingerprint: inout Fingerprint) throws(ScriptFileError) {
    var at = folder.hasSuffix("/") ? folder : folder + "/"
    while seen.insert(at).inserted {
      for name in Self.names { try demand(at + name, Self.deepest, &fingerprint) }
      guard let slash = at.dropLast().lastSlash else { return }
      at = String(at[...slash])
    }
  }

  private mutating func demand(_ path: String, _ left: Int, _ fingerprint: inout Fingerprint)
    throws(ScriptFileError)
  {
    guard ScriptFile.isFile(path) else { return }
    if hasList, let real = RealPath(path)?.text, !real.hasSuffix(".json") {
      throw ScriptFileError("'\(path)' leads to '\(real)', which is no JSON file; settings of a project are")
    }
    let bytes = try ScriptFile.bytes(path, plainOnly: true)
    guard left > 0, !path.hasSuffix("/package.json") else { return }
    let folder = path.hasSlash ? String(path.throughLastSlash) : "/"
    let text = String(decoding: bytes, as: UTF8.self)
    if let more = PathAliases(text, in: folder) { aliases.append(more) }
    for name in Self.extended(text) {
      guard name.hasPrefix(".") || name.hasPrefix("/") else {
        try demand(package: name, from: folder, left, &fingerprint)
        continue
      }
      let target = DisplayPath(folder: folder).absolute(name)
      fingerprint.note(target)
      fingerprint.note(target + ".json")
      guard seen.insert(target).inserted else { continue }
      // What the name leads to is JSON by the look of it, or esbuild puts `.json` behind it.
      if ScriptFile.isFile(target), hasList, !target.hasSuffix(".json") {
        throw ScriptFileError("'\(path)' extends '\(name)', which is no JSON file")
      }
      try demand(target, left - 1, &fingerprint)
      try demand(target + ".json", left - 1, &fingerprint)
    }
  }

  /// Notes where a name that is no path may be found.
  func note(_ name: String, _ fingerprint: inout Fingerprint) {
    for place in aliases.flatMap({ $0.places(of: name) }) { fingerprint.look(for: place) }
  }

  /// Whether a `tsconfig.json` sends a name to something that is there.
  func leads(_ name: String) -> Bool {
    aliases.lazy.flatMap { $0.places(of: name) }.contains { place in
      let endings = ["", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".mts", ".json"]
      return ScriptFile.isFolder(place) || endings.contains { ScriptFile.isFile(place + $0) }
    }
  }

  /// Settings that a package brings: in the `node_modules` of the folder, or of one above it.
  private mutating func demand(
    package name: String, from folder: String, _ left: Int, _ fingerprint: inout Fingerprint
  ) throws(ScriptFileError) {
    var at = folder
    while true {
      for ending in ["", ".json", "/tsconfig.json"] {
        let target = at + "node_modules/" + name + ending
        fingerprint.note(target)
        if seen.insert(target).inserted { try demand(target, left - 1, &fingerprint) }
      }
      guard let slash = at.dropLast().lastSlash else { return }
      at = String(at[...slash])
    }
  }

  /// The first answer that settings give to a question, or those that they extend, the last of them first.
  static func first<R>(
    from path: String, _ text: String, read: (String) -> String?, left: Int = deepest,
    _ answer: (String) -> R?
  ) -> R? {
    if let found = answer(text) { return found }
    guard left > 0 else { return nil }
    let folder = path.hasSlash ? String(path.throughLastSlash) : "/"
    for name in extended(text).reversed() {
      for file in places(of: name, from: folder) {
        guard let more = read(file) else { continue }
        if let found = first(from: file, more, read: read, left: left - 1, answer) { return found }
      }
    }
    return nil
  }

  /// Where the file may be that `"extends"` names.
  private static func places(of name: String, from folder: String) -> [String] {
    if name.hasPrefix(".") || name.hasPrefix("/") {
      let target = DisplayPath(folder: folder).absolute(name)
      return [target, target + ".json"]
    }
    var places: [String] = []
    var at = folder
    while true {
      places += ["", ".json", "/tsconfig.json"].map { at + "node_modules/" + name + $0 }
      guard let slash = at.dropLast().lastSlash else { return places }
      at = String(at[...slash])
    }
  }

  /// The names behind `"extends"`, one or a list. The text may have comments, so it is not parsed: too many
  /// names do no harm.
  private static func extended(_ text: String) -> [String] {
    text.ranges(of: "\"extends\"").flatMap { place -> [String] in
      let rest = text[place.upperBound...].drop { $0 != "\"" && $0 != "[" }
      if rest.first == "\"" { return [String(rest.dropFirst().prefix { $0 != "\"" })] }
      let list = rest.dropFirst().prefix { $0 != "]" }
      return list.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
  }
}
