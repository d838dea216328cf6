// SPDX-License-Identifier: MIT

import AppPlugin
import BothWays
import Foundation
import NBridge
import NBridgePlugin
import NBridgeTesting
import Testing

@Suite(.bothWays) struct AppPluginTests {
  /// Runs a script against the plugin in a container that is kept for the test.
  func run(_ script: String, in container: String) async -> ScriptHarness.Result {
    var harness = ScriptHarness(plugins: [AppPlugin()])
    harness.container = container
    harness.options.app = .init(id: "t", name: "Test", version: "1.2.3", build: "4")
    return await harness.run(script)
  }

  func withContainer(_ body: (String) async throws -> Void) async rethrows {
    let container = TemporaryFolder.make()
    defer { TemporaryFolder.remove(container) }
    try await body(container)
  }

  @Test func appInfoIsTheManifest() async {
    await withContainer { container in
      #expect(
        await run(
          "const i = await nbridge.app.appInfo(); console.log(i.id, i.name, i.version, i.build)",
          in: container
        ).output
          == "t Test 1.2.3 4\n")
    }
  }

  @Test func theDeviceIdIsMadeOnceAndKept() async {
    await withContainer { container in
      let script =
        """
        const d = await nbridge.app.deviceInfo();
        console.log(d.deviceId, d.language.length > 1, d.model.length > 0)
        """
      let first = await run(script, in: container).output
      #expect(first.count > 36)
      #expect(await run(script, in: container).output == first)
    }
  }

  @Test func runsAreCounted() async {
    await withContainer { container in
      for count in 1...3 {
        let result = await run(
          """
          const s = await nbridge.app.runStatistics();
          console.log(s.runs, s.firstRun instanceof Date, s.elapsed.days)
          """,
          in: container)
        #expect(result.output == "\(count) true 0\n")
      }
    }
  }

  @Test func clearCacheEmptiesTheCachesOnlyAndFollowsNoLink() async throws {
    try await withContainer { container in
      _ = await run("await nbridge.app.runStatistics()", in: container)
      let caches = container + "/Library/Caches"
      try FileManager.default.createDirectory(atPath: caches + "/a/b", withIntermediateDirectories: true)
      try Data(count: 100).write(to: URL(fileURLWithPath: caches + "/a/b/file"))
      try Data(count: 11).write(to: URL(fileURLWithPath: container + "/Documents/kept"))
      try FileManager.default.createSymbolicLink(
        atPath: caches + "/link", withDestinationPath: container + "/Documents")
      let result = await run("const r = await nbridge.app.clearCache(); console.log(r.files)", in: container)
      #expect(result.output == "2\n", "\(result.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: caches).isEmpty)
      #expect(FileManager.default.fileExists(atPath: container + "/Documents/kept"))
    }
  }

  @Test(arguments: [
    ("openURL('file:///etc/passwd')", "permission_denied"), ("openURL('javascript:1')", "permission_denied"),
    ("openURL('nothing')", "invalid_parameter"), ("openBrowser({url: 'mailto:a@b'})", "invalid_parameter"),
    ("openURL(5)", "invalid_parameter"), ("exit(300)", "invalid_parameter"),
    ("canOpenURL('')", "invalid_parameter"),
  ])
  func badInputIsRefused(_ call: String, _ code: String) async {
    await withContainer { container in
      #expect(
        await run("try { await nbridge.app.\(call) } catch (e) { console.log(e.code) }", in: container).output
          == code + "\n")
    }
  }

  @Test(.inThisProcess) func exitSettlesBeforeItEnds() async {
    await withContainer { container in
      let result = await run(
        """
        nbridge.app.exit(7).then(() => console.log('settled')); setTimeout(() => console.log('never'), 10000)
        """,
        in: container)
      #expect(result.status == ExitStatus(7))
      #expect(result.output == "settled\n")
    }
  }

  @Test func stateSurvivesARun() async {
    await withContainer { container in
      _ = await run(
        "await nbridge.app.saveState({m: new Map([[1, new Uint8Array([5])]]), d: new Date(9)})", in: container
      )
      let result = await run("const s = await nbridge.app.restoredState(); console.log(s)", in: container)
      #expect(result.output == "{ m: Map(1) { 1 => Uint8Array(1) [ 5 ] }, d: 1970-01-01T00:00:00.009Z }\n")
    }
  }

  @Test func aDamagedStateIsSaid() async throws {
    try await withContainer { container in
      _ = await run("await nbridge.app.saveState(1)", in: container)
      try Data("garbage".utf8).write(
        to: URL(fileURLWithPath: container + "/Library/Application Support/saved-state.nbv"))
      #expect(
        await run(
          "try { await nbridge.app.restoredState() } catch (e) { console.log(e.code) }", in: container
        ).output
          == "io_error\n")
    }
  }

  @Test func theLifecycleBeginsActiveAndHoldsNothingOpen() async {
    await withContainer { container in
      #expect(
        await run(
          "for await (const s of nbridge.app.onLifecycle()) console.log(s); console.log('end')", in: container
        ).output
          == "active\nterminating\nend\n")
    }
  }

  @Test func anAppThatStaysHearsOfNoPauseAndNoResume() async {
    await withContainer { container in
      let script = """
        const told = (name) => nbridge.app[name]((state) => console.log(name, state));
        told("onPause"); told("onResume"); told("onLifecycle");
        """
      #expect(await run(script, in: container).output == "onLifecycle active\nonLifecycle terminating\n")
    }
  }
}
