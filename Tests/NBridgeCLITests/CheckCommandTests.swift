// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `nbridge check` of folders.
@Suite struct CheckCommandTests {
  static let broken = [
    "src/good.ts": "export const a: number = 1", "src/bad.js": "let x = ;", "src/bad.mts": "let y: = 1",
    "src/deep/missing.mjs": "import './nowhere.js'", "src/deep/page.txt": "let = ;",
    "src/node_modules/p/index.js": "let = ;", "src/.hidden/x.js": "let = ;", "src/types.d.ts": "let = ;",
    "fine/a.cjs": "module.exports = 1", "fine/b.jsx": "export const b = 1",
  ]

  func run(_ line: String, _ files: [String: String] = broken) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(files)
    return try runner.shell(line)
  }

  @Test func everyScriptBelowAFolderIsLookedAt() throws {
    let result = try run("nbridge check src")
    #expect(result.status == 1 && result.output == "", "\(result)")
    for place in ["src/bad.js:1:9\n", "src/bad.mts:1:8\n", "src/deep/missing.mjs:1:8\n"] {
      #expect(result.errors.contains(place), "\(place) in \(result.errors)")
    }
    #expect(result.errors.hasSuffix("\n4 scripts checked, 3 problems: 3 can't run\n"), "\(result.errors)")
    #expect(!result.errors.contains("\r"), "progress is for terminals")
  }

  @Test(arguments: [
    ("nbridge check fine", "2 scripts checked, no problem\n"),
    ("nbridge check fine/", "2 scripts checked, no problem\n"),
    ("cd fine && nbridge check .", "2 scripts checked, no problem\n"),
    ("nbridge check fine src/good.ts fine/a.cjs", "3 scripts checked, no problem\n"),
    ("nbridge check src/good.ts", ""),
    ("ln -s . fine/round; nbridge check fine", "2 scripts checked, no problem\n"),
  ])
  func nothingWrongIsCounted(_ line: String, _ errors: String) throws {
    let result = try run(line)
    #expect(result.status == 0 && result.errors == errors && result.output == "", "\(result)")
  }

  /// The function that is put around a script that awaits would take it.
  @Test(arguments: [
    ("await 1; return 5", "1:"), ("await 1;\nif (1) {\n  return;\n}", "3:"),
    ("const f = () => { return 1 };\nfor await (const a of [f()]) { return a }", "2:"), ("return 5", "1:"),
  ])
  func aReturnOutsideOfFunctionsIsRefused(_ script: String, _ place: String) throws {
    for line in ["nbridge check a.js", "nbridge a.js"] {
      let result = try run(line, ["a.js": script])
      #expect(result.status == 1 && result.errors.hasPrefix("a.js:\(place)"), "\(line): \(result)")
      #expect(result.errors.contains("Return statements are only valid inside functions"), "\(result)")
    }
  }

  /// The engine tells the line of what it read next, or of the script's end.
  @Test(arguments: [
    ("class A {\n  f() { return this.#y }\n}\nconst b = 1;\n", "2:21"),
    ("class B { #y = 1; f() { return this.#y } }\nclass A {\n  f(o) { return o?.#y }\n}\n", "3:20"),
    ("let a = 1;\nbreak;\nlet b = 2;", "2:1"), ("function f() {\n  continue\n}\n", "2:3"),
    ("class A {\n  constructor() {}\n  constructor() {\n    f()\n  }\n  x() {}\n}", "3:3"),
    ("await 1;\nbreak;\nlet b = 2;", "2:1"), ("let a = 1;\nlet a = 2;\nlet b;", "2:5"),
    ("let a = 1;\nlet b = ;\nlet c;", "2:9"),
  ])
  func aFaultIsToldWhereItStands(_ script: String, _ place: String) throws {
    for line in ["nbridge check a.js", "nbridge a.js"] {
      let result = try run(line, ["a.js": script])
      #expect(result.status == 1 && result.errors.hasPrefix("a.js:\(place)\n"), "\(line): \(result)")
    }
  }

  @Test(arguments: [
    "await 1; (() => { return 5 })(); function f() { return 1 } class A { m() { return 1 } }",
    "await 1; const o = { return: 1, m() { return 2 }, get a() { return 3 } }; o.return",
    "await 1; const f = async () => { await 1; return 5 }; await f(); [1].map(function (n) { return n })",
    "await 1; 'return 5'; /return 5/; `${(() => { return 1 })()} return`; // return 5",
  ])
  func aReturnInAFunctionIsTaken(_ script: String) throws {
    let result = try run("nbridge check a.js && nbridge a.js", ["a.js": script])
    #expect(result.status == 0, "\(result)")
  }

  /// Looked at by what stands around its text, whose columns are not the author's.
  @Test(arguments: [
    ("await 5", 1, 7), ("\n\nexport const a = 1", 3, 1), ("const require = 1;", 1, 7),
    ("let ok = 1;\nimport.meta.url", 2, 11), ("for await (const x of []);", 1, 9),
  ])
  func aCommonJSFileThatCanNotRunIsAMistake(_ text: String, row: Int, column: Int) throws {
    let files = ["bad.cjs": text, "main.mjs": "import './bad.cjs'", "lazy.cjs": "() => require('./bad.cjs')"]
    // Of one that awaits, esbuild says where it is asked for.
    let isLazy = !text.contains("await")
    let lines = ["check bad.cjs", "check main.mjs", "run bad.cjs", "run main.mjs"]
    for line in isLazy ? lines + ["check lazy.cjs"] : lines {
      let result = try run("nbridge \(line)", files)
      #expect(result.errors.hasPrefix("bad.cjs:\(row):\(column)\n"), "\(line): \(result)")
      #expect(result.status == 1 && result.errors.contains("SyntaxError: "), "\(line): \(result)")
    }
    if isLazy { #expect(try run("nbridge run lazy.cjs", files).status == 0) }
  }

  /// What esbuild says beside it has a place, and no sentence ends in the air.
  @Test func whatElseIsSaidHasItsPlace() throws {
    let result = try run(
      "nbridge check dup.mjs break.mjs",
      ["dup.mjs": "let a = 1;\n  let a = 2;", "break.mjs": "function f() { break; }"])
    #expect(
      result.errors.contains("SyntaxError: The symbol \"a\" has already been declared\n")
        && result.errors.contains("  The symbol \"a\" was originally declared here: dup.mjs:1:5\n")
        && result.errors.contains("SyntaxError: Cannot use \"break\" here\n"), "\(result)")
  }

  @Test func whatTwoScriptsImportIsToldOnce() throws {
    let result = try run(
      "nbridge check .",
      ["a.ts": "import './bad.ts'", "b.ts": "import './bad.ts'", "bad.ts": "let x: = 1"])
    #expect(result.errors.components(separatedBy: "bad.ts:1:8").count == 2, "\(result)")
    #expect(result.errors.hasSuffix("3 scripts checked, 1 problem: 3 can't run\n"), "\(result)")
  }

  /// Of plain scripts the engine says what is wrong, of modules esbuild: in other words.
  @Test func aPlainScriptsProblemIsToldOnceToo() throws {
    let result = try run("nbridge check .", ["a.mjs": "import './bad.js'", "bad.js": "let x = ;"])
    #expect(result.errors.components(separatedBy: "bad.js:1:9").count == 2, "\(result)")
  }

  @Test func aFileThatIsMissingHoldsNothingUp() throws {
    let result = try run("nbridge check nowhere.js src/bad.js")
    #expect(
      result.status == 1 && result.errors.contains("can't open 'nowhere.js'")
        && result.errors.contains("src/bad.js:1:9"), "\(result)")
  }

  @Test func machinesGetALineForEach() throws {
    let result = try run("nbridge check --json-errors src")
    let lines = result.errors.split(separator: "\n")
    #expect(result.status == 1 && lines.count == 3 && lines.allSatisfy { $0.hasPrefix("{") }, "\(result)")
  }

  @Test func aFolderWithoutScriptsIsAMistake() throws {
    let result = try run("mkdir none; nbridge check none")
    #expect(result.status == 2 && result.errors.contains("there is no script below 'none'"), "\(result)")
  }

  @Test func aTerminalSeesHowFarItIs() throws {
    let result = try run("script -qec \"'$NBRIDGE' check fine\" /dev/null | cat -v")
    #expect(result.output.contains("checking 2 of 2^M^[[K"), "\(result)")
  }
}
