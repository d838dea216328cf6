// SPDX-License-Identifier: MIT

internal import CGLib
internal import NBridgePlugin
internal import NBridgeSystem

/// The scripts that ran, and the way from the engine's places back to what their authors wrote: what a plan
/// put in is subtracted, source maps are followed. Confined to the engine's thread.
package final class SourceRegistry {
  /// What a bundle calls a text that is no file, before the name that its author gave it.
  static let textEntry = "text-entry"

  private struct Entry {
    let source: ScriptSource
    let plan: PreparedScript
    /// Whether all of it was made by a generator, so that places without an author belong to no file.
    var isGenerated = false
    var map: SourceMap?
    /// A script's own map is looked for when it is first asked for.
    var hasLooked: Bool
  }

  private var entries: [String: Entry] = [:]
  /// The author's files that maps brought.
  private var authored: [String: ScriptSource] = [:]

  package init() {}

  /// Adds a script that runs as it is.
  package func add(_ source: ScriptSource, _ plan: PreparedScript) {
    entries[source.url] = Entry(source: source, plan: plan, hasLooked: false)
  }

  /// Adds a script, with the source map of the generator that made it.
  ///
  /// - Parameter authored: what its author wrote, where the map does not bring it.
  package func add(
    _ source: ScriptSource, _ plan: PreparedScript, map: String?, authored text: String? = nil
  ) {
    authored[source.url] = text.map { ScriptSource(url: source.url, text: $0) }
    entries[source.url] = Entry(
      source: source, plan: plan, isGenerated: map != nil, map: map.flatMap(SourceMap.init),
      hasLooked: true)
  }

  /// What ran, as its author or a generator wrote it.
  var scripts: [ScriptSource] { entries.values.map(\.source).sorted { $0.url < $1.url } }

  /// The author's frame of a place in a script's own text.
  func authoredText(_ frame: StackFrame) -> StackFrame? {
    guard let entry = entries[frame.url] else { return frame }
    lookForMap(frame.url)
    guard let map = entries[frame.url]?.map else { return frame }
    guard let place = map.place(line: frame.line, column: frame.column) else {
      return entry.isGenerated ? nil : frame
    }
    return mapped(frame, place, map)
  }

  /// A line of a file, 1-based.
  package func line(_ url: String, _ number: Int) -> Substring? {
    (authored[url] ?? entries[url]?.source)?.line(number)
  }

  /// The author's frame of an engine's one; nil for one that no author wrote.
  package func authored(_ frame: StackFrame) -> StackFrame? {
    guard !frame.isInternal else { return nil }
    guard let entry = entries[frame.url] else { return frame }
    // What was put behind the last line is not the author's.
    if frame.line > 1, entry.source.line(frame.line) == nil { return nil }
    // The function around the script is not, either.
    if entry.plan.isHead(line: frame.line, column: frame.column) { return nil }
    var frame = frame
    if frame.column > 0 { frame.column = entry.plan.column(line: frame.line, column: frame.column) }
    lookForMap(frame.url)
    guard let map = entries[frame.url]?.map else { return frame }
    guard let place = map.place(line: frame.line, column: max(1, frame.column)) else {
      return entry.isGenerated ? nil : frame
    }
    return mapped(frame, place, map)
  }

  /// The frame in the author's file. A map that points outside of the text that it brings lies: then it is
  /// not believed.
  private func mapped(_ frame: StackFrame, _ place: SourceMap.Place, _ map: SourceMap) -> StackFrame {
    var name = DisplayPath(folder: ScriptFile.currentFolder).shown(map.sources[place.source])
    if let given = name.firstRange(of: Self.textEntry) {
      name = name[given.upperBound...].split(separator: "/").last.map(String.init) ?? name
    }
    if let text = map.contents[place.source], authored[name] == nil {
      authored[name] = ScriptSource(url: name, text: text)
    }
    if let line = authored[name]?.line(place.line) {
      guard place.column <= line.utf16.count + 1 else { return frame }
    } else if authored[name] != nil {
      return frame
    }
    var frame = frame
    (frame.url, frame.line, frame.column) = (name, place.line, place.column)
    return frame
  }

  /// A script made by a generator names its map in its last lines: in a data URL, or in a file beside it.
  private func lookForMap(_ url: String) {
    guard let entry = entries[url], !entry.hasLooked else { return }
    entries[url]?.hasLooked = true
    let key = "//# sourceMappingURL="
    let lines = entry.source.text.utf8.split { $0 == 0x0A || $0 == 0x0D }.suffix(4)
    guard let line = lines.map(Substring.init).last(where: { $0.hasPrefix(key) }) else { return }
    let target = line.dropFirst(key.count).split(separator: " ").first.map(String.init) ?? ""
    if target.hasPrefix("data:") {
      guard let comma = target.firstIndex(of: ","), target[..<comma].hasSuffix(";base64") else { return }
      entries[url]?.map = SourceMap(Self.decode(String(target[target.index(after: comma)...])))
    } else if !target.contains("://") {
      let folder = String(url.throughLastSlash)
      let path = folder + target
      // The script's author chose the name.
      guard ScriptFile.isPlainFile(path, upTo: 64 << 20) else { return }
      if let text = try? ScriptFile.read(path) { entries[url]?.map = SourceMap(text) }
    }
  }

  private static func decode(_ base64: String) -> String {
    var count: gsize = 0
    guard let bytes = g_base64_decode(base64, &count) else { return "" }
    defer { g_free(bytes) }
    return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
  }
}
