// SPDX-License-Identifier: MIT

import JSEngine
import TestSupport
import Testing

@testable import NBridgeScript

/// Notes before the awaits of a script's top, which change nothing of what it means.
@Suite struct AwaitMarkerTests {
  static let mark = "!(\(AwaitMarker.variable).at="

  /// `@LINE` stands for a note.
  static func expected(_ text: String) -> String {
    text.replacing(#/@(\d+) /#) { "\(mark)\($0.1))?0:" }
  }

  @Test(arguments: [
    ("await a", "@1 await a"), ("x = await a", "x = @1 await a"),
    ("f(await a, await b)", "f(@1 await a, @1 await b)"),
    ("a\nawait b", "a\n@2 await b"), ("await a\nawait b", "@1 await a\n@2 await b"),
    ("[await a]", "[@1 await a]"),
    ("({a: await b})", "({a: @1 await b})"), ("a ? await b : await c", "a ? @1 await b : @1 await c"),
    ("if (a) await b", "if (a) @1 await b"),
    (
      "for await (const x of y) await x",
      "for await (const x of y) @1 await x"
    ),
    ("while (await a) {}", "while (@1 await a) {}"), ("throw await a", "throw @1 await a"),
    ("{ await a }", "{ @1 await a }"),
    ("async () => 1; await a", "async () => 1; @1 await a"),
    ("f(async x => await x, await y)", "f(async x => await x, @1 await y)"),
    ("`${1}`\nawait a", "`${1}`\n@2 await a"), ("/await a/; await b", "/await a/; @1 await b"),
  ])
  func awaitsOfTheTopGetANote(_ text: String, _ marked: String) {
    #expect(AwaitMarker.mark(text).text == Self.expected(marked))
  }

  /// An await that would lose a part of itself to the note, one in a function, and a word that is no await
  /// get none.
  @Test(arguments: [
    "1 === await a", "1 == await a", "1 != await a", "1 <= await a", "a ?? await b", "1 >= await a",
    "1 + await a", "!await a", "-await a", "typeof await a", "a && await b", "x = y + await z",
    "async () => await a", "async function f() { await a }", "class A { async m() { await a } }",
    "async x => { await x }",
    "'await a'", "`await a`", "// await a", "/* await a */", "a.await",
    "const f = async () => { if (x) await y }",
    "({ async m() { await a } })", "async () => a ? await b : await c",
  ])
  func othersGetNone(_ text: String) {
    #expect(AwaitMarker.mark(text).text == text)
    #expect(AwaitMarker.mark(text).insertions.isEmpty)
  }

  /// A line ends with a line feed, a carriage return, or both.
  @Test(arguments: [("\n", 3), ("\r\n", 3), ("\r", 3), ("\n\n", 5), ("\r\n\r\n", 5), ("\n\r", 5)])
  func linesAreCountedWhateverTheyEndWith(_ end: String, _ line: Int) {
    let (text, insertions) = AwaitMarker.mark("a\(end)b\(end)  await c")
    #expect(text == "a\(end)b\(end)  \(Self.mark)\(line))?0:await c")
    #expect(insertions == [.init(line: line, column: 3, length: "\(Self.mark)\(line))?0:".utf16.count)])
  }

  @Test func columnsCountUTF16() {
    #expect(AwaitMarker.mark("'é😀'; await b").insertions.first?.column == 8)
  }

  /// The plan gives back, for each place of the marked text, the place that it had.
  @Test(arguments: 0..<20)
  func columnsLeadBack(_ seed: Int) {
    var random = SeededGenerator(seed: seed)
    let text = random.text(
      of: [
        "await a;", "x = await b;", "\n", "\r\n", " ", "f(await c, await d);", "'é';", "1 + await e;",
        "(await g);",
      ], count: 1...25)
    let (marked, insertions) = AwaitMarker.mark(text)
    let plan = PreparedScript(text: marked, isAsync: true, insertions: insertions)
    let (before, after) = (Self.awaits(text), Self.awaits(marked))
    #expect(before.count == after.count)
    for (old, new) in zip(before, after) {
      #expect(old.line == new.line)
      #expect(plan.column(line: new.line, column: new.column) == old.column, "\(text.debugDescription)")
    }
  }

  static func awaits(_ text: String) -> [(line: Int, column: Int)] {
    var found: [(Int, Int)] = []
    for (number, line) in text.split(
      omittingEmptySubsequences: false,
      whereSeparator: \.isNewline
    ).enumerated() {
      for range in line.ranges(of: "await ") {
        found.append(
          (number + 1, line[..<range.lowerBound].utf16.count + 1))
      }
    }
    return found
  }

  /// Scripts do the same with their notes as without.
  @Test(arguments: [
    "log(1 === await 1, 2 !== await 2, 1 <= await 0, null ?? await 3)", "let a = 1; a += await 2; log(a)",
    "log(await 1 + await 2); log(await 3)", "for (const x of [1, 2]) log(await x)\nlog(await 5 ?? 6)",
    "for await (const x of [1, 2]) { await x; log(x) }", "const {a = await 4} = {}\nlog(a)",
    "log(await 1 ? 'y' : 'n')",
    "const f = async (x) => await x\nlog(await f(9))", "let n = 0\nwhile (await n < 3) n++\nlog(n)",
    "label: for (;;) { await 1; break label }\nlog('l')",
    "try { await Promise.reject(1) } catch (e) { log(e) } finally { await 2 }",
    "switch (await 2) { case await 2: log('two') }",
    "log([await 1, await 2].length, {a: await 3}.a, `${await 4}`)",
    "log(await 1, await 2)", "var x = await 1\nawait 2\n++x\nlog(x)",
    "class A { static x = 1; async m() { return await 7 } }\nlog(await new A().m())",
    "do await 1\nwhile (false)\nlog('d')", "if (await 0) log(1)\nelse log(await 2)",
    "log((await 1, await 2))", "log(-await 3, !await 0, typeof await '')",
    "const g = (a = 1) => a\nlog(g(await 4))\nlog((() => 1)())\nawait 2", "log((await 2) ** 3)",
  ])
  func aMarkedScriptDoesTheSame(_ text: String) async throws {
    let logs = try await withEngine { context in
      try [text, AwaitMarker.mark(text).text].map { body in
        try context.evaluate(
          "globalThis.said = []; globalThis.log = (...v) => said.push(v.join()); "
            + "(async (\(AwaitMarker.variable)) => {\(body)\n})({}).catch((e) => log('failed', e))",
          url: "t.js")
        return context.global["said"].json ?? ""
      }
    }
    #expect(logs[0] == logs[1] && logs[0] != "[]", "\(logs) of \(AwaitMarker.mark(text).text)")
  }

  @Test(arguments: 0..<10)
  func anyTextCanBeMarked(_ seed: Int) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let text = random.text(of: LexerTests.fragments, count: 0...30)
      let (marked, insertions) = AwaitMarker.mark(text)
      #expect(marked.utf16.count == text.utf16.count + insertions.reduce(0) { $0 + $1.length })
    }
  }
}

/// Changes of a text, made all at once.
@Suite struct EditsTests {
  static func edits(_ text: String, _ list: [(Int, Int, String)]) -> Edits {
    var edits = Edits(Array(text.utf8))
    for (start, end, new) in list {
      if start == end { edits.insert(new, at: start) } else { edits.replace(start..<end, with: new) }
    }
    return edits
  }

  @Test(
    arguments: [
      ("", [], ""), ("abc", [], "abc"), ("abc", [(0, 0, "x")], "xabc"), ("abc", [(3, 3, "x")], "abcx"),
      ("abc", [(1, 2, "")], "ac"),
      ("abc", [(2, 2, "y"), (0, 1, "x")], "xbyc"), ("abc", [(1, 1, "x"), (1, 1, "y")], "axybc"),
      ("abc", [(1, 1, "x"), (1, 2, "y")], "axyc"),
      ("abc", [(0, 2, "x"), (1, 3, "y")], "xc"), ("é", [(0, 2, "e")], "e"),
    ] as [(String, [(Int, Int, String)], String)])
  func textsWithTheirEdits(_ text: String, _ list: [(Int, Int, String)], _ expected: String) {
    #expect(Self.edits(text, list).text == expected)
  }

  @Test func whatIsToBeFirstIsFirst() {
    var edits = Edits(Array("a".utf8))
    edits.insert("x", at: 0)
    edits.insert("y", at: 0, isFirst: true)
    #expect(edits.text == "yxa")
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func insertionsTellLineColumnAndLength(_ end: String) {
    let text = "é\(end)ab"
    let edits = Self.edits(text, [(0, 0, "12"), (text.utf8.count - 1, text.utf8.count - 1, "😀")])
    #expect(edits.insertions == [.init(line: 1, column: 1, length: 2), .init(line: 2, column: 2, length: 2)])
  }

  /// A text that becomes shorter, or that brings lines of its own, moves no column that could be told.
  @Test func whatMovesNoColumnIsNoInsertion() {
    #expect(Self.edits("abcdef", [(0, 3, "x"), (4, 4, "a\nb")]).insertions.isEmpty)
  }

  @Test(arguments: 0..<20)
  func editsThatTouchNoOtherAreAllMade(_ seed: Int) {
    var random = SeededGenerator(seed: seed)
    let text = random.text(of: ["a", "b", "\n", "c"], count: 10...40)
    var list: [(Int, Int, String)] = []
    var at = 0
    while at < text.utf8.count {
      let start = random.number(at...text.utf8.count),
        end = min(text.utf8.count, start + random.number(0...2))
      list.append((start, end, random.text(of: ["x", "yy"], count: 0...2)))
      at = end + 1
    }
    var expected = Array(text.utf8)
    for (start, end, new) in list.reversed() { expected.replaceSubrange(start..<end, with: Array(new.utf8)) }
    list.shuffle(using: &random)
    #expect(Self.edits(text, list).text == String(decoding: expected, as: UTF8.self))
  }
}

/// How a script is run: as it is, or inside of an async function.
@Suite struct PreparedScriptTests {
  @Test(arguments: [
    ("1", false), ("var a = 1", false), ("async function f() { await 1 }", false), ("'await'", false),
    ("// await", false),
    ("var await = 1", false), ("await 1", true), ("for await (const x of []) {}", true),
    ("x = await 1", true),
    ("const f = async () => await 1", false), ("async () => { await 1 }", false),
    ("await 1\r\nawait 2", true),
  ])
  func whatAwaitsAtItsTopIsWrapped(_ text: String, _ isAsync: Bool) async throws {
    let found = try await withEngine { context in
      PreparedScript(ScriptSource(url: "a.js", text: text), by: context).isAsync
    }
    #expect(found == isAsync)
  }

  @Test func whatIsNotWrappedIsUntouched() async throws {
    let text = try await withEngine {
      PreparedScript(
        ScriptSource(url: "a.js", text: "let await_ = 1"),
        by: $0
      ).text
    }
    #expect(text == "let await_ = 1")
  }

  /// The lines of a wrapped script are the author's, and columns lead back, also where a note was put in.
  @Test(arguments: ["\n", "\r\n"])
  func placesOfAWrappedScriptAreTheAuthors(_ end: String) async throws {
    let text = "await 1; globalThis.a = new Error('a')\(end)let x = await 2; globalThis.b = new Error('b')"
    let places = try await withEngine { context in
      let source = ScriptSource(url: "a.js", text: text)
      let plan = PreparedScript(source, by: context)
      let sourceRegistry = SourceRegistry()
      sourceRegistry.add(source, plan)
      try context.call(context.evaluate(plan.text, url: "a.js"), context.evaluate("({})", url: "nbridge:x"))
      return ["a", "b"].map { name in
        let stack = context.global[name]["stack"].string ?? ""
        return StackFrame.userFrames(stack).compactMap(sourceRegistry.authored).first?.place
      }
    }
    #expect(places == ["a.js:1:34", "a.js:2:42"])
  }

  @Test(arguments: [
    ("await 1\nlet let = 2", "a.js", 2), ("let x = ;\nawait 1", "a.js", 1),
    ("await 1\r\nlet x = ;", "a.js", 2), ("await (\n", "a.js", 2),
  ])
  func aScriptThatParsesNeitherWayTellsTheAuthorsError(
    _ text: String, _ url: String,
    _ line: Int
  ) async throws {
    let found = try await withEngine { context in
      let source = ScriptSource(url: url, text: text)
      return context.syntaxError(in: PreparedScript(source, by: context).text, url: url)?.line
    }
    #expect(found == line)
  }

  @Test(arguments: [
    ("1 + 1", true), ("await 1", true), ("{a: 1}", true), ("let a", false),
    ("1; 2", false), ("a // b", true), ("", false), (")(", false),
  ])
  func expressions(_ text: String, _ isOne: Bool) async throws {
    let found = try await withEngine {
      PreparedScript(
        expression: ScriptSource(url: "a.js", text: text), by: $0) != nil
    }
    #expect(found == isOne)
  }

  @Test(
    arguments: [
      ([], 5, 5), ([(1, 1, 10)], 15, 5), ([(1, 1, 10)], 5, 1), ([(1, 1, 10)], 11, 1),
      ([(1, 1, 10)], 1, 1), ([(2, 1, 10)], 5, 5),
      ([(1, 3, 4), (1, 8, 4)], 3, 3), ([(1, 3, 4), (1, 8, 4)], 5, 3), ([(1, 3, 4), (1, 8, 4)], 8, 4),
      ([(1, 3, 4), (1, 8, 4)], 16, 8),
      ([(1, 3, 4), (1, 8, 4)], 20, 12), ([(1, 1, 10)], 0, 1), ([(1, 1, 10)], -5, 1),
      ([(1, 1, 10)], Int.max, Int.max - 10),
    ] as [([(Int, Int, Int)], Int, Int)])
  func columnsWithoutWhatWasPutIn(_ list: [(Int, Int, Int)], _ column: Int, _ expected: Int) {
    let plan = PreparedScript(
      text: "", isAsync: true, insertions: list.map { .init(line: $0.0, column: $0.1, length: $0.2) })
    #expect(plan.column(line: 1, column: column) == expected)
  }
}
