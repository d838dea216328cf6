// SPDX-License-Identifier: MIT

import Foundation
import NBridgePlugin
import Testing

@testable import AppPlugin
@testable import NBridge
@testable import NBridgeCLI
@testable import NBridgeSystem

/// The options of every command that runs a program.
@Suite struct ProgramOptionsUnitTests {
  private let folder = ScratchFolder()

  private func read(_ line: [String], app: String? = nil) throws -> RuntimeOptions {
    try folder.write(["main.js": ""])
    if let app { try folder.write(["app.json": app]) }
    let arguments = try ParsedArguments(line, options: ProgramOptions.specs)
    return try ProgramOptions.read(arguments, script: folder.path + "/main.js")
  }

  @Test func withoutAnyTheyAreTheUsualOnes() throws {
    let options = try read([])
    #expect(
      options.patience == 60
        && options.seed == nil
        && !options.reportsAsJSON
        && !options.checksLeaks
        && !options.logsConsole
    )
    #expect(
      options.bundle == RealPath(folder.path)?.string && options.container == nil && options.endProcess != nil
    )
    #expect(
      !options.tracing.toStandardError
        && options.tracing.file == nil
        && !options.tracing.audits
        && options.mocks.isEmpty
    )
  }

  @Test func flagsAreTaken() throws {
    try folder.write(["data": "", "more/x": ""])
    let options = try read([
      "--json-errors", "--trace", "--trace-file", "t", "--audit", "--leak-check", "--container", "c",
      "--console-to-logger", "--resources", "data",
      "--resources", "more/x",
    ])
    #expect(
      options.reportsAsJSON
        && options.tracing.toStandardError
        && options.tracing.file == "t"
        && options.tracing.audits
    )
    #expect(
      options.checksLeaks
        && options.container == "c"
        && options.logsConsole
        && options.resources == ["data", "more/x"]
    )
  }

  @Test(arguments: [("0", nil), ("5", 5), ("0.5", 0.5), ("1e9", 1e9)] as [(String, Double?)])
  func patienceOfZeroIsEndless(_ text: String, _ seconds: Double?) throws {
    #expect(try read(["--patience", text]).patience == seconds)
  }

  @Test(arguments: [("0", 0), ("42", 42), ("1e300", 1 << 53), ("7.9", 7)] as [(String, UInt64)])
  func seedsAreWholeNumbers(_ text: String, _ seed: UInt64) throws {
    #expect(try read(["--seed", text]).seed == seed)
  }

  static let wrong: [([String], String)] = [
    (
      ["--resources", "../x"],
      "--resources must be a path from the script's folder on, without '..', not '../x'"
    ),
    (
      ["--resources", "/etc"],
      "--resources must be a path from the script's folder on, without '..', not '/etc'"
    ),
    (
      ["--resources", "ok", "--resources", "a/../.."],
      "--resources must be a path from the script's folder on, without '..', not 'a/../..'"
    ),
    (
      ["--log-level", "loud"],
      "--log-level must be one of trace, debug, info, notice, warning, error, critical, not 'loud'"
    ),
    (["--patience", "-1"], "--patience must be a number of 0 or more, not '-1'"),
    (["--seed", "x"], "--seed must be a number of 0 or more, not 'x'"),
    (
      ["--permissions", "app.appInof"],
      "--permissions names the unknown permission 'app.appInof'; did you mean 'app.appInfo'?"
    ),
    (
      ["--permissions", "peeers.*"], "--permissions names the unknown plugin 'peeers'; did you mean 'peers'?"
    ),
    (
      ["--permissions", "documents.import:no/such"],
      "--permissions names 'documents.import:no/such', whose place must be a whole path, as "
        + "documents.import:/home/ada"
    ),
    (
      ["--permissions", "documents.imprt:/tmp"],
      "--permissions names the unknown permission 'documents.imprt'; did you mean 'documents.import'?"
    ),
    (
      ["--resources", "nope"],
      "--resources names 'nope', and there is no such file or folder beside the script"
    ),
    (["--answers", "/tmp"], "can't read the answers '/tmp': Is a directory"),
    (["--answers", "/no/such"], "can't read the answers '/no/such': No such file or directory"),
  ]

  @Test(arguments: wrong)
  func whatIsWrongIsTold(_ line: [String], _ text: String) {
    let error = #expect(throws: UsageError.self) { try read(line) }
    #expect(error?.description == text)
  }

  @Test(arguments: [
    "app.nope", "app", "nope.*", "import", "app.*,nope.a", "appInfo", "documents.import:x/y",
    "*,!!documents.write", "*,!documents.write:/x", "documents.write:/x", "!*,documents.write", "*,!",
    "*,!**",
    "*,!documents.*:/x", "*,!localStorage.get", "*,-documents.write", "*,!process.run:git",
  ])
  func aPermissionThatAllowsNothingIsRefused(_ list: String) {
    let error = #expect(throws: UsageError.self) { try read(["--permissions", list]) }
    #expect(error?.description.hasPrefix("--permissions names ") == true)
  }

  @Test(arguments: [
    "*", "app.*", "documents.import", "documents.import:/no/such", "documents.import:~/a", "import:/",
    "peers.connect,logger.*", "*,!documents.import:/x", "*, !documents.write", "*,!process.env:NB_*",
    "*,!fetch:https://example.org", "*,!import",
  ])
  func aPermissionThatAllowsSomethingIsTaken(_ list: String) throws {
    #expect(try read(["--permissions", list]).permissions.list?.count == list.split(separator: ",").count)
  }

  @Test(arguments: [["--app", "/no/such/app.json"], ["--mock", "/no/such/mock.json"]])
  func filesThatAreNotThereAreErrors(_ line: [String]) {
    let error = #expect(throws: (any Error).self) { try read(line) }
    #expect(error.map { "\($0)".contains("/no/such/") } == true)
  }

  @Test func permissionsOfTheCommandLineReplaceTheApps() throws {
    let app = "{\"permissions\":[\"preference.*\"]}"
    let ofApp = try read([], app: app)
    #expect(ofApp.permissions.allows("preference.set") && !ofApp.permissions.allows("app.appInfo"))
    let given = try read(["--permissions", "app.* , preference.get"], app: app).permissions
    #expect(given.allows("app.appInfo") && given.allows("preference.get") && !given.allows("preference.set"))
    #expect(try !read(["--permissions", ""]).permissions.allows("app.appInfo"))
  }

  @Test func theLevelGoesWithTheAppsOtherSettings() throws {
    let options = try read(["--log-level", "warn"], app: "{\"settings\":{}}")
    let settings = try options.settings["logger"]?.decode([String: Value].self)
    #expect(try settings?["level"]?.decode(String.self) == "warning")
  }

  @Test func somebodyElseAnswers() throws {
    try folder.write(["answers": "y\nAda\n"])
    let file = try read(["--answers", folder.path + "/answers"]).dialogs
    #expect(file.confirm("?") && file.prompt("?", default: "") == "Ada")
    // A file goes before a yes to everything.
    try folder.write(["no": "n\n"])
    #expect(try !read(["--yes", "--answers", folder.path + "/no"]).dialogs.confirm("?"))
    #expect(try read(["--yes"]).dialogs.prompt("?", default: "d") == "d")
  }
}

/// Apps that are opened by a URL.
@Suite struct AppFolderUnitTests {
  private let folder = ScratchFolder()
  private let app =
    "{\"id\":\"com.example.notes\",\"name\":\"Notes\",\"schemes\":[\"Notes\",\"notes\","
    + "\"x-notes\"]}"

  private func problem(_ path: String) -> String {
    do {
      _ = try AppFolder.app(at: path)
      return "none"
    } catch { return "\(error)" }
  }

  @Test(arguments: ["main.js", "main.ts", "index.mjs"])
  func aFoldersScriptIsFound(_ script: String) throws {
    try folder.write(["app.json": app, script: ""])
    let found = try AppFolder.app(at: folder.path)
    #expect(
      found.id == "com.example.notes" && found.name == "Notes" && found.schemes == ["notes", "x-notes"])
    #expect(found.script == RealPath(folder.path + "/" + script)?.string)
    #expect(
      try AppFolder.app(at: folder.path + "/").script == found.script
        && AppFolder.app(at: folder.path + "/" + script).script == found.script
    )
  }

  @Test func mainIsNamedOrGoesBeforeIndex() throws {
    try folder.write(["app.json": app, "index.js": "", "main.js": ""])
    #expect(Path.name(try AppFolder.app(at: folder.path).script) == "main.js")
    try folder.write(["app.json": app.replacing("}", with: ",\"main\":\"start.js\"}"), "start.js": ""])
    #expect(Path.name(try AppFolder.app(at: folder.path).script) == "start.js")
  }

  @Test func whatIsMissingIsTold() throws {
    let path = folder.path
    #expect(
      problem(path) == "'\(path)' has no app.json, which would declare \"id\", \"schemes\" and \"main\""
    )
    #expect(problem(path + "/x.js") == "there is no script '\(path)/x.js'")
    try folder.write(["x.js": ""])
    #expect(
      problem(path + "/x.js")
        == "'\(path)/x.js' has no app.json beside or above it, which would declare \"id\" and \"schemes\""
    )
    try folder.write(["app.json": app])
    #expect(
      problem(path) == "'\(path)/app.json' names no \"main\" script, and there is no main.js or index.js"
    )
    try folder.write(["main.js": "", "app.json": "{\"schemes\":[\"a\"]}"])
    let real = RealPath(path)?.string ?? ""
    #expect(problem(path) == "'\(real)/app.json' has no \"id\", by which the app would be known")
    try folder.write(["app.json": "{\"id\":\"com.example.x\"}"])
    #expect(problem(path) == "'\(real)/app.json' declares no URL scheme; add \"schemes\": [\"my-scheme\"]")
    try folder.write(["app.json": "{"])
    #expect(problem(path).contains("app.json"))
  }
}
