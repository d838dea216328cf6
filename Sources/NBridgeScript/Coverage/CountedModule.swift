// SPDX-License-Identifier: MIT

/// A module whose text counts what of it runs.
package struct CountedModule {
  /// An expression: a function that takes the list of counters, and answers what the module's text without
  /// counters is.
  package let plan: PreparedScript
  /// How many counters there are.
  package var count: Int { points.count }
  private let points: [CounterMarks.Point]
  private let module: ModuleGraph.Module

  /// Nil where the text can't be read as deep as it goes.
  package init?(_ module: ModuleGraph.Module) {
    let syntax = ModuleParser.parse(
      module.source, ownsRequire: ImportScan.ownsRequire(module.source), counts: true)
    guard !syntax.isTooDeep, let marks = syntax.marks else { return nil }
    if module.kind == .module {
      let made = ModuleText(module.source, syntax, isCalledEarly: module.isCalledEarly)
      plan = PreparedScript(text: made.text, isAsync: false, insertions: made.insertions)
    } else {
      plan = Self.commonJS(module.source, marks)
    }
    (points, self.module) = (marks.points, module)
  }

  private static func commonJS(_ text: String, _ marks: CounterMarks) -> PreparedScript {
    var edits = Edits(Array(text.utf8))
    let frame = ModuleGraph.Module.commonJSFrame(of: text)
    edits.insert("(\(CounterMarks.variable)=>" + frame.head, at: 0, isFirst: true)
    for (place, text) in marks.insertions { edits.insert(text, at: place) }
    CommonJSText.renameImportCalls(text, &edits)
    return PreparedScript(
      text: edits.text + "\n" + frame.tail + ")", isAsync: false, insertions: edits.insertions)
  }

  /// Whether a module's runs are of interest: not those of packages, of the runtime's own modules and of
  /// files of tests.
  package static func isWanted(_ module: ModuleGraph.Module) -> Bool {
    guard module.kind == .module || module.kind == .commonJS, module.path.hasPrefix("/") else { return false }
    return !module.path.contains("/node_modules/") && !isTest(module.path)
  }

  /// `NAME.test.js` and its kin.
  package static func isTest(_ path: String) -> Bool {
    let parts = (path.split(separator: "/").last ?? "").split(separator: ".")
    return parts.count >= 3 && parts[parts.count - 2] == "test"
      && ["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"].contains(parts[parts.count - 1])
  }

  /// What was counted, in the files that authors wrote.
  package func coverage(_ counts: [Int]) -> [FileCoverage] {
    let registry = SourceRegistry()
    module.note(in: registry, PreparedScript(untouched: module.scriptSource))
    var files: [String: FileCoverage] = [:]
    let places = places
    for index in points.indices {
      let point = points[index]
      guard let frame = authored(places[index], point, registry) else { continue }
      files[frame.url, default: FileCoverage(file: frame.url)].points.append(
        CoveragePoint(
          kind: point.kind, line: frame.line, column: frame.column, name: point.name, group: point.group))
      files[frame.url]?.counts.append(counts[index])
    }
    return files.values.sorted { $0.file < $1.file }
  }

  /// The author's place of a point; nil for what a generator put in: a map leads all that one made of an
  /// `enum` to the `enum`. What begins with another letter there is not the author's.
  private func authored(_ place: Place, _ point: CounterMarks.Point, _ registry: SourceRegistry)
    -> StackFrame?
  {
    guard let frame = StackFrame("@\(module.url):\(place.line):\(place.column)").flatMap(registry.authored)
    else { return nil }
    guard module.map != nil, point.kind != .statement, let line = registry.line(frame.url, frame.line) else {
      return frame
    }
    return Self.isSame(place.unit, line.utf16.dropFirst(frame.column - 1)) ? frame : nil
  }

  /// Quotes may have become others, and a parenthesis may be the generator's.
  private static func isSame(_ unit: UInt16?, _ text: Substring.UTF16View.SubSequence) -> Bool {
    if unit == 0x28 {
      let word = String(text.prefix { $0 > 0x20 }) ?? ""
      return !["export", "declare", "enum", "const", "namespace", "module"].contains(word)
    }
    let quotes: [UInt16?] = [0x22, 0x27, 0x60]
    return unit == text.first || quotes.contains(unit) && quotes.contains(text.first)
  }

  private struct Place {
    var (line, column) = (1, 1)
    /// The first UTF-16 unit there.
    var unit: UInt16?
  }

  /// Where each point is in the module's text, found in one walk.
  private var places: [Place] {
    let bytes = Array(module.source.utf8)
    var found = [Place](repeating: Place(), count: points.count)
    var at = Place()
    var seen = 0
    for index in points.indices.sorted(by: { points[$0].place < points[$1].place }) {
      while seen < points[index].place {
        if bytes.endsLine(at: seen) {
          (at.line, at.column) = (at.line + 1, 1)
        } else if bytes[seen] & 0xC0 != 0x80 {
          at.column += bytes[seen] >= 0xF0 ? 2 : 1
        }
        seen += 1
      }
      at.unit = seen < bytes.count ? UInt16(bytes[seen]) : nil
      found[index] = at
    }
    return found
  }
}
