// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `nbridge init`.
@Suite struct InitCommandTests {
  func run(_ line: String, _ files: [String: String] = [:]) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(files)
    return try runner.shell(line)
  }

  static let all = [
    ".gitignore", ".vscode/launch.json", ".vscode/tasks.json", "app.json", "greeting.test.ts", "greeting.ts",
    "main.ts", "nbridge.d.ts", "tsconfig.json",
  ]

  /// What was made is complete: nothing of it needs a change, whatever the folder's name.
  @Test(arguments: ["notes", "deep/er/notes", "it's \"a\" $test", "日本", "1", "-x-"])
  func aProjectWorksAsItIsMade(_ name: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    _ = try runner.write("name", name)
    let made = try runner.shell("nbridge init -- \"$(cat name)\"")
    #expect(made.status == 0 && made.errors == "", "\(made)")
    for file in Self.all { #expect(made.output.contains("made \(name)/\(file)\n"), "\(made)") }
    let enter = "cd -- \"$(cat name)\" && "
    let last = name.split(separator: "/").last ?? ""
    let start = try runner.shell(enter + "nbridge run main.ts")
    #expect(start.output == "Hello from \(last)!\n" && start.errors == "" && start.status == 0, "\(start)")
    let tests = try runner.shell(enter + "nbridge test")
    #expect(tests.status == 0 && tests.errors == "", "\(tests)")
    let check = try runner.shell(enter + "nbridge check .")
    #expect(check.status == 0 && check.errors == "3 scripts checked, no problem\n", "\(check)")
    let compiled = try runner.shell(enter + "tsc --noEmit")
    #expect(compiled.status == 0 && compiled.output == "", "make setup EXTRA=node-typescript? \(compiled)")
  }

  @Test func whatIsThereStays() throws {
    let files = ["main.ts": "console.log('mine')", "app.json": "{}", ".gitignore": "mine"]
    let result = try run(
      "ln -s nowhere tsconfig.json; nbridge init && cat main.ts app.json .gitignore", files)
    #expect(result.status == 0 && result.output.hasSuffix("console.log('mine'){}mine"), "\(result)")
    for file in ["app.json", ".gitignore", "tsconfig.json"] {
      #expect(result.output.contains("kept \(file): it was there\n"), "\(result)")
    }
    #expect(result.output.contains("made nbridge.d.ts\n") && !result.output.contains("greeting"), "\(result)")
  }

  @Test func aSecondTimeNothingIsMade() throws {
    let result = try run("nbridge init > first; nbridge init; nbridge run main.ts")
    #expect(!result.output.contains("made ") && result.output.contains("Hello from"), "\(result)")
  }

  /// Scripts that were there may call what they could before.
  @Test(arguments: [("index.js", "index.js"), ("main.mjs", "main.mjs"), ("lib/tool.js", "lib/tool.js")])
  func aFolderWithScriptsKeepsThem(_ file: String, _ main: String) throws {
    let result = try run(
      "nbridge init > said; nbridge run \(main); nbridge check .; cat app.json; tail -n 5 said",
      [file: "console.log(await nbridge.preference.get('x', 'works'))"])
    #expect(result.output.hasPrefix("works\n"), "\(result)")
    #expect(result.output.contains("\"main\": \"\(main)\""), "\(result)")
    #expect(!result.output.contains("\"permissions\": ["), "\(result)")
    #expect(result.output.contains("nbridge run --audit \(main) "), "\(result)")
    #expect(result.errors == "1 script checked, no problem\n", "\(result)")
  }

  /// The id names the folder with an app's data.
  @Test func twoAppsOfOneNameHaveTwoIDs() throws {
    let result = try run(
      "nbridge init a/x > said; nbridge init b/x > said; cat a/x/app.json b/x/app.json | grep id")
    let ids = Set(result.output.split(separator: "\n"))
    #expect(ids.count == 2 && ids.allSatisfy { $0.contains("\"id\": \"x-") }, "\(result)")
  }

  @Test(arguments: [
    ("touch f; nbridge init f", "'f' is a file, and no folder that a project could lie in"),
    ("touch f; nbridge init f/x", "can't make the folder 'f/x'"),
    ("touch .vscode; nbridge init", "can't make '.vscode/tasks.json': Not a directory"),
    ("nbridge init ''", "init needs a folder's name, not an empty one"),
    ("nbridge init a b", "'b' is too much; init takes [FOLDER]"),
    ("nbridge init --force", "unknown option '--force'"),
  ])
  func whatCannotBeIsTold(_ line: String, _ text: String) throws {
    let result = try run(line)
    #expect(result.status != 0 && result.errors.contains(text), "\(result)")
  }
}
