// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

/// Which `app.json` a program gets.
@Suite struct ManifestSearchTests {
  static let tells = "console.log((await nbridge.app.appInfo()).id)"
  static let project = [
    "app/app.json": #"{"id":"outer","permissions":["app.appInfo"]}"#, "app/main.js": tells,
    "app/src/deep/tool.js": tells, "app/inner/app.json": #"{"id":"inner"}"#, "app/inner/x/y.js": tells,
    "app/src/a.test.js": """
    test('x', async () => { expect((await nbridge.app.appInfo()).id).toBe('outer'); });
    """,
    "app/src/set.js": "await nbridge.preference.set('a', 1)", "home/main.js": tells,
  ]

  func run(_ line: String, _ files: [String: String] = project) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(files)
    return try runner.shell("HOME=$PWD/home; export HOME; " + line)
  }

  // MARK: - Found

  @Test(arguments: [
    ("nbridge run app/main.js", "outer\n"), ("nbridge run app/src/deep/tool.js", "outer\n"),
    ("cd app/src/deep && nbridge run tool.js", "outer\n"),
    ("cd app/src && nbridge run ./deep/tool.js", "outer\n"),
    ("nbridge app/inner/x/y.js", "inner\n"), ("nbridge run \"$PWD/app/src/deep/../deep/tool.js\"", "outer\n"),
    ("ln -s app/src/deep d; nbridge run d/tool.js", "outer\n"),
    ("cd app/src && nbridge eval -p '(await nbridge.app.appInfo()).id'", "outer\n"),
    ("cd app/src && echo '(await nbridge.app.appInfo()).id' | nbridge repl", "outer\n"),
    ("cd app/src && cat ../main.js | nbridge run -", "outer\n"),
    ("nbridge run --app app/inner/app.json app/src/deep/tool.js", "inner\n"),
  ])
  func theNearestOneCounts(_ line: String, _ output: String) throws {
    let result = try run(line)
    #expect(result.output.replacing("'", with: "") == output && result.errors == "", "\(result)")
  }

  @Test func itsPermissionsHoldInSubfolders() throws {
    let result = try run("nbridge run app/src/set.js")
    #expect(result.status == 1 && result.errors.contains("'preference.set' is not permitted"), "\(result)")
  }

  /// A watch, too: what appears nearer, what changes, and what goes means another run.
  @Test func aWatchRunsAgainWhenAnotherOneCounts() throws {
    let until = { (line: String) in
      "n=0; until grep -q '\(line)' log; do n=$((n+1)); [ $n -gt 400 ] && break; sleep 0.05; done"
    }
    let result = try run(
      """
      "$NBRIDGE" run --watch app/src/deep/tool.js > log 2>&1 & id=$!
      \(until("^outer")); \(until("watching 2 files"))
      echo '{"id":"changed"}' > app/app.json; \(until("^changed")); \(until("again"))
      echo '{"id":"nearer"}' > n.json; mv n.json app/src/app.json; \(until("^nearer"))
      echo '{"id":' > app/src/app.json; \(until("is not JSON")); rm app/src/app.json
      n=0; until [ "$(grep -c '^changed' log)" = 2 ]; do n=$((n+1)); [ $n -gt 400 ] && break; sleep 0.05; done
      kill $id; wait $id; grep -E '^(outer|changed|nearer)' log
      """)
    #expect(result.output == "outer\nchanged\nnearer\nchanged\n", "\(result)")
  }

  @Test func warningsAreLinesOfJSONWhereErrorsAre() throws {
    let files = ["home/app.json": "{}", "home/deep/x.js": "throw new Error('no')"]
    let result = try run("nbridge run --json-errors home/deep/x.js", files)
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 2, "\(result)")
    #expect(lines.first?.hasPrefix(#"{"warning":"'home/app.json' is not taken for"#) == true, "\(result)")
    for line in lines {
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
    }
  }

  @Test func testsAndChecksFindIt() throws {
    #expect(try run("nbridge test app").status == 0)
    var files = Self.project
    files["app/app.json"] = #"{"imports":{"x":"./lib/x.js"}}"#
    files["app/lib/x.js"] = "export default 1"
    files["app/src/deep/tool.js"] = "import x from 'x'; console.log(x)"
    #expect(try run("nbridge check app/src/deep/tool.js", files).status == 0)
    #expect(try run("cd app/src/deep && nbridge run tool.js", files).output == "1\n")
  }

  /// Every script of an app has the app's data, wherever it lies.
  @Test func theDataIsTheApps() throws {
    let files = [
      "app/app.json": #"{"id":"outer"}"#, "app/a.js": "await nbridge.preference.set('k', 'v')",
      "app/src/b.js": "console.log(await nbridge.preference.get('k'))",
    ]
    #expect(try run("nbridge run app/a.js && nbridge run app/src/b.js", files).output == "v\n")
  }

  @Test func whatLiesBesideItMayBeRead() throws {
    let files = [
      "app/app.json": "{}", "app/text.txt": "hello",
      "app/src/a.js": "console.log(await nbridge.documents.read('text.txt', { directory: 'bundle' }))",
    ]
    let result = try run("nbridge run app/src/a.js", files)
    #expect(result.output == "hello\n", "\(result)")
  }

  @Test func testsTellItsWarningsOnce() throws {
    let test = "test('x', () => {})"
    let result = try run(
      "nbridge test app",
      ["app/app.json": #"{"permissions":["peer.x"]}"#, "app/a.test.js": test, "app/s/b.test.js": test])
    #expect(result.status == 0 && result.errors.components(separatedBy: "'peer'").count == 2, "\(result)")
  }

  // MARK: - Borders

  @Test func theHomeFolderIsNotSearchedFromBelow() throws {
    let files = ["home/app.json": #"{"id":"home"}"#, "home/b.js": Self.tells, "home/sub/a.js": Self.tells]
    let result = try run("nbridge run home/sub/a.js", files)
    #expect(
      result.output.hasPrefix("a-")
        && result.errors.hasPrefix("nbridge: warning: 'home/app.json' is not taken for")
        && result.errors.contains("a search ends at the home folder; --app names it"), "\(result)")
    #expect(try run("nbridge run home/b.js", files).output == "home\n")
    let named = try run("nbridge run --app home/app.json home/sub/a.js", files)
    #expect(named.output == "home\n" && named.errors == "")
  }

  @Test func aSearchFromTheHomeFolderStaysInIt() throws {
    let result = try run(
      "nbridge run home/main.js", Self.project.merging(["app.json": #"{"id":"top"}"#]) { $1 })
    #expect(result.output.hasPrefix("main-"), "\(result)")
    #expect(result.errors.contains("'app.json' is not taken for"), "\(result)")
  }

  // MARK: - Others' files

  /// What another user may have put there, and what is told of it. `app/` is the folder of `app.json`.
  static let strangers = [
    ("chown 12345 app/app.json", "it belongs to user 12345"),
    ("chown 12345 app", "its folder belongs to user 12345"),
    ("chmod 777 app", "every user may put another one into its folder"),
    ("chmod 666 app/app.json", "every user may write to it"),
    ("chmod 1777 app; chown 12345 app/app.json", "it belongs to user 12345"),
    (
      "mv app/app.json own.json; ln -s ../own.json app/app.json; chown -h 12345 app/app.json",
      "it belongs to user 12345"
    ),
    (
      "mv app/app.json own.json; ln -s ../own.json app/app.json; chown 12345 own.json",
      "what it links to belongs to user 12345"
    ),
  ]

  @Test(arguments: strangers)
  func whatAStrangerCouldHavePutThereIsRefused(_ spoil: String, _ reason: String) throws {
    if getuid() != 0, spoil.contains("chown") {
      print("SKIPPED: a file of another user's: only root can give one away")
      return
    }
    for line in [
      "nbridge run app/src/deep/tool.js", "cd app/src && nbridge eval 1", "nbridge check app/src/deep",
    ] {
      let result = try run("\(spoil); \(line)")
      #expect(result.status == 1 && result.output == "", "\(line): \(result)")
      #expect(
        result.errors.contains("app.json' is not taken: \(reason)") && result.errors.contains("--app FILE"),
        "\(line): \(result)")
    }
  }

  @Test func aStrangersFileBesideTheScriptIsRefused() throws {
    if getuid() != 0 { return print("SKIPPED: a file of another user's: only root can give one away") }
    let result = try run("chmod 1777 app; chown 12345 app/app.json; nbridge run app/main.js")
    #expect(result.status == 1 && result.errors.contains("it belongs to user 12345"), "\(result)")
  }

  /// A program of another user's is run with what its author wrote for it.
  @Test func theScriptsAuthorIsNoStranger() throws {
    if getuid() != 0 { return print("SKIPPED: a file of another user's: only root can give one away") }
    let result = try run("chown -R 12345 app; nbridge run app/src/deep/tool.js; cd app; nbridge eval 1")
    #expect(result.output == "outer\n" && result.errors.contains("belongs to user 12345"), "\(result)")
  }

  @Test(arguments: [
    "chmod 1777 app", "chmod 777 app app/src app/src/deep", "chmod 775 app; chmod 664 app/app.json",
  ])
  func whatGivesOthersNothingIsTaken(_ change: String) throws {
    let result = try run("\(change); nbridge run app/src/deep/tool.js")
    #expect(result.output == "outer\n" && result.errors == "", "\(result)")
  }

  @Test func oneThatIsNamedIsTaken() throws {
    let result = try run("chmod 666 app/app.json; nbridge run --app app/app.json app/src/deep/tool.js")
    #expect(result.output == "outer\n" && result.errors == "", "\(result)")
  }
}
