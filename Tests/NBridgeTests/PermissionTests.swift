// SPDX-License-Identifier: MIT

import BothWays
import NBridgePlugin
import NBridgeTesting
import StressPlugins
import Testing

@testable import NBridge
@testable import NBridgeScript

@Suite(.bothWays) struct PermissionTests {
  @Test(arguments: [
    ([], "probe.hello", false), (["probe.hello"], "probe.hello", true), (["probe.*"], "probe.hello", true),
    (["*"], "probe.hello", true), (["prob.*"], "probe.hello", false), (["probe.hel"], "probe.hello", false),
    (["probe.hello.more"], "probe.hello", false),
    // Folders: only what is named or below, and only where a folder is named at all.
    (["d.import:/usr/lib"], "d.import", true), (["d.import:/usr/lib"], "d.import:/usr/lib/x", true),
    (["d.import:/usr/lib"], "d.import:/usr/lib", true), (["d.import:/usr/lib"], "d.import:/usr/lib2", false),
    (["d.import:/usr/lib"], "d.export:/usr/lib/x", false), (["d.import:/"], "d.import:/x", true),
    (["d.import"], "d.import:/x", false), (["d.*"], "d.import:/x", false), (["*"], "d.import:/x", false),
    // What is forbidden is so wherever it stands, and opens nothing.
    (["*", "!d.remove"], "d.remove", false), (["!d.remove", "*"], "d.remove", false),
    (["*", "!d.remove"], "d.read", true), (["!d.remove"], "d.read", false), (["d.*", "!*"], "d.read", false),
    (["*", "!d.*"], "d.read", false), (["*", "!d.*"], "e.read", true), (["*", "!d.rem"], "d.remove", true),
    (["*", " !d.remove"], "d.remove", false), (["*", "\t! d.remove "], "d.remove", false),
    (["*", "!!d.remove"], "d.remove", false), (["*", "!!*"], "d.read", false), ([" d.read "], "d.read", true),
    (["d.import:/usr", "!d.import:/usr/lib"], "d.import:/usr/lib/x", false),
    (["d.import:/usr", "!d.import:/usr/lib"], "d.import:/usr/lib", false),
    (["d.import:/usr", "!d.import:/usr/lib"], "d.import:/usr/share", true),
    (["d.import:/usr", "!d.import:/usr/lib"], "d.import:/usr", false),
    (["d.import:/usr", "!d.import:/usr/lib"], "d.import", true),
    (["d.import:/usr", "!d.import"], "d.import:/usr/lib", false),
    (["d.import:/usr", "!d.export:/usr/lib"], "d.import:/usr/lib/x", true),
    (["process.env:*", "!process.env:NB_*"], "process.env:NB_X", false),
    (["process.env:*", "!process.env:NB_*"], "process.env:HOME", true),
    // Scopes that are no paths.
    (["w.fetch:example.org"], "w.fetch:example.org", true), (["w.fetch:example.org"], "w.fetch", true),
    (["w.fetch:example.org"], "w.fetch:example.com", false), (["w.fetch:ex*"], "w.fetch:example.com", true),
    (["w.fetch:*", "!w.fetch:example.com"], "w.fetch:example.com", false),
    (["w.fetch:*"], "w.fetch:/etc", false), (["*"], "w.fetch:example.org", false),
  ])
  func patterns(_ patterns: [String], _ permission: String, _ allowed: Bool) {
    #expect(PermissionSet(patterns).allows(permission) == allowed)
  }

  @Test func anAppWithoutAListReachesNoFolderOutside() {
    #expect(PermissionSet.everything.allows("d.import"))
    #expect(!PermissionSet.everything.allows("d.import:/x"))
  }

  @Test func aDenialNamesTheLineToAdd() async {
    var harness = ScriptHarness(plugins: [ProbePlugin()])
    harness.options.permissions = PermissionSet(["probe.answer"])
    let result = await harness.run(
      """
      console.log(await nbridge.probe.answer());
      try { await nbridge.probe.hello({name: 'x'}) } catch (e) { console.log(e.code, e.message) }
      """
    )
    #expect(
      result.output
        == """
        42
        permission_denied 'probe.hello' is not permitted; to allow it, \
        add "probe.hello" to "permissions" in app.json (or to --permissions)

        """
    )
  }

  @Test func aPluginIsBoundByTheAppsPermissions() async {
    var harness = ScriptHarness(plugins: [ProbePlugin()])
    harness.options.permissions = PermissionSet(["probe.viaOther"])
    let result = await harness.run("try { await nbridge.probe.viaOther() } catch (e) { console.log(e.code) }")
    #expect(result.output == "permission_denied\n")
  }

  @Test func auditPrintsWhatTheRunNeeded() async {
    var harness = ScriptHarness(plugins: [ProbePlugin()])
    harness.options.tracing.audits = true
    let result = await harness.run(
      "await nbridge.probe.answer(); await nbridge.probe.compute({count: 1}); await nbridge.probe.answer()")
    #expect(result.errors == "\"permissions\": [\"probe.answer\", \"probe.compute\"]\n")
  }

  @Test func auditPrintsTheScopesThatPluginsAskedFor() async {
    var harness = ScriptHarness(plugins: [ScopedPlugin()])
    harness.options.tracing.audits = true
    let list = ["scoped.*", "scoped.fetch:example.org", "scoped.open:/usr", "scoped.unused:x"]
    harness.options.permissions = PermissionSet(list)
    let script = """
      for (const scope of ["fetch:example.org", "fetch:example.com", "open:/usr/lib"])
        console.log(await nbridge.scoped.ask(scope));
      """
    let result = await harness.run(script)
    #expect(result.output == "true\nfalse\ntrue\n", "\(result.errors)")
    let needed = ["scoped.ask", "scoped.fetch:example.org", "scoped.open:/usr/lib"]
    #expect(result.errors == "\"permissions\": [\(needed.map { "\"\($0)\"" }.joined(separator: ", "))]\n")
    harness.options.permissions = PermissionSet(needed)
    #expect(await harness.run(script).output == result.output)
  }

  @Test func aDenialByTheListNamesWhatForbids() async {
    var harness = ScriptHarness(plugins: [ProbePlugin()])
    harness.options.permissions = PermissionSet(["*", "!probe.hel*", "!probe.hello"])
    let result = await harness.run(
      """
      console.log(await nbridge.probe.answer());
      try { await nbridge.probe.hello({name: 'x'}) } catch (e) { console.log(e.code, e.message) }
      """)
    #expect(
      result.output == """
        42
        permission_denied 'probe.hello' is not permitted: "!probe.hello" in "permissions" of app.json \
        (or in --permissions) forbids it

        """)
  }

  @Test(.inThisProcess) func traceTellsKindAndOutcomeButNoValues() async {
    var harness = ScriptHarness(plugins: [ProbePlugin()])
    harness.options.tracing.toStandardError = true
    let result = await harness.run(
      """
      await nbridge.probe.hello({name: 'secret'}); await nbridge.probe.throwsCode().catch(() => {});
      await nbridge.probe.compute({count: 1}); await nbridge.probe.compute({count: 'x'}).catch(() => {})
      """
    )
    #expect(result.errors.contains("trace: probe.hello immediate ok "))
    #expect(result.errors.contains("trace: probe.throwsCode immediate failed (out_of_paper) "))
    #expect(result.errors.contains("trace: probe.compute detached ok "))
    #expect(result.errors.contains("trace: probe.compute detached failed (invalid_parameter) "))
    #expect(!result.errors.contains("secret"))
  }

  @Test func theLeakCheckNamesWhatIsOpenAndWhere() async {
    var harness = ScriptHarness(plugins: [ProbePlugin()])
    harness.options.checksLeaks = true
    let clean = await harness.run("await nbridge.probe.later({ms: 1})")
    #expect(clean.status == .success)
    let result = await harness.run(
      "nbridge.probe.never();\nnbridge.probe.endless();\nsetTimeout(() => exit(0), 5)")
    #expect(result.status == .failure)
    #expect(result.errors.contains("2 left open at the end:"))
    #expect(result.errors.contains("probe.never (call)"))
    #expect(result.errors.contains("made at test.js:1:"))
    #expect(result.errors.contains("probe.endless (watch)"))
    #expect(result.errors.contains("made at test.js:2:"))
  }
}

/// Asks for what the script names.
private struct ScopedPlugin: Plugin {
  static let manifest = PluginManifest(service: "scoped", version: "1.0.0", help: "Asks.")
  struct Asked: Codable, Sendable { var scope: String }

  var body: PluginBody {
    Immediate("ask", "Whether a scope is open.") { (options: Asked, call) in
      call.allows("scoped.\(options.scope)")
    }
    .positional("scope")
  }
}

@Suite struct NamedScopeTests {
  @Test func aVariableIsNamedAndNoPlace() {
    // `tmp` would be a folder here, were it a path.
    let set = PermissionSet(["process.env:HOME", "process.env:NB_*", "process.env:tmp"])
    for name in ["HOME", "NB_", "NB_X", "tmp"] { #expect(set.allows("process.env:\(name)"), "\(name)") }
    for name in ["HOM", "HOMER", "NB", "tmp/x", "", "/"] {
      #expect(!set.allows("process.env:\(name)"), "\(name)")
    }
    #expect(set.allows("process.env") && !set.allows("process.run:/HOME"))
  }

  @Test func neitherEverythingNorAStarOpensOne() {
    for set in [.everything] + ["*", "process.*", "process.env"].map({ PermissionSet([$0]) }) {
      #expect(!set.allows("process.env:HOME") && !set.allows("process.run:/usr/bin/git"))
    }
    #expect(PermissionSet(["process.env:*"]).allows("process.env:HOME"))
  }

  @Test func aProgramLiesAtItsPathOrBelowIt() {
    let set = PermissionSet(["process.run:/usr/bin/git", "process.run:/opt/tools"])
    #expect(set.allows("process.run:/usr/bin/git") && set.allows("process.run:/opt/tools/a/b"))
    #expect(!set.allows("process.run:/usr/bin/gitk") && !set.allows("process.run:/usr/bin"))
  }
}

@Suite(.bothWays) struct AppManifestTests {
  @Test(arguments: [
    ("{", "'app.json' is not JSON: a key must be a string (byte 1)"),
    ("[]", "'app.json' must be a JSON object, not an array"),
    ("3", "'app.json' must be a JSON object, not a number"),
    (#"{"id": 3}"#, "'app.json': id must be a string, not a number"),
    (
      #"{"id": "../x"}"#,
      "'app.json': id '../x' must be 1 to 128 letters, digits, '.', '-' or '_', not starting with '.'"
    ),
    (#"{"permision": []}"#, "'app.json' has no key 'permision'; did you mean 'permissions'?"),
    (#"{"permissions": "all"}"#, "'app.json': permissions must be an array, not a string"),
  ])
  func whatIsWrongIsSaid(_ text: String, _ message: String) {
    let error = #expect(throws: AppManifestError.self) { try AppManifest.parse(text, path: "app.json") }
    #expect(error?.description == message)
  }

  /// It gives nothing: a plugin may be missing on this machine, or be older than the list.
  @Test(arguments: [
    ("prefrence.get", "the unknown plugin 'prefrence'; did you mean 'preference'?"),
    ("weather.now", "the unknown plugin 'weather'; there is app, preference"),
    ("preference.gte", "the unknown permission 'preference.gte'; did you mean 'preference.get'?"),
    ("preference", "the unknown permission 'preference'; did you mean 'preference.*'?"),
    ("preference.gte:/a", "the unknown permission 'preference.gte'; did you mean 'preference.get'?"),
    ("import", "'import' without a path, as import:/home/ada/lib"),
    ("preference.get", nil), ("preference.*", nil), ("*", nil), ("app.anything", nil), ("import:/a", nil),
    ("localStorage", nil),
    ("localStorage.get", "'localStorage.get'; did you mean 'localStorage', which has no parts?"),
  ])
  func aPermissionThatNamesNothingIsAWarning(_ pattern: String, _ problem: String?) throws {
    var options = RuntimeOptions()
    let manifest = try AppManifest.parse(#"{"permissions": ["\#(pattern)"]}"#, path: "app.json")
    try manifest.apply(
      to: &options, services: { ["app", "preference"] },
      actions: { $0 == "preference" ? ["preference.get", "preference.set"] : nil })
    #expect(options.warnings == (problem.map { ["'app.json': permissions name \($0)"] } ?? []))
    #expect(options.permissions.list == [pattern])
  }
}

/// A list that opens more than it looks is no warning: who overlooks that has no fence.
@Suite struct DenialSlipTests {
  private func apply(_ patterns: [String]) throws -> RuntimeOptions {
    var options = RuntimeOptions()
    let list = patterns.map { "\"\($0)\"" }.joined(separator: ",")
    try AppManifest.parse(#"{"permissions": [\#(list)]}"#, path: "app.json").apply(
      to: &options, services: { ["documents", "preference"] },
      actions: { $0 == "documents" ? ["documents.read", "documents.write", "documents.import"] : nil },
      isScoped: { $0 == "documents.import" })
    return options
  }

  @Test(arguments: [
    ("!!documents.write", "forbid '!!documents.write' with more than one '!'"),
    ("! !documents.write", "with more than one '!'"), ("!!*", "with more than one '!'"),
    ("!**", "'!**', which can be no permission's name"), ("!", "'!', which is no name"),
    ("!.write", "'!.write', which can be no permission's name"),
    ("!documents.", "can be no permission's name"),
    ("!documents.wri te", "can be no permission's name"), ("!*.write", "can be no permission's name"),
    ("-documents.write", "name '-documents.write', which can be no permission's name"),
    ("\u{200B}!documents.write", "can be no permission's name"),
    ("!documents.write:/x", "'documents.write:/x', and 'documents.write' has no scopes"),
    ("documents.write:/x", "name 'documents.write:/x', and 'documents.write' has no scopes"),
    ("!documents.*:/x", "whose scope needs the whole name of one permission"),
    ("!*:/x", "whose scope needs the whole name"), ("!documents.import:", "with nothing behind its ':'"),
    ("!documents.import:no/such", "whose place must be a whole path"),
    ("!localStorage.get", "did you mean 'localStorage', which has no parts?"),
    ("!localStorag", "the unknown plugin 'localStorag'"), ("!imprt:/x", "the unknown plugin 'imprt'"),
  ])
  func whatLooksLikeASlipIsAnError(_ pattern: String, _ message: String) {
    let error = #expect(throws: AppManifestError.self) { _ = try apply(["*", pattern]) }
    #expect(error?.description.hasPrefix("'app.json': permissions ") == true)
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "taken")")
  }

  @Test(arguments: [
    " !documents.write", "\\t!documents.write", "! documents.write ", "!documents.write", "!documents",
    "!documents.import:/x", "!fetch", "!import", "!import:/x", "!localStorage", "!preference.any",
    "!report.write",
  ])
  func whatIsNoneIsTaken(_ pattern: String) throws {
    let warnings = try apply(["*", pattern]).warnings
    #expect(warnings.filter { !$0.contains("'http'") && !$0.contains("'report'") } == [])
  }

  @Test func blanksTakeNothingFromADenial() throws {
    #expect(try !apply(["*", " !documents.write"]).permissions.allows("documents.write"))
    #expect(try !apply(["*", "\\t! documents.write"]).permissions.allows("documents.write"))
  }

  @Test func aPluginThatIsNotHereIsAWarning() throws {
    #expect(try apply(["*", "!docs.write"]).warnings.count == 1)
  }

  @Test func whoForbidsAllIsToldSo() throws {
    #expect(
      try apply(["!*", "documents.write"]).warnings == [
        "'app.json': permissions name '!*', which forbids all that there is, whatever else is allowed"
      ])
  }
}

@Suite(.bothWays) struct PluginRegistryTests {
  struct Second: Plugin {
    static let manifest = PluginManifest(service: "probe", version: "1.0.0")
    var body: PluginBody { Immediate("a", "A.") { call in 1 } }
  }
  struct BadName: Plugin {
    static let manifest = PluginManifest(service: "then", version: "1.0.0")
    var body: PluginBody { Immediate("a", "A.") { call in 1 } }
  }
  struct Twice: Plugin {
    static let manifest = PluginManifest(service: "twice", version: "1.0.0")
    var body: PluginBody {
      Immediate("a", "A.") { call in 1 }
      Immediate("a", "A.") { call in 1 }
    }
  }

  @Test func aNameTakenTwiceNamesBoth() async {
    let result = await ScriptHarness(plugins: [ProbePlugin(), Second()]).run("")
    #expect(result.errors == "the service 'probe' is taken twice: by ProbePlugin and Second\n")
  }

  @Test func aReservedNameIsRefused() async {
    #expect(
      await ScriptHarness(plugins: [BadName()]).run("").errors.hasPrefix("'then' can't be a service name"))
  }

  @Test func anActionDeclaredTwiceIsRefused() async {
    #expect(
      await ScriptHarness(plugins: [Twice()]).run("await nbridge.twice.a()").errors.contains(
        """
        the plugin 'twice' can't be used: 'twice.a' is declared twice
        """))
  }
}
