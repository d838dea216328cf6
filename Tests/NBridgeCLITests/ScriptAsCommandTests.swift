// SPDX-License-Identifier: MIT

import Testing

/// `nbridge FILE`, without "run".
@Suite struct ScriptAsCommandTests {
  /// Files `tool` and `check` are scripts without an ending, `check` has a command's name.
  func run(_ line: String) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let tells = "console.log(...nbridge.args, 'ran')"
    try runner.write([
      "a.js": tells, "b.ts": "const x: string = 'typed'; console.log(x)", "tool": tells, "check": tells,
      "folder/c.mjs": tells, "app.js": "await nbridge.app.appInfo()", "plugin": tells,
      "d.mjs?x": "import './folder/c.mjs'; console.log(import.meta.url.split('/').pop())",
      "e.ts?x#y": "const x: string = 'typed'; console.log(x)", "m.txt": "import './folder/c.mjs'",
      "f.mjs": "import './d.mjs?x'; import './f.txt'", "f.txt": "1",
      "moduled": "import './folder/c.mjs'; const { sep } = await import('node:path'); console.log(sep)",
      "p.html": "<script>console.log('page')</script>",
    ])
    return try runner.shell(line)
  }

  @Test(arguments: [
    ("nbridge a.js", "ran\n"), ("nbridge a.js --fast -- x", "--fast -- x ran\n"), ("nbridge b.ts", "typed\n"),
    ("nbridge ./a.js", "ran\n"), ("nbridge folder/c.mjs", "ran\n"), ("nbridge tool x", "x ran\n"),
    ("nbridge p.html", "page\n"), ("nbridge --seed 5 a.js 1", "1 ran\n"), ("nbridge ./check", "ran\n"),
    ("nbridge -- check x", "x ran\n"), ("nbridge ./plugin", "ran\n"),
    ("nbridge 'd.mjs?x'", "ran\nd.mjs%3Fx\n"), ("nbridge 'e.ts?x#y'", "typed\n"),
    ("nbridge moduled 1", "1 ran\n/\n"), ("nbridge 'moduled' 1; nbridge moduled 2", "1 ran\n/\n2 ran\n/\n"),
    ("nbridge f.mjs", "ran\nd.mjs%3Fx\n"),
    ("echo 'console.log(7)' | nbridge -", "7\n"), ("nbridge --timeout=5 -- a.js", "ran\n"),
  ])
  func itRuns(_ line: String, _ output: String) throws {
    let result = try run(line)
    #expect(result.output == output && result.errors == "" && result.status == 0, "\(result)")
  }

  @Test func optionsBeforeTheFileAreThoseOfRun() throws {
    let result = try run("nbridge --audit app.js")
    #expect(result.status == 0 && result.errors.contains("\"app.appInfo\""), "\(result)")
    #expect(try run("nbridge --audit --help").output == (try run("nbridge run --help").output))
  }

  @Test(arguments: [
    ("nbridge chekc a.js", "unknown command 'chekc'; did you mean 'check'?"),
    ("nbridge folder", "unknown command 'folder'"), ("nbridge tol", "unknown command 'tol'"),
    ("nbridge check", "check needs a script or a folder: nbridge check ."),
    ("nbridge --adit a.js", "unknown option '--adit'; did you mean '--audit'?"),
    ("nbridge --audit", "there is no script behind '--audit': nbridge --audit FILE"),
    ("nbridge --audit check a.js", "options of 'check' stand behind it: nbridge check --audit …"),
    ("nbridge --seed 1 plugin new X", "options of 'plugin' stand behind it: nbridge plugin --seed …"),
    ("nbridge -e 1", "unknown option '-e'; did you mean nbridge eval CODE?"),
    ("nbridge -p 1", "unknown option '-p'; did you mean nbridge eval -p CODE?"),
  ])
  func whatNamesNeitherIsTold(_ line: String, _ text: String) throws {
    let result = try run(line)
    #expect(result.status == 2 && result.errors.hasPrefix("nbridge: " + text), "\(result)")
  }

  @Test(arguments: ["missing.js", "./missing"])
  func aScriptThatIsMissingIsNoCommand(_ name: String) throws {
    let result = try run("nbridge \(name)")
    #expect(result.status == 1 && result.errors.contains("can't open '\(name)'"), "\(result)")
  }
}
