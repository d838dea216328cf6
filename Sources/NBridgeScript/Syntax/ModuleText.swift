// SPDX-License-Identifier: MIT

/// A module as a function of its own, which the engine can run: it has no other way to modules.
///
///     (function(imports, called, exports, load, meta) { "use strict";
///       exports({ count: () => count });
///       …the author's text…
///     })
///
/// Its own names are the function's, so that their dead zones, kinds and names are the engine's; a name that
/// it imports becomes a member of `imports`, whose getters are the exporting module's, so that it lives. A
/// module that awaits outside of functions is an `async function`.
///
/// One that other modules may call before it runs (``ModuleCircles``) is a `function*`, or an
/// `async function*`, with a `yield` behind `exports`: called and run to there, it has given its exports, and
/// its functions can be called. That is a module that is linked (ECMA-262, 16.2.1.6).
///
/// Lines stay; on a line, columns move by what ``insertions`` tells.
struct ModuleText {
  /// An expression: the function.
  let text: String
  let insertions: [AwaitMarker.Insertion]

  /// What the function's parameters are called, and the value of `export default`: names that no author has.
  /// ``AuthoredMessage`` knows them, too.
  static let mark: UnicodeScalar = "\u{1C3}"
  static let imports = "\(mark)i"
  /// What gives a caught error the author's words.
  private static let caught = "\(imports).\(mark)\(mark)"
  /// What was thrown, where a clause takes it apart.
  private static let thrown = "\(mark)thrown"
  private static let called = "\(mark)f"
  private static let exports = "\(mark)e"
  /// As long as `import`.
  private static let load = "\(mark)impor"
  /// As long as `import.meta`.
  private static let meta = "\(mark)importMeta"
  static let defaultName = "\(mark)d"
  /// What stands before a namespace's name for the object behind it, whose members are quick.
  static let membersPrefix = "\(mark)"

  /// - Parameter readsStacks: whether it gets the author's frames by `error.stack` (``StackReads``).
  init(
    _ text: String, _ syntax: ModuleSyntax, isCalledEarly: Bool = false, readsStacks: Bool = false
  ) {
    let bytes = Array(text.utf8)
    var edits = Edits(bytes)
    for (place, text) in syntax.marks?.insertions ?? [] { edits.insert(text, at: place) }
    Self.blank(syntax, bytes, &edits)
    for (keyword, end) in syntax.defaults {
      edits.replace(keyword, with: "const \(Self.defaultName)={default:" + Self.lineEnds(bytes[keyword]))
      edits.insert("}.default;", at: end)
    }
    for place in syntax.namelessFunctions { edits.insert(" \(Self.defaultName)", at: place) }
    for range in syntax.metas { edits.replace(range, with: Self.padded(Self.meta, bytes[range])) }
    for range in syntax.dynamicImports { edits.replace(range, with: Self.load) }
    if readsStacks { StackReads.insert(text, besides: Set(syntax.imports.map(\.local)), &edits) }
    Self.refer(syntax, &edits)
    if !syntax.imports.isEmpty, !syntax.references.isEmpty {
      for clause in syntax.catches { Self.tell(clause, &edits) }
    }
    Self.part(text, bytes, &edits)
    if syntax.usesAwait { Self.note(text, syntax.awaits, &edits) }
    let head = Self.head(syntax, isCalledEarly)
    edits.insert(head, at: 0, isFirst: true)
    let tail = syntax.usesScope ? Lowering.tail(NewerNames.outerScope, isAsync: syntax.awaitsEnd) : ""
    self.text = edits.text + "\n" + tail + (syntax.marks == nil ? "})" : "}))")
    insertions = edits.insertions
  }

  private static func head(_ syntax: ModuleSyntax, _ isCalledEarly: Bool) -> String {
    let keyword = (syntax.usesAwait ? "async function" : "function") + (isCalledEarly ? "*" : "")
    var getters: [String] = []
    for case .local(let exported, let name, _) in syntax.exports {
      // A name that would set the prototype (ECMA-262, B.3.1).
      let key = exported == "__proto__" ? "[\"__proto__\"]" : ValueText.quoted(exported)
      getters.append("\(key):()=>\(name)")
    }
    let parameters = [imports, called, exports, load, meta, AwaitMarker.variable].joined(separator: ",")
    let name = syntax.namelessFunctions.isEmpty ? "" : ",\(defaultName)"
    let counters = syntax.marks == nil ? "" : "(\(CounterMarks.variable)=>"
    return "\(counters)(\(keyword)(\(parameters)){\"use strict\";"
      + (syntax.usesScope ? Lowering.head(NewerNames.outerScope) : "")
      + "\(exports)({__proto__:null,\(getters.joined(separator: ","))}\(name));"
      + (isCalledEarly ? "yield;" : "")
  }

  /// Declarations that mean nothing inside of a function become space, lines kept.
  private static func blank(_ syntax: ModuleSyntax, _ bytes: [UInt8], _ edits: inout Edits) {
    for range in syntax.blanks {
      // What stands before may have ended without a semicolon.
      var space = bytes[range].map { $0 == 0x0A || $0 == 0x0D ? $0 : 0x20 }
      for place in range where bytes.isSeparator(at: place, before: range.upperBound) {
        space.replaceSubrange(
          (place - range.lowerBound)..<(place - range.lowerBound + 3), with: bytes[place..<place + 3])
      }
      if space.count > 0 { space[0] = UInt8(ascii: ";") }
      edits.replace(range, with: String(decoding: space, as: UTF8.self))
    }
  }

  private static func refer(_ syntax: ModuleSyntax, _ edits: inout Edits) {
    let namespaces = Set(syntax.imports.filter { $0.name == .namespace }.map(\.local))
    for reference in syntax.references {
      let (start, end) = (reference.range.lowerBound, reference.range.upperBound)
      switch reference.use {
      case .shorthand where reference.name == "arguments":
        edits.insert("arguments:\(mark)", at: start)
      // Those of the function that the module has become are nobody's: a name that is not there.
      case _ where reference.name == "arguments": edits.insert("\(mark)", at: start)
      // `__proto__: a` sets the prototype (ECMA-262, B.3.1).
      case .shorthand where reference.name == "__proto__":
        edits.insert("[\"__proto__\"]:\(imports).", at: start)
      case .shorthand: edits.insert("\(reference.name):\(imports).", at: start)
      case .call:
        edits.insert("\(called).", at: start)
        edits.insert("()", at: end)
      case .member where namespaces.contains(reference.name):
        edits.insert("\(imports).\(membersPrefix)", at: start)
      case .member, .value: edits.insert("\(imports).", at: start)
      }
    }
  }

  /// `catch (error) {` becomes `catch (error) {told(error);`, and one that takes apart what it gets
  /// `catch (x){let {message}=told(x);`. What its block may not declare, it may not there either.
  private static func tell(_ clause: ModuleSyntax.CatchClause, _ edits: inout Edits) {
    if let name = clause.name {
      return edits.insert("\(caught)(\(name));", at: clause.block.upperBound, isFirst: true)
    }
    edits.replace(clause.open, with: "(\(thrown)){let ")
    edits.replace(clause.close, with: "=\(caught)(\(thrown));")
    edits.replace(clause.block, with: " ")
  }

  /// `a<!--b` is a comparison in a module, and so is `-->` at the start of a line; in what the engine
  /// evaluates they begin comments (ECMA-262, B.1.1).
  private static func part(_ text: String, _ bytes: [UInt8], _ edits: inout Edits) {
    guard text.utf8.containsText("<!--") || text.utf8.containsText("-->") else { return }
    let marks = (opening: Array("<!--".utf8), closing: Array("-->".utf8))
    var lexer = JSLexer(text)
    while true {
      let token = lexer.next()
      guard token.kind != .end else { return }
      guard token.kind == .punctuator else { continue }
      let start = token.range.lowerBound
      if bytes[start...].starts(with: marks.opening) { edits.insert(" ", at: start + 1) }
      if bytes[start...].starts(with: marks.closing) { edits.insert(" ", at: start + 2) }
    }
  }

  /// The line of each `await` at the top, for a report about one that never settles.
  private static func note(_ text: String, _ awaits: Set<Int>, _ edits: inout Edits) {
    var (line, seen) = (1, 0)
    let bytes = Array(text.utf8)
    for place in AwaitMarker.places(text) where awaits.contains(place) {
      while seen < place {
        if bytes.endsLine(at: seen) { line += 1 }
        seen += 1
      }
      edits.insert("!(\(AwaitMarker.variable).at=\(line))?0:", at: place)
    }
  }

  /// As many units as what it stands for, where that is longer.
  private static func padded(_ name: String, _ bytes: ArraySlice<UInt8>) -> String {
    let ends = lineEnds(bytes)
    if !ends.isEmpty { return name + ends }
    return name + String(repeating: " ", count: max(0, bytes.count - name.utf16.count))
  }

  /// The line ends in some bytes, so that what stands for them has as many lines.
  private static func lineEnds(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes.filter { $0 == 0x0A || $0 == 0x0D }, as: UTF8.self)
  }
}

extension [UInt8] {
  /// Whether U+2028 or U+2029 stands at a place, which end lines.
  fileprivate func isSeparator(at place: Int, before end: Int) -> Bool {
    self[place] == 0xE2 && place + 2 < end && self[place + 1] == 0x80 && self[place + 2] & 0xFE == 0xA8
  }
}
