// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

/// Programs of modules and TypeScript, as files on disk, through the real program.
@Suite struct ModuleTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let files: [String: String]
    var run = "nbridge run main.ts"
    var output = ""
    var errors: [String] = []
    var status: Int32 = 0
    var testDescription: String { name }
  }

  @Test(arguments: cases)
  func behaves(_ test: Case) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(test.files)
    let result = try runner.shell(test.run)
    #expect(result.output == test.output, "\(result.errors)")
    for part in test.errors { #expect(result.errors.contains(part), "\(result.errors)") }
    if test.errors.isEmpty { #expect(result.errors == "") }
    #expect(result.status == test.status)
  }

  @Test func anUnchangedProgramStartsNoProcess() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(
      ["main.ts": "import { a } from './a'; console.log(a as number);", "a.ts": "export const a = 1;"])
    #expect(try runner.shell("nbridge run main.ts").output == "1\n")
    // Without esbuild in reach, only the cache can answer.
    #expect(try runner.shell("PATH=/nowhere; nbridge run main.ts").output == "1\n")
    try runner.write(["a.ts": "export const a = 2;"])
    let missing = try runner.shell("PATH=/nowhere; nbridge run main.ts")
    #expect(
      missing.status == 1 && missing.errors.contains("sudo apt-get install esbuild"), "\(missing.errors)")
    #expect(try runner.shell("nbridge run main.ts").output == "2\n")
    // A file that an import would find first.
    try runner.write(["a.tsx": "export const a = 3;"])
    #expect(try runner.shell("rm a.ts; nbridge run main.ts").output == "3\n")
  }

  /// What only a call asks for is tried without it; what can't do without is not tried twice.
  @Test(arguments: [
    ("import './none.mjs'", 1), ("import './none.mjs'; () => import('./gone.mjs')", 1),
    ("() => import('./none.mjs'); throw 'none.mjs'", 2),
  ])
  func aProgramThatFailsIsTriedOnce(_ text: String, _ starts: Int) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let watched = """
      #!/bin/sh
      case "$*" in *--service*) echo >> "$STARTS" ;; esac
      exec "$(PATH="${PATH#*:}" command -v esbuild)" "$@"
      """
    try runner.write(["main.mjs": text, "bin/esbuild": watched])
    let result = try runner.shell(
      """
      # A copy of the shell's own: a program that another test starts just now may still have the other open.
      cp bin/esbuild bin/copy; mv bin/copy bin/esbuild
      chmod +x bin/esbuild; export STARTS="$PWD/starts" PATH="$PWD/bin:$PATH"
      nbridge run main.mjs; wc -l < starts
      """)
    #expect(result.output == "\(starts)\n" && result.errors.contains("none.mjs"), "\(result)")
  }

  @Test func aPackageThatNamesAnotherFileIsSeen() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": "import v from 'p'; console.log(v);", "node_modules/p/package.json": #"{"main": "one.js"}"#,
      "node_modules/p/one.js": "module.exports = 1;", "node_modules/p/two.js": "module.exports = 2;",
    ])
    #expect(try runner.shell("nbridge run main.mjs").output == "1\n")
    try runner.write(["node_modules/p/package.json": #"{"main": "two.js"}"#])
    #expect(try runner.shell("nbridge run main.mjs").output == "2\n")
  }

  @Test func bundlesOfTextsDoNotPileUp() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["a.js": "export const a = 1;"])
    let result = try runner.shell(
      """
      for i in $(seq 140); do echo "import { a } from './a.js'; a + $i" | nbridge run - || exit 1; done
      ls home/*/Library/Modules | wc -l
      """)
    #expect(
      Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)).map { $0 <= 128 } == true,
      "\(result.output)")
  }

  @Test func aDamagedCacheIsMadeAgain() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["main.ts": "export {}; console.log('x' as string);"])
    #expect(try runner.shell("nbridge run main.ts").output == "x\n")
    let result = try runner.shell(
      """
      for f in home/*/Library/Modules/*; do head -c 100 "$f" > t && cat t > "$f"; done; nbridge run main.ts
      """)
    #expect(result.output == "x\n", "\(result.errors)")
  }

  @Test func tenThousandModules() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    var files = [
      "main.ts": (0..<10_000).map {
        """
        import { v as v\($0) } from './m/\($0)';
        """
      }.joined(separator: "\n") + "\nconsole.log(v0 + v9999);"
    ]
    for index in 0..<10_000 { files["m/\(index).ts"] = "export const v: number = \(index);" }
    try runner.write(files)
    #expect(try runner.shell("nbridge run main.ts").output == "9999\n")
  }

  @Test func check() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "good.ts": "export const a: number = await 1; throw 1;", "bad.ts": "let x: = 1;",
      "plain.js": "let y = ;",
    ])
    try runner.write([
      "good.html": """
      <script>let a = 1;</script><script type=module src=good.ts></script><button onclick='a()'>
      """,
      "bad.html": "<p>\n<script>\nlet a = ;\n</script>",
      "badmodule.html": """
      <script type=module src=bad.ts></script>
      """,
    ])
    #expect(try runner.shell("nbridge check good.ts good.html").status == 0)
    let page = try runner.shell("nbridge check bad.html badmodule.html")
    #expect(
      page.status == 1 && page.errors.contains("bad.html:3:9\n") && page.errors.contains("bad.ts:1:8"),
      "\(page.errors)")
    let bad = try runner.shell("nbridge check good.ts bad.ts plain.js")
    #expect(
      bad.status == 1 && bad.errors.contains("bad.ts:1:8") && bad.errors.contains("plain.js:1"),
      "\(bad.errors)")
  }

  @Test(
    arguments: [
      ("-p '1 + 1'", "2\n", 0),
      (
        """
        -p 'nbridge.app.appInfo().then((i) => i.name)'
        """, "eval\n", 0
      ), ("'console.log(await 3)'", "3\n", 0),
      ("-p '({ a: [1] })'", "{ a: [ 1 ] }\n", 0), ("-p 'let x = 5; x * 2'", "10\n", 0),
      ("-p undefined", "", 0), ("-p 'const x = await 2; x * 3'", "6\n", 0),
      ("-p 'for (const x of [await 1]) ;'", "", 0), ("-p '@'", "", 1),
      ("'exit(7)'", "", 7), ("-p 'nbridge.args' a b", "[ 'a', 'b' ]\n", 0),
      (
        "--timeout 0.2 'setInterval(() => {}, 9)'", "", 124
      ),
      ("--timeout 0.2 'for (;;);'", "", 124), ("--timeout x 1", "", 2),
      (
        "--memory-limit 150 'const a = []; for (;;) a.push(new Array(9999).fill(1))'", "", 1
      ),
    ] as [(String, String, Int32)])
  func eval(_ arguments: String, _ output: String, _ status: Int32) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell("nbridge eval \(arguments)")
    #expect(result.output == output && result.status == status, "\(result.errors)")
  }

  @Test func aSeedMakesARunRepeat() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let line = "nbridge eval --seed 7 -p '[Math.random(), crypto.randomUUID()].join()'"
    let first = try runner.shell(line).output
    #expect(first == (try runner.shell(line).output) && first.count > 40)
    #expect(first != (try runner.shell(line.replacingOccurrences(of: "7", with: "8")).output))
  }
}
