// SPDX-License-Identifier: MIT

import BothWays
import Foundation
import NBridge
import NBridgePlugin
import NBridgeTesting
import PreferencePlugin
import Testing

@Suite(.bothWays) struct PreferencePluginTests {
  func run(_ script: String, in container: String, defaults: [String: Value] = [:]) async
    -> ScriptHarness.Result
  {
    var harness = ScriptHarness(plugins: [PreferencePlugin()])
    harness.container = container
    harness.options.registeredDefaults = defaults
    return await harness.run("const p = nbridge.preference;" + script)
  }

  func withContainer(_ body: (String) async throws -> Void) async rethrows {
    let container = TemporaryFolder.make()
    defer { TemporaryFolder.remove(container) }
    try await body(container)
  }

  @Test(arguments: [
    "'text'", "''", "0", "-1.5", "true", "null", "new Uint8Array([1, 2])", "[1, [2]]", "({a: {b: null}})",
    "new Date(5)",
    "10n", "new Map([[1, 2]])", "'\\u0000'",
  ])
  func everyTypeIsGivenBackByALaterRun(_ value: String) async {
    await withContainer { container in
      #expect(await run("await p.set('k', \(value))", in: container).status == .success)
      let result = await run("console.log(await p.get('k')); console.log(\(value))", in: container)
      let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count > 2 && lines[0] == lines[lines.count / 2], "\(result.output) \(result.errors)")
    }
  }

  @Test func theDefaultIsAnsweredAsGiven() async throws {
    try await withContainer { container in
      let result = await run(
        "console.log(await p.get('k', new Map([[1, 2]])), await p.get('k', 'x'), await p.get('r'), await p.get('r', 1), await p.get('k'), await p.get('k', null))",
        in: container, defaults: ["r": try Value(encoding: "registered")])
      #expect(result.output == "Map(1) { 1 => 2 } x registered 1 null null\n")
    }
  }

  @Test func keysRemoveAndClear() async {
    await withContainer { container in
      let result = await run(
        "await p.set('b', 1); await p.set('a', 2); await p.set('a', 3); console.log(await p.keys(), await p.remove('a'), await p.remove('a'), await p.get('a'), await p.clear(), await p.clear(), await p.keys())",
        in: container)
      #expect(result.output == "[ 'a', 'b' ] true false null 1 0 []\n")
    }
  }

  @Test func callsTakeEffectInTheOrderTheyWereMade() async {
    await withContainer { container in
      #expect(
        await run("for (let i = 0; i < 100; i++) p.set('k', i); console.log(await p.get('k'))", in: container)
          .output == "99\n")
    }
  }

  @Test(arguments: [
    ("get(5)", "invalid_parameter option.key must be a string, not a number"),
    ("get()", "invalid_parameter option.key must be a string, not undefined"),
    ("set('', 1)", "invalid_parameter option.key must have 1 to 1,024 bytes, not 0"),
    ("set('k', () => {})", "invalid_parameter option.value is a function, which can't cross the bridge"),
    (
      "set('k', 'x'.repeat(17 * 1024 * 1024))",
      "too_large option.value has 17825802 bytes; a preference may have 16777216"
    ),
  ])
  func badInputIsRefused(_ call: String, _ message: String) async {
    await withContainer { container in
      #expect(
        await run("try { await p.\(call) } catch (e) { console.log(e.code, e.message) }", in: container)
          .output == message + "\n")
    }
  }

  @Test func aWatchSeesChangesOfThisAndOfAnotherRun() async {
    await withContainer { container in
      var harness = ScriptHarness(plugins: [PreferencePlugin()])
      harness.container = container
      harness.usesRealTime = true
      let watching = harness
      async let watched = watching.run(
        "const w = nbridge.preference.watch(); await nbridge.preference.set('mine', 1); for await (const c of w) { console.log(c.key, c.value, c.removed); if (c.key === 'end') break }"
      )
      let other = ScriptHarness(plugins: [PreferencePlugin()])
      var writing = other
      writing.container = container
      // The watch begins before its own set: once that is seen from here, it is on.
      writing.usesRealTime = true
      _ = await writing.run(
        "const p = nbridge.preference; while (await p.get('mine') !== 1) await new Promise(r => setTimeout(r, 1)); await p.set('theirs', 'x'); await p.remove('theirs'); await p.set('end', 0)"
      )
      let output = await watched.output
      #expect(output.hasPrefix("mine 1 false\n"))
      #expect(output.contains("theirs undefined true\n"))
      #expect(output.hasSuffix("end 0 false\n"))
    }
  }

  @Test func aDamagedDatabaseIsSetAsideAndSaid() async throws {
    try await withContainer { container in
      _ = await run("await p.set('k', 1)", in: container)
      let path = container + "/Library/Preferences/preferences.db"
      try Data("this is no database, not by any means, whatever its name may say about it".utf8)
        .write(to: URL(fileURLWithPath: path))
      let result = await run(
        "console.log(await p.get('k', 'gone')); await p.set('k', 2); console.log(await p.get('k'))",
        in: container)
      #expect(result.output == "gone\n2\n", "\(result.errors)")
      #expect(result.errors.contains("were damaged; they are kept as"))
      let files = try FileManager.default.contentsOfDirectory(atPath: container + "/Library/Preferences")
      #expect(files.contains { $0.contains("damaged-") })
    }
  }

  @Test func theFilesAreTheUsersOnly() async throws {
    try await withContainer { container in
      _ = await run("await p.set('k', 1)", in: container)
      let path = container + "/Library/Preferences"
      let mode =
        try FileManager.default.attributesOfItem(atPath: path + "/preferences.db")[.posixPermissions] as? Int
      #expect(mode == 0o600)
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o700)
    }
  }
}
