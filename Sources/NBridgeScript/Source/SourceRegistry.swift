// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// The scripts that ran, and the way from the engine's places back to what their authors wrote: what a plan
/// put in is subtracted, source maps are followed. Confined to the engine's thread.
package final class SourceRegistry {
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

  /// What errors of other engines came from.
  private var elsewhere: [String: ScriptSource] = [:]

  /// Scripts that were made of others before they are added.
  private var made: [String: (text: String, map: String?)] = [:]

  /// Pages, whose scripts all have the page's name.
  private var pages: [String: ScriptSource] = [:]
  /// The scripts of each page, in the order in which they came.
  private var parts: [String: [Entry]] = [:]

  /// What was found in the script that was looked at last: an error that is told again costs no other look.
  var lastLook: (url: String, length: Int, found: AnyObject)?

  /// Told of each script before it runs; nil where nothing wants to know.
  package var willRun: ((ScriptPlaces) -> Void)?

  package init() {}

  /// Notes that a script, which is added later, was made of another of the same name.
  package func note(_ source: ScriptSource, madeOf author: ScriptSource, map: String?) {
    made[source.url] = (source.text, map)
    authored[source.url] = author
  }

  /// Notes a page, whose scripts are added later: each under the page's name, and where it stands in there.
  package func note(page: ScriptSource) { pages[page.url] = page }

  /// Whether a script of that name ran.
  func isLoaded(_ url: String) -> Bool { entries[url] != nil }

  /// The script that a place is in: of a page's, the last one that begins before it on its line.
  private func entry(_ frame: StackFrame) -> Entry? {
    guard let parts = parts[frame.url] else { return entries[frame.url] }
    let found = parts.last { part in
      guard let line = part.source.line(frame.line), let start = line.firstIndex(where: { $0 != " " }) else {
        return false
      }
      let column = part.plan.column(line: frame.line, column: frame.column)
      return frame.column == 0 || line.utf16.distance(from: line.startIndex, to: start) < column
    }
    return found ?? entries[frame.url]
  }

  /// Keeps a script, and of a page's those before it, too.
  private func keep(_ entry: Entry) {
    let url = entry.source.url
    entries[url] = entry
    guard let page = pages[url] else { return }
    authored[url] = page
    parts[url, default: []].append(entry)
  }

  /// Adds a script that runs as it is.
  package func add(_ source: ScriptSource, _ plan: PreparedScript) {
    if let (text, map) = made[source.url], text == source.text {
      return add(source, plan, map: map, authored: authored[source.url]?.text)
    }
    keep(Entry(source: source, plan: plan, hasLooked: false))
    willRun?(ScriptPlaces(source, plan, nil, authored: nil))
  }

  /// Adds a script, with the source map of the generator that made it.
  ///
  /// - Parameter authored: what its author wrote, where the map does not bring it.
  package func add(
    _ source: ScriptSource, _ plan: PreparedScript, map: String?, authored text: String? = nil
  ) {
    authored[source.url] = text.map { ScriptSource(url: source.url, text: $0) }
    keep(
      Entry(
        source: source, plan: plan, isGenerated: map != nil, map: map.flatMap(SourceMap.init),
        hasLooked: true))
    willRun?(ScriptPlaces(source, plan, entries[source.url]?.map, authored: text))
  }

  /// Notes a file that an error of another engine's came from, as its author wrote it.
  package func note(elsewhere source: ScriptSource) { elsewhere[source.url] = source }

  /// What the author of a file wrote; nil where that is not known.
  package func text(of url: String) -> String? { (authored[url] ?? entries[url]?.source)?.text }

  /// Notes a line of a text that does not run, for the report of why.
  package func noteUnrun(_ url: String, line: Int, _ text: String) {
    guard line > 0, self.line(url, line) == nil else { return }
    authored[url] = ScriptSource(url: url, text: String(repeating: "\n", count: line - 1) + text)
  }

  /// What ran, as its author or a generator wrote it.
  var scripts: [ScriptSource] { entries.values.map(\.source).sorted { $0.url < $1.url } }

  /// The author's frame of a place in a script's own text.
  func authoredText(_ frame: StackFrame) -> StackFrame? {
    guard entries[frame.url] != nil else { return frame }
    lookForMap(frame.url)
    guard let entry = entry(frame), let map = entry.map else { return frame }
    guard let place = map.place(line: frame.line, column: frame.column) else {
      return entry.isGenerated ? nil : frame
    }
    return mapped(frame, place, map)
  }

  /// The script that a frame of the engine's is in, and the frame's column in that script's own text.
  func loaded(_ frame: StackFrame) -> (source: ScriptSource, column: Int)? {
    guard let entry = entry(frame) else { return nil }
    return (entry.source, entry.plan.column(line: frame.line, column: frame.column))
  }

  /// What the author of a generated script wrote, where it is known.
  func authoredSource(of url: String) -> ScriptSource? { authored[url] }

  /// A line of a file, 1-based.
  package func line(_ url: String, _ number: Int) -> Substring? {
    (authored[url] ?? entries[url]?.source ?? elsewhere[url])?.line(number)
  }

  /// The author's frame of an engine's one; nil for one that no author wrote.
  package func authored(_ frame: StackFrame) -> StackFrame? {
    guard !frame.isInternal else { return nil }
    if parts[frame.url] == nil { lookForMap(frame.url) }
    guard let entry = entry(frame) else { return frame }
    // What was put behind the last line is not the author's.
    if frame.line > 1, entry.source.line(frame.line) == nil { return nil }
    if entry.map == nil, let own = authored[frame.url], own.line(frame.line) == nil { return nil }
    // The function around the script is not, either.
    if entry.plan.isHead(line: frame.line, column: frame.column) { return nil }
    var frame = frame
    if frame.column > 0 { frame.column = entry.plan.column(line: frame.line, column: frame.column) }
    guard let map = entry.map else { return frame }
    guard let place = map.place(line: frame.line, column: max(1, frame.column)) else {
      return entry.isGenerated ? nil : frame
    }
    return mapped(frame, place, map)
  }

  /// The author's frame of what the map knows next, behind a place of a generated line.
  func authoredNext(behind frame: StackFrame) -> StackFrame? {
    guard let map = entry(frame)?.map, let column = map.column(line: frame.line, behind: frame.column) else {
      return nil
    }
    var next = frame
    next.column = column
    return authored(next)
  }

  /// The frame in the author's file. A map that points outside of the text that it brings lies: then it is
  /// not believed.
  private func mapped(_ frame: StackFrame, _ place: SourceMap.Place, _ map: SourceMap) -> StackFrame {
    let name = DisplayPath(folder: ScriptFile.currentFolder).shown(map.sources[place.source])
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
    guard let target = SourceMapName.find(in: entry.source.text) else { return }
    if target.hasPrefix("data:") {
      entries[url]?.map = SourceMapName.decode(target).flatMap(SourceMap.init)
    } else if !target.contains("://") {
      let folder = String(url.throughLastSlash)
      let path = folder + target
      // The script's author chose the name.
      guard ScriptFile.isPlainFile(path, upTo: 64 << 20) else { return }
      if let text = try? ScriptFile.read(path) { entries[url]?.map = SourceMap(text) }
    }
  }
}
