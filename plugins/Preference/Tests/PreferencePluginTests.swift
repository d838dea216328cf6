// SPDX-License-Identifier: MIT

import BothWays
import Foundation
import NBridge
import NBridgePlugin
import NBridgeStore
import NBridgeTesting
import PreferencePlugin
import Testing

@Suite(.allWays) struct PreferencePluginTests {
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
        """
        console.log(await p.get('k', new Map([[1, 2]])), await p.get('k', 'x'), await p.get('r'),
          await p.get('r', 1), await p.get('k'), await p.get('k', null))
        """,
        in: container, defaults: ["r": try Value(encoding: "registered")])
      #expect(result.output == "Map(1) { 1 => 2 } x registered 1 null null\n")
    }
  }

  @Test func keysRemoveAndClear() async {
    await withContainer { container in
      let result = await run(
        """
        await p.set('b', 1); await p.set('a', 2); await p.set('a', 3);
        console.log(await p.keys(), await p.remove('a'), await p.remove('a'), await p.get('a'),
          await p.clear(), await p.clear(), await p.keys())
        """,
        in: container)
      #expect(result.output == "[ 'a', 'b' ] true false null 1 0 []\n")
    }
  }

  /// A key stands where it stands in `get`; the object of earlier programs goes on.
  @Test(arguments: ["'a'", "{ key: 'a' }"])
  func oneKeyCanBeWatched(_ which: String) async {
    await withContainer { container in
      let result = await run(
        """
        const watch = p.watch(\(which)); const first = watch.next();
        await p.set('b', 1); await p.set('a', 2); console.log((await first).value.key); watch.stop();
        """, in: container)
      #expect(result.output == "a\n", "\(result.errors)")
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
    ("get(5)", "invalid_parameter key must be a string, not a number"),
    ("get()", "invalid_parameter key must be a string, not undefined"),
    ("set('', 1)", "invalid_parameter key must have 1 to 1,024 bytes, not 0"),
    ("set('k', () => {})", "invalid_parameter value is a function, which can't cross the bridge"),
    (
      "set('k', 'x'.repeat(17 * 1024 * 1024))",
      "too_large value has 17825802 bytes; a preference may have 16777216"
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
        """
        const w = nbridge.preference.watch(); await nbridge.preference.set('mine', 1);
        for await (const c of w) { console.log(c.key, c.value, c.removed); if (c.key === 'end') break }
        """
      )
      let other = ScriptHarness(plugins: [PreferencePlugin()])
      var writing = other
      writing.container = container
      // The watch begins before its own set: once that is seen from here, it is on.
      writing.usesRealTime = true
      _ = await writing.run(
        """
        const p = nbridge.preference; while (await p.get('mine') !== 1) await new Promise(r => setTimeout(r,
          1)); await p.set('theirs', 'x'); await p.remove('theirs'); await p.set('end', 0)
        """
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
      #expect(
        result.errors.contains("were damaged: 0 of them could be saved, what is left is kept as"),
        "\(result.errors)")
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

  @Test func aKeyIsKeptWhole() async {
    await withContainer { container in
      let result = await run(
        """
        await p.set('a\\0b', 1); await p.set('a', 2); console.log(await p.get('a\\0b'), await p.get('a'),
          (await p.keys()).map((k) => k.length)); await p.remove('a\\0b');
          console.log(await p.get('a\\0b'), await p.get('a'))
        """,
        in: container)
      #expect(result.output == "1 2 [ 1, 3 ]\nnull 2\n", "\(result.errors)")
    }
  }

  @Test func whatIsKeptInMemoryIsWhatIsStored() async {
    await withContainer { container in
      let result = await run(
        """
        await p.set('k', [1]); const got = await p.get('k'); got.push(2); await p.set('other', 1);
        console.log(await p.get('k'), await p.get('none')); await p.set('none', 1);
        console.log(await p.get('none'));
        await p.remove('k'); console.log(await p.get('k')); await p.clear();
        console.log(await p.get('none', 'gone'));
        const large = 'x'.repeat(100_000);
        for (let n = 0; n < 100; n++) { await p.set('large' + n, large + n); await p.set('small' + n, n); }
        let same = 0;
        for (let n = 0; n < 100; n++) if (await p.get('large' + n) === large + n &&
          await p.get('small' + n) === n) same++;
        console.log(same);
        """, in: container)
      #expect(result.output == "[ 1 ] null\n1\nnull\ngone\n100\n", "\(result.errors)")
    }
  }

  @Test func removedKeysLeaveNoRowsForEver() async throws {
    try await withContainer { container in
      let result = await run(
        """
        for (let n = 0; n < 3000; n++) { await p.set('k' + n, 'x'.repeat(200)); await p.remove('k' + n);
          } console.log(await p.keys())
        """,
        in: container)
      #expect(result.output == "[]\n", "\(result.errors)")
      let size =
        try FileManager.default.attributesOfItem(
          atPath: container + "/Library/Preferences/preferences.db")[.size] as? Int
      #expect((size ?? .max) < 100_000, "\(size ?? -1)")
    }
  }

  @Test func aDatabaseOfBeforeIsTakenOver() async throws {
    try await withContainer { container in
      let folder = container + "/Library/Preferences"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      do {
        let old = try SQLiteDatabase(path: folder + "/preferences.db", content: "the old ones")
        try old.run(
          """
          CREATE TABLE preferences (key TEXT PRIMARY KEY, value BLOB, change INTEGER NOT NULL) WITHOUT ROWID
          """)
        try old.run("CREATE INDEX preferences_change ON preferences (change)")
        try old.run(
          "INSERT INTO preferences VALUES ('kept', ?, 4), ('removed', NULL, 7)",
          [
            .blob(try Value(encoding: "old").archived())
          ])
      }
      #expect(
        await run(
          """
          console.log(await p.keys(), await p.get('kept'))
          """, in: container
        ).output == "[ 'kept' ] old\n")
    }
  }
}
