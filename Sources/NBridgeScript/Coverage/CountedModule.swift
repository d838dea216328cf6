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
      let made = ModuleText(
        module.source, syntax, isCalledEarly: module.isCalledEarly, readsStacks: module.isAuthored)
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
  /// `enum` to the `enum`. What begins with another word there is not the author's.
  private func authored(_ place: Place, _ point: CounterMarks.Point, _ registry: SourceRegistry)
    -> StackFrame?
  {
    guard let made = StackFrame("@\(module.url):\(place.line):\(place.column)"),
      let frame = registry.authored(made)
    else { return nil }
    guard module.map != nil, let line = registry.line(frame.url, frame.line) else { return frame }
    let text = Array(line.utf16.dropFirst(frame.column - 1).prefix(place.token.count + 20))[...]
    // An element of JSX has become a call.
    if Self.isSame(place.token, text) || point.kind == .branch && text.first == 0x3C { return frame }
    if let hidden = hidden(place.token, made, from: frame, registry) { return hidden }
    return point.kind == .statement || isConstant(place.token, made, frame, registry) ? frame : nil
  }

  /// The author's place of a word to which the map leads only with others: of the `async` in
  /// `export async function`, and of the `if` in `else if`. It stands before what the map knows next.
  private func hidden(
    _ token: [UInt16], _ made: StackFrame, from start: StackFrame, _ registry: SourceRegistry
  ) -> StackFrame? {
    guard let end = registry.authoredNext(behind: made), end.url == start.url, start.line <= end.line,
      end.line - start.line < Self.farthest
    else { return nil }
    for number in stride(from: end.line, through: start.line, by: -1) {
      guard let line = registry.line(start.url, number) else { return nil }
      let units = Array(line.utf16)
      let upper = number == end.line ? min(end.column - 1, units.count) : units.count
      let lower = number == start.line ? start.column - 1 : 0
      guard let column = Self.last(token, in: units, from: lower, to: upper) else { continue }
      var found = start
      (found.line, found.column) = (number, column + 1)
      return found
    }
    return nil
  }

  /// Over how many lines a word is looked for.
  private static let farthest = 100

  /// Where a word stands last in a part of a line; for a sign, only a bracket is looked for, as names have.
  private static func last(_ token: [UInt16], in units: [UInt16], from lower: Int, to upper: Int) -> Int? {
    let isName = token.first.map { isInWord($0) || $0 == 0x23 || $0 == 0x5B } ?? false
    guard isName, lower >= 0, upper - token.count >= lower else { return nil }
    return stride(from: upper - token.count, through: lower, by: -1).first { at in
      isSame(token, units[at...]) && (at == 0 || !isInWord(units[at - 1]) || !isInWord(units[at]))
    }
  }

  /// Whether the generator has written a constant in its own way: `void 0` for `undefined`, 16 for 0x10.
  /// A place that the map knows by itself tells that there is one.
  private func isConstant(
    _ token: [UInt16], _ made: StackFrame, _ frame: StackFrame, _ registry: SourceRegistry
  ) -> Bool {
    let isNumber = token.first.map { 0x30...0x39 ~= $0 } ?? false
    guard isNumber || token == Array("void".utf16), made.column > 1 else { return false }
    var before = made
    before.column -= 1
    return registry.authored(before) != frame
  }

  /// Quotes may have become others, and a parenthesis may be the generator's.
  private static func isSame(_ token: [UInt16], _ text: ArraySlice<UInt16>) -> Bool {
    if token == [0x28] {
      let word = String(decoding: text.prefix { $0 > 0x20 }, as: UTF16.self)
      return !["export", "declare", "enum", "const", "namespace", "module"].contains(word)
    }
    if let first = token.first, isInWord(first) || first == 0x23 {
      return text.starts(with: token) && !(text.dropFirst(token.count).first.map(isInWord) ?? false)
    }
    let quotes: [UInt16?] = [0x22, 0x27, 0x60]
    return token.first == text.first || quotes.contains(token.first) && quotes.contains(text.first)
  }

  /// Letters, digits, `_` and `$`, and all that is not ASCII.
  private static func isInWord(_ unit: UInt16) -> Bool {
    switch unit {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x24, 0x80...: true
    default: false
    }
  }

  private struct Place {
    var (line, column) = (1, 1)
    /// The word there, or the sign.
    var token: [UInt16] = []
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
      at.token = Self.token(bytes, seen)
      found[index] = at
    }
    return found
  }

  private static func token(_ bytes: [UInt8], _ start: Int) -> [UInt16] {
    guard start < bytes.count else { return [] }
    let rest = bytes[(start + 1)...]
    let isWord = isInWord(UInt16(bytes[start])) || bytes[start] == 0x23
    let end = isWord ? rest.firstIndex { !isInWord(UInt16($0)) } ?? bytes.count : start + 1
    return Array(String(decoding: bytes[start..<end], as: UTF8.self).utf16)
  }
}
